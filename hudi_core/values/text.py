"""One line of text for a value of a primitive type, and back: Spark's `CAST(... AS STRING)` and `CAST(text AS ...)` in UTC.

Numbers are Java's text (`1.0E10`, `NaN`), decimals keep their scale, timestamps are `2024-01-01 12:00:00.5`. Bytes are
lower-case hex, which loses nothing and differs from Spark's cast on purpose.
"""

from __future__ import annotations

import decimal
import math
import re
import uuid
from typing import Any, assert_never

import numpy as np

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import (
    BLANKS,
    clock_text,
    date_text,
    parse_clock,
    parse_date,
    parse_timestamp,
    timestamp_text,
)
from hudi_core.values.domain import INT_RANGE, LONG_RANGE, round_decimal, to_binary32

_INTEGER = re.compile(r"([+-]?)(\d*)(?:\.\d*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DECIMAL_NUMBER = re.compile(_NUMBER.pattern)
"""With the digits of all scripts, which Java's `BigDecimal` reads, but those beyond the basic plane."""
_HEXADECIMAL = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_SUFFIXES = ("d", "D", "f", "F")
_NON_FINITE = {"nan": math.nan, "inf": math.inf, "infinity": math.inf}
_BLANKS_OF_NUMBERS = BLANKS[:-1]
"""Java's own, at the ends of numbers with a fraction."""
_BOOLEANS = {text: text[0] in "ty1" for text in ("t", "true", "y", "yes", "1", "f", "false", "n", "no", "0")}


TWO_DIGITS_BELOW = 2.0**-142
"""Only floats nearer to zero have a shortest text of one digit that is not the nearest number of two, which Java writes."""


def to_text(value: Any, type: t.Type) -> str:
    """The text of a value that is not null. Raises `SchemaError` for a nested type.

    >>> to_text(1e10, t.Double()), to_text(0, t.Date()), to_text(True, t.Boolean())
    ('1.0E10', '1970-01-01', 'true')
    """
    match type:
        case t.Boolean():
            return "true" if value else "false"
        case t.Int() | t.Long():
            return str(value)
        case t.Double():
            return _float_text(value, np.float64)
        case t.Float():
            return _float_text(value, np.float32)
        case t.Decimal():
            return f"{value:f}"
        case t.Date():
            return date_text(value)
        case t.Time(unit):
            return clock_text(value, unit.value)
        case t.Timestamp(unit):
            return timestamp_text(value, unit.value)
        case t.String() | t.Enumeration() | t.Uuid():
            return str(value)
        case t.Binary() | t.Fixed() | t.Vector():
            return bytes(value).hex()
        case t.Record() | t.Array() | t.Map() | t.Union():
            raise SchemaError(expected="a primitive type", found=type_text(type))
        case _:
            assert_never(type)


def parse_text(text: str, type: t.Type) -> Any:
    """The value a text stands for; raises `SchemaError` when it stands for none of the type.

    As Spark's cast without ANSI mode does: blanks around are ignored, an integer's fraction and what is finer than a
    decimal's scale or a timestamp's unit is cut off or rounded half up, a timestamp without a zone is UTC.

    >>> parse_text(" 12.7 ", t.Int()), parse_text("12.345", t.Decimal(5, 2)), parse_text("1970-01-02", t.Date())
    (12, Decimal('12.35'), 1)
    """
    value = _parse(text, type)
    if value is None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise SchemaError(expected=f"the text of a {type_text(type)}", found=repr(shown))
    return value


def _parse(text: str, type: t.Type) -> Any:
    match type:
        case t.String():
            return text
        case t.Boolean():
            return _BOOLEANS.get(text.strip(BLANKS).lower())
        case t.Int():
            return _integer(text, *INT_RANGE)
        case t.Long():
            return _integer(text, *LONG_RANGE)
        case t.Double():
            return _float(text)
        case t.Float():
            value = _float(text)
            return None if value is None else to_binary32(value)
        case t.Decimal():
            return _decimal(text, type)
        case t.Date():
            days = parse_date(text)
            return days if days is not None and INT_RANGE[0] <= days <= INT_RANGE[1] else None
        case t.Time(unit):
            return parse_clock(text, unit.value)
        case t.Timestamp(unit):
            ticks = parse_timestamp(text, unit.value, zoned=type.zoned)
            return ticks[0] if ticks and LONG_RANGE[0] <= ticks[0] <= LONG_RANGE[1] else None
        case t.Enumeration(symbols):
            return text if text in symbols else None
        case t.Uuid():
            try:
                return str(uuid.UUID(text))
            except ValueError:
                return None
        case t.Binary() | t.Fixed() | t.Vector():
            return _bytes(text, type)
        case t.Record() | t.Array() | t.Map() | t.Union():
            raise SchemaError(expected="a primitive type", found=type_text(type))
        case _:
            assert_never(type)


def _integer(text: str, least: int, greatest: int) -> int | None:
    match = _INTEGER.fullmatch(text.strip(BLANKS))
    if match is None or not any(map(str.isdigit, text)):
        return None
    value = int(match[1] + (match[2] or "0"))
    return value if least <= value <= greatest else None


def _float(text: str) -> float | None:
    bare = text.strip(_BLANKS_OF_NUMBERS)
    number = bare[:-1] if bare[-1:] in _SUFFIXES else bare
    if _NUMBER.fullmatch(number):
        return float(number)
    if _HEXADECIMAL.fullmatch(number):
        return _hexadecimal(number)
    negative, name = bare.startswith("-"), bare[bare[:1] in ("+", "-") :]
    if name.lower() == "nan" != bare.lower() and name != "NaN":
        return None  # with a sign it is Java's own word
    value = _NON_FINITE.get(name.lower())
    return -value if value is not None and negative else value


def _hexadecimal(number: str) -> float:
    try:
        return float.fromhex(number)
    except OverflowError:
        return -math.inf if number.startswith("-") else math.inf


def _decimal(text: str, type: t.Decimal) -> decimal.Decimal | None:
    bare = text.strip(_BLANKS_OF_NUMBERS)
    if not _DECIMAL_NUMBER.fullmatch(bare) or max(bare) > "\uffff":
        return None
    exact = decimal.Decimal(bare)
    return None if exact.adjusted() > type.precision else round_decimal(exact, type)


def _bytes(text: str, type: t.Binary | t.Fixed | t.Vector) -> bytes | None:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        return None
    match type:
        case t.Fixed(size):
            return data if len(data) == size else None
        case t.Vector(dimension, element):
            return data if len(data) == dimension * element.value else None
        case _:
            return data


def _float_text(value: float, width: type[np.floating[Any]]) -> str:
    """Java's text: shortest digits, plain from 10^-3 up to 10^7, else `d.dEn`."""
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1.0, value) < 0 else "0.0"
    if 1e-3 <= abs(value) < 1e7:
        return np.format_float_positional(width(value), unique=True, trim="0")
    mantissa, _, exponent = np.format_float_scientific(width(value), unique=True, trim="0").partition("e")
    if len(mantissa.lstrip("-")) == 3:  # where one digit is enough, Java still takes the nearest number of two
        mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}E{int(exponent)}"
