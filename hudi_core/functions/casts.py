"""CAST: where it keeps order, and where an edge can be calculated; TRY_CAST, and casts to types of 8 and 16 bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Final

from hudi_core.functions import coerce
from hudi_core.functions.calendar import four_digit_years
from hudi_core.functions.record import (
    Argument,
    FirstNotBelow,
    Function,
    MismatchError,
    PartialCall,
    Signature,
    Stretch,
)
from hudi_core.functions.scalar.arithmetic import wrap
from hudi_core.functions.scalar.cast import cast
from hudi_core.types import nodes as t
from hudi_core.values.calendar import DAY_SECONDS
from hudi_core.values.domain import EXACT, INT_RANGE, LONG_RANGE


def _sign(_: Sequence[Argument]) -> Signature | None:
    return None  # no argument determines the target type


def _evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
    return cast(values[0], types[0], result_type)


def stretches(call: PartialCall) -> list[Stretch]:
    """The stretches of a cast of the argument to the result's type."""
    data_type, ends = call.argument, call.ends
    real = isinstance(data_type, t.Float | t.Double)
    match call.result_type:
        case t.Int() | t.Long() if real:  # beyond the range it is the end of the range; NaN is 0
            return [Stretch(ends[0], ends[1] - 1), Stretch(ends[1], ends[1])]
        case t.Int() | t.Long() if isinstance(data_type, t.Int | t.Long | t.Boolean | t.Decimal):
            least, greatest = INT_RANGE if isinstance(call.result_type, t.Int) else LONG_RANGE
            unit = 10**data_type.scale if isinstance(data_type, t.Decimal) else 1
            return [Stretch(max(least * unit, ends[0]), min(greatest * unit, ends[1]))]
        case t.String() if isinstance(data_type, t.Date | t.Timestamp):
            return [four_digit_years(data_type, ends)]
        case to if _keeps_order(data_type, to):
            return [Stretch(*ends)]
        case _:
            return []


def _keeps_order(type: t.Type, to: t.Type) -> bool:
    match to:
        case t.Float() | t.Double():
            numbers = t.Boolean | t.Int | t.Long | t.Decimal | t.Float | t.Double
            return isinstance(type, numbers) or (isinstance(to, t.Double) and isinstance(type, t.Timestamp))
        case t.Decimal():
            return isinstance(type, t.Boolean | t.Int | t.Long | t.Decimal)
        case t.Long() | t.Date():
            return isinstance(type, t.Timestamp)
        case t.Timestamp():
            return isinstance(type, t.Date | t.Timestamp | t.Int | t.Long)
        case t.Time():
            return isinstance(type, t.Time)
        case _:
            return False


def edge(call: PartialCall) -> FirstNotBelow | None:
    """The edge of a cast that loses nothing, and of one to dates."""
    if isinstance(call.argument, t.Timestamp) and isinstance(call.result_type, t.Date):
        day = DAY_SECONDS * call.argument.unit.value
        return lambda value, after: (value + after) * day
    ratio = exact_ratio(call.argument, call.result_type)
    return None if ratio is None else partial(_first_not_below, *ratio)


def _first_not_below(up: int, down: int, value: Any, after: bool) -> int:
    """The first whole number n for which n * up / down is not below the cut."""
    if isinstance(value, float) and not math.isfinite(value):
        return -(1 << 80) if value < 0 else 1 << 80
    if isinstance(value, int):
        floor, rest = divmod(value * down, up)
        return floor + 1 if rest or after else floor
    scaled = EXACT.multiply(value, Decimal(down)) if isinstance(value, Decimal) else value
    floor = math.floor(scaled)
    return floor + 1 if scaled != floor or after else floor


def exact_ratio(type: t.Type, to: t.Type) -> tuple[int, int] | None:
    """By what a position of one type is multiplied (and divided) to be the number of the other, for casts that lose nothing."""
    match type, to:
        case (t.Int(), t.Long() | t.Double()):
            return 1, 1
        case ((t.Int() | t.Long()), t.Decimal(precision, scale)) if precision - scale >= (
            10 if isinstance(type, t.Int) else 19
        ):
            return 1, 1
        case t.Decimal(), t.Decimal() if (
            to.scale >= type.scale and to.precision - to.scale >= type.precision - type.scale
        ):
            return 1, 10**type.scale
        case t.Date(), t.Timestamp(unit):
            return DAY_SECONDS * unit.value, 1
        case (t.Timestamp(unit), t.Timestamp(finer)) | (t.Time(unit), t.Time(finer)) if finer.value >= unit.value:
            return finer.value // unit.value, 1
        case _:
            return None


def try_cast(value: Any, source: t.Type, to: t.Type) -> int | None:
    """What TRY_CAST makes of a value: null in place of a whole number that is another than the value without its fraction, of
    strings with a point, and of seconds beyond a timestamp's range.

    >>> try_cast(1e10, t.Double(), t.Int()), try_cast("12.7", t.String(), t.Int()), try_cast(-1.5, t.Double(), t.Int())
    (None, None, -1)
    """
    if isinstance(value, str):
        return None if "." in value else cast(value, source, to)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(to, t.Timestamp):
        return cast(value, source, to) if abs(value * to.unit.value) <= 2.0**63 else None
    exact = value // source.unit.value if isinstance(source, t.Timestamp) else int(value)
    least, greatest = INT_RANGE if isinstance(to, t.Int) else LONG_RANGE
    return exact if least <= exact <= greatest else None


def _evaluate_tried(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> int | None:
    return try_cast(values[0], types[0], result_type)


def _narrow(name: str, bits: int) -> Function:
    """A cast to a type of so many bits, whose values are ints."""
    half = 1 << (bits - 1)

    def evaluate(values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type) -> Any:
        if isinstance(types[0], t.Int | t.Long):
            return wrap(values[0], bits)  # of many values too
        if isinstance(types[0], t.String):
            value = cast(values[0], types[0], t.Int())
            return value if value is None or -half <= value < half else None
        return wrap(cast(values[0], types[0], t.Int()), bits)

    def sign(arguments: Sequence[Argument]) -> Signature:
        data_type = coerce.sql_equivalent(arguments[0].type)
        if not isinstance(data_type, _INTO_NARROW):
            raise MismatchError(f"a value that can be cast to {name}", arguments[0].type)
        return Signature((data_type,), t.Int())

    def rises(call: PartialCall) -> list[Stretch]:
        if not isinstance(call.argument, t.Int | t.Long):
            return []
        return [Stretch(max(-half, call.ends[0]), min(half - 1, call.ends[1]), by_one=True)]

    return Function(name, range(1, 2), sign, evaluate, counts=True, stretches=rises)


_INTO_NARROW: Final = (t.Boolean, t.Int, t.Long, t.Float, t.Double, t.Decimal, t.String, t.Timestamp)
CAST = Function("cast", range(2, 3), _sign, _evaluate, stretches=stretches, edge=edge)
TRY_CAST = Function("try_cast", range(2, 3), _sign, _evaluate_tried)
"""TRY_CAST to ints and longs, and of floating-point numbers to timestamps; elsewhere it is CAST."""
NARROW: Final = {8: _narrow("tinyint", 8), 16: _narrow("smallint", 16)}
FUNCTIONS = (CAST, TRY_CAST, *NARROW.values())
