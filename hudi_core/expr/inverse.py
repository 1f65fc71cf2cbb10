"""A function of one argument turned round: at which of the argument's values it lies below a cut, or between two values.

Values are positions on the axis of the argument's type. Over each stretch where the function rises or falls, the edge is
calculated where that is possible, and bisected for where it is not; both are exact, overflow and rounding included.

Types whose values stand one after the other have such positions: what bisection over all values of a type needs.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hudi_core.expr.cuts import is_below
from hudi_core.expr.predicate import Apply, Constant, Cut, Term
from hudi_core.functions.record import FirstNotBelow, Function, PartialCall, Stretch
from hudi_core.types import nodes as t
from hudi_core.types.nodes import Type
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import EXACT, INT_RANGE, LONG_RANGE


def limits(type: t.Type) -> tuple[int, int] | None:
    """The positions of the least and the greatest value; None for types without neighbours, such as text."""
    match type:
        case t.Boolean():
            return 0, 1
        case t.Int() | t.Date():
            return INT_RANGE
        case t.Long() | t.Timestamp():
            return LONG_RANGE
        case t.Time(unit):
            return 0, DAY_SECONDS * unit.value - 1
        case t.Decimal(precision):
            greatest: int = 10**precision - 1
            return -greatest, greatest
        case t.Float():
            return -_INFINITE_32, _INFINITE_32 + 1
        case t.Double():
            return -_INFINITE_64, _INFINITE_64 + 1
        case _:
            return None


def position(value: Any, type: t.Type) -> int:
    """Where a value stands; of a type that has `limits`. Zero of either sign is at 0, NaN after infinity."""
    match type:
        case t.Decimal(_, scale):
            return int(EXACT.scaleb(value, scale))
        case t.Float() | t.Double():
            if value != value:
                return (_INFINITE_32 if isinstance(type, t.Float) else _INFINITE_64) + 1
            (bits,) = struct.unpack(*_pack(type, abs(value)))
            return -int(bits) if value < 0 else int(bits)
        case _:
            return int(value)


def value_at(place: int, type: t.Type) -> Any:
    """The value at a position within the `limits`."""
    match type:
        case t.Boolean():
            return bool(place)
        case t.Decimal(_, scale):
            return EXACT.scaleb(Decimal(place), -scale)
        case t.Float() | t.Double():
            if place > (_INFINITE_32 if isinstance(type, t.Float) else _INFINITE_64):
                return math.nan
            code, width = (">f", ">I") if isinstance(type, t.Float) else (">d", ">Q")
            (size,) = struct.unpack(code, struct.pack(width, abs(place)))
            return -float(size) if place < 0 else float(size)
        case _:
            return place


def first_where(start: int, stop: int, holds: Callable[[int], bool]) -> int:
    """The first position from `start` to `stop` where a test holds that holds from there on; `stop + 1` when it never does."""
    stop += 1
    while start < stop:
        middle = (start + stop) // 2
        if holds(middle):
            stop = middle
        else:
            start = middle + 1
    return start


def _pack(type: t.Float | t.Double, size: float) -> tuple[str, bytes]:
    return (">I", struct.pack(">f", size)) if isinstance(type, t.Float) else (">Q", struct.pack(">d", size))


_INFINITE_32 = 0x7F80_0000
_INFINITE_64 = 0x7FF0_0000_0000_0000


Interval = tuple[int, int]
"""Positions on the argument's axis, both included."""


@dataclass(frozen=True, slots=True)
class Inverse:
    """A function of one argument, taken apart: where it rises or falls, and what it gives at a position."""

    argument: Term
    stretches: tuple[Stretch, ...]
    unknown: tuple[Interval, ...]
    evaluate: Callable[[int], Any]
    type: Type
    edge: FirstNotBelow | None

    def below(self, cut: Cut) -> list[Interval]:
        """The positions, of all stretches, at which the function lies below the cut."""
        intervals: list[Interval] = []
        for stretch in self.stretches:
            edge = self._edge(stretch, cut)
            intervals.append((stretch.first, edge - 1) if stretch.rising else (edge, stretch.last))
        return merge_intervals(intervals)

    def between(self, lower: Any, upper: Any) -> list[Interval]:
        """The positions at which the function gives a value from `lower` to `upper`, both included."""
        intervals: list[Interval] = []
        for stretch in self.stretches:
            before, after = self._edge(stretch, Cut(lower)), self._edge(stretch, Cut(upper, True))
            intervals.append((before, after - 1) if stretch.rising else (after, before - 1))
        return merge_intervals(intervals)

    def _edge(self, stretch: Stretch, cut: Cut) -> int:
        """Where the function crosses the cut: from there on not below it when rising, below it when falling."""
        if self.edge is not None:
            return _within(self.edge(cut.value, cut.after), stretch)
        if stretch.by_one:
            away = position(cut.value, self.type) - position(self.evaluate(stretch.first), self.type)
            if stretch.rising:
                return _within(stretch.first + away + cut.after, stretch)
            return _within(stretch.first - away + (not cut.after), stretch)

        def crosses(step: int) -> bool:
            value = self.evaluate(max(step * stretch.grain, stretch.first))
            return (value is None or is_below(value, cut, self.type)) is not stretch.rising

        step = first_where(stretch.first // stretch.grain, stretch.last // stretch.grain, crosses)
        return _within(step * stretch.grain, stretch)


def inverse_of(term: Apply) -> Inverse | None:
    """How to take cuts of the function back to its argument; None when that is not known."""
    variables = [number for number, argument in enumerate(term.arguments) if not isinstance(argument, Constant)]
    if len(variables) != 1:
        return None
    argument = term.arguments[variables[0]]
    ends = limits(argument.type)
    if ends is None or any(isinstance(other, Constant) and other.value is None for other in term.arguments):
        return None
    types = tuple(other.type for other in term.arguments)
    values = tuple(other.value if isinstance(other, Constant) else None for other in term.arguments)
    call = PartialCall(types, values, variables[0], term.type, ends)
    monotone = tuple(stretch for stretch in term.function.stretches(call) if stretch.first <= stretch.last)
    if not monotone:
        return None
    evaluate, edge = _evaluator(term.function, call), term.function.edge(call)
    if edge is None and not all(_is_total(stretch, evaluate, term) for stretch in monotone):
        return None
    return Inverse(argument, monotone, tuple(_gaps(monotone, ends)), evaluate, term.type, edge)


def _evaluator(function: Function, call: PartialCall) -> Callable[[int], Any]:
    values = list(call.values)

    def evaluate(place: int) -> Any:
        values[call.variable] = value_at(place, call.argument)
        return function.apply(values, call.types, call.result_type)

    return evaluate


def _is_total(stretch: Stretch, evaluate: Callable[[int], Any], term: Apply) -> bool:
    """No null comes of a value: a function that rises or falls gives none between two ends that give none.

    Where a date or timestamp leaves its type's range the evaluation gives null, but the comparison is made as if it did not.
    """
    if stretch.by_one or isinstance(term.type, t.Timestamp):
        return True
    return evaluate(stretch.first) is not None and evaluate(stretch.last) is not None


def _within(place: int, stretch: Stretch) -> int:
    """An edge of a stretch: one of its positions, or the one after the last."""
    return min(max(place, stretch.first), stretch.last + 1)


def merge_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """In order, without empty ones, neighbours joined."""
    result: list[Interval] = []
    for first, last in sorted(interval for interval in intervals if interval[0] <= interval[1]):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], last))
        else:
            result.append((first, last))
    return result


def without(intervals: list[Interval], removed: list[Interval]) -> list[Interval]:
    result: list[Interval] = []
    for lower, upper in intervals:
        for first, last in removed:
            if first > lower:
                result.append((lower, min(upper, first - 1)))
            lower = max(lower, last + 1)
        result.append((lower, upper))
    return merge_intervals(result)


def _gaps(monotone: tuple[Stretch, ...], ends: Interval) -> list[Interval]:
    return without([ends], merge_intervals((stretch.first, stretch.last) for stretch in monotone))
