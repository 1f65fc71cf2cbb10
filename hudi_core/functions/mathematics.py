"""Roots, powers, logarithms and angles, of doubles; remainders that are never negative."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from hudi_core.functions import coerce
from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, MismatchError, Native, Signature
from hudi_core.functions.scalar.arithmetic import widen, wrap
from hudi_core.functions.scalar.cast import cast
from hudi_core.types import nodes as t
from hudi_core.values.domain import EXACT, LONG_RANGE, round_decimal, to_binary32

_REALS = (t.Int, t.Long, t.Float, t.Double)


def _as_java(rule: Callable[..., float]) -> Callable[..., float]:
    """Where Python raises, Java gives NaN or infinity."""

    def guard(*values: float) -> float:
        try:
            return rule(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return guard


def _positive(rule: Callable[[float], float], least: float = 0.0) -> Callable[[float], float | None]:
    """Null up to where the logarithm begins."""
    return lambda value: None if value <= least else rule(value)


def power(base: float, exponent: float) -> float:
    """Java's `Math.pow`, of which NaN and infinity differ from C's.

    >>> power(1.0, math.inf), power(-8.0, 1 / 3), power(-0.0, -3.0), power(-1e200, 3.0)
    (nan, nan, -inf, -inf)
    """
    if exponent == 0:
        return 1.0
    if base != base or exponent != exponent or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    odd = math.isfinite(exponent) and math.fmod(abs(exponent), 2) == 1
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        if base != 0:
            return math.nan
        return -math.inf if odd and math.copysign(1, base) < 0 else math.inf


def cube_root(value: float) -> float:
    """Exact of exact cubes, which not every library of mathematics is.

    >>> cube_root(27.0), cube_root(-8.0)
    (3.0, -2.0)
    """
    root = math.cbrt(value)
    over = root * root * root - value
    return root - over / (3 * root * root) if over and math.isfinite(over) else root


def _logarithm(*values: float) -> float | None:
    if len(values) == 1:
        return _natural(values[0])
    base, value = values
    if base <= 0 or value <= 0:
        return None
    over, under = math.log(value), math.log(base)
    if under == 0:
        return math.nan if over == 0 or over != over else math.copysign(math.inf, over) * math.copysign(1, under)
    return over / under


_natural = _positive(math.log)


def _sinh(value: float) -> float:
    try:
        return math.sinh(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _rint(value: float) -> float:
    return math.copysign(float(round(value)), value) if math.isfinite(value) else value


def _sign(value: float) -> float:
    return value if value == 0 or value != value else math.copysign(1.0, value)


def _inverse(rule: Callable[[float], float]) -> Callable[[float], float]:
    """One divided by a function, which may be zero."""

    def inverse(value: float) -> float:
        result = rule(value)
        return 1 / result if result else math.copysign(math.inf, result)

    return inverse


def _real(name: str, rule: Callable[..., Any], *aliases: str, count: int = 1, **rest: Any) -> Function:
    return Function(
        *(
            name,
            range(count, count + 1),
            p.signature(*[p.double] * count, gives=t.Double()),
            p.of_values(_as_java(rule)),
        ),
        aliases=aliases,
        spark=Native(name, (t.Double(),) * count),
        **{"last_digit": True, **rest},
    )


# ---- remainders


_LARGEST_ROOT = math.sqrt(sys.float_info.max)


def _signature_of_pmod(arguments: Sequence[Argument]) -> Signature:
    types = coerce.find_calculation_types("%", *(coerce.sql_equivalent(argument.type) for argument in arguments))
    if types is None:
        wrong = next(
            (a.type for a in arguments if not coerce.is_number(coerce.sql_equivalent(a.type))), arguments[0].type
        )
        raise MismatchError("numbers", wrong)
    return Signature(types[:2], types[2])


def _pmod(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    """The remainder; raised by the divisor where it is negative."""
    match result_type:
        case t.Int() | t.Long():
            left, right = values
            if right == 0:
                return None
            bits = 32 if isinstance(result_type, t.Int) else 64
            rest = _remainder(left, right)
            return _remainder(wrap(rest + right, bits), right) if rest < 0 else rest
        case t.Decimal():
            exact, divisor = (Decimal(value) for value in values)
            if divisor == 0:
                return None
            over = EXACT.remainder(exact, divisor)
            return round_decimal(EXACT.remainder(EXACT.add(over, divisor), divisor) if over < 0 else over, result_type)
        case _:
            real, by = (widen(value, source, result_type) for value, source in zip(values, types, strict=True))
            if by == 0:
                return None
            left_over = _as_java(math.fmod)(real, by)
            if left_over >= 0 or left_over != left_over:
                return left_over
            raised = to_binary32(left_over + by) if isinstance(result_type, t.Float) else left_over + by
            return _as_java(math.fmod)(raised, by)


def _remainder(left: int, right: int) -> int:
    return abs(left) % abs(right) * (-1 if left < 0 else 1)


def _factorial(value: int) -> int | None:
    return math.factorial(value) if 0 <= value <= 20 else None


def _inverse_of_tanh(value: float) -> float:
    if abs(value) == 1:
        return math.copysign(math.inf, value)
    return 0.5 * (math.log1p(value) - math.log1p(-value))


def _area_cosine(value: float) -> float:
    """The number whose hyperbolic cosine it is; where the square is beyond a double, by the logarithm of the double."""
    if value >= _LARGEST_ROOT:
        return math.log(value) + math.log(2.0)
    return math.log(value + math.sqrt(value * value - 1.0))


def width_bucket(value: float, first: float, last: float, count: int) -> int | None:
    """The number, from 1, of the stretch that a value lies in, of so many of one width; 0 before them, one more behind them.

    >>> width_bucket(5.3, 0.2, 10.6, 5), width_bucket(-1.0, 0.0, 1.0, 4), width_bucket(0.0, 10.0, 0.0, 5)
    (3, 0, 6)
    """
    if count <= 0 or count == LONG_RANGE[1] or value != value or first == last:
        return None
    if not (math.isfinite(first) and math.isfinite(last)):
        return None
    if last < first:
        value, first, last = -value, -first, -last
    if value < first:
        return 0
    if value >= last:
        return count + 1
    return wrap(int(cast(count * (value - first) / (last - first), t.Double(), t.Long())) + 1, 64)


FUNCTIONS = (
    _real("sqrt", math.sqrt, last_digit=False),
    _real("cbrt", cube_root),
    _real("exp", math.exp),
    _real("expm1", math.expm1),
    _real("ln", _natural),
    _real("log10", _positive(math.log10)),
    _real("log2", _positive(lambda value: math.log(value) / math.log(2.0))),
    _real("log1p", _positive(math.log1p, -1.0)),
    Function(
        *("log", range(1, 3), p.signature(p.double, p.double, gives=t.Double()), p.of_values(_logarithm)),
        last_digit=True,
        spark=Native("log", only=_REALS),
    ),
    _real("power", power, "pow", count=2),
    _real("sin", math.sin),
    _real("cos", math.cos),
    _real("tan", math.tan),
    _real("cot", _inverse(math.tan)),
    _real("sec", _inverse(math.cos)),
    _real("csc", _inverse(math.sin)),
    _real("asin", math.asin),
    _real("acos", math.acos),
    _real("atan", math.atan),
    _real("atan2", lambda y, x: math.atan2(y + 0.0, x + 0.0), count=2),
    _real("sinh", _sinh),
    _real("cosh", math.cosh),
    _real("tanh", math.tanh),
    _real("acosh", _area_cosine),
    _real("atanh", _inverse_of_tanh),
    _real("hypot", math.hypot, count=2),
    _real("degrees", lambda value: value * 57.29577951308232),
    _real("radians", lambda value: value * 0.017453292519943295),
    _real("rint", _rint, last_digit=False),
    _real("signum", _sign, "sign", last_digit=False),
    Function("pmod", range(2, 3), _signature_of_pmod, _pmod),
    Function("factorial", range(1, 2), p.signature(p.integer, gives=t.Long()), p.of_values(_factorial)),
    Function(
        *("width_bucket", range(4, 5), p.signature(p.double, p.double, p.double, p.long, gives=t.Long())),
        p.of_values(width_bucket),
    ),
    Function("pi", range(1), p.signature(gives=t.Double()), p.of_values(lambda: math.pi)),
    Function("e", range(1), p.signature(gives=t.Double()), p.of_values(lambda: math.e)),
)
