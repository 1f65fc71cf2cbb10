"""Intervals: the values that a column of each file may have, as two order keys, the form in which statistics are searched.

Everything that can be decided once is decided here. An unknown bound is the end of the keys, a column without values has
lower above upper, contradictory bounds are unknown ones, NaN and null are flags. A comparison is then one comparison of
integers, and needs neither validity nor counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings, common_prefix, concat_byte_strings
from hudi_core.columns.spans import gather
from hudi_core.pruning.order_keys import FloatKeys, IntegerKeys, KeyArray, OrderKeys, RankKeys, float_keys
from hudi_core.pruning.ranks import LiteralWords, at_most, place_bounds, ranks
from hudi_core.pruning.statistics import Carrier, ColumnStatistics, carrier
from hudi_core.types import nodes as t

BLOCK = 256
"""Files summarised together."""

MAX_UNCUT_BYTES = 1 << 20
"""Bytes of a column's texts up to which they are kept whole, however long they are."""

MAX_STRING_BYTES = 24
"""Bytes of a text, after what all texts of the column begin with, that are kept where there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """For each file (or block of files) the keys between which a column's values lie. Low above upper: it has no values.

    NaN stands outside: `nans` marks the files that may hold it; None: no file may. `nulls` marks those that may hold null.
    """

    lower: KeyArray
    upper: KeyArray
    nulls: Bools
    nans: Bools | None = None

    def map(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Intervals:
        """The same change made to all arrays."""
        nans = None if self.nans is None else change(self.nans)
        return Intervals(change(self.lower), change(self.upper), change(self.nulls), nans)


def hull(intervals: Intervals) -> Intervals:
    """The hull of each block; files in arrays of shape (blocks, `BLOCK`)."""
    nans = None if intervals.nans is None else np.logical_or.reduce(intervals.nans, axis=1)
    return Intervals(
        intervals.lower.min(1), intervals.upper.max(1), np.logical_or.reduce(intervals.nulls, axis=1), nans
    )


def fold(statistics: ColumnStatistics, literals: list[bytes] | None = None) -> tuple[OrderKeys, Intervals]:
    """The intervals of a column, and its keys. Strings are placed among `literals` when these are all that will be compared."""
    match carrier(statistics.type):
        case Carrier.FLOATS:
            return _fold_floats(statistics)
        case Carrier.TEXTS:
            return _fold_texts(statistics, literals)
        case Carrier.INTEGERS:
            keys, lower, upper, fits = _whole_keys(statistics)
            lower_known, upper_known = statistics.lower_known & fits, statistics.upper_known & fits
            return keys, _interval(keys, statistics, lower, upper, lower_known, upper_known)


def plain_keys(data_type: t.Type, literals: list[bytes] | None) -> OrderKeys:
    """Keys that depend on the type alone, or on the `literals` among which strings are placed."""
    match carrier(data_type):
        case Carrier.FLOATS:
            return FloatKeys()
        case Carrier.TEXTS:
            assert literals is not None
            return RankKeys(data_type, ByteStrings.from_list(literals), np.arange(len(literals)))
        case Carrier.INTEGERS:
            return _KEYS_OF_TYPES.get(type(data_type)) or IntegerKeys(_scale(data_type), 0, -(2**63), 2**63 - 1, False)


def plain_intervals(statistics: ColumnStatistics, keys: OrderKeys, literals: LiteralWords | None) -> Intervals:
    """The intervals of a column in its `plain_keys`, those of strings among their literals."""
    lower_known, upper_known = statistics.lower_known, statistics.upper_known
    if isinstance(keys, FloatKeys):
        return _fold_floats(statistics)[1]
    if isinstance(statistics.lower, ByteStrings) or isinstance(statistics.upper, ByteStrings):
        assert (
            isinstance(statistics.lower, ByteStrings)
            and isinstance(statistics.upper, ByteStrings)
            and literals is not None
        )
        lower, upper, in_order = place_bounds(statistics.lower, statistics.upper, literals)
        return _interval(keys, statistics, lower, upper, lower_known, upper_known, in_order)
    fits = np.ones(len(statistics), np.bool_)
    for bound, is_known in ((statistics.lower, lower_known), (statistics.upper, upper_known)):
        fits &= ~is_known | ((bound >= keys.bottom) & (bound <= keys.top))
    lower_known, upper_known = lower_known & fits, upper_known & fits
    return _interval(keys, statistics, statistics.lower, statistics.upper, lower_known, upper_known)


def place(intervals: Intervals, keys: OrderKeys, numbers: Numbers, count: int) -> Intervals:
    """Intervals by number from intervals of the files `numbers`: unknown for numbers that are not there, the hull of those
    that are there several times. Filled up to whole blocks with files that hold nothing."""
    size = -(-count // BLOCK) * BLOCK
    consecutive = len(numbers) == count and bool((numbers == np.arange(count)).all())
    if consecutive and size == count:
        return intervals
    spoken = np.ones(size, np.bool_)
    if not consecutive:
        spoken[:count] = False
        spoken[numbers] = True
    unspoken = ~spoken
    where: Any = slice(0, count) if consecutive else numbers
    unique = np.count_nonzero(spoken) - (size - count) == len(numbers)

    def lay(array: NDArray[Any], nothing: int, not_known: int, join: np.ufunc) -> NDArray[Any]:
        values = np.full(size, nothing, array.dtype)
        if unique:
            values[where] = array
        else:
            join.at(values, where, array)
        values[unspoken] = not_known
        return values

    nans = intervals.nans
    if nans is None and isinstance(keys, FloatKeys) and unspoken.any():
        nans = np.zeros(len(numbers), np.bool_)
    return Intervals(
        lay(intervals.lower, keys.top, keys.bottom, np.minimum),
        lay(intervals.upper, keys.bottom, keys.top, np.maximum),
        lay(intervals.nulls, False, True, np.logical_or),
        None if nans is None else lay(nans, False, True, np.logical_or),
    )


def _interval(
    keys: OrderKeys,
    statistics: ColumnStatistics,
    lower: KeyArray,
    upper: KeyArray,
    lower_known: Bools,
    upper_known: Bools,
    in_order: Bools | None = None,
) -> Intervals:
    """Folds what is unknown, contradictory or empty into the keys. `in_order` marks bounds that do not contradict each other
    where the keys do not decide it."""
    sane = ~(lower_known & upper_known) | (lower <= upper if in_order is None else in_order)
    lower = np.where(lower_known & sane, lower, lower.dtype.type(keys.bottom))
    upper = np.where(upper_known & sane, upper, lower.dtype.type(keys.top))
    nulls, rows = statistics.nulls, statistics.rows
    empty = (nulls == rows) & (rows >= 0)
    lower[empty], upper[empty] = keys.top, keys.bottom
    return Intervals(lower, upper, nulls != 0)


def _fold_floats(statistics: ColumnStatistics) -> tuple[OrderKeys, Intervals]:
    """NaN is no bound: as an upper one it means that there is NaN and leaves other values unknown, as a lower one nothing."""
    assert not isinstance(statistics.lower, ByteStrings) and not isinstance(statistics.upper, ByteStrings)
    keys = FloatKeys()
    lower_nan, upper_nan = np.isnan(statistics.lower), np.isnan(statistics.upper)
    intervals = _interval(
        keys,
        statistics,
        float_keys(np.asarray(statistics.lower, np.float64)),
        float_keys(np.asarray(statistics.upper, np.float64)),
        statistics.lower_known & ~lower_nan,
        statistics.upper_known & ~upper_nan,
    )
    nans = intervals.lower <= intervals.upper
    if statistics.nans is not None:
        nans &= statistics.nans | (upper_nan & statistics.upper_known) | (lower_nan & statistics.lower_known)
    if statistics.only_nans is not None:  # no value is between bounds, and yet there are values
        nans |= statistics.only_nans
        intervals.lower[statistics.only_nans], intervals.upper[statistics.only_nans] = keys.top, keys.bottom
    return keys, replace(intervals, nans=nans if nans.any() else None)


def _whole_keys(statistics: ColumnStatistics) -> tuple[OrderKeys, KeyArray, KeyArray, Bools]:
    """Keys of integers in as few bytes as hold them, and which bounds are values of the type at all."""
    assert not isinstance(statistics.lower, ByteStrings) and not isinstance(statistics.upper, ByteStrings)
    lower, upper = statistics.lower, statistics.upper
    fits = np.ones(len(lower), np.bool_)
    dtype: type[np.signedinteger[Any]]
    match statistics.type:
        case t.Boolean():
            keys, dtype = _KEYS_OF_TYPES[t.Boolean], np.int8
        case t.Int() | t.Date() as narrow:
            keys, dtype = _KEYS_OF_TYPES[type(narrow)], np.int32
        case other:
            scale = _scale(other)
            known = np.concatenate([lower[statistics.lower_known], upper[statistics.upper_known]])
            least, most = (int(known.min()), int(known.max())) if len(known) else (0, 0)
            if most - least > 2**32 - 4:
                return IntegerKeys(scale, 0, -(2**63), 2**63 - 1, False), lower, upper, fits
            base = (least + most) // 2
            return IntegerKeys(scale, base, -(2**31), 2**31 - 1, True), _narrow(lower, base), _narrow(upper, base), fits
    for bound, is_known in ((lower, statistics.lower_known), (upper, statistics.upper_known)):
        fits &= ~is_known | ((bound >= keys.bottom) & (bound <= keys.top))
    return keys, lower.astype(dtype), upper.astype(dtype), fits


_INT = IntegerKeys(0, 0, -(2**31), 2**31 - 1, False)
_KEYS_OF_TYPES: Mapping[type[t.Type], IntegerKeys] = {
    t.Boolean: IntegerKeys(0, 0, 0, 1, False),
    t.Int: _INT,
    t.Date: _INT,
}
"""The keys of types with so few values that all have one."""


def _scale(type: t.Type) -> int:
    return type.scale if isinstance(type, t.Decimal) else 0


def _narrow(values: Any, base: int) -> KeyArray:
    narrow: KeyArray = (values - np.int64(base)).astype(np.int32)
    return narrow


def _fold_texts(statistics: ColumnStatistics, literals: list[bytes] | None) -> tuple[OrderKeys, Intervals]:
    if literals is not None:
        keys = plain_keys(statistics.type, literals)
        return keys, plain_intervals(statistics, keys, LiteralWords.from_list(literals))
    assert isinstance(statistics.lower, ByteStrings) and isinstance(statistics.upper, ByteStrings)
    texts, prefix, cut = _shorten(concat_byte_strings([statistics.lower, statistics.upper]))
    numbers, order = ranks(texts)
    lower, upper = np.split(2 * numbers + np.int32(1), 2)
    in_order = lower <= upper
    if cut is not None:
        alike = np.flatnonzero(lower == upper)  # up to where they were cut
        in_order[alike] = at_most(statistics.lower.take(alike), statistics.upper.take(alike))
    rank_keys = RankKeys(statistics.type, texts, order, prefix, cut)
    known = statistics.lower_known, statistics.upper_known
    return rank_keys, _interval(rank_keys, statistics, lower, upper, *known, in_order)


def _shorten(texts: ByteStrings) -> tuple[ByteStrings, bytes, int | None]:
    """The texts where there are so many bytes of them that memory counts: without what all begin with, and long ones cut; what
    all begin with, and at how many bytes they are cut (None: none is)."""
    if len(texts.data) <= MAX_UNCUT_BYTES:
        return texts, b"", None
    shared, lengths = common_prefix(texts), np.diff(texts.offsets)
    if not shared and not (lengths > MAX_STRING_BYTES).any():
        return texts, b"", None
    prefix, left = texts[0][:shared], lengths - shared
    kept = ByteStrings(*gather(texts.data, texts.offsets[:-1] + shared, np.minimum(left, MAX_STRING_BYTES)))
    return kept, prefix, MAX_STRING_BYTES if (left > MAX_STRING_BYTES).any() else None
