"""SQL's CAST of a value, as Spark does without ANSI mode and in UTC: what does not convert is null.

This is the conversion of a CAST in a query. The one of a table's schema evolution is `hudi_core.values.cast`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.functions.scalar.arithmetic import widen, wrap
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import BLANKS, DAY_SECONDS
from hudi_core.values.domain import EXACT, INT_RANGE, LONG_RANGE, round_decimal
from hudi_core.values.text import parse_text, to_text

Convert = Callable[[Any], Any]
_POINTS = frozenset({".", "+.", "-."})
"""Strings that SQL casts to the integer 0, which has neither digits before the point nor behind it."""


def can_cast(source: t.Type, to: t.Type) -> bool:
    """Whether SQL converts values of one type to the other."""
    return _conversion(source, to) is not None


def cast(value: Any, source: t.Type, to: t.Type) -> Any:
    """The value, not null, in the other type; None when it has no counterpart there.

    Raises `UnsupportedError` for a pair of types that `can_cast` denies.

    >>> cast("12.7", t.String(), t.Int()), cast(1e10, t.Double(), t.Int()), cast("x", t.String(), t.Date())
    (12, 2147483647, None)
    """
    convert = _conversion(source, to)
    if convert is None:
        raise UnsupportedError(
            f"cast to {type_text(to)}", expected="a type that can be cast to it", found=type_text(source)
        )
    return convert(value)


def _conversion(source: t.Type, to: t.Type) -> Convert | None:
    if source == to:
        return lambda value: value
    match to:
        case t.String() | t.Enumeration() | t.Uuid():
            return _to_text(source, to)
        case t.Binary() | t.Fixed() | t.Vector():
            return _to_bytes(source, to)
        case t.Record() | t.Array() | t.Map() | t.Union():
            return _by_parts(source, to)
    match source:
        case t.String() | t.Enumeration() | t.Uuid():
            return lambda value: _parse(value, to)
        case t.Boolean() | t.Int() | t.Long() | t.Float() | t.Double() | t.Decimal():
            return _from_number(source, to)
        case t.Timestamp(unit):
            return _from_timestamp(unit.value, to)
        case t.Date() if isinstance(to, t.Timestamp):
            per_day = DAY_SECONDS * to.unit.value
            return lambda days: _within(days * per_day, LONG_RANGE)
        case t.Time(unit) if isinstance(to, t.Time):
            target = to.unit.value
            return lambda ticks: ticks * target // unit.value
        case _:
            return None


def _by_parts(source: t.Type, to: t.Type) -> Convert | None:
    """Arrays by their elements, structs by their fields in order."""
    match source, to:
        case t.Array(element), t.Array(other):
            convert = _conversion(element.type, other.type)
            return None if convert is None else lambda value: tuple(_or_null(convert, item) for item in value)
        case t.Record(fields), t.Record(others) if len(fields) == len(others):
            conversions = [_conversion(a.type, b.type) for a, b in zip(fields, others, strict=True)]
            converts = [convert for convert in conversions if convert is not None]
            if len(converts) < len(conversions):
                return None
            return lambda value: tuple(_or_null(convert, part) for convert, part in zip(converts, value, strict=True))
        case _:
            return None


def _or_null(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _to_text(source: t.Type, to: t.String | t.Enumeration | t.Uuid) -> Convert | None:
    match source:
        case t.Binary() | t.Fixed() | t.Vector():
            return (lambda value: value.decode("utf-8", "replace")) if isinstance(to, t.String) else None
        case t.Record() | t.Array() | t.Map() | t.Union():
            return None
        case t.Decimal() if isinstance(to, t.String):
            return EXACT.to_sci_string  # as Java's BigDecimal: with an exponent below 10^-6
        case _ if isinstance(to, t.String):
            return lambda value: to_text(value, source)
        case t.String() | t.Enumeration() | t.Uuid():
            return lambda value: _parse(value, to)
        case _:
            return None


def _to_bytes(source: t.Type, to: t.Binary | t.Fixed | t.Vector) -> Convert | None:
    match to:
        case t.Fixed(size):
            length = size
        case t.Vector(dimension, element):
            length = dimension * element.value
        case _:
            length = -1

    def fit_size(value: bytes) -> bytes | None:
        return value if length in (-1, len(value)) else None

    match source:
        case t.String() | t.Enumeration() | t.Uuid():
            return lambda value: fit_size(value.encode("utf-8"))
        case t.Binary() | t.Fixed() | t.Vector():
            return fit_size
        case _:
            return None


def _from_number(source: t.Type, to: t.Type) -> Convert | None:
    real = isinstance(source, t.Float | t.Double)
    match to:
        case t.Boolean():
            return lambda value: value != 0
        case t.Int() | t.Long():
            bits, span = (32, INT_RANGE) if isinstance(to, t.Int) else (64, LONG_RANGE)
            return (lambda value: _saturate(value, span)) if real else (lambda value: wrap(int(value), bits))
        case t.Float() | t.Double():
            return lambda value: widen(value, source, to)
        case t.Decimal():
            return (
                (lambda value: _decimal_of_real(value, to))
                if real
                else (lambda value: round_decimal(Decimal(value), to))
            )
        case t.Timestamp(unit) if real:
            return lambda value: _saturate(value * unit.value, LONG_RANGE) if math.isfinite(value) else None
        case t.Timestamp(unit) if isinstance(source, t.Int | t.Long):
            return lambda value: min(max(value * unit.value, LONG_RANGE[0]), LONG_RANGE[1])
        case _:
            return None


def _from_timestamp(per_second: int, to: t.Type) -> Convert | None:
    match to:
        case t.Timestamp(unit):
            return lambda ticks: _within(ticks * unit.value // per_second, LONG_RANGE)
        case t.Date():
            return lambda ticks: _within(ticks // (DAY_SECONDS * per_second), INT_RANGE)
        case t.Int() | t.Long():
            return lambda ticks: wrap(ticks // per_second, 32 if isinstance(to, t.Int) else 64)
        case t.Double():
            return lambda ticks: ticks / per_second
        case _:
            return None


def _parse(text: str, to: t.Type) -> Any:
    try:
        return 0 if isinstance(to, t.Int | t.Long) and text.strip(BLANKS) in _POINTS else parse_text(text, to)
    except SchemaError:
        return None


def _decimal_of_real(value: float, to: t.Decimal) -> Decimal | None:
    """By the shortest text that stands for the binary64 number, as `BigDecimal(Double.toString(d))`."""
    return round_decimal(Decimal(repr(value)), to) if math.isfinite(value) else None


def _saturate(value: float, span: tuple[int, int]) -> int:
    """Toward zero, the nearest end of the range beyond it, zero for NaN."""
    if value != value:
        return 0
    if math.isinf(value):
        return span[value > 0]
    return min(max(int(value), span[0]), span[1])


def _within(value: int, span: tuple[int, int]) -> int | None:
    return value if span[0] <= value <= span[1] else None
