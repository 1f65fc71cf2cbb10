"""Rounding of numbers: to whole ones, down or up, and to a number of decimal places."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

from hudi_core.functions.scalar.arithmetic import wrap
from hudi_core.types import nodes as t
from hudi_core.values.domain import EXACT, LONG_RANGE, round_decimal, to_binary32


def whole(function: str, value: float | Decimal) -> Any:
    """CEIL or FLOOR: of a decimal a decimal, of a real the nearest long, 0 for NaN.

    >>> whole("floor", -0.5), whole("ceil", 1e300), whole("ceil", Decimal("-1.5"))
    (-1, 9223372036854775807, Decimal('-1'))
    """
    up = function == "ceil"
    if isinstance(value, Decimal):
        return EXACT.plus(value.quantize(Decimal(1), ROUND_CEILING if up else ROUND_FLOOR, EXACT))
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return LONG_RANGE[value > 0]
    return min(max(math.ceil(value) if up else math.floor(value), LONG_RANGE[0]), LONG_RANGE[1])


def round_at(value: Any, places: int, type: t.Type, way: str = ROUND_HALF_UP) -> Any:
    """The number, a value of the type `of` or of its kind, with so many decimal places; negative ones are before the point.

    A real counts as its shortest text, a float as that of the double it is; integers wrap, decimals with too many digits
    are null.

    >>> round_at(2.675, 2, t.Double()), round_at(-15, -1, t.Int()), round_at(2**31 - 1, -1, t.Int())
    (2.68, -20, -2147483646)
    """
    match type:
        case t.Int() | t.Long():
            return wrap(int(_at(Decimal(value), places, way)), 32 if isinstance(type, t.Int) else 64)
        case t.Decimal():
            return round_decimal(_at(value, places, way), type)
        case _:
            if not math.isfinite(value):
                return value
            exact = _at(Decimal(repr(value)), places, way)
            return (_binary32(exact) if isinstance(type, t.Float) else float(exact)) + 0.0  # no zero has a sign


def _at(value: Decimal, places: int, way: str) -> Decimal:
    """Rounded only where digits are cut, so that no number of places is too large to be written out."""
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -places <= exponent:
        return value
    if value.adjusted() + 1 < -places:
        return EXACT.multiply(Decimal((0, (1,), -places)), _away(value, way))
    return value.quantize(Decimal((0, (1,), -places)), way, EXACT)


def _away(value: Decimal, way: str) -> int:
    """What a number much smaller than a step becomes, in steps."""
    if not value or way not in (ROUND_CEILING, ROUND_FLOOR):
        return 0
    return int(way == ROUND_CEILING and value > 0) - int(way == ROUND_FLOOR and value < 0)


def _binary32(exact: Decimal) -> float:
    """The nearest binary32 number. Of the two binary64 numbers around, the odd one is on the right side of every middle."""
    near = float(exact)
    if math.isinf(near) or Decimal.from_float(near) == exact:
        return to_binary32(near)
    other = math.nextafter(near, math.inf if Decimal.from_float(near) < exact else -math.inf)
    return to_binary32(near if _is_odd(near) else other)


def _is_odd(value: float) -> bool:
    return bool(int(math.ldexp(math.frexp(value)[0], 53)) & 1)
