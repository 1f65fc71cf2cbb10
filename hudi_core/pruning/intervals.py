"""What each file may hold of a column, as two keys: the form in which statistics are asked.

Everything that can be decided once is decided here. An unknown bound is the end of the keys, a column without values has
low above high, contradictory bounds are unknown ones, NaN and null are flags. A comparison is then one comparison of
integers, and asks for neither validity nor counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import ByteStrings, common_prefix, concat_byte_strings
from hudi_core.columns.spans import gather
from hudi_core.pruning.order_keys import FloatKeys, IntegerKeys, KeyArray, OrderKeys, RankKeys, float_keys
from hudi_core.pruning.ranks import places, ranks
from hudi_core.pruning.statistics import Bools, Carrier, ColumnStatistics, Ints, carrier
from hudi_core.types import nodes as t

BLOCK = 256
"""Files summarised together."""

KEPT_WHOLE = 1 << 20
"""Bytes of a column's texts up to which they are kept whole, however long they are."""

LONGEST = 24
"""Bytes of a text, after what all texts of the column begin with, that are kept where there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """For each file (or block of files) the keys between which a column's values lie. Low above high: it has no values.

    NaN stands outside: `nans` says which files may hold it, None that none may. `nulls` says which may hold null.
    """

    low: KeyArray
    high: KeyArray
    nulls: Bools
    nans: Bools | None = None

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Intervals:
        """The same change made to all arrays."""
        nans = None if self.nans is None else change(self.nans)
        return Intervals(change(self.low), change(self.high), change(self.nulls), nans)


def hull(of: Intervals) -> Intervals:
    """What some file of each block may hold; files in arrays of shape (blocks, `BLOCK`)."""
    nans = None if of.nans is None else np.logical_or.reduce(of.nans, axis=1)
    return Intervals(of.low.min(1), of.high.max(1), np.logical_or.reduce(of.nulls, axis=1), nans)


def folded(statistics: ColumnStatistics, literals: list[bytes] | None = None) -> tuple[OrderKeys, Intervals]:
    """The intervals of a column, and its keys. Texts are placed among `literals` when these are all that will be asked."""
    low_known, high_known = statistics.low_known, statistics.high_known
    match carrier(statistics.type):
        case Carrier.FLOATS:
            return _folded_floats(statistics)
        case Carrier.TEXTS:
            keys, low, high = _text_keys(statistics, literals)
        case Carrier.INTEGERS:
            keys, low, high, fits = _whole_keys(statistics)
            low_known, high_known = low_known & fits, high_known & fits
    return keys, _interval(keys, statistics, low, high, low_known, high_known)


def plain_keys(of: t.Type, literals: list[bytes] | None) -> OrderKeys:
    """Keys that depend on the type alone, or on the `literals` among which strings are placed."""
    match carrier(of):
        case Carrier.FLOATS:
            return FloatKeys()
        case Carrier.TEXTS:
            assert literals is not None
            return RankKeys(of, ByteStrings.from_list(literals), np.arange(len(literals)))
        case Carrier.INTEGERS:
            return _KEYS_OF_TYPES.get(type(of)) or IntegerKeys(_scale(of), 0, -(2**63), 2**63 - 1, False)


def plain_intervals(statistics: ColumnStatistics, keys: OrderKeys, literals: list[bytes] | None) -> Intervals:
    """The intervals of a column in its `plain_keys`."""
    low_known, high_known = statistics.low_known, statistics.high_known
    if isinstance(keys, FloatKeys):
        return _folded_floats(statistics)[1]
    if isinstance(statistics.low, ByteStrings) or isinstance(statistics.high, ByteStrings):
        assert (
            isinstance(statistics.low, ByteStrings)
            and isinstance(statistics.high, ByteStrings)
            and literals is not None
        )
        low, high = places(statistics.low, literals), places(statistics.high, literals)
        return _interval(keys, statistics, low, high, low_known, high_known)
    fits = np.ones(len(statistics), np.bool_)
    for bound, is_known in ((statistics.low, low_known), (statistics.high, high_known)):
        fits &= ~is_known | ((bound >= keys.bottom) & (bound <= keys.top))
    low_known, high_known = low_known & fits, high_known & fits
    return _interval(keys, statistics, statistics.low, statistics.high, low_known, high_known)


def placed(of: Intervals, keys: OrderKeys, numbers: Ints, count: int) -> Intervals:
    """Intervals by number from intervals of the files `numbers`: unknown for numbers that are not there, the hull of those
    that are there several times. Filled up to whole blocks with files that hold nothing."""
    size = -(-count // BLOCK) * BLOCK
    consecutive = len(numbers) == count and bool((numbers == np.arange(count)).all())
    if consecutive and size == count:
        return of
    spoken = np.ones(size, np.bool_)
    if not consecutive:
        spoken[:count] = False
        spoken[numbers] = True
    unspoken = ~spoken
    where: Any = slice(0, count) if consecutive else numbers
    unique = np.count_nonzero(spoken) - (size - count) == len(numbers)

    def laid(array: NDArray[Any], nothing: int, not_known: int, join: np.ufunc) -> NDArray[Any]:
        found = np.full(size, nothing, array.dtype)
        if unique:
            found[where] = array
        else:
            join.at(found, where, array)
        found[unspoken] = not_known
        return found

    nans = of.nans
    if nans is None and isinstance(keys, FloatKeys) and unspoken.any():
        nans = np.zeros(len(numbers), np.bool_)
    return Intervals(
        laid(of.low, keys.top, keys.bottom, np.minimum),
        laid(of.high, keys.bottom, keys.top, np.maximum),
        laid(of.nulls, False, True, np.logical_or),
        None if nans is None else laid(nans, False, True, np.logical_or),
    )


def _interval(
    keys: OrderKeys, statistics: ColumnStatistics, low: KeyArray, high: KeyArray, low_known: Bools, high_known: Bools
) -> Intervals:
    """Folds what is unknown, contradictory or empty into the keys."""
    sane = ~(low_known & high_known) | (low <= high)
    low = np.where(low_known & sane, low, low.dtype.type(keys.bottom))
    high = np.where(high_known & sane, high, low.dtype.type(keys.top))
    nulls, rows = statistics.nulls, statistics.rows
    empty = (nulls == rows) & (rows >= 0)
    low[empty], high[empty] = keys.top, keys.bottom
    return Intervals(low, high, nulls != 0)


def _folded_floats(statistics: ColumnStatistics) -> tuple[OrderKeys, Intervals]:
    """NaN is no bound: as an upper one it says that there is NaN and nothing of the other values, as a lower one nothing."""
    assert not isinstance(statistics.low, ByteStrings) and not isinstance(statistics.high, ByteStrings)
    keys = FloatKeys()
    low_nan, high_nan = np.isnan(statistics.low), np.isnan(statistics.high)
    of = _interval(
        keys,
        statistics,
        float_keys(np.asarray(statistics.low, np.float64)),
        float_keys(np.asarray(statistics.high, np.float64)),
        statistics.low_known & ~low_nan,
        statistics.high_known & ~high_nan,
    )
    nans = of.low <= of.high
    if statistics.nans is not None:
        nans &= statistics.nans | (high_nan & statistics.high_known) | (low_nan & statistics.low_known)
    return keys, replace(of, nans=nans if nans.any() else None)


def _whole_keys(statistics: ColumnStatistics) -> tuple[OrderKeys, KeyArray, KeyArray, Bools]:
    """Keys of integers in as few bytes as hold them, and which bounds are values of the type at all."""
    assert not isinstance(statistics.low, ByteStrings) and not isinstance(statistics.high, ByteStrings)
    low, high = statistics.low, statistics.high
    fits = np.ones(len(low), np.bool_)
    dtype: type[np.signedinteger[Any]]
    match statistics.type:
        case t.Boolean():
            keys, dtype = _KEYS_OF_TYPES[t.Boolean], np.int8
        case t.Int() | t.Date() as narrow:
            keys, dtype = _KEYS_OF_TYPES[type(narrow)], np.int32
        case other:
            scale = _scale(other)
            known = np.concatenate([low[statistics.low_known], high[statistics.high_known]])
            least, most = (int(known.min()), int(known.max())) if len(known) else (0, 0)
            if most - least > 2**32 - 4:
                return IntegerKeys(scale, 0, -(2**63), 2**63 - 1, False), low, high, fits
            base = (least + most) // 2
            return IntegerKeys(scale, base, -(2**31), 2**31 - 1, True), _narrow(low, base), _narrow(high, base), fits
    for bound, is_known in ((low, statistics.low_known), (high, statistics.high_known)):
        fits &= ~is_known | ((bound >= keys.bottom) & (bound <= keys.top))
    return keys, low.astype(dtype), high.astype(dtype), fits


_INT = IntegerKeys(0, 0, -(2**31), 2**31 - 1, False)
_KEYS_OF_TYPES: Mapping[type[t.Type], IntegerKeys] = {
    t.Boolean: IntegerKeys(0, 0, 0, 1, False),
    t.Int: _INT,
    t.Date: _INT,
}
"""Of types with so few values that all have keys."""


def _scale(of: t.Type) -> int:
    return of.scale if isinstance(of, t.Decimal) else 0


def _narrow(values: Any, base: int) -> KeyArray:
    narrow: KeyArray = (values - np.int64(base)).astype(np.int32)
    return narrow


def _text_keys(statistics: ColumnStatistics, literals: list[bytes] | None) -> tuple[OrderKeys, KeyArray, KeyArray]:
    assert isinstance(statistics.low, ByteStrings) and isinstance(statistics.high, ByteStrings)
    count = len(statistics)
    if literals is not None:
        low, high = places(statistics.low, literals), places(statistics.high, literals)
        return RankKeys(statistics.type, ByteStrings.from_list(literals), np.arange(len(literals))), low, high
    texts, prefix, cut = _shortened(concat_byte_strings([statistics.low, statistics.high]))
    found, order = ranks(texts)
    keys = 2 * found + np.int32(1)
    return RankKeys(statistics.type, texts, order, prefix, cut), keys[:count], keys[count:]


def _shortened(texts: ByteStrings) -> tuple[ByteStrings, bytes, int | None]:
    """The texts where there are so many bytes of them that memory counts: without what all begin with, and long ones cut; what
    all begin with, and at how many bytes they are cut (None: none is)."""
    if len(texts.data) <= KEPT_WHOLE:
        return texts, b"", None
    shared, lengths = common_prefix(texts), np.diff(texts.offsets)
    if not shared and not (lengths > LONGEST).any():
        return texts, b"", None
    prefix, left = texts[0][:shared], lengths - shared
    kept = ByteStrings(*gather(texts.data, texts.offsets[:-1] + shared, np.minimum(left, LONGEST)))
    return kept, prefix, LONGEST if (left > LONGEST).any() else None
