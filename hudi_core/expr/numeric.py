"""The known functions of numbers: what they take, and the type they calculate in."""

from __future__ import annotations

from hudi_core.expr import coerce
from hudi_core.expr.applied import MismatchError, applied, cast_to
from hudi_core.expr.functions import Function
from hudi_core.expr.literals import NULL, tight
from hudi_core.expr.predicate import Constant, Term
from hudi_core.types import nodes as t
from hudi_core.types.sql import MAX_PRECISION


def arithmetic(function: Function, arguments: list[Term]) -> Term | None:
    """`left operator right`, both brought to the type that SQL calculates in."""
    left, right = arguments
    if left is NULL or right is NULL:
        return NULL
    types = [coerce.seen(argument.type) for argument in arguments]
    for position, argument in enumerate(arguments):
        other = types[1 - position]
        whole = isinstance(argument, Constant) and isinstance(argument.type, t.Int | t.Long)
        if whole and isinstance(other, t.Decimal) and isinstance(argument, Constant):
            types[position] = tight(argument)
    found = coerce.calculated(function, types[0], types[1])
    if found is None:
        wrong = next((of for of in types if not coerce.is_number(of) and not isinstance(of, t.String)), types[0])
        raise MismatchError(f"numbers beside {function.value}", wrong)
    first, second, result = found
    return applied(function, [cast_to(left, first), cast_to(right, second)], result)


def whole_quotient(arguments: list[Term]) -> Term | None:
    """`left DIV right` of integers, cut towards zero, as a long; that of other numbers is not known."""
    if not all(isinstance(argument.type, t.Int | t.Long) for argument in arguments):
        return None
    return applied(Function.DIVIDE, [cast_to(argument, t.Long()) for argument in arguments], t.Long())


def unary(function: Function, arguments: list[Term]) -> Term | None:
    """A function that keeps the type of its number."""
    value = _number(function, arguments[0])
    return applied(function, [value], coerce.seen(value.type))


def whole(function: Function, arguments: list[Term]) -> Term | None:
    """CEIL or FLOOR: a long, or a decimal of a decimal. With a number of places it gives other types: not known."""
    value, *places = arguments
    value = _number(function, value)
    match value.type:
        case _ if places:
            return None
        case t.Decimal(precision, scale):
            return applied(function, [value], t.Decimal(precision - scale + 1)) if scale else value
        case t.Int() | t.Long():
            return cast_to(value, t.Long())
        case _:
            return applied(function, [value], t.Long())


def rounded(arguments: list[Term]) -> Term | None:
    """ROUND, half away from zero, at a number of places that has to be a constant."""
    value, *given = arguments
    value = _number(Function.ROUND, value)
    places = cast_to(given[0], t.Int()) if given else Constant(0, t.Int())
    if not isinstance(places, Constant):
        return None
    of, count = coerce.seen(value.type), places.value
    if isinstance(of, t.Int | t.Long) and isinstance(count, int) and count >= 0:
        return value
    if isinstance(of, t.Decimal) and isinstance(count, int):
        of = _rounded_decimal(of, count)
    return applied(Function.ROUND, [value, places], of)


def _rounded_decimal(of: t.Decimal, places: int) -> t.Decimal:
    """One digit more before the point, for what rounding up adds."""
    whole = of.precision - of.scale + 1
    if places < 0:
        return t.Decimal(min(max(whole, 1 - places), MAX_PRECISION))
    scale = min(of.scale, places)
    return t.Decimal(min(whole + scale, MAX_PRECISION), scale)


def _number(function: Function, value: Term) -> Term:
    """A number; a text counts as a double. Raises `MismatchError`."""
    if isinstance(value.type, t.String):
        value = cast_to(value, t.Double())
    if not coerce.is_number(value.type):
        raise MismatchError(f"a number in {function.value}", value.type)
    return value
