"""The truth of a predicate on one row in plain Python, for rows that are known without reading a file, and so without an engine.

The rules are those of `expr.outcomes`, as for rows in an engine's columns (`rows.truth`); here are the answers about one row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from hudi_core.errors import UnsupportedError
from hudi_core.expr.cuts import holds, is_below
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import Apply, Choose, Column, Constant, Cut, Folded, Mapped, Opaque, Predicate, Term
from hudi_core.functions.record import Function
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import Pattern
from hudi_core.schema.schema import Schema
from hudi_core.truth import TRUE, Truth
from hudi_core.types.nodes import Type
from hudi_core.values.order import equal, less

ApplyFunction = Callable[[Function, list[Any], list[Type], Type], Any]
"""Calls a function with the values of one row, their types and that of the result."""


def truth_of(predicate: Predicate, row: Mapping[int, object]) -> Truth:
    """The predicate's truth on a row: values by column id, one for each column that the predicate looks at.

    Raises `UnsupportedError` for unknown functions.
    """
    row_answers = _Row(row)
    return next(truth for truth in Truth if can_be(truth, predicate, row_answers))


@dataclass(frozen=True, slots=True)
class _Row:
    """`expr.outcomes.Questions` of one row: what may be so, is so."""

    values: Mapping[int, object]
    apply: ApplyFunction = Function.apply

    def lower_is_below(self, term: Term, cut: Cut) -> bool:
        value = self._value(term)
        return value is not None and is_below(value, cut, term.type)

    def upper_is_above(self, term: Term, cut: Cut) -> bool:
        value = self._value(term)
        return value is not None and not is_below(value, cut, term.type)

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> bool:
        value = self._value(term)
        return value is not None and any(equal(value, choice, term.type) for choice in values)

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> bool:
        return self.may_hold_value(term) and not self.may_hold_one_of(term, values)

    def may_lie_within(self, term: Term, values: tuple[object, ...], members: tuple[bool, ...]) -> bool:
        value = self._value(term)
        return value is not None and holds(value, values, members, term.type)

    def may_hold_null(self, term: Term) -> bool:
        return self._value(term) is None

    def may_hold_value(self, term: Term) -> bool:
        return self._value(term) is not None

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> bool:
        first, second = self._value(left), self._value(right)
        if first is None or second is None:
            return False
        return not less(second, first, left.type) if or_equal else less(first, second, left.type)

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> bool:
        value = self._value(term)
        wanted = regex.parse(pattern) if isinstance(pattern, str) else regex.like(pattern)
        return isinstance(value, str) and (wanted.compiled.search(value) is None) is negated

    def may_match_one(self, term: Term, patterns: tuple[Pattern | str, ...], negated: bool) -> bool:
        return self.may_hold_value(term) and negated is not any(
            self.may_match(term, pattern, False) for pattern in patterns
        )

    def unknown(self, predicate: Opaque) -> bool:
        raise UnsupportedError(predicate.text, message=predicate.reason)

    def every(self, answers: list[bool]) -> bool:
        return all(answers)

    def some(self, answers: list[bool]) -> bool:
        return any(answers)

    def _value(self, term: Term) -> Any:
        match term:
            case Column(id=column_id):
                return self.values[column_id]
            case Constant(value):
                return value
            case Apply(function, arguments, type):
                types = [argument.type for argument in arguments]
                return self.apply(function, [self._value(argument) for argument in arguments], types, type)
            case Choose(branches, otherwise):
                conditions = _Row(self.values)  # what calls functions otherwise does so for values
                taken = (then for condition, then in branches if can_be(TRUE, condition, conditions))
                return self._value(next(taken, otherwise))
            case Mapped(elements, schema, body):
                held = self._value(elements)
                if held is None:
                    return None
                return tuple(_Row(_columns(item, schema), self.apply)._value(body) for item in held)
            case Folded(held):
                return fold(term, self._value(held), self.apply)
            case _:
                assert_never(term)


def fold(term: Folded, held: tuple[Any, ...], apply: ApplyFunction = Function.apply) -> Any:
    """The value of a fold of what it holds: an array, a start, and the columns around its lambdas. `apply` calls functions."""
    items, so_far, *around = held
    if items is None:
        return None
    for item in items:
        so_far = _Row(_columns((so_far, item, *around), term.schema), apply)._value(term.step)
    return _Row(_columns((so_far, *around), term.last_schema), apply)._value(term.last)


def _columns(struct: tuple[object, ...], schema: Schema) -> dict[int, object]:
    """The values of a struct and of the structs in it, by column id."""
    values: dict[int, object] = {}
    for column_id, place in schema.places.items():
        if not place.repeated:
            value: Any = struct
            for position in place.positions:
                value = None if value is None else value[position]
            values[column_id] = value
    return values
