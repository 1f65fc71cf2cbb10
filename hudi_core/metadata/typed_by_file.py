"""Statistics whose records do not state their type, read as the type that the file has.

Before table version 9 a record states only how its bounds are carried: a timestamp and a long look alike, and every decimal
has 15 digits after its point. Source: column statistics V1, fact sheet 4.6.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.int128 import rescale_wide
from hudi_core.metadata.trust import without_widest
from hudi_core.pruning.statistics import Bounds, ColumnStatistics, without_bounds
from hudi_core.types import nodes as t

V1_DECIMAL = t.Decimal(30, 15)
"""The type that records without a type carry every decimal as."""


def as_stored(statistics: ColumnStatistics, stored: t.Type) -> ColumnStatistics | None:
    """The statistics as those of a column that the file has as `stored`; None when these cannot be its bounds.

    `statistics` has the type that the carrier suggests: long for a long integer, string for a text, and so on. Where no bound is
    known the type means nothing, and the counts are those of any column.
    """
    match statistics.type, stored:
        case _ if statistics.type == stored:
            return statistics
        case _ if not (statistics.lower_known.any() or statistics.upper_known.any()):
            return without_bounds(statistics, stored)
        case (t.Decimal(), t.Decimal()):
            return _rescale(statistics, statistics.type.scale, stored)
        case (t.Int(), t.Date()) | (t.Long(), t.Timestamp()):
            return without_widest(replace(statistics, type=stored))
        case (
            (t.Int(), t.Time(t.Unit.MILLIS))
            | (t.Long(), t.Time())
            | (t.String(), t.Enumeration() | t.Uuid())
            | (t.Binary(), t.Fixed() | t.Vector())
        ):
            return replace(statistics, type=stored)
        case (t.Time(unit), t.Time(stored_unit)) | (t.Timestamp(unit), t.Timestamp(stored_unit)) if unit is stored_unit:
            # The carrier in memory is the same for instants and wall clocks.
            return replace(statistics, type=stored)
        case _:
            return None


def _rescale(statistics: ColumnStatistics, scale: int, stored: t.Decimal) -> ColumnStatistics:
    lower, low_fits = rescale_wide(_exact(statistics.lower), stored.scale - scale, stored.precision)
    upper, high_fits = rescale_wide(_exact(statistics.upper), stored.scale - scale, stored.precision)
    return replace(
        statistics,
        type=stored,
        lower=lower,
        upper=upper,
        lower_known=statistics.lower_known & low_fits,
        upper_known=statistics.upper_known & high_fits,
    )


def _exact(bounds: Bounds) -> Numbers | ByteStrings:
    """Bounds of decimals, which no float carries."""
    return bounds if isinstance(bounds, ByteStrings) else bounds.astype(np.int64)
