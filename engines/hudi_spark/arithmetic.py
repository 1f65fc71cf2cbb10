"""Arithmetic on Spark, with the answers of `hudi_core.functions.scalar.arithmetic`, with ANSI mode on or off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_core.functions.scalar import arithmetic as scalar
from hudi_core.types import nodes as t
from hudi_core.values.domain import LONG_RANGE
from hudi_spark.cells import Cell, lift_plan
from hudi_spark.scalars import by_value

_TWO_64: Final = "18446744073709551616"
_TWO_63: Final = "9223372036854775808"


def arithmetic(symbol: str, operands: Sequence[Cell], types: Sequence[t.Type], result: t.Type) -> Cell:
    """One operation in the arithmetic of the result's type."""
    whole = all(isinstance(source, t.Int | t.Long) for source in types)
    real = all(isinstance(source, t.Int | t.Long | t.Float | t.Double) for source in types)
    match result:
        case t.Int() if whole:
            return lift_plan(lambda *plans: wrap_int(_on_longs(symbol, *_cast(plans, "long"))), result, *operands)
        case t.Long() if whole:
            return lift_plan(lambda *plans: _on_longs(symbol, *_cast(plans, "long")), result, *operands)
        case t.Float() | t.Double() if real:
            name = "float" if isinstance(result, t.Float) else "double"
            return lift_plan(lambda *plans: _on_floats(symbol, name, *_cast(plans, name)), result, *operands)
    return by_value(
        lambda *values: scalar.arithmetic(symbol, list(values), list(types), result), operands, types, result
    )


def wrap_int(number: Column) -> Column:
    """The lowest 32 bits of a long."""
    return F.shiftright(F.shiftleft(number, 32), 32).cast("int")


def _cast(plans: tuple[Column, ...], name: str) -> list[Column]:
    return [plan.cast(name) for plan in plans]


def _on_longs(symbol: str, left: Column, right: Column | None = None) -> Column:
    zero = F.lit(0).cast("long")
    match symbol, right:
        case "negative", None:
            return _wrapping(F.try_subtract, lambda a, b: a - b, zero, left)
        case "abs", None:
            return F.when(left < 0, _on_longs("negative", left)).otherwise(left)
        case (("/" | "%"), Column()):
            # The one quotient that does not fit, least / -1, wraps to the least, as its negation does.
            minus_one = right == -1
            divisor = F.when((right == 0) | minus_one, None).otherwise(right)
            if symbol == "%":
                return F.when(minus_one & left.isNotNull(), zero).otherwise(left % divisor)
            return F.when(minus_one, _on_longs("negative", left)).otherwise(F.call_function("div", left, divisor))
        case "+", Column():
            return _wrapping(F.try_add, lambda a, b: a + b, left, right)
        case "-", Column():
            return _wrapping(F.try_subtract, lambda a, b: a - b, left, right)
        case "*", Column():
            return _wrapping(F.try_multiply, lambda a, b: a * b, left, right)
        case _:
            raise AssertionError(symbol)


def _wrapping(
    checked: Callable[[Column, Column], Column],
    exact: Callable[[Column, Column], Column],
    left: Column,
    right: Column,
) -> Column:
    """The sum, difference or product where it fits, else its lowest 64 bits by way of decimals of up to 38 digits."""
    whole = exact(left.cast("decimal(19,0)"), right.cast("decimal(19,0)")).cast("decimal(38,0)")
    modulus, half = F.lit(_TWO_64).cast("decimal(20,0)"), F.lit(_TWO_63).cast("decimal(20,0)")
    rest = F.pmod(whole, modulus).cast("decimal(20,0)")
    signed = F.when(rest >= half, rest - modulus).otherwise(rest.cast("decimal(21,0)"))
    fits = F.when(signed == F.lit(str(LONG_RANGE[0])).cast("decimal(21,0)"), F.lit(LONG_RANGE[0])).otherwise(
        signed.cast("long")
    )
    return F.coalesce(checked(left, right), fits)


def _on_floats(symbol: str, name: str, left: Column, right: Column | None = None) -> Column:
    match symbol, right:
        case "negative", None:
            return -left
        case "abs", None:
            return F.abs(left)
        case "+", Column():
            return left + right
        case "-", Column():
            return left - right
        case "*", Column():
            return left * right
        case "/", Column():
            divisor = F.when(right == 0, None).otherwise(right)
            return (left.cast("double") / divisor.cast("double")).cast(name)
        case "%", Column():
            return left % F.when(right == 0, None).otherwise(right)
        case _:
            raise AssertionError(symbol)
