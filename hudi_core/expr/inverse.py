"""A function of one argument turned round: at which of the argument's values it lies below a cut, or between two values.

Values are positions on the axis of the argument's type. Over each stretch where the function rises or falls, the edge is
calculated where that is possible, and bisected for where it is not; both are exact, overflow and rounding included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from hudi_core.expr import axis
from hudi_core.expr.functions import Function
from hudi_core.expr.monotone import MonotoneRange, stretches
from hudi_core.expr.predicate import Apply, Constant, Cut, Term
from hudi_core.expr.scalar.apply import apply
from hudi_core.types import nodes as t
from hudi_core.types.nodes import Type
from hudi_core.values.calendar import DAY_SECONDS, days_from_civil
from hudi_core.values.domain import EXACT
from hudi_core.values.order import less

Interval = tuple[int, int]
"""Positions on the argument's axis, both included."""


@dataclass(frozen=True, slots=True)
class Inverse:
    """A function of one argument, taken apart: where it rises or falls, and what it gives at a position."""

    argument: Term
    stretches: tuple[MonotoneRange, ...]
    unknown: tuple[Interval, ...]
    at: Callable[[int], Any]
    type: Type
    shortcut: Callable[[Cut], int] | None

    def below(self, cut: Cut) -> list[Interval]:
        """The positions, of all stretches, at which the function lies below the cut."""
        found: list[Interval] = []
        for stretch in self.stretches:
            edge = self._edge(stretch, cut)
            found.append((stretch.first, edge - 1) if stretch.rising else (edge, stretch.last))
        return merged(found)

    def between(self, low: Any, high: Any) -> list[Interval]:
        """The positions at which the function gives a value from `low` to `high`, both included."""
        found: list[Interval] = []
        for stretch in self.stretches:
            before, after = self._edge(stretch, Cut(low)), self._edge(stretch, Cut(high, True))
            found.append((before, after - 1) if stretch.rising else (after, before - 1))
        return merged(found)

    def _edge(self, stretch: MonotoneRange, cut: Cut) -> int:
        """Where the function crosses the cut: from there on not below it when rising, below it when falling."""
        if self.shortcut is not None:
            return _within(self.shortcut(cut), stretch)
        if stretch.by_one:
            away = axis.position(cut.value, self.type) - axis.position(self.at(stretch.first), self.type)
            if stretch.rising:
                return _within(stretch.first + away + cut.after, stretch)
            return _within(stretch.first - away + (not cut.after), stretch)

        def crossed(step: int) -> bool:
            value = self.at(max(step * stretch.grain, stretch.first))
            return (value is None or is_below(value, cut, self.type)) is not stretch.rising

        step = axis.first_where(stretch.first // stretch.grain, stretch.last // stretch.grain, crossed)
        return _within(step * stretch.grain, stretch)


def inverse_of(term: Apply) -> Inverse | None:
    """How to take cuts of the function back to its argument; None when that is not known."""
    variables = [position for position, argument in enumerate(term.arguments) if not isinstance(argument, Constant)]
    if len(variables) != 1:
        return None
    argument = term.arguments[variables[0]]
    ends = axis.limits(argument.type)
    if ends is None:
        return None
    known = stretches(term, variables[0], ends)
    if not known:
        return None
    at, shortcut = _evaluator(term, variables[0]), _shortcut(term)
    if shortcut is None and not all(_is_total(stretch, at, term) for stretch in known):
        return None
    return Inverse(argument, known, tuple(_gaps(known, ends)), at, term.type, shortcut)


def _evaluator(term: Apply, variable: int) -> Callable[[int], Any]:
    of = term.arguments[variable].type
    types = [argument.type for argument in term.arguments]
    values = [argument.value if isinstance(argument, Constant) else None for argument in term.arguments]

    def at(place: int) -> Any:
        values[variable] = axis.value_at(place, of)
        return apply(term.function, values, types, term.type)

    return at


def _is_total(stretch: MonotoneRange, at: Callable[[int], Any], term: Apply) -> bool:
    """No null comes of a value: a function that rises or falls gives none between two ends that give none.

    Where a date or timestamp leaves its type's range the evaluation gives null, but the comparison is made as if it did not.
    """
    if stretch.by_one or isinstance(term.type, t.Timestamp):
        return True
    return at(stretch.first) is not None and at(stretch.last) is not None


def is_below(value: Any, cut: Cut, of: Type) -> bool:
    """Whether a value, not null, lies below a cut."""
    return not less(cut.value, value, of) if cut.after else less(value, cut.value, of)


def _shortcut(term: Apply) -> Callable[[Cut], int] | None:
    """The first position at which the function is not below a cut, where that can be calculated; None where it cannot."""
    of = term.arguments[0].type
    day = DAY_SECONDS * of.unit.value if isinstance(of, t.Timestamp) else 1
    if term.function is Function.YEAR:
        return lambda cut: days_from_civil(cut.value + cut.after, 1) * day  # type: ignore[operator]
    if (
        term.function in (Function.DATE, Function.CAST)
        and isinstance(of, t.Timestamp)
        and isinstance(term.type, t.Date)
    ):
        return lambda cut: (cut.value + cut.after) * day  # type: ignore[operator]
    ratio = exact_ratio(of, term.type) if term.function is Function.CAST else None
    return None if ratio is None else partial(_first_not_below, *ratio)


def _first_not_below(up: int, down: int, cut: Cut) -> int:
    """The first whole number n for which n * up / down is not below the cut."""
    value = cut.value
    assert isinstance(value, int | float | Decimal)
    if isinstance(value, float) and not math.isfinite(value):
        return -(1 << 80) if value < 0 else 1 << 80
    if isinstance(value, int):
        floor, rest = divmod(value * down, up)
        return floor + 1 if rest or cut.after else floor
    scaled = EXACT.multiply(value, Decimal(down)) if isinstance(value, Decimal) else value
    floor = math.floor(scaled)
    return floor + 1 if scaled != floor or cut.after else floor


def exact_ratio(of: Type, to: Type) -> tuple[int, int] | None:
    """By what a position of one type is multiplied (and divided) to be the number of the other, for casts that lose nothing."""
    match of, to:
        case (t.Int(), t.Long() | t.Double()):
            return 1, 1
        case ((t.Int() | t.Long()), t.Decimal(precision, scale)) if precision - scale >= (
            10 if isinstance(of, t.Int) else 19
        ):
            return 1, 1
        case t.Decimal(), t.Decimal() if to.scale >= of.scale and to.precision - to.scale >= of.precision - of.scale:
            return 1, 10**of.scale
        case t.Date(), t.Timestamp(unit):
            return DAY_SECONDS * unit.value, 1
        case (t.Timestamp(unit), t.Timestamp(finer)) | (t.Time(unit), t.Time(finer)) if finer.value >= unit.value:
            return finer.value // unit.value, 1
        case _:
            return None


def _within(place: int, stretch: MonotoneRange) -> int:
    """An edge of a stretch: one of its positions, or the one after the last."""
    return min(max(place, stretch.first), stretch.last + 1)


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """In order, without empty ones, neighbours joined."""
    found: list[Interval] = []
    for low, high in sorted(interval for interval in intervals if interval[0] <= interval[1]):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def without(intervals: list[Interval], gone: list[Interval]) -> list[Interval]:
    found: list[Interval] = []
    for low, high in intervals:
        for first, last in gone:
            if first > low:
                found.append((low, min(high, first - 1)))
            low = max(low, last + 1)
        found.append((low, high))
    return merged(found)


def _gaps(known: tuple[MonotoneRange, ...], ends: Interval) -> list[Interval]:
    return without([ends], merged((stretch.first, stretch.last) for stretch in known))
