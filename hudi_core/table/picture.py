"""What a drawing of value ranges against a predicate needs, for one column: places between 0 and 1, and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hudi_core.expr.outcomes import Questions, can_be
from hudi_core.expr.predicate import Column, Cut, Opaque, Pattern, Predicate, Term, literals_of
from hudi_core.table.scale import Linear, Scale, Tick, scale_over, shortened
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_core.values.order import distinct, sort_key

_LONGEST = 28
"""Characters of a bound that are shown."""


@dataclass(frozen=True, slots=True)
class Range:
    """What is known of a column's values in a slice. A bound is None when it is not known, or when there is no value."""

    low: object
    high: object
    values: bool = True
    """There may be values that are not null."""
    nulls: bool = True
    nans: bool = False
    """NaN may be among the values. It lies outside the bounds."""


Bounds = Range | None
"""None where nothing at all is known."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis, its ends between 0 and 1, and the same in words."""

    start: float
    end: float
    said: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A slice's values: where they lie (None: there is none), and whether nulls and NaN may be among them."""

    band: Band | None
    bounded: bool
    """A bound is known; else the band is the whole axis."""
    nulls: bool
    nans: bool
    said: str
    """All of it in words."""


@dataclass(frozen=True, slots=True)
class ColumnPicture:
    """One column of a predicate: where a row's value may lie for the row to match, and where those of each slice lie.

    What may match is told from this column alone, whatever the others hold.
    """

    name: str
    type: t.Type
    matching: tuple[Band, ...]
    nulls_match: bool
    nans_match: bool
    marks: tuple[Tick, ...]
    """The values that the predicate names."""
    ranges: tuple[Drawn | None, ...]
    """In the order of the slices; None where nothing is known."""
    ticks: tuple[Tick, ...]
    to_scale: bool = True
    """Whether distances mean something; else values stand in their order only."""

    @property
    def any_matches(self) -> bool:
        """This column rules nothing out by itself, whatever its value."""
        whole = any(band.start <= 0.0 and band.end >= 1.0 for band in self.matching)
        return whole and self.nulls_match and self.nans_match is isinstance(self.type, t.Float | t.Double)

    @property
    def has_nulls(self) -> bool:
        """Null is worth a place: it may match, or some slice's column is known to be able to hold it."""
        return self.nulls_match or any(found is not None and found.nulls for found in self.ranges)

    @property
    def has_nans(self) -> bool:
        return any(found is not None and found.nans for found in self.ranges)


def column_picture(column: Column, predicate: Predicate, bounds: Sequence[Bounds]) -> ColumnPicture:
    """The picture of a column, over slices whose ranges are given in their order."""
    named = distinct(tuple(value for value in literals_of(predicate, column.id) if value == value), column.type)
    known = [value for found in bounds if found for value in (found.low, found.high) if value is not None]
    scale = scale_over(known, named, column.type)
    points = _points(column, named)
    nan = 2 * points.count + 1
    return ColumnPicture(
        column.name,
        column.type,
        tuple(_band(scale, stretch) for stretch in _matching(predicate, named, points)),
        can_be(TRUE, predicate, _Standing(points, None)),
        nan in points.places.values() and can_be(TRUE, predicate, _Standing(points, nan)),
        tuple((scale.at(value), shortened(value, column.type, 24)) for value in named),
        tuple(None if found is None else _drawn(scale, found) for found in bounds),
        scale.ticks(),
        isinstance(scale, Linear),
    )


def _drawn(scale: Scale, found: Range) -> Drawn:
    # A bound may itself be NaN: all values may be, or those above a known one.
    low = found.low if found.low == found.low else None
    high = found.high if found.high == found.high else None
    nans = found.nans or low is not found.low or high is not found.high
    bounded = low is not None or high is not None
    said = []
    if found.values:
        said.append(_words(_Stretch(low, high), scale.type) if bounded else "bounds not known")
    said += ["may hold NaN"] if nans else []
    said += [("may hold nulls" if found.values else "nulls only")] if found.nulls else []
    band = _band(scale, _Stretch(low, high)) if found.values else None
    return Drawn(band, bounded, found.nulls, nans, ", ".join(said) or "no rows")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Values from one to another, None for an end without limit; and whether the ends are among them."""

    low: object
    high: object
    with_low: bool = True
    with_high: bool = True


def _band(scale: Scale, of: _Stretch) -> Band:
    start = 0.0 if of.low is None else scale.at(of.low) - scale.half
    end = 1.0 if of.high is None else scale.at(of.high) + scale.half
    return Band(start, end, _words(of, scale.type))


def _words(of: _Stretch, type: t.Type) -> str:
    low, high = ("" if end is None else shortened(end, type, _LONGEST) for end in (of.low, of.high))
    if low and low == high:
        return low
    above = f"{'from' if of.with_low else 'above'} {low}"
    below = f"{'up to' if of.with_high else 'below'} {high}"
    match bool(low), bool(high):
        case True, True:
            return (
                f"{low} to {high}"
                if of.with_low and of.with_high
                else f"{above} {'' if of.with_high else 'and '}{below}"
            )
        case True, False:
            return above
        case False, True:
            return below
        case _:
            return "any value"


@dataclass(frozen=True)
class _Points:
    """The literals of a column in order. Places are 0, 1, 2, ...: even ones between them, odd ones the literals themselves."""

    column: Column
    places: dict[object, int]
    count: int
    """How many there are without NaN, which stands above all others."""
    _lists: dict[tuple[object, ...], frozenset[int]] = field(default_factory=dict, repr=False, compare=False)

    def of(self, value: object) -> int:
        return self.places[sort_key(value, self.column.type)]

    def of_all(self, values: tuple[object, ...]) -> frozenset[int]:
        if values not in self._lists:
            self._lists[values] = frozenset(map(self.of, values))
        return self._lists[values]


@dataclass(frozen=True)
class _Standing(Questions[bool]):
    """A row of which one column is known: at which place its value stands, None for null. The rest may be anything."""

    points: _Points
    place: int | None

    def _known(self, term: Term) -> bool:
        return isinstance(term, Column) and term.id == self.points.column.id

    def low_is_below(self, term: Term, cut: Cut) -> bool:
        return not self._known(term) or (self.place is not None and self.place < self.points.of(cut.value) + cut.after)

    def high_is_above(self, term: Term, cut: Cut) -> bool:
        return not self._known(term) or (self.place is not None and self.place >= self.points.of(cut.value) + cut.after)

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> bool:
        return not self._known(term) or self.place in self.points.of_all(values)

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> bool:
        return not self._known(term) or (self.place is not None and self.place not in self.points.of_all(values))

    def may_hold_null(self, term: Term) -> bool:
        return not self._known(term) or self.place is None

    def may_hold_value(self, term: Term) -> bool:
        return not self._known(term) or self.place is not None

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> bool:
        return self.place is not None or not (self._known(left) or self._known(right))

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> bool:
        return self.place is not None or not self._known(term)

    def unknown(self, what: Opaque) -> bool:
        return True

    def every(self, answers: list[bool]) -> bool:
        return all(answers)

    def some(self, answers: list[bool]) -> bool:
        return any(answers)


def _points(column: Column, named: Sequence[object]) -> _Points:
    every = [*named, math.nan] if isinstance(column.type, t.Float | t.Double) else named
    return _Points(column, {sort_key(value, column.type): 2 * n + 1 for n, value in enumerate(every)}, len(named))


def _matching(predicate: Predicate, named: Sequence[object], points: _Points) -> Iterator[_Stretch]:
    """Stretches of values in which a row may match, whatever the other columns hold."""
    begun: int | None = None
    last = 2 * len(named)
    for place in range(last + 2):
        if place <= last and can_be(TRUE, predicate, _Standing(points, place)):
            begun = place if begun is None else begun
        elif begun is not None:
            # A gap reaches to the literals beside it, which do not belong to it; to no limit where there is none.
            until = place - 1
            low = named[(begun - 1) // 2] if begun else None
            yield _Stretch(low, named[until // 2] if until < last else None, begun % 2 == 1, until % 2 == 1)
            begun = None
