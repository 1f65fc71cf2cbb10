"""What SQL's ANSI mode refuses of an expression: arithmetic and casts that give null of values. Rules: WRITE-1455, WRITE-1456.

A query gives null there; a value that is to be stored is refused. Integers that wrap around: `rows/wrapped.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

from hudi_core.expr import nodes
from hudi_core.expr.calls import is_interval
from hudi_core.expr.narrow import widen_parts
from hudi_core.expr.walk import parts_of
from hudi_core.functions.casts import NARROW
from hudi_core.truth import FALSE, TRUE
from hudi_core.types.nodes import Double

_NO: Final = nodes.Literal(False)
_YES: Final = nodes.Literal(True)


class NoResult(Enum):
    """Why a part of an expression has no result; the value is what it ought to have."""

    DIVIDES_BY_ZERO = "a divisor that is not 0 (NULLIF makes null of 0)"
    BEYOND_TYPE = "a result of arithmetic that its type can have (CAST an operand to another type)"
    NOT_CAST = "a value that CAST can make one of its type of (TRY_CAST makes null of others)"


def find_rows_without_result(node: nodes.Scalar, reason: NoResult) -> nodes.Scalar | None:
    """A condition, as a value: true in the rows in which a part that the expression's value comes from has no result for this
    reason. None where that cannot be.

    As in SQL, branches of CASE that are not taken do not count, nor do arguments of COALESCE behind the first value and parts
    of AND and OR behind the one that decides. Of lambdas, those of one element are looked at.
    """
    conditions = _find(node, lambda part: _lacks_result(part, reason))
    return _first_true(conditions) if conditions else None


def _find(node: nodes.Expr, of_part: Callable[[nodes.Call | nodes.Cast], nodes.Expr | None]) -> list[nodes.Expr]:
    """Conditions, one of which is true in each of the rows. `of_part` gives the one of a call or cast by itself."""
    match node:
        case nodes.Name() | nodes.Literal() | nodes.Lambda():
            return []
        case nodes.Case(branches, otherwise):
            steps = [(_find(condition, of_part), condition, _find(value, of_part)) for condition, value in branches]
            return _find_in_order([*steps, (_find(otherwise, of_part), nodes.Literal(True), [])])
        case nodes.And(parts):
            return _find_in_order([(_find(part, of_part), nodes.Is(part, FALSE), []) for part in parts])
        case nodes.Or(parts):
            return _find_in_order([(_find(part, of_part), nodes.Is(part, TRUE), []) for part in parts])
        case nodes.Call("coalesce", arguments):
            return _find_in_order([(_find(part, of_part), nodes.Not(nodes.IsNull(part)), []) for part in arguments])
        case nodes.Call(function, (array, nodes.Lambda((_,), body) as of_element)) if function in _OF_ELEMENTS:
            inside = _find(body, of_part)
            of_elements = (
                [nodes.Call("exists", (array, replace(of_element, body=_first_true(inside))))] if inside else []
            )
            return [*_find(array, of_part), *of_elements]
        case nodes.Call() | nodes.Cast():
            inner, own = _find_in_parts(node, of_part), of_part(node)
            return inner if own is None else [*inner, own]
        case _:
            return _find_in_parts(node, of_part)


def _find_in_parts(
    node: nodes.Expr, of_part: Callable[[nodes.Call | nodes.Cast], nodes.Expr | None]
) -> list[nodes.Expr]:
    return [condition for part in parts_of(node) for condition in _find(part, of_part)]


def _find_in_order(steps: Sequence[tuple[list[nodes.Expr], nodes.Expr, list[nodes.Expr]]]) -> list[nodes.Expr]:
    """The conditions of parts of which each is looked at unless one before it ends the search: those of the part, whether it
    ends the search, and those of what is looked at then."""
    if not any(own or then for own, _, then in steps):
        return []
    branches: list[tuple[nodes.Expr, nodes.Scalar]] = []
    for own, ends, then in steps:
        branches += [(condition, _YES) for condition in own]
        branches.append((ends, _first_true(then) if then else _NO))
    return [_first(branches)]


def _first(branches: Sequence[tuple[nodes.Expr, nodes.Scalar]]) -> nodes.Scalar:
    return nodes.Case(tuple(branches), _NO)


def _first_true(conditions: Sequence[nodes.Expr]) -> nodes.Scalar:
    return _first([(condition, _YES) for condition in conditions])


def _lacks_result(part: nodes.Call | nodes.Cast, reason: NoResult) -> nodes.Expr | None:
    """Whether a cast or a call of arithmetic gives no value of values for the reason."""
    if isinstance(part, nodes.Cast):
        if reason is not NoResult.NOT_CAST or part.try_:
            return None
        tried = nodes.Cast(part.value, part.type, try_=True)
        return nodes.And((nodes.IsNull(tried), nodes.Not(nodes.IsNull(part.value))))
    present = [nodes.Not(nodes.IsNull(argument)) for argument in part.arguments]
    of_narrow = NoResult.NOT_CAST if part.function in _NARROW_CASTS else NoResult.BEYOND_TYPE
    if reason is of_narrow and (wide := widen_parts(part)) is not None:
        return nodes.And((*present, nodes.Or((nodes.IsNull(part), nodes.Compare(nodes.Comparison.NE, part, wide)))))
    if reason is NoResult.NOT_CAST or part.function not in _ARITHMETIC or any(map(is_interval, part.arguments)):
        return None
    divisor = nodes.Cast(part.arguments[-1], Double())  # it may be a text
    divisor_is_zero = nodes.Compare(nodes.Comparison.EQ, divisor, nodes.Literal(0))
    divides = part.function in _DIVIDING
    if reason is NoResult.DIVIDES_BY_ZERO:
        return nodes.And((divisor_is_zero, *present)) if divides else None
    return nodes.And((nodes.IsNull(part), *present, *([nodes.Not(divisor_is_zero)] if divides else [])))


_DIVIDING: Final = frozenset({"/", "%", "mod", "div", "pmod"})
_ARITHMETIC: Final = frozenset({"+", "-", "*", "negative", "abs", *_DIVIDING})
_NARROW_CASTS: Final = frozenset(function.name for function in NARROW.values())
_OF_ELEMENTS: Final = frozenset({"transform", "filter", "exists", "forall"})
"""Functions that give each element of an array to a lambda of one parameter."""
