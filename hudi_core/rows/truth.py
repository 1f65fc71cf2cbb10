"""The truth of a predicate on every row of a batch: the rules of `expr.outcomes`, for a row is a file with one row."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Generic, TypeVar

from hudi_core.engine import Values
from hudi_core.errors import UnsupportedError
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import (
    Apply,
    Choose,
    Column,
    Constant,
    Cut,
    Folded,
    Mapped,
    Opaque,
    Predicate,
    Term,
    term_key,
)
from hudi_core.expr.row import fold
from hudi_core.functions.scalar.like import Pattern
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.truth import TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.domain import is_held

V = TypeVar("V")
M = TypeVar("M")


def is_true(predicate: Predicate, values: Values[V, M], root: V, schema: Schema) -> M:
    """For each row of `root`, a column of structs of the schema, whether the predicate is TRUE there.

    Raises `UnsupportedError` when the predicate has an unknown function, or a column below a list or map.
    """
    return can_be(TRUE, predicate, RowQuestions(values, root, schema))


def truth_masks(predicate: Predicate, values: Values[V, M], root: V, schema: Schema) -> dict[Truth, M]:
    """For each truth, the rows that have it; every row is in exactly one of the three."""
    questions = RowQuestions(values, root, schema)
    return {truth: can_be(truth, predicate, questions) for truth in Truth}


def evaluate(term: Term, values: Values[V, M], root: V, schema: Schema) -> V:
    """The term's value in each row. Raises as `is_true`."""
    return RowQuestions(values, root, schema).value(term)


class RowQuestions(Generic[V, M]):
    """The questions of `expr.outcomes`, answered by looking at the values: what may be so in a row, is so.

    Terms that several leaves share are evaluated once; evaluate all predicates over one batch with the same object.
    """

    def __init__(self, values: Values[V, M], root: V, schema: Schema) -> None:
        self._values, self._root, self._schema = values, root, schema
        self._values_of_terms: dict[Hashable, V] = {}

    def value(self, term: Term) -> V:
        """The term's value in each row."""
        key = term_key(term)
        if key not in self._values_of_terms:
            self._values_of_terms[key] = self._evaluate(term)
        return self._values_of_terms[key]

    def lower_is_below(self, term: Term, cut: Cut) -> M:
        return self._values.below(self.value(term), cut, term.type)

    def upper_is_above(self, term: Term, cut: Cut) -> M:
        return self._present_and_not(term, self.lower_is_below(term, cut))

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> M:
        return self._values.one_of(self.value(term), values, term.type)

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> M:
        return self._present_and_not(term, self.may_hold_one_of(term, values))

    def may_lie_within(self, term: Term, values: tuple[object, ...], members: tuple[bool, ...]) -> M:
        return self._values.within(self.value(term), values, members, term.type)

    def may_hold_null(self, term: Term) -> M:
        return self._values.is_null(self.value(term))

    def may_hold_value(self, term: Term) -> M:
        return self._values.no(self.may_hold_null(term))

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> M:
        return self._values.less(self.value(left), self.value(right), or_equal, left.type)

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> M:
        matches = self._values.matches(self._spell(term), pattern)
        return self._present_and_not(term, matches) if negated else matches

    def may_match_one(self, term: Term, patterns: tuple[Pattern | str, ...], negated: bool) -> M:
        matches = self._values.matches_one(self._spell(term), patterns)
        return self._present_and_not(term, matches) if negated else matches

    def unknown(self, opaque: Opaque) -> M:
        raise UnsupportedError(opaque.text, message=opaque.reason)

    def every(self, answers: list[M]) -> M:
        return answers[0] if len(answers) == 1 else self._values.every(answers, self._root)

    def some(self, answers: list[M]) -> M:
        return answers[0] if len(answers) == 1 else self._values.some(answers, self._root)

    def _spell(self, term: Term) -> V:
        """The term's value in each row, where strings are asked for: of a UUID that is stored in bytes its string. EXPR-1425."""
        value = self.value(term)
        match term.type:
            case t.Uuid(fixed=t.Fixed()):
                return self._values.convert(value, term.type, t.String())
            case _:
                return value

    def _present_and_not(self, term: Term, mask: M) -> M:
        absent = self._values.is_null(self.value(term))
        return self._values.no(self._values.some([absent, mask], self._root))

    def _evaluate(self, term: Term) -> V:
        match term:
            case Column(id=column_id):
                return self._column(self._schema.place(column_id))
            case Constant(int(value), t.Date() | t.Timestamp() as type) if not is_held(value, type):
                return self._values.literal(None, type, self._root)
            case Constant(value, type):
                return self._values.literal(value, type, self._root)
            case Apply(function, arguments, type):
                types = [argument.type for argument in arguments]
                return self._values.apply(function, [self.value(argument) for argument in arguments], types, type)
            case Choose(branches, otherwise, type):
                chosen = self._spell(otherwise)
                for condition, then in reversed(branches):
                    chosen = self._values.choose(can_be(TRUE, condition, self), self._spell(then), chosen, type)
                return chosen
            case Mapped(elements, schema, body, type):
                return self._values.elements(
                    self.value(elements),
                    type.element,
                    lambda items: RowQuestions(self._values, items, schema).value(body),
                )
            case Folded(held, type=type):
                return self._values.map(self.value(held), partial(fold, term), held.type, type)

    def _column(self, place: ColumnPlace) -> V:
        if place.repeated:
            raise UnsupportedError(place.name, expected="a column outside lists and maps", found="one inside")
        column = self._root
        for position in place.positions:
            column = self._values.field(column, position)
        return column
