"""Statistics of one column over many files, as decoded: bounds and counts as arrays; and how values become numbers.

What a reader of metadata makes and pruning takes. A bound, a count, the absence of NaN is known or unknown on its own.

Carriers of bounds, by type:
    integers   int64     boolean (0, 1), int, long, date, time, timestamp, decimal up to 18 digits (unscaled, at the type's scale)
    floats     float64   float, double
    texts      `ByteStrings`   string, enumeration, uuid: UTF-8; binary, fixed, vector: the bytes; longer decimals: the unscaled
                         value plus 2^127 as 16 bytes, big-endian
A nested type has no bounds; its carrier is an integer that is never known.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Floats, Numbers
from hudi_core.columns.byte_strings import ByteStrings, concat_byte_strings
from hudi_core.columns.int128 import WIDE_SIZE
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.types import nodes as t
from hudi_core.values.domain import EXACT

Bounds = Numbers | Floats | ByteStrings

MAX_INT64_DECIMAL_PRECISION = 18
"""Digits of a decimal whose unscaled value always fits 64 bits."""

WIDE_OFFSET = 1 << (8 * WIDE_SIZE - 1)
"""Added to an unscaled value, so that its unsigned big-endian bytes sort as the values do."""


class Carrier(Enum):
    """The array type of a type's bounds."""

    INTEGERS = "int64"
    FLOATS = "float64"
    TEXTS = "texts"


def carrier(type: t.Type) -> Carrier:
    """The carrier of a type's bounds."""
    match type:
        case t.Float() | t.Double():
            return Carrier.FLOATS
        case t.String() | t.Enumeration() | t.Uuid() | t.Binary() | t.Fixed() | t.Vector():
            return Carrier.TEXTS
        case t.Decimal(precision) if precision > MAX_INT64_DECIMAL_PRECISION:
            return Carrier.TEXTS
        case _:
            return Carrier.INTEGERS


@dataclass(frozen=True, slots=True, eq=False)
class ColumnStatistics:
    """One column, of one stored type, in n files. Bounds are wide: no value that is not NaN lies outside a known one.

    What `lower` and `upper` hold where they are not known has no meaning. `nulls` and `rows` (nulls included) are -1 where
    unknown. `nans` marks files that may hold NaN; None: every file may, if the type has NaN at all.
    """

    type: t.Type
    lower: Bounds
    upper: Bounds
    lower_known: Bools
    upper_known: Bools
    nulls: Numbers
    rows: Numbers
    nans: Bools | None = None
    only_nans: Bools | None = None
    """Marks files of which every value is NaN; None: no file is known to be one."""

    def __len__(self) -> int:
        return len(self.nulls)


def from_leaves(type: t.Type, leaves: Sequence[LeafStatistics]) -> ColumnStatistics:
    """Statistics of one file each, as footers state them; all of one type."""
    return from_values(
        type,
        [leaf.lower for leaf in leaves],
        [leaf.upper for leaf in leaves],
        [leaf.null_count for leaf in leaves],
        [leaf.value_count for leaf in leaves],
        [leaf.nans for leaf in leaves],
    )


def from_values(
    type: t.Type,
    lower: Sequence[object],
    upper: Sequence[object],
    nulls: Sequence[int | None],
    rows: Sequence[int | None],
    nans: Sequence[bool] | None = None,
    nan_counts: Sequence[int | None] | None = None,
) -> ColumnStatistics:
    """Statistics from values in the form of `hudi_core.values`, one of each for a file; None is unknown.

    `nans` are flags of files that may hold NaN. `nan_counts` says more where it is known: how many values are NaN. A file without
    rows has no nulls.
    """
    only_nans = None
    nulls = [0 if count == 0 else known for known, count in zip(nulls, rows, strict=True)]
    if nan_counts is not None:
        flags = [True] * len(nan_counts) if nans is None else nans
        nans = [flag and count != 0 for flag, count in zip(flags, nan_counts, strict=True)]
        kinds = list(map(_nans_among, nan_counts, nulls, rows))
        only_nans = np.array([is_only for is_only, _ in kinds], np.bool_)
        nulls = [count for _, count in kinds]
    return ColumnStatistics(
        type,
        _carry(type, lower),
        _carry(type, upper),
        np.array([value is not None for value in lower], np.bool_),
        np.array([value is not None for value in upper], np.bool_),
        np.array([-1 if count is None else count for count in nulls], np.int64),
        np.array([-1 if count is None else count for count in rows], np.int64),
        None if nans is None else np.array(nans, np.bool_),
        only_nans,
    )


def _nans_among(nan_count: int | None, nulls: int | None, rows: int | None) -> tuple[bool, int | None]:
    """Whether every value of a file is NaN, and its nulls: none where NaN are as many as rows."""
    if nan_count is None or rows is None or nan_count <= 0:
        return False, nulls
    if nan_count == rows and nulls is None:
        return True, 0
    return nulls is not None and nan_count == rows - nulls, nulls


def unknown(type: t.Type, count: int) -> ColumnStatistics:
    """Statistics of files of which nothing is known."""
    nothing, uncounted = np.zeros(count, np.bool_), np.full(count, -1, np.int64)
    blank = _blank(type, count)
    return ColumnStatistics(type, blank, blank, nothing, nothing, uncounted, uncounted)


def absent(type: t.Type, count: int, default: object = None, *, or_null: bool = False) -> ColumnStatistics:
    """Statistics of files older than the column, where every row reads as the default, as if of one row each: exact, but that a
    nested value has no bounds. With `or_null` rows may have null too."""
    if or_null:
        uncounted = np.full(count, -1, np.int64)
        return replace(absent(type, count, default), nulls=uncounted, rows=uncounted)
    ones, zeros = np.ones(count, np.int64), np.zeros(count, np.int64)
    if default is None:
        blank, nothing = _blank(type, count), np.zeros(count, np.bool_)
        return ColumnStatistics(type, blank, blank, nothing, nothing, ones, ones)
    if isinstance(type, t.Nested):
        return replace(unknown(type, count), nulls=zeros, rows=ones)
    one = from_values(type, [default], [default], [0], [1], [bool(default != default)])
    value = take_bounds(one.lower, np.zeros(count, np.int64))
    known = np.ones(count, np.bool_)
    assert one.nans is not None
    return ColumnStatistics(type, value, value, known, known, zeros, ones, np.repeat(one.nans, count))


def nothing(type: t.Type, count: int) -> ColumnStatistics:
    """Statistics of files without rows."""
    return replace(unknown(type, count), nulls=np.zeros(count, np.int64), rows=np.zeros(count, np.int64))


def is_complete_in(statistics: ColumnStatistics) -> Bools:
    """Which files have complete statistics: both bounds where there are values, nulls, and NaN."""
    empty = (statistics.nulls == statistics.rows) & (statistics.rows >= 0)
    known: Bools = statistics.lower_known & statistics.upper_known
    if carrier(statistics.type) is Carrier.FLOATS:
        known &= False if statistics.nans is None else ~statistics.nans
    complete: Bools = (empty | known) & (statistics.nulls >= 0)
    return complete


def concatenate(parts: Sequence[ColumnStatistics]) -> ColumnStatistics:
    """The files of all parts (at least one, all of one type), in order."""
    first = parts[0]
    if len(parts) == 1:
        return first
    nans = None
    if any(part.nans is not None for part in parts):
        nans = np.concatenate([np.ones(len(part), np.bool_) if part.nans is None else part.nans for part in parts])
    only_nans = None
    if any(part.only_nans is not None for part in parts):
        flags = [np.zeros(len(part), np.bool_) if part.only_nans is None else part.only_nans for part in parts]
        only_nans = np.concatenate(flags)
    return ColumnStatistics(
        first.type,
        _join([part.lower for part in parts]),
        _join([part.upper for part in parts]),
        np.concatenate([part.lower_known for part in parts]),
        np.concatenate([part.upper_known for part in parts]),
        np.concatenate([part.nulls for part in parts]),
        np.concatenate([part.rows for part in parts]),
        nans,
        only_nans,
    )


def take_files(statistics: ColumnStatistics, numbers: Numbers | slice) -> ColumnStatistics:
    """The statistics of some files, in the order of their numbers, of which one may occur again; those of a slice, which has a
    start and a stop, without a copy."""
    return ColumnStatistics(
        statistics.type,
        take_bounds(statistics.lower, numbers),
        take_bounds(statistics.upper, numbers),
        statistics.lower_known[numbers],
        statistics.upper_known[numbers],
        statistics.nulls[numbers],
        statistics.rows[numbers],
        None if statistics.nans is None else statistics.nans[numbers],
        None if statistics.only_nans is None else statistics.only_nans[numbers],
    )


def without_bounds(statistics: ColumnStatistics, type: t.Type) -> ColumnStatistics:
    """The counts alone, of a column of another type."""
    return replace(unknown(type, len(statistics)), nulls=statistics.nulls, rows=statistics.rows)


def unscale(value: decimal.Decimal, scale: int) -> int:
    """A decimal in units of its scale; what is finer is cut off."""
    return int(value.scaleb(scale, EXACT))


def wide_bytes(number: int) -> bytes:
    """An unscaled value of a long decimal as bytes that sort as the values do; values out of range saturate."""
    return min(max(number + WIDE_OFFSET, 0), 2 * WIDE_OFFSET - 1).to_bytes(WIDE_SIZE, "big")


def text_bytes(value: object, type: t.Type) -> bytes:
    """The bytes that carry a value of a type carried by texts."""
    match value:
        case str():
            return value.encode("utf-8", "surrogatepass")
        case decimal.Decimal():
            assert isinstance(type, t.Decimal)
            return wide_bytes(unscale(value, type.scale))
        case _:
            assert isinstance(value, bytes)
            return value


def _carry(type: t.Type, values: Sequence[Any]) -> Bounds:
    match carrier(type):
        case Carrier.TEXTS:
            return ByteStrings.from_list([b"" if value is None else text_bytes(value, type) for value in values])
        case Carrier.FLOATS:
            return np.array([0.0 if value is None else value for value in values], np.float64)
        case Carrier.INTEGERS if isinstance(type, t.Decimal):
            return np.array([0 if value is None else unscale(value, type.scale) for value in values], np.int64)
        case Carrier.INTEGERS:
            return np.array([0 if value is None else value for value in values], np.int64)


def _blank(type: t.Type, count: int) -> Bounds:
    match carrier(type):
        case Carrier.TEXTS:
            return ByteStrings(np.zeros(count + 1, np.int64), np.zeros(0, np.uint8))
        case Carrier.FLOATS:
            return np.zeros(count, np.float64)
        case Carrier.INTEGERS:
            return np.zeros(count, np.int64)


def take_bounds(bounds: Bounds, numbers: Numbers | slice) -> Bounds:
    """The bounds of some files, as `take_files`."""
    if not isinstance(numbers, slice):
        return bounds.take(numbers)
    if isinstance(bounds, ByteStrings):
        return ByteStrings(bounds.offsets[numbers.start : numbers.stop + 1], bounds.data)
    return bounds[numbers]


def _join(bounds: Sequence[Any]) -> Bounds:
    return concat_byte_strings(bounds) if isinstance(bounds[0], ByteStrings) else np.concatenate(bounds)
