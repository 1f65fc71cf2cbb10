"""What a drawing of value ranges against a predicate needs, for one column: places between 0 and 1, and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.cli.explain.scale import Linear, Scale, Tick, scale_over, shorten
from hudi_core.expr.outcomes import Questions, can_be
from hudi_core.expr.predicate import Column, Cut, Opaque, Predicate, Term, literals_of
from hudi_core.functions.scalar.like import Pattern
from hudi_core.planning.sources.column_ranges import Bounds, ColumnRange
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t
from hudi_core.values.order import distinct, sort_key

_Floating = t.Float | t.Double
_NAN, _NULL = -2, -1
"""Rows of `_Standing`."""

_LONGEST = 28
"""Characters of a bound that are shown."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis, its ends between 0 and 1, and the same in words."""

    start: float
    end: float
    label: str


@dataclass(frozen=True, slots=True)
class DrawnSlice:
    """A slice's values: where they lie (None: there is none), and whether nulls and NaN may be among them."""

    band: Band | None
    bounded: bool
    """A bound is known; else the band is the whole axis."""
    nulls: bool
    nans: bool
    label: str
    """All of it in words."""


@dataclass(frozen=True, slots=True)
class ColumnPicture:
    """One column of a predicate: where a row's value may lie for the row to match, and where those of each slice lie.

    Which values may match follows from this column alone, whatever the others hold.
    """

    name: str
    type: t.Type
    matching: tuple[Band, ...]
    nulls_match: bool
    nans_match: bool
    marks: tuple[Tick, ...]
    """The values that the predicate names."""
    ranges: tuple[DrawnSlice | None, ...]
    """In the order of the slices; None where nothing is known."""
    ticks: tuple[Tick, ...]
    to_scale: bool = True
    """Whether distances mean something; else values are in their order only."""

    @property
    def any_matches(self) -> bool:
        """This column rules nothing out by itself, whatever its value."""
        whole = any(band.start <= 0.0 and band.end >= 1.0 for band in self.matching)
        return whole and self.nulls_match and self.nans_match is isinstance(self.type, t.Float | t.Double)

    @property
    def has_nulls(self) -> bool:
        """Whether null has a place on the axis: it may match, or some slice's column can hold it."""
        return self.nulls_match or any(drawn is not None and drawn.nulls for drawn in self.ranges)

    @property
    def has_nans(self) -> bool:
        return any(drawn is not None and drawn.nans for drawn in self.ranges)


def column_picture(column: Column, predicate: Predicate, bounds: Sequence[Bounds]) -> ColumnPicture:
    """The picture of a column, over slices and their ranges, in one order."""
    named = distinct(tuple(value for value in literals_of(predicate, column.id) if value == value), column.type)
    known = [
        value for interval in bounds if interval for value in (interval.lower, interval.upper) if value is not None
    ]
    scale = scale_over(known, named, column.type)
    may = can_be(TRUE, predicate, _Standing.between(column, named))
    return ColumnPicture(
        column.name,
        column.type,
        tuple(_band(scale, stretch) for stretch in _stretches(may[:_NAN], named)),
        bool(may[_NULL]),
        isinstance(column.type, _Floating) and bool(may[_NAN]),
        tuple((scale.position(value), shorten(value, column.type, 24)) for value in named),
        tuple(None if interval is None else _draw_slice(scale, interval) for interval in bounds),
        scale.ticks(),
        isinstance(scale, Linear),
    )


def _draw_slice(scale: Scale, interval: ColumnRange) -> DrawnSlice:
    # A bound may itself be NaN: all values may be, or those above a known one.
    low = interval.lower if interval.lower == interval.lower else None
    high = interval.upper if interval.upper == interval.upper else None
    nans = interval.nans or low is not interval.lower or high is not interval.upper
    bounded = low is not None or high is not None
    labels = []
    if interval.values:
        labels.append(_words(_Stretch(low, high), scale.type) if bounded else "bounds not known")
    labels += ["may hold NaN"] if nans else []
    labels += [("may hold nulls" if interval.values else "nulls only")] if interval.nulls else []
    band = _band(scale, _Stretch(low, high)) if interval.values else None
    return DrawnSlice(band, bounded, interval.nulls, nans, ", ".join(labels) or "no rows")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Values from one to another, None for an end without limit; and whether the ends are among them."""

    low: object
    high: object
    with_low: bool = True
    with_high: bool = True


def _band(scale: Scale, stretch: _Stretch) -> Band:
    start = 0.0 if stretch.low is None else scale.position(stretch.low) - scale.half
    end = 1.0 if stretch.high is None else scale.position(stretch.high) + scale.half
    return Band(start, end, _words(stretch, scale.type))


def _words(stretch: _Stretch, type: t.Type) -> str:
    low, high = ("" if end is None else shorten(end, type, _LONGEST) for end in (stretch.low, stretch.high))
    if low and low == high:
        return low
    above = f"{'from' if stretch.with_low else 'above'} {low}"
    below = f"{'up to' if stretch.with_high else 'below'} {high}"
    match bool(low), bool(high):
        case True, True:
            return (
                f"{low} to {high}"
                if stretch.with_low and stretch.with_high
                else f"{above} {'' if stretch.with_high else 'and '}{below}"
            )
        case True, False:
            return above
        case False, True:
            return below
        case _:
            return "any value"


@dataclass(frozen=True)
class _Standing(Questions[Bools]):
    """Rows of which one column is known, one for each place where its value can be among the literals; the rest of a row
    may be anything.

    The places are 0, 1, 2, ...: even ones between the literals, odd ones the literals themselves. The last two rows hold NaN,
    which stands above all others, and null.
    """

    column: Column
    places: Numbers
    literals: Mapping[object, int]

    @staticmethod
    def between(column: Column, named: Sequence[object]) -> _Standing:
        every = [*named, math.nan] if isinstance(column.type, _Floating) else named
        literals = {sort_key(value, column.type): 2 * number + 1 for number, value in enumerate(every)}
        places = np.arange(2 * len(named) + 3)
        places[_NULL] = -1
        return _Standing(column, places, literals)

    def _is_known(self, term: Term) -> bool:
        return isinstance(term, Column) and term.id == self.column.id

    def _cut(self, cut: Cut) -> int:
        return self.literals[sort_key(cut.value, self.column.type)] + cut.after

    def lower_is_below(self, term: Term, cut: Cut) -> Bools:
        if not self._is_known(term):
            return self._anything()
        return (self.places >= 0) & (self.places < self._cut(cut))

    def upper_is_above(self, term: Term, cut: Cut) -> Bools:
        return self.places >= self._cut(cut) if self._is_known(term) else self._anything()

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> Bools:
        return self._list(values) if self._is_known(term) else self._anything()

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> Bools:
        return (self.places >= 0) & ~self._list(values) if self._is_known(term) else self._anything()

    def may_lie_within(self, term: Term, values: tuple[object, ...], members: tuple[bool, ...]) -> Bools:
        if not self._is_known(term):
            return self._anything()
        of_values = np.array([self.literals[sort_key(value, self.column.type)] for value in values])
        below = np.searchsorted(of_values, self.places)
        place = np.append(of_values, len(self.places))[below] == self.places
        within: Bools = (self.places >= 0) & np.array(members)[2 * below + place]
        return within

    def may_hold_null(self, term: Term) -> Bools:
        return self.places < 0 if self._is_known(term) else self._anything()

    def may_hold_value(self, term: Term) -> Bools:
        return self.places >= 0 if self._is_known(term) else self._anything()

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> Bools:
        return self.places >= 0 if self._is_known(left) or self._is_known(right) else self._anything()

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> Bools:
        return self.may_hold_value(term)

    def may_match_one(self, term: Term, patterns: tuple[Pattern | str, ...], negated: bool) -> Bools:
        return self.may_hold_value(term)

    def unknown(self, what: Opaque) -> Bools:
        return self._anything()

    def every(self, answers: list[Bools]) -> Bools:
        standing: Bools = np.logical_and.reduce([self._anything(), *answers])
        return standing

    def some(self, answers: list[Bools]) -> Bools:
        standing: Bools = np.logical_or.reduce([~self._anything(), *answers])
        return standing

    def _anything(self) -> Bools:
        return np.ones(len(self.places), np.bool_)

    def _list(self, values: tuple[object, ...]) -> Bools:
        listed = np.zeros(len(self.places) + 1, np.bool_)
        listed[[self.literals[sort_key(value, self.column.type)] for value in values]] = True
        return listed[self.places]


def _stretches(may: Bools, named: Sequence[object]) -> Iterator[_Stretch]:
    """Stretches of places in which a row may match."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], may, [False]]).astype(np.int8)))
    for begun, end in edges.reshape(-1, 2).tolist():
        # A gap reaches to the literals beside it, which do not belong to it; to no limit where there is none.
        until = end - 1
        low = named[(begun - 1) // 2] if begun else None
        high = named[until // 2] if until < 2 * len(named) else None
        yield _Stretch(low, high, begun % 2 == 1, until % 2 == 1)
