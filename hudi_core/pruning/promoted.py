"""Statistics of a column under the type it was stored with, as statistics of the type that is wanted.

Bounds go through a promotion that keeps order; through any other they become unknown, and the counts stay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Floats, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.int128 import rescale_wide
from hudi_core.pruning.statistics import Carrier, ColumnStatistics, carrier, without_bounds
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastKind, Purpose, is_mislabelled, promotion
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.cast import cast
from hudi_core.values.text import TWO_DIGITS_BELOW


def promote(statistics: ColumnStatistics, wanted: t.Type) -> ColumnStatistics:
    """The statistics as those of a column of the wanted type; bounds that cannot be had are unknown."""
    if statistics.type == wanted:
        return statistics
    if is_mislabelled(statistics.type, wanted):
        return replace(statistics, type=wanted)
    way = None
    if isinstance(wanted, t.Primitive) and isinstance(statistics.type, t.Primitive):
        way = promotion(statistics.type, wanted, Purpose.STATISTICS)
    if way is None:
        return without_bounds(statistics, wanted)
    lower = _cast(way.cast, statistics.lower, statistics.type, wanted)
    upper = _cast(way.cast, statistics.upper, statistics.type, wanted)
    if lower is None or upper is None:
        return without_bounds(statistics, wanted)
    nans = statistics.nans
    if carrier(wanted) is Carrier.FLOATS and carrier(statistics.type) is not Carrier.FLOATS:
        nans = np.zeros(len(statistics), np.bool_)
    return replace(
        statistics,
        type=wanted,
        lower=lower[0],
        upper=upper[0],
        lower_known=statistics.lower_known & lower[1],
        upper_known=statistics.upper_known & upper[1],
        nans=nans,
    )


def _cast(how: CastKind, bounds: Any, from_: Any, to: Any) -> tuple[Any, Bools] | None:
    """The cast bounds, and which of them have a counterpart; None when the cast is not made on bounds."""
    every = np.ones(len(bounds), np.bool_)
    carried_alike = carrier(from_) is carrier(to)
    match how:
        case (
            CastKind.SAME | CastKind.WIDEN | CastKind.RELABEL | CastKind.ENCODE | CastKind.DECODE | CastKind.SYMBOL
        ) if carried_alike:
            return bounds, every
        case CastKind.TO_FLOAT:
            return bounds.astype(np.float32).astype(np.float64), every
        case CastKind.TO_DOUBLE:
            return bounds.astype(np.float64), every
        case CastKind.FLOAT_TO_DOUBLE:
            return _by_shortest_text(bounds), every
        case CastKind.TO_DECIMAL if carrier(from_) is Carrier.INTEGERS:
            return _rescale(bounds, 0, to)
        case CastKind.RESCALE | CastKind.SAME if isinstance(from_, t.Decimal):
            return _rescale(bounds, from_.scale, to)
        case CastKind.UNIT:
            return _in_unit(bounds, from_.unit.value, to.unit.value)
        case CastKind.MIDNIGHT:
            return _times(bounds, DAY_SECONDS * to.unit.value)
        case _:
            return None


def _by_shortest_text(bounds: Floats) -> Floats:
    doubles: Floats = bounds.astype(np.float32).astype(np.str_).astype(np.float64)
    least = np.flatnonzero((np.abs(bounds) < TWO_DIGITS_BELOW) & (bounds != 0))
    if len(least):
        values, places = np.unique(bounds[least], return_inverse=True)  # 254 at most
        read = cast(t.Float(), t.Double())
        doubles[least] = np.array([read(value) for value in values.tolist()], np.float64)[places]
    return doubles


def _in_unit(bounds: Numbers, from_: int, to: int) -> tuple[Numbers, Bools]:
    if to >= from_:
        return _times(bounds, to // from_)
    return bounds // (from_ // to), np.ones(len(bounds), np.bool_)


def _times(bounds: Numbers, factor: int) -> tuple[Numbers, Bools]:
    limit = (2**63 - 1) // factor
    fits = (bounds >= -limit) & (bounds <= limit)
    return np.where(fits, bounds, 0) * factor, fits


def _rescale(bounds: Numbers | ByteStrings, scale: int, to: t.Decimal) -> tuple[Numbers | ByteStrings, Bools]:
    """Unscaled values at another scale; those that lose digits or have too many do not fit."""
    if isinstance(bounds, ByteStrings) or carrier(to) is Carrier.TEXTS:
        return rescale_wide(bounds, to.scale - scale, to.precision)
    if to.scale >= scale:
        scaled, fits = _times(bounds, 10 ** (to.scale - scale))
    else:
        scaled, rest = np.divmod(bounds, 10 ** (scale - to.scale))
        fits = rest == 0
    most = 10**to.precision - 1
    return scaled, fits & (scaled >= -most) & (scaled <= most)
