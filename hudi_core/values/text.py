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
    clock_text,
    date_text,
    parse_clock,
    parse_date,
    parse_timestamp,
    timestamp_text,
)
from hudi_core.values.domain import EXACT, INT_RANGE, LONG_RANGE, fits_decimal, to_binary32

_INTEGER = re.compile(r"([+-]?)(\d*)(?:\.\d*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NON_FINITE = {"nan": math.nan, "inf": math.inf, "infinity": math.inf}
_BOOLEANS = {text: text[0] in "ty1" for text in ("t", "true", "y", "yes", "1", "f", "false", "n", "no", "0")}


TWO_DIGITS_BELOW = 2.0**-142
"""Only floats nearer to zero have a shortest text of one digit that is not the nearest number of two, which Java writes."""


def to_text(value: Any, of: t.Type) -> str:
    """The text of a value that is not null. Raises `SchemaError` for a nested type.

    >>> to_text(1e10, t.Double()), to_text(0, t.Date()), to_text(True, t.Boolean())
    ('1.0E10', '1970-01-01', 'true')
    """
    match of:
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
            raise SchemaError(expected="a primitive type", found=type_text(of))
        case _:
            assert_never(of)


def parse_text(text: str, of: t.Type) -> Any:
    """The value a text stands for; raises `SchemaError` when it stands for none of the type.

    As Spark's cast without ANSI mode does: blanks around are ignored, an integer's fraction and what is finer than a
    decimal's scale or a timestamp's unit is cut off or rounded half up, a timestamp without a zone is UTC.

    >>> parse_text(" 12.7 ", t.Int()), parse_text("12.345", t.Decimal(5, 2)), parse_text("1970-01-02", t.Date())
    (12, Decimal('12.35'), 1)
    """
    found = _parsed(text, of)
    if found is None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise SchemaError(expected=f"the text of a {type_text(of)}", found=repr(shown))
    return found


def _parsed(text: str, of: t.Type) -> Any:
    match of:
        case t.String():
            return text
        case t.Boolean():
            return _BOOLEANS.get(text.strip().lower())
        case t.Int():
            return _integer(text, *INT_RANGE)
        case t.Long():
            return _integer(text, *LONG_RANGE)
        case t.Double():
            return _float(text)
        case t.Float():
            number = _float(text)
            return None if number is None else to_binary32(number)
        case t.Decimal():
            return _decimal(text, of)
        case t.Date():
            days = parse_date(text)
            return days if days is not None and INT_RANGE[0] <= days <= INT_RANGE[1] else None
        case t.Time(unit):
            return parse_clock(text, unit.value)
        case t.Timestamp(unit):
            found = parse_timestamp(text, unit.value)
            return found[0] if found and LONG_RANGE[0] <= found[0] <= LONG_RANGE[1] else None
        case t.Enumeration(symbols):
            return text if text in symbols else None
        case t.Uuid():
            try:
                return str(uuid.UUID(text))
            except ValueError:
                return None
        case t.Binary() | t.Fixed() | t.Vector():
            return _bytes(text, of)
        case t.Record() | t.Array() | t.Map() | t.Union():
            raise SchemaError(expected="a primitive type", found=type_text(of))
        case _:
            assert_never(of)


def _integer(text: str, low: int, high: int) -> int | None:
    found = _INTEGER.fullmatch(text.strip())
    if found is None or not any(map(str.isdigit, text)):
        return None
    number = int(found[1] + (found[2] or "0"))
    return number if low <= number <= high else None


def _float(text: str) -> float | None:
    bare = text.strip()
    if _NUMBER.fullmatch(bare.rstrip("dDfF")):
        return float(bare.rstrip("dDfF"))
    negative, name = bare.startswith("-"), bare.removeprefix("-").removeprefix("+").lower()
    number = _NON_FINITE.get(name)
    return -number if number is not None and negative else number


def _decimal(text: str, of: t.Decimal) -> decimal.Decimal | None:
    bare = text.strip()
    if not _NUMBER.fullmatch(bare):
        return None
    number = decimal.Decimal(bare)
    if number.adjusted() > of.precision:
        return None
    step = decimal.Decimal((0, (1,), -of.scale))
    found = EXACT.plus(number.quantize(step, rounding=decimal.ROUND_HALF_UP, context=EXACT))  # no zero has a sign
    return found if fits_decimal(found, of) else None


def _bytes(text: str, of: t.Binary | t.Fixed | t.Vector) -> bytes | None:
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return None
    match of:
        case t.Fixed(size):
            return found if len(found) == size else None
        case t.Vector(dimension, element):
            return found if len(found) == dimension * element.value else None
        case _:
            return found


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
