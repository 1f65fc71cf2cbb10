"""What SQL's ANSI mode refuses of an expression: arithmetic and casts that give null of values. Rules: WRITE-1455, WRITE-1456.

A query gives null there; a value that is to be stored is refused. Integers that wrap around: `rows/wrapped.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final, assert_never

from hudi_core.expr.calls import is_interval
from hudi_core.expr.narrow import widen_parts
from hudi_core.expr.nodes import (
    And,
    Between,
    Call,
    Case,
    Cast,
    Compare,
    Comparison,
    Expr,
    In,
    Is,
    IsNull,
    Lambda,
    Like,
    Literal,
    Name,
    Not,
    Or,
    RegexLike,
    Scalar,
)
from hudi_core.expr.walk import parts_of
from hudi_core.functions.casts import NARROW
from hudi_core.truth import FALSE, TRUE
from hudi_core.types.nodes import Double

_NO: Final = Literal(False)
_YES: Final = Literal(True)


class NoResult(Enum):
    """Why a part of an expression has no result; the value is what it ought to have."""

    DIVIDES_BY_ZERO = "a divisor that is not 0 (NULLIF makes null of 0)"
    BEYOND_TYPE = "a result of arithmetic that its type can have (CAST an operand to another type)"
    NOT_CAST = "a value that CAST can make one of its type of (TRY_CAST makes null of others)"


def find_rows_without_result(node: Scalar, reason: NoResult) -> Scalar | None:
    """A condition, as a value: true in the rows in which a part that the expression's value comes from has no result for this
    reason. None where that cannot be.

    As in SQL, branches of CASE that are not taken do not count, nor do arguments of COALESCE behind the first value and parts
    of AND and OR behind the one that decides. Of lambdas, those of one element are looked at.
    """
    conditions = _find(node, lambda part: _lacks_result(part, reason))
    return _first_true(conditions) if conditions else None


def _find(node: Expr, of_part: Callable[[Call | Cast], Expr | None]) -> list[Expr]:
    """Conditions, one of which is true in each of the rows. `of_part` gives the one of a call or cast by itself."""
    match node:
        case Name() | Literal() | Lambda():
            return []
        case Case(branches, otherwise):
            steps = [(_find(condition, of_part), condition, _find(value, of_part)) for condition, value in branches]
            return _find_in_order([*steps, (_find(otherwise, of_part), Literal(True), [])])
        case And(parts):
            return _find_in_order([(_find(part, of_part), Is(part, FALSE), []) for part in parts])
        case Or(parts):
            return _find_in_order([(_find(part, of_part), Is(part, TRUE), []) for part in parts])
        case Call("coalesce", arguments):
            return _find_in_order([(_find(part, of_part), Not(IsNull(part)), []) for part in arguments])
        case Call(function, (array, Lambda((_,), body) as of_element)) if function in _OF_ELEMENTS:
            inside = _find(body, of_part)
            of_elements = [Call("exists", (array, replace(of_element, body=_first_true(inside))))] if inside else []
            return [*_find(array, of_part), *of_elements]
        case Call() | Cast():
            inner, own = _find_in_parts(node, of_part), of_part(node)
            return inner if own is None else [*inner, own]
        case Not() | Is() | Compare() | In() | Between() | Like() | RegexLike() | IsNull():
            return _find_in_parts(node, of_part)
        case _:
            assert_never(node)


def _find_in_parts(node: Expr, of_part: Callable[[Call | Cast], Expr | None]) -> list[Expr]:
    return [condition for part in parts_of(node) for condition in _find(part, of_part)]


def _find_in_order(steps: Sequence[tuple[list[Expr], Expr, list[Expr]]]) -> list[Expr]:
    """The conditions of parts of which each is looked at unless one before it ends the search: those of the part, whether it
    ends the search, and those of what is looked at then."""
    if not any(own or then for own, _, then in steps):
        return []
    branches: list[tuple[Expr, Scalar]] = []
    for own, ends, then in steps:
        branches += [(condition, _YES) for condition in own]
        branches.append((ends, _first_true(then) if then else _NO))
    return [_first(branches)]


def _first(branches: Sequence[tuple[Expr, Scalar]]) -> Scalar:
    return Case(tuple(branches), _NO)


def _first_true(conditions: Sequence[Expr]) -> Scalar:
    return _first([(condition, _YES) for condition in conditions])


def _lacks_result(part: Call | Cast, reason: NoResult) -> Expr | None:
    """Whether a cast or a call of arithmetic gives no value of values for the reason."""
    if isinstance(part, Cast):
        tried = Cast(part.value, part.type, try_=True)
        return None if reason is not NoResult.NOT_CAST or part.try_ else And((IsNull(tried), Not(IsNull(part.value))))
    present = [Not(IsNull(argument)) for argument in part.arguments]
    of_narrow = NoResult.NOT_CAST if part.function in _NARROW_CASTS else NoResult.BEYOND_TYPE
    if reason is of_narrow and (wide := widen_parts(part)) is not None:
        return And((*present, Or((IsNull(part), Compare(Comparison.NE, part, wide)))))
    if reason is NoResult.NOT_CAST or part.function not in _ARITHMETIC or any(map(is_interval, part.arguments)):
        return None
    divisor_is_zero = Compare(Comparison.EQ, Cast(part.arguments[-1], Double()), Literal(0))  # it may be a text
    divides = part.function in _DIVIDING
    if reason is NoResult.DIVIDES_BY_ZERO:
        return And((divisor_is_zero, *present)) if divides else None
    return And((IsNull(part), *present, *([Not(divisor_is_zero)] if divides else [])))


_DIVIDING: Final = frozenset({"/", "%", "mod", "div", "pmod"})
_ARITHMETIC: Final = frozenset({"+", "-", "*", "negative", "abs", *_DIVIDING})
_NARROW_CASTS: Final = frozenset(function.name for function in NARROW.values())
_OF_ELEMENTS: Final = frozenset({"transform", "filter", "exists", "forall"})
"""Functions that give each element of an array to a lambda of one parameter."""
