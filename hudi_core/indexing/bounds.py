"""Which bounds and counts are recorded of a column, so that Apache Hudi's data skipping loses no row. Rules META-60 to META-64.

Its reader takes bounds as they stand: a file whose lower bound is above a literal is left out, one that has no bounds as well.
So where a bound is not known the widest of its type is recorded, and never none where there are values.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hudi_core.columns.byte_strings import ByteStrings, concat_byte_strings
from hudi_core.pruning.statistics import (
    WIDE_OFFSET,
    Bools,
    Bounds,
    Carrier,
    ColumnStatistics,
    carrier,
)
from hudi_core.types import nodes as t

HIGHEST_STRING: Final = "\U0010ffff" * 256
"""No string that a table has sorts behind it: that would have to begin with 256 times a code point that is no character."""
_HIGHEST_BYTES: Final = b"\xff" * 1024
_INT: Final = (-(1 << 31), (1 << 31) - 1)
_LONG: Final = (-(1 << 63), (1 << 63) - 1)


def recorded(statistics: ColumnStatistics) -> ColumnStatistics:
    """The statistics as they are recorded: both bounds known of every file that has values, and neither of the others; counts
    known of all. Files that may hold NaN have NaN as upper bound, which is greatest."""
    unknown = (statistics.nulls < 0) | (statistics.rows < 0)
    # Some of the values are null and some are not, for all that a reader can tell.
    nulls, rows = (
        np.where(unknown, 1, statistics.nulls),
        np.where(unknown, np.maximum(statistics.rows, 2), statistics.rows),
    )
    filled = nulls < rows
    least, greatest = _widest(statistics.type)
    lower = _or(statistics.lower, statistics.lower_known & filled, least)
    upper = _or(statistics.upper, statistics.upper_known & filled, greatest)
    if carrier(statistics.type) is Carrier.FLOATS:
        assert isinstance(lower, np.ndarray)
        assert isinstance(upper, np.ndarray)
        may_hold_nan = np.ones(len(statistics), np.bool_) if statistics.nans is None else statistics.nans
        lower = np.where(lower == 0, -0.0, np.where(np.isnan(lower), -np.inf, lower))
        upper = np.where(may_hold_nan, np.nan, np.where(upper == 0, 0.0, upper))
    return ColumnStatistics(statistics.type, lower, upper, filled, filled, nulls, rows, statistics.nans)


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
        case t.Int() | t.Date() | t.Time(t.Unit.MILLIS):
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
