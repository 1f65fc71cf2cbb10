"""What SQL's ANSI mode refuses of an expression: integers that wrap around, arithmetic and casts that give null of values.

Rules: WRITE-1421, WRITE-1453, WRITE-1455, WRITE-1456. A query wraps or gives null there; a value that is to be stored is refused,
and so is a condition that decides what is written. Folds, whose parts depend on what they have so far: `rows/folds.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hudi_core.expr import nodes
from hudi_core.expr.calls import is_interval
from hudi_core.expr.narrow import widen_parts
from hudi_core.expr.walk import conjuncts, parts_of
from hudi_core.expr.wraps import EXACT
from hudi_core.rows.folds import ARITHMETIC, DIVIDING, NARROW_CASTS, NoResult
from hudi_core.truth import FALSE, TRUE
from hudi_core.types.nodes import Double

_NO: Final = nodes.Literal(False)
_YES: Final = nodes.Literal(True)


def find_rows_without_result(node: nodes.Scalar, reason: NoResult) -> nodes.Scalar | None:
    """A condition, as a value: true in the rows in which a part that the expression's value comes from has no result for this
    reason. None where that cannot be.

    As in SQL, branches of CASE that are not taken do not count, nor do arguments of COALESCE behind the first value and parts
    of AND and OR behind the one that decides.
    """
    conditions = _find(node, lambda part: _lacks_result(part, reason))
    return _first_true(conditions) if conditions else None


@dataclass(frozen=True, slots=True)
class Undecided:
    """The rows of which a condition does not say whether it is true, since a part of it has no result: those in which all of
    `others` are true, and one of `by_reason`."""

    others: tuple[nodes.Expr, ...]
    by_reason: Mapping[NoResult, nodes.Expr]

    def of_reasons(self, reasons: Iterable[NoResult]) -> nodes.Expr:
        """A condition that is true in the rows of these reasons."""
        return nodes.And((*self.others, nodes.Or(tuple(self.by_reason[reason] for reason in reasons))))


def find_undecided_rows(condition: nodes.Expr) -> Undecided:
    """The rows in which a part of a condition has no result, unless another part of its outermost AND is not true there, which
    rules the row out. Rule WRITE-1421."""
    parts = conjuncts(condition)
    of_parts = [{reason: find_rows_without_result(_as_value(part), reason) for reason in NoResult} for part in parts]
    others: list[nodes.Expr] = []
    for part, of_part in zip(parts, of_parts, strict=True):
        lacking = [one for one in of_part.values() if one is not None]
        others.append(nodes.Or((part, *lacking)) if lacking else part)
    by_reason = {reason: [one for of_part in of_parts if (one := of_part[reason]) is not None] for reason in NoResult}
    return Undecided(tuple(others), {reason: nodes.Or(tuple(some)) for reason, some in by_reason.items() if some})


def _as_value(condition: nodes.Expr) -> nodes.Scalar:
    return nodes.Case(((condition, _YES),), _NO)


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
        case nodes.Call(function, (*held, nodes.Lambda() as of_element)) if function in _OF_ELEMENTS:
            inside = _find(of_element.body, of_part)
            of_held = [condition for part in held for condition in _find(part, of_part)]
            return [*of_held, _exists(node, of_element, _first_true(inside))] if inside else of_held
        case nodes.Call() | nodes.Cast():
            inner, own = _find_in_parts(node, of_part), of_part(node)
            return inner if own is None else [*inner, own]
        case _:
            return _find_in_parts(node, of_part)


def _find_in_parts(
    node: nodes.Expr, of_part: Callable[[nodes.Call | nodes.Cast], nodes.Expr | None]
) -> list[nodes.Expr]:
    return [condition for part in parts_of(node) for condition in _find(part, of_part)]


def _exists(call: nodes.Call, of_element: nodes.Lambda, condition: nodes.Scalar) -> nodes.Expr:
    """Whether a condition on the parameters of a lambda is true for some of what its function gives them."""
    held, flag = call.arguments[:-1], replace(of_element, body=condition)
    if len(of_element.parameters) == 1:
        return nodes.Call("exists", (*held, flag))
    flags = nodes.Call(_OF_ELEMENTS[call.function], (*held, flag))
    if call.function in _OF_ENTRIES:
        flags = nodes.Call("map_values", (flags,))
    return nodes.Call("exists", (flags, nodes.Lambda(("flag",), nodes.Name(("flag",)))))


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
    of_narrow = NoResult.NOT_CAST if part.function in NARROW_CASTS else NoResult.BEYOND_TYPE
    wide = widen_parts(part)
    if reason is of_narrow and wide is not None:
        return nodes.And((*present, nodes.Or((nodes.IsNull(part), nodes.Compare(nodes.Comparison.NE, part, wide)))))
    if reason is NoResult.NOT_CAST or part.function not in ARITHMETIC or any(map(is_interval, part.arguments)):
        return None
    if reason is NoResult.WRAPS:
        return nodes.Call(nodes.WRAPS, (part,)) if part.function in EXACT and wide is None else None
    divisor = nodes.Cast(part.arguments[-1], Double())  # it may be a text
    divisor_is_zero = nodes.Compare(nodes.Comparison.EQ, divisor, nodes.Literal(0))
    divides = part.function in DIVIDING
    if reason is NoResult.DIVIDES_BY_ZERO:
        return nodes.And((divisor_is_zero, *present)) if divides else None
    return nodes.And((nodes.IsNull(part), *present, *([nodes.Not(divisor_is_zero)] if divides else [])))


_OF_ENTRIES: Final = ("map_filter", "transform_keys", "transform_values")
_OF_ELEMENTS: Final = {
    **dict.fromkeys(("transform", "filter", "exists", "forall"), "transform"),
    "zip_with": "zip_with",
    **dict.fromkeys(_OF_ENTRIES, "transform_values"),
}
"""Functions that give a lambda each element of arrays or each entry of a map, and those that give all that it makes."""
