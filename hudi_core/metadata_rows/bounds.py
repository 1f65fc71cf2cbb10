"""Which bounds and counts are recorded of a column, so that Apache Hudi's data skipping loses no row.

Its reader takes bounds as they stand: a file whose lower bound is above a literal is left out, one that has no bounds as well.
So where a bound is not known the widest of its type is recorded, and never none where there are values. A file without strings
that begin with `p` it takes to be one whose lower bound is above `p` itself: so that bound is recorded no longer than one
character, which no beginning of a value is below. Rules META-60 to META-64, META-67.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.columns.byte_strings import ByteStrings, concat_byte_strings
from hudi_core.columns.spans import gather
from hudi_core.metadata.trust import widest_times
from hudi_core.pruning.statistics import WIDE_OFFSET, Bounds, Carrier, ColumnStatistics, carrier
from hudi_core.types import nodes as t

HIGHEST_STRING: Final = "\U0010ffff" * 256
"""No string that a table has sorts behind it: that would have to begin with 256 times a code point that is no character."""
_HIGHEST_BYTES: Final = b"\xff" * 1024
STRINGS: Final = t.String | t.Enumeration | t.Uuid
_LEADING_BYTES: Final = np.array([0xC0, 0xE0, 0xF0], np.uint8)
"""From these bytes on, the first of a character in UTF-8 stands for two, three, and four."""
_INT: Final = (-(1 << 31), (1 << 31) - 1)
_LONG: Final = (-(1 << 63), (1 << 63) - 1)


def record_bounds(statistics: ColumnStatistics, *, whole_strings: bool = False, typed: bool = True) -> ColumnStatistics:
    """The statistics as they are recorded: both bounds known of every file that has values, and neither of the others; counts
    known of all. Files that may hold NaN have NaN as upper bound, which is greatest. Lower bounds of strings are their first
    character, unless with `whole_strings`. `typed`: the record states the type."""
    unknown = (statistics.nulls < 0) | (statistics.rows < 0)
    # A reader then has to assume that some of the values are null and some are not.
    nulls, rows = (
        np.where(unknown, 1, statistics.nulls),
        np.where(unknown, np.maximum(statistics.rows, 2), statistics.rows),
    )
    filled = nulls < rows
    least, greatest = widest_times(statistics.type, typed=typed) or _widest(statistics.type)
    lower = _or(statistics.lower, statistics.lower_known & filled, least)
    upper = _or(statistics.upper, statistics.upper_known & filled, greatest)
    if carrier(statistics.type) is Carrier.FLOATS:
        assert isinstance(lower, np.ndarray)
        assert isinstance(upper, np.ndarray)
        may_hold_nan = np.ones(len(statistics), np.bool_) if statistics.nans is None else statistics.nans
        lower = np.where(lower == 0, -0.0, np.where(np.isnan(lower), -np.inf, lower))
        upper = np.where(may_hold_nan, np.nan, np.where(upper == 0, 0.0, upper))
    if isinstance(statistics.type, STRINGS) and not whole_strings:
        assert isinstance(lower, ByteStrings)
        lower = first_characters(lower)
    return ColumnStatistics(statistics.type, lower, upper, filled, filled, nulls, rows, statistics.nans)


def first_characters(strings: ByteStrings) -> ByteStrings:
    """The first character of each string in UTF-8; an empty one stays empty."""
    starts, ends = strings.offsets[:-1], strings.offsets[1:]
    filled = starts < ends
    first = np.zeros(len(strings), np.uint8)
    first[filled] = strings.data[starts[filled]]
    sizes = np.where(filled, 1 + np.searchsorted(_LEADING_BYTES, first, "right"), 0)
    return ByteStrings(*gather(strings.data, starts, np.minimum(sizes, ends - starts)))


def _or(bounds: Bounds, known: Bools, widest: object) -> Bounds:
    if known.all():
        return bounds
    if isinstance(bounds, ByteStrings):
        assert isinstance(widest, bytes)
        all_bounds = concat_byte_strings([bounds, ByteStrings.from_list([widest])])
        return all_bounds.take(np.where(known, np.arange(len(known)), len(known)))
    return np.where(known, bounds, np.array(widest, bounds.dtype))


def _widest(type: t.Type) -> tuple[object, object]:
    """Bounds between which all values of the type lie, as their carrier has them."""
    match type:
        case t.Float() | t.Double():
            return -np.inf, np.inf
        case t.Boolean():
            return 0, 1
        case t.Int() | t.Time(t.Unit.MILLIS):
            return _INT
        case t.Decimal(precision):
            most = 10**precision - 1
            if carrier(type) is Carrier.TEXTS:
                return (WIDE_OFFSET - most).to_bytes(16, "big"), (WIDE_OFFSET + most).to_bytes(16, "big")
            return -most, most
        case t.String() | t.Enumeration() | t.Uuid():
            return b"", HIGHEST_STRING.encode()
        case t.Binary() | t.Fixed() | t.Vector():
            return b"", _HIGHEST_BYTES
        case _:
            return _LONG
