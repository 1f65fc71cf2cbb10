"""Arithmetic on values: integers wrap as Java's do, zero divisors give null, decimals round half up or overflow to null."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from hudi_core.errors import UnsupportedError
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.cast import nearest_binary32
from hudi_core.values.domain import EXACT, round_decimal, to_binary32


def arithmetic(function: str, operands: list[Any], types: list[t.Type], result_type: t.Type) -> Any:
    """One operation in the arithmetic of the result's type `of`; operands are numbers, not null."""
    match result_type:
        case t.Int() | t.Long():
            bits = 32 if isinstance(result_type, t.Int) else 64
            result = _on_integers(function, *operands)
            return None if result is None else wrap(result, bits)
        case t.Float() | t.Double():
            converted = [widen(value, source, result_type) for value, source in zip(operands, types, strict=True)]
            real = _on_floats(function, *converted)
            return to_binary32(real) if real is not None and isinstance(result_type, t.Float) else real
        case t.Decimal():
            exact = _on_decimals(function, result_type, *(Decimal(value) for value in operands))
            return None if exact is None else round_decimal(exact, result_type)
        case _:
            raise UnsupportedError(function, expected="a number as its result", found=type_text(result_type))


def wrap(value: int, bits: int) -> int:
    """The number's lowest bits as a signed integer.

    >>> wrap(2**31, 32), wrap(-1, 32)
    (-2147483648, -1)
    """
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def widen(value: Any, source: t.Type, to: t.Type) -> Any:
    """A number in a float type: an integer is rounded once, to the target's own width."""
    if isinstance(to, t.Float):
        return nearest_binary32(value) if isinstance(source, t.Int | t.Long) else to_binary32(float(value))
    return float(value)


_OF_NUMBERS: Final[Mapping[str, Callable[..., Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "negative": operator.neg,
    "abs": abs,
}
"""Operations that integers and floats have in common."""


def _on_integers(function: str, *operands: int) -> int | None:
    if function not in ("/", "%"):
        return int(_OF_NUMBERS[function](*operands))
    left, right = operands
    if right == 0:
        return None
    if function == "/":
        return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return abs(left) % abs(right) * (-1 if left < 0 else 1)


def _on_floats(function: str, *operands: float) -> float | None:
    if function not in ("/", "%"):
        return float(_OF_NUMBERS[function](*operands))
    left, right = operands
    if right == 0:
        return None
    if function == "/":
        return left / right
    return math.nan if math.isinf(left) or left != left or right != right else math.fmod(left, right)


def _on_decimals(function: str, type: t.Decimal, left: Decimal, right: Decimal = Decimal(0)) -> Decimal | None:
    match function:
        case "+":
            return EXACT.add(left, right)
        case "-":
            return EXACT.subtract(left, right)
        case "*":
            return EXACT.multiply(left, right)
        case "/":
            return None if right == 0 else _quotient(left, right, type.scale)
        case "%":
            return None if right == 0 else EXACT.remainder(left, right)
        case "negative":
            return EXACT.minus(left)
        case "abs":
            return EXACT.abs(left)
        case _:
            raise AssertionError(function)


def _quotient(left: Decimal, right: Decimal, scale: int) -> Decimal:
    """The quotient cut one digit below the scale, which decides half up as the whole quotient would."""
    numerator, denominator = EXACT.scaleb(left, scale + 1).as_integer_ratio(), right.as_integer_ratio()
    over, under = numerator[0] * denominator[1], numerator[1] * denominator[0]
    digits = abs(over) // abs(under) * (1 if (over < 0) == (under < 0) else -1)
    return EXACT.scaleb(Decimal(digits), -scale - 1)
