"""Literals to constants: the type a number has by itself, texts read as another type, and a session's time zone."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from hudi_core.errors import SchemaError
from hudi_core.expr.interval import Interval
from hudi_core.expr.nodes import Literal
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import Constant
from hudi_core.functions.calendar import months_later
from hudi_core.functions.scalar.cast import cast
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS, parse_timestamp, zone_shift
from hudi_core.values.domain import INT_RANGE, LONG_RANGE, check

NULL = Constant(None, t.String())
"""The null that has no type of its own."""


def constant(literal: Literal, zone: str = "UTC") -> Constant:
    """A literal with its type. Raises `ExpressionError` for a string that is no value of the type beside it."""
    value, data_type = literal.value, literal.type
    if value is None:
        return NULL if data_type is None else Constant(None, data_type)
    if data_type is None:
        return _untyped(value, literal)
    if isinstance(value, str) and not isinstance(data_type, t.String | t.Enumeration):
        read = read_text(value, data_type, zone)
        if read is None:
            raise error_at(literal.span, expected=f"the text of a {type_text(data_type)}", found=repr(value))
        return Constant(read, data_type)
    try:
        check(value, data_type)
    except SchemaError as wrong:
        raise error_at(literal.span, expected=wrong.expected, found=wrong.found) from None
    return Constant(value, data_type)


def read_text(text: str, type: t.Type, zone: str = "UTC") -> Any:
    """What a text stands for as another type, by SQL's cast; None when it stands for nothing.

    A point in time without a zone is one of the session's zone.
    """
    if isinstance(type, t.Timestamp) and type.zoned and zone != "UTC":
        ticks = parse_timestamp(text, type.unit.value)
        if ticks is None or ticks[1]:
            return None if ticks is None else ticks[0]
        return ticks[0] - zone_shift(ticks[0] // type.unit.value, zone) * type.unit.value
    return cast(text, t.String(), type)


def moved(moment: Constant, by: Interval) -> Constant:
    """A date or timestamp plus an interval: months first, to the end of a shorter month, then days, then microseconds.

    A date stays one under whole days. What leaves the type's range is kept exact, for it is only compared.
    """
    value: Any = moment.value
    if isinstance(moment.type, t.Date):
        days = months_later(value, by.months) + by.days
        if not by.micros:
            return Constant(days, moment.type)
        return Constant(days * DAY_SECONDS * 1_000_000 + by.micros, t.Timestamp())
    assert isinstance(moment.type, t.Timestamp)
    data_type = moment.type if moment.type.unit.value >= 1_000_000 else replace(moment.type, unit=t.Unit.MICROS)
    day = DAY_SECONDS * data_type.unit.value
    days, within = divmod(value * (data_type.unit.value // moment.type.unit.value), day)
    return Constant(
        (months_later(days, by.months) + by.days) * day + within + by.micros * (data_type.unit.value // 1_000_000),
        data_type,
    )


def _untyped(value: object, literal: Literal) -> Constant:
    match value:
        case bool():
            return Constant(value, t.Boolean())
        case int():
            if INT_RANGE[0] <= value <= INT_RANGE[1]:
                return Constant(value, t.Int())
            if LONG_RANGE[0] <= value <= LONG_RANGE[1]:
                return Constant(value, t.Long())
            return Constant(Decimal(value), t.Decimal(len(str(abs(value)))))
        case Decimal() if value.is_finite():
            exponent = value.as_tuple().exponent
            scale = max(-exponent, 0) if isinstance(exponent, int) else 0
            exact = value if scale else Decimal(int(value))
            return Constant(exact, t.Decimal(max(len(exact.as_tuple().digits), scale, 1), scale))
        case float():
            return Constant(value, t.Double())
        case str():
            return Constant(value, t.String())
        case bytes():
            return Constant(value, t.Binary())
        case _:
            raise error_at(literal.span, expected="a number, text, bytes, boolean or null", found=repr(value))
