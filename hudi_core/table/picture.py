"""What a drawing of value ranges against a predicate needs: positions between 0 and 1, for one column.

Numbers and times stand to scale; texts and other values at even distances, in their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hudi_core.expr.outcomes import Questions, can_be
from hudi_core.expr.predicate import And, Below, Column, Cut, Is, Not, OneOf, Opaque, Or, Pattern, Predicate, Term
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_core.values.order import sort_key
from hudi_core.values.text import to_text

_SCALED = t.Int | t.Long | t.Float | t.Double | t.Decimal | t.Date | t.Time | t.Timestamp
_TICKS = 5
Bounds = tuple[object, object] | None
"""Least and greatest value of a slice; None when they are not known or there is no value."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis, ends between 0 and 1, with the texts of its ends."""

    start: float
    end: float
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class ColumnPicture:
    """One column of a predicate: the stretches its values may match in, and each slice's range (None: not known)."""

    name: str
    type: t.Type
    matching: tuple[Band, ...]
    ranges: tuple[Band | None, ...]
    ticks: tuple[tuple[float, str], ...]


def column_picture(column: Column, predicate: Predicate, bounds: Sequence[Bounds]) -> ColumnPicture:
    """The picture of a column, over slices whose bounds are given in their order."""
    marks = _literals(predicate, column.id)
    known = [value for pair in bounds if pair is not None for value in pair]
    axis = _Axis.over(column.type, [*known, *marks])
    ranges = tuple(axis.band(*pair) if pair is not None else None for pair in bounds)
    stretches = _matching(column, predicate, marks)
    matching = tuple(axis.stretch(low, high) for low, high in stretches)
    return ColumnPicture(column.name, column.type, matching, ranges, axis.ticks())


@dataclass(frozen=True)
class _Axis:
    type: t.Type
    positions: dict[object, float]
    values: list[object]

    @staticmethod
    def over(type: t.Type, values: list[object]) -> _Axis:
        distinct = sorted({sort_key(value, type): value for value in values}.items(), key=lambda item: item[0])
        ordered = [value for _, value in distinct]
        if isinstance(type, _SCALED):
            finite = [float(value) for value in ordered if math.isfinite(float(value))]  # type: ignore[arg-type]
            low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
            wide = (high - low) or 1.0
            # NaN and the infinities stand beyond the ends of the scale.
            places = [_scaled(float(value), low, wide) for value in ordered]  # type: ignore[arg-type]
        else:
            places = [(number + 0.5) / len(ordered) for number in range(len(ordered))]
        return _Axis(type, {sort_key(v, type): p for v, p in zip(ordered, places, strict=True)}, ordered)

    def at(self, value: object) -> float:
        return self.positions[sort_key(value, self.type)]

    def band(self, low: object, high: object) -> Band:
        return Band(self.at(low), self.at(high), shortened(low, self.type), shortened(high, self.type))

    def stretch(self, low: object, high: object) -> Band:
        """Like `band`, with None for an end without limit."""
        return Band(
            0.0 if low is None else self.at(low),
            1.0 if high is None else self.at(high),
            "" if low is None else shortened(low, self.type),
            "" if high is None else shortened(high, self.type),
        )

    def ticks(self) -> tuple[tuple[float, str], ...]:
        if not self.values:
            return ()
        step = max(1, (len(self.values) - 1) // (_TICKS - 1)) if len(self.values) > 1 else 1
        chosen, last = [], -1.0
        for value in [*self.values[:-1:step], self.values[-1]]:
            place = self.at(value)
            if place - last >= 1 / (2 * _TICKS):
                chosen.append((place, shortened(value, self.type)))
                last = place
        return tuple(chosen)


def _scaled(value: float, low: float, wide: float) -> float:
    if math.isnan(value) or value == math.inf:
        return 1.0
    return 0.0 if value == -math.inf else 0.02 + 0.96 * (value - low) / wide


def shortened(value: object, type: t.Type, longest: int = 40) -> str:
    """The value's text, cut for people."""
    said = to_text(value, type)
    return said if len(said) <= longest else f"{said[: longest - 1]}…"


def _literals(part: Predicate, column_id: int) -> list[object]:
    match part:
        case Below(Column(id=found), cut):
            return [cut.value] if found == column_id else []
        case OneOf(Column(id=found), values):
            return list(values) if found == column_id else []
        case Not(inner) | Is(inner):
            return _literals(inner, column_id)
        case And(parts) | Or(parts):
            return [value for inner in parts for value in _literals(inner, column_id)]
        case _:
            return []


@dataclass(frozen=True)
class _Standing(Questions[bool]):
    """A row of which one column is known: where its value stands among the literals. The rest may be anything.

    The places are 0, 1, 2, ...: even ones between the literals, odd ones the literals themselves.
    """

    column: Column
    places: dict[object, int]
    place: int

    def _of(self, value: object) -> int:
        return self.places[sort_key(value, self.column.type)]

    def _known(self, term: Term) -> bool:
        return isinstance(term, Column) and term.id == self.column.id

    def low_is_below(self, term: Term, cut: Cut) -> bool:
        return not self._known(term) or self.place < self._of(cut.value) + cut.after

    def high_is_above(self, term: Term, cut: Cut) -> bool:
        return not self._known(term) or self.place >= self._of(cut.value) + cut.after

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> bool:
        return not self._known(term) or self.place in map(self._of, values)

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> bool:
        return not self._known(term) or self.place not in map(self._of, values)

    def may_hold_null(self, term: Term) -> bool:
        return not self._known(term)

    def may_hold_value(self, term: Term) -> bool:
        return True

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> bool:
        return True

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> bool:
        return True

    def unknown(self, what: Opaque) -> bool:
        return True

    def every(self, answers: list[bool]) -> bool:
        return all(answers)

    def some(self, answers: list[bool]) -> bool:
        return any(answers)


def _matching(column: Column, predicate: Predicate, marks: list[object]) -> list[tuple[object, object]]:
    """Stretches of values in which a row may match, whatever the other columns hold; None for an end without limit."""
    points = [v for _, v in sorted({sort_key(v, column.type): v for v in marks}.items(), key=lambda item: item[0])]
    places = {sort_key(value, column.type): 2 * number + 1 for number, value in enumerate(points)}
    stretches: list[tuple[object, object]] = []
    open_since: int | None = None
    last = 2 * len(points)
    for place in range(last + 2):
        if place <= last and can_be(TRUE, predicate, _Standing(column, places, place)):
            open_since = place if open_since is None else open_since
        elif open_since is not None:
            # A gap reaches to the literals beside it; None where there is none.
            until = place - 1
            low = points[(open_since - 1) // 2] if open_since else None
            stretches.append((low, points[until // 2] if until < last else None))
            open_since = None
    return stretches
