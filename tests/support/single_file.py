"""The questions of pruning about one file in plain Python, without arrays and order keys: the oracle of `hudi_core/pruning`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hudi_core.expr.cuts import ranges_of
from hudi_core.expr.predicate import Column, Cut, Opaque, Term
from hudi_core.functions.scalar.like import Pattern
from hudi_core.truth import Outcomes, Truth
from hudi_core.types import nodes as t
from hudi_core.values.order import equal, less

_NAN = float("nan")

ANY: Outcomes = frozenset(Truth)
"""The outcomes of a predicate on a file of which nothing is known."""


@dataclass(frozen=True, slots=True)
class ValueInterval:
    """Statistics of one column in one file. A bound of None is not known; NaN stands outside the bounds."""

    lower: object = None
    upper: object = None
    nulls: bool = True
    """May hold null."""
    values: bool = True
    """May hold something else."""
    nans: bool = True
    """May hold NaN, if the type has it."""


ANYTHING = ValueInterval()


@dataclass(frozen=True, slots=True)
class SingleFile:
    """`expr.outcomes.Questions` answered by bools. Columns by id; of one that is not there nothing is known."""

    columns: Mapping[int, ValueInterval]

    def lower_is_below(self, term: Term, cut: Cut) -> bool:
        known = self._is_known(term)
        return known.values and (known.lower is None or _below(known.lower, cut, term.type))

    def upper_is_above(self, term: Term, cut: Cut) -> bool:
        known = self._is_known(term)
        nan_is = isinstance(term.type, t.Float | t.Double) and known.nans and not _below(_NAN, cut, term.type)
        return known.values and (nan_is or known.upper is None or not _below(known.upper, cut, term.type))

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> bool:
        return any(
            self.lower_is_below(term, Cut(value, after=True)) and self.upper_is_above(term, Cut(value))
            for value in values
        )

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> bool:
        known = self._is_known(term)
        has_nan = isinstance(term.type, t.Float | t.Double) and known.nans
        if not known.values or has_nan or known.lower is None or known.upper is None:
            return known.values
        one = equal(known.lower, known.upper, term.type)
        return not one or not any(equal(known.lower, value, term.type) for value in values)

    def may_lie_within(self, term: Term, values: tuple[object, ...], members: tuple[bool, ...]) -> bool:
        return self.may_hold_value(term) and any(
            (first is None or self.upper_is_above(term, first)) and (last is None or self.lower_is_below(term, last))
            for first, last in ranges_of(values, members)
        )

    def may_hold_null(self, term: Term) -> bool:
        return self._is_known(term).nulls

    def may_hold_value(self, term: Term) -> bool:
        return self._is_known(term).values

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> bool:
        one, other = self._is_known(left), self._is_known(right)
        if not (one.values and other.values):
            return False
        if one.lower is None or other.upper is None or (isinstance(right.type, t.Float | t.Double) and other.nans):
            return True
        return less(one.lower, other.upper, left.type) or (or_equal and equal(one.lower, other.upper, left.type))

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> bool:
        return self.may_hold_value(term)

    def may_match_one(self, term: Term, patterns: tuple[Pattern | str, ...], negated: bool) -> bool:
        return self.may_hold_value(term)

    def unknown(self, what: Opaque) -> bool:
        return True

    def every(self, answers: list[bool]) -> bool:
        return all(answers)

    def some(self, answers: list[bool]) -> bool:
        return any(answers)

    def _is_known(self, term: Term) -> ValueInterval:
        return self.columns.get(term.id, ANYTHING) if isinstance(term, Column) else ANYTHING


def _below(value: object, cut: Cut, type: t.Type) -> bool:
    return less(value, cut.value, type) or (cut.after and equal(value, cut.value, type))
