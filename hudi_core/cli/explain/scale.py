"""Values of a column on an axis from 0 to 1, and the round values that are written below it.

Numbers and times stand to scale. Texts and other values are at even distances, in their order.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS, civil_from_days, clock_text, date_text, days_from_civil
from hudi_core.values.order import sort_key
from hudi_core.values.text import to_text

_MARGIN = 0.015
"""Kept free at both ends, so that what lies at the very ends is seen."""
_MOST_TICKS = 7
_WIDEST = 0.05
_HOUR = 3_600
_SECONDS = (1, 5, 15, 30, 60, 300, 900, 1800, *(n * _HOUR for n in (1, 3, 6, 12, 24, 48, 96, 24 * 7, 24 * 14)))
_MONTHS = (1, 3, 6, *(12 * factor * 10**power for power in range(9) for factor in (1, 2, 5)))
_ROOM = 0.08
"""The share of the axis beyond a value that a predicate names and that lies at its end: what lies there has to be seen too."""

Tick = tuple[float, str]
"""A place between 0 and 1, and what is written there."""


@dataclass(frozen=True, slots=True)
class Linear:
    """An axis to scale, from one finite value to another. Infinities are at its ends."""

    type: t.Type
    low: float
    high: float

    def position(self, value: Any) -> float:
        if not math.isfinite(value):
            share = float(value > 0)
        else:
            wide = self.high / 2 - self.low / 2  # halves, since the whole may be beyond all floats
            share = (float(value) / 2 - self.low / 2) / wide if wide else 0.5
        return _MARGIN + (1 - 2 * _MARGIN) * min(max(share, 0.0), 1.0)

    @property
    def half(self) -> float:
        """How far a value reaches to either side."""
        return 0.0

    def ticks(self) -> tuple[Tick, ...]:
        match self.type:
            case t.Date():
                ticks = _of_days(self.low, self.high)
            case t.Timestamp(unit) | t.Time(unit) if self.high - self.low >= unit.value:
                ticks = _of_clock(self.low / unit.value, self.high / unit.value, unit.value, self.type)
            case t.Timestamp() | t.Time():
                ticks = ((value, to_text(int(value), self.type)) for value in sorted({self.low, self.high}))
            case _:
                ticks = _of_numbers(self.low, self.high, whole=isinstance(self.type, t.Int | t.Long))
        return tuple((self.position(value), label) for value, label in ticks)


@dataclass(frozen=True, slots=True)
class Ranked:
    """An axis of values at even distances; `places` has the place of each by its sort key."""

    type: t.Type
    places: Mapping[Any, float]
    values: tuple[Any, ...]

    def position(self, value: Any) -> float:
        return self.places[sort_key(value, self.type)]

    @property
    def half(self) -> float:
        """How far a value reaches to either side: it is in the middle of a place of its own."""
        return min(_WIDEST, 0.36 / len(self.values)) if self.values else 0.0

    def ticks(self) -> tuple[Tick, ...]:
        last = len(self.values) - 1
        steps = min(last, _MOST_TICKS - 1)
        chosen = sorted({round(number * last / steps) for number in range(steps + 1)} if steps > 0 else range(last + 1))
        return tuple(
            (self.position(self.values[number]), shorten(self.values[number], self.type, 18)) for number in chosen
        )


Scale = Linear | Ranked


def scale_over(values: Iterable[Any], named: Iterable[Any], type: t.Type) -> Scale:
    """The axis on which these values have their places, and those that a predicate names; NaN has none."""
    if isinstance(type, t.Int | t.Long | t.Float | t.Double | t.Decimal | t.Date | t.Time | t.Timestamp):
        return _linear(
            [float(v) for v in values if math.isfinite(v)], [float(v) for v in named if math.isfinite(v)], type
        )
    ordered = {sort_key(value, type): value for value in [*values, *named]}
    keys = sorted(ordered)
    places = {key: (number + 0.5) / len(keys) for number, key in enumerate(keys)}
    return Ranked(type, places, tuple(ordered[key] for key in keys))


def _linear(values: list[float], named: list[float], type: t.Type) -> Linear:
    """To scale from the least to the greatest value, and to named ones no further away than these are apart: others are at the
    end, so that those remain distinguishable."""
    low, high = (min(values), max(values)) if values else (min(named), max(named)) if named else (0.0, 0.0)
    wide = min(high - low, sys.float_info.max) or math.inf
    near = [value for value in named if low - wide <= value <= high + wide]
    low, high = min([low, *near]), max([high, *near])
    room = _ROOM * min(high - low or 1.0, sys.float_info.max)
    return Linear(type, low - room * any(v <= low for v in named), high + room * any(v >= high for v in named))


def shorten(value: Any, type: t.Type, longest: int) -> str:
    """The value's text for people, strings and bytes as SQL writes them; an ellipsis marks what is cut off."""
    shown = to_text(value, type)
    shown = shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
    match type:
        case t.String() | t.Enumeration():
            return f"'{shown}'"
        case t.Binary() | t.Fixed() | t.Vector():
            return f"x'{shown}'"
        case _:
            return shown


def _of_numbers(low: float, high: float, *, whole: bool) -> Iterator[tuple[float, str]]:
    wide = high - low
    if not wide or not math.isfinite(wide):
        yield from ((value, f"{value:.6g}") for value in sorted({low, high}))
        return
    exponent = math.floor(math.log10(wide / _MOST_TICKS))
    steps = (factor * 10.0 ** (exponent + power) for power in (0, 1) for factor in (1, 2, 5))
    step = next((width for width in steps if wide / width <= _MOST_TICKS), wide)
    step = max(step, 1.0) if whole else step
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        value = number * step
        yield value, f"{value:.3g}" if digits > 6 or abs(value) >= 1e12 else f"{value:,.{digits}f}"


def _of_days(low: float, high: float) -> Iterator[tuple[float, str]]:
    for second, label in _of_clock(low * DAY_SECONDS, high * DAY_SECONDS, 1, t.Date()):
        yield second / DAY_SECONDS, label


def _of_clock(low: float, high: float, unit: int, type: t.Type) -> Iterator[tuple[float, str]]:
    """Round times between two times in seconds; the result is in units of the type."""
    smallest = DAY_SECONDS if isinstance(type, t.Date) else 1
    step = next((step for step in _SECONDS if step >= smallest and (high - low) / step <= _MOST_TICKS), None)
    if step is None:
        yield from ((day * DAY_SECONDS * unit, label) for day, label in _of_months(low, high))
        return
    for number in range(math.ceil(low / step), math.floor(high / step) + 1):
        second = number * step
        days, within = divmod(second, DAY_SECONDS)
        clock = clock_text(within, 1)[: 8 if step < 60 else 5]
        if isinstance(type, t.Time):
            yield second * unit, clock
        else:
            yield second * unit, date_text(days) if step >= DAY_SECONDS else f"{date_text(days)} {clock}"


def _of_months(low: float, high: float) -> Iterator[tuple[int, str]]:
    """The first days of round months between two times in seconds, as days."""
    first, last = (_month(second) for second in (low, high))
    step = next((step for step in _MONTHS if (last - first) / step <= _MOST_TICKS), _MONTHS[-1])
    for month in range(-(-first // step) * step, last + 1, step):
        day = days_from_civil(month // 12, month % 12 + 1)
        if low <= day * DAY_SECONDS <= high:
            shown = date_text(day).rpartition("-")[0]
            yield day, shown if step < 12 else shown.rpartition("-")[0]


def _month(second: float) -> int:
    year, month, _ = civil_from_days(int(second // DAY_SECONDS))
    return year * 12 + month - 1
