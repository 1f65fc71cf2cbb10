"""Statistics whose records do not say their type, read as the type that the file has.

Before table version 9 a record tells only how its bounds are carried: a timestamp and a long look alike, and every decimal
has 15 digits after its point. Source: column statistics V1, fact sheet 4.6.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hudi_core.metadata.unscaled import Wide, divided, from_texts, to_integers, to_texts
from hudi_core.stats.columns import Bools, Bounds, Carrier, ColumnStatistics, carrier
from hudi_core.stats.texts import Texts
from hudi_core.types import nodes as t

V1_DECIMAL = t.Decimal(30, 15)
"""The type that records without a type carry every decimal as."""


def as_stored(of: ColumnStatistics, stored: t.Type) -> ColumnStatistics | None:
    """The statistics as those of a column that the file has as `stored`; None when these cannot be its bounds.

    `of` has the type that the carrier suggests: long for a long integer, string for a text, and so on.
    """
    if of.type == stored:
        return of
    match of.type, stored:
        case (t.Int(), t.Date() | t.Time(t.Unit.MILLIS)):
            return replace(of, type=stored)
        case (t.Long(), t.Time() | t.Timestamp()):
            return replace(of, type=stored)
        case (t.Time(ours), t.Time(theirs)) if ours is theirs:
            return replace(of, type=stored)
        case (t.Timestamp(ours), t.Timestamp(theirs)) if ours is theirs:
            # The carrier in memory does not tell instants from wall clocks.
            return replace(of, type=stored)
        case (t.String(), t.Enumeration() | t.Uuid()):
            return replace(of, type=stored)
        case (t.Binary(), t.Fixed() | t.Vector()):
            return replace(of, type=stored)
        case (t.Decimal(scale=scale), t.Decimal(scale=wanted)) if wanted <= scale:
            return _rescaled(of, stored, scale - wanted)
        case _:
            return None


def _rescaled(of: ColumnStatistics, stored: t.Type, power: int) -> ColumnStatistics:
    assert isinstance(of.low, Texts)
    assert isinstance(of.high, Texts)
    low, low_fits = _carried(divided(from_texts(of.low), power, up=False), stored)
    high, high_fits = _carried(divided(from_texts(of.high), power, up=True), stored)
    return replace(
        of, type=stored, low=low, high=high, low_known=of.low_known & low_fits, high_known=of.high_known & high_fits
    )


def _carried(of: Wide, stored: t.Type) -> tuple[Bounds, Bools]:
    if carrier(stored) is Carrier.TEXTS:
        return to_texts(of), np.ones(len(of.low), np.bool_)
    return to_integers(of)
