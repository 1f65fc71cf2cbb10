"""`+ - * / % DIV`, the sign and the size of a number: in which type they calculate, and where they rise and fall."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, PartialCall, Signature, Stretch
from hudi_core.functions.scalar.arithmetic import arithmetic
from hudi_core.types import nodes as t

Ends = tuple[int, int]


def signature_of_operator(symbol: str, arguments: Sequence[Argument]) -> Signature:
    """`left operator right`, both converted to the type that SQL calculates in."""
    if any(argument.is_null and isinstance(argument.type, t.String) for argument in arguments):
        return Signature((), t.String(), null=True)
    types = [coerce.sql_equivalent(argument.type) for argument in arguments]
    for position, argument in enumerate(arguments):
        is_integer = argument.constant and not argument.is_null and isinstance(argument.type, t.Int | t.Long)
        if is_integer and isinstance(types[1 - position], t.Decimal):
            types[position] = tight(argument.value)
    common = coerce.find_calculation_types(symbol, types[0], types[1])
    if common is None:
        wrong = next(
            (
                data_type
                for data_type in types
                if not coerce.is_number(data_type) and not isinstance(data_type, t.String)
            ),
            types[0],
        )
        raise MismatchError("numbers", wrong)
    return Signature(common[:2], common[2])


def tight(value: int) -> t.Decimal:
    """The decimal with just the digits of an integer, as SQL takes an integer literal beside a decimal."""
    return t.Decimal(max(len(str(abs(value))), 1))


def _signature_of_quotient(arguments: Sequence[Argument]) -> Signature | None:
    """`left DIV right` of integers, as a long; that of other numbers is not known."""
    if not all(isinstance(argument.type, t.Int | t.Long) for argument in arguments):
        return None
    return Signature((t.Long(), t.Long()), t.Long())


def _signature_of_itself(arguments: Sequence[Argument]) -> Signature:
    data_type = p.numeric(arguments[0])
    return Signature((data_type,), data_type, 0)


def _evaluate(symbol: str, values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    return arithmetic(symbol, list(values), list(types), result_type)


# ---- where they rise and fall


def _of_numbers(
    exact: Callable[[PartialCall], Iterable[Stretch]], real: Callable[[PartialCall], Iterable[Stretch]]
) -> Any:
    """Integers are known in their own type only, for another wraps on its way."""

    def stretches(call: PartialCall) -> Iterable[Stretch]:
        if isinstance(call.result_type, t.Float | t.Double):
            return real(call)
        return () if is_whole(call) and call.argument != call.result_type else exact(call)

    return stretches


def is_whole(call: PartialCall) -> bool:
    return isinstance(call.result_type, t.Int | t.Long)


def shift(ends: Ends, by: int) -> list[Stretch]:
    """x + by, wrapping round: rising on either side of the place where it wraps."""
    first, last = ends
    edge = last - by if by >= 0 else first - by - 1
    return [Stretch(first, edge, by_one=True), Stretch(edge + 1, last, by_one=True)]


def subtract_from(ends: Ends, minuend: int) -> list[Stretch]:
    """number - x, which wraps where x < number - greatest, or x > number - least."""
    edges = [max(minuend - ends[1], ends[0]), min(minuend - ends[0], ends[1])]
    ranges = [(ends[0], edges[0] - 1), (edges[0], edges[1]), (edges[1] + 1, ends[1])]
    return [Stretch(first, last, False, by_one=True) for first, last in ranges]


def _sum(call: PartialCall) -> list[Stretch]:
    other = call.values[1 - call.variable]
    return shift(call.ends, int(other)) if is_whole(call) else [Stretch(*call.ends)]


def _difference(call: PartialCall) -> list[Stretch]:
    falls = call.variable == 1
    if not is_whole(call):
        return [Stretch(*call.ends, not falls)]
    return subtract_from(call.ends, int(call.values[0])) if falls else shift(call.ends, -int(call.values[1]))


def _product(call: PartialCall) -> list[Stretch]:
    """x * by where it does not wrap round."""
    by, ends = call.values[1 - call.variable], call.ends
    if not is_whole(call):
        return [Stretch(*ends, by >= 0)]
    if by == 0:
        return [Stretch(*ends)]
    first, last = (-(-ends[0] // by), ends[1] // by) if by > 0 else (-(-ends[1] // by), ends[0] // by)
    return [Stretch(max(first, ends[0]), min(last, ends[1]), by > 0)]


def _quotient(call: PartialCall) -> list[Stretch]:
    if call.variable == 1 or call.values[1] == 0:
        return []
    divisor, ends = call.values[1], call.ends
    if not is_whole(call):
        return [Stretch(*ends, divisor > 0)]
    wraps = divisor == -1  # the quotient of the least does
    return [Stretch(ends[0] + wraps, ends[1], divisor > 0), *([Stretch(ends[0], ends[0])] if wraps else [])]


def _negate(call: PartialCall) -> list[Stretch]:
    least, is_integer = call.ends[0], is_whole(call)
    return [
        Stretch(least + is_integer, call.ends[1], False, by_one=True),
        *([Stretch(least, least)] if is_integer else []),
    ]


def _size(call: PartialCall) -> list[Stretch]:
    least, is_integer = call.ends[0], is_whole(call)
    return [
        Stretch(least + is_integer, 0, False),
        Stretch(1, call.ends[1]),
        *([Stretch(least, least)] if is_integer else []),
    ]


def _real(rises: Callable[[PartialCall, float], bool | None]) -> Callable[[PartialCall], list[Stretch]]:
    """Arithmetic of binary numbers with a finite one. NaN, the last position, gives NaN: what falls, falls up to infinity."""

    def stretches(call: PartialCall) -> list[Stretch]:
        constant = float(call.values[1 - call.variable])
        rising = rises(call, constant) if math.isfinite(constant) else None
        if rising is None:
            return []
        if rising or not isinstance(call.argument, t.Float | t.Double):
            return [Stretch(*call.ends, rising)]
        return [Stretch(call.ends[0], call.ends[1] - 1, False), Stretch(call.ends[1], call.ends[1])]

    return stretches


def _real_unary(last_falling: Callable[[int], int]) -> Callable[[PartialCall], list[Stretch]]:
    def stretches(call: PartialCall) -> list[Stretch]:
        falling = Stretch(call.ends[0], last_falling(call.ends[1] - 1), False)
        return [falling, Stretch(falling.last + 1, call.ends[1])]

    return stretches


def _operator(symbol: str, stretches: Any = None, **rest: Any) -> Function:
    options = {} if stretches is None else {"stretches": stretches}
    return Function(
        symbol, range(2, 3), partial(signature_of_operator, symbol), partial(_evaluate, symbol), **options, **rest
    )


def _unary(name: str, stretches: Any) -> Function:
    return Function(
        name, range(1, 2), p.signature(p.numeric, gives=p.first), partial(_evaluate, name), stretches=stretches
    )


ADD = _operator("+", _of_numbers(_sum, _real(lambda call, by: True)))
SUBTRACT = _operator("-", _of_numbers(_difference, _real(lambda call, by: call.variable == 0)))
MULTIPLY = _operator("*", _of_numbers(_product, _real(lambda call, by: by > 0 if by else None)))
DIVIDE = _operator("/", _of_numbers(_quotient, _real(lambda call, by: by > 0 if by and call.variable == 0 else None)))
MODULO = _operator("%", aliases=("mod", "try_mod"))
NEGATE = _unary("negative", _of_numbers(_negate, _real_unary(lambda last: last)))
ABS = _unary("abs", _of_numbers(_size, _real_unary(lambda last: 0)))
FUNCTIONS = (
    *(ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, NEGATE, ABS),
    Function("positive", range(1, 2), _signature_of_itself, p.of_values(lambda value: value)),
    Function(
        "div", range(2, 3), _signature_of_quotient, partial(_evaluate, "/"), stretches=_of_numbers(_quotient, _quotient)
    ),
)
