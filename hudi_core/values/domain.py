"""The one Python form of each type's values: checking a value, and bringing Python's own forms to it.

boolean                        bool
int, long                      int within 32 or 64 bits
float, double                  float; of a float column rounded to binary32
date                           int, days since 1970-01-01
time, timestamp                int, in the type's unit since midnight or since 1970-01-01T00:00:00
string, enumeration            str without lone surrogates
uuid                           str, canonical and lower case
binary, fixed, vector          bytes
decimal                        decimal.Decimal with exactly the type's scale
record                         tuple in field order
array                          tuple
map                            tuple of (key, value) pairs
union                          (branch position, value)
null                           None
"""

from __future__ import annotations

import datetime
import decimal
import math
import struct
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import DAY_SECONDS

INT_RANGE = (-(1 << 31), (1 << 31) - 1)
LONG_RANGE = (-(1 << 63), (1 << 63) - 1)

EXACT = decimal.Context(prec=2_000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.InvalidOperation])
"""Wide enough that no digit of a decimal that a table, a double or a literal can hold is ever rounded away."""

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_DAY = _EPOCH.toordinal()


def check(value: object, type: t.Type, where: str = "") -> None:
    """Raises `SchemaError` at the path below `where` unless the value has the form of the type. Null is always of the form."""
    if value is None:
        return
    match type:
        case t.Record(fields):
            if not isinstance(value, tuple) or len(value) != len(fields):
                raise _mismatch(where, type, value)
            for field, part in zip(fields, value, strict=True):
                check(part, field.type, _inside(where, field.name))
        case t.Array(element):
            if not isinstance(value, tuple):
                raise _mismatch(where, type, value)
            for part in value:
                check(part, element.type, f"{where}[]")
        case t.Map(key, item):
            if not isinstance(value, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
                raise _mismatch(where, type, value)
            for name, part in value:
                check(name, key.type, _inside(where, "key"))
                check(part, item.type, _inside(where, "value"))
        case t.Union(branches):
            if not isinstance(value, tuple) or len(value) != 2 or value[0] not in range(len(branches)):
                raise _mismatch(where, type, value)
            check(value[1], branches[value[0]].type, where)
        case _:
            if not _is_primitive(value, type):
                raise _mismatch(where, type, value)


def coerce(value: object, type: t.Type, where: str = "") -> object:
    """The value in the form of the type, from it or from Python's own forms; raises `SchemaError` when it does not fit.

    Own forms: int for float, double and decimal; float and text for decimal; date, time without a zone and datetime (one with
    a zone becomes UTC); `uuid.UUID`; bytearray and memoryview; mappings for records and maps; lists. Nothing is rounded but
    to binary32, and to binary64 for ints: a time that is finer than the type's unit does not fit.
    """
    if value is None:
        return None
    match type:
        case t.Record(fields):
            if isinstance(value, Mapping):
                value = tuple(value.get(field.name) for field in fields)
            if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) != len(fields):
                raise _mismatch(where, type, value)
            pairs = zip(fields, value, strict=True)
            return tuple(coerce(part, field.type, _inside(where, field.name)) for field, part in pairs)
        case t.Array(element):
            if not isinstance(value, Sequence) or isinstance(value, str | bytes):
                raise _mismatch(where, type, value)
            return tuple(coerce(part, element.type, f"{where}[]") for part in value)
        case t.Map(key, item):
            entries = value.items() if isinstance(value, Mapping) else value
            if not isinstance(entries, Iterable) or isinstance(entries, str | bytes):
                raise _mismatch(where, type, value)
            named, valued = _inside(where, "key"), _inside(where, "value")
            return tuple((coerce(k, key.type, named), coerce(v, item.type, valued)) for k, v in entries)
        case t.Union(branches):
            if not isinstance(value, tuple) or len(value) != 2 or value[0] not in range(len(branches)):
                raise _mismatch(where, type, value)
            return value[0], coerce(value[1], branches[value[0]].type, where)
        case _:
            coerced = _coerce(value, type)
            if not _is_primitive(coerced, type):
                raise _mismatch(where, type, value)
            return coerced


def to_binary32(value: float) -> float:
    """The nearest binary32 number, ties to even; beyond its range an infinity."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def is_held(moment: int, type: t.Date | t.Timestamp) -> bool:
    """Whether a moment is within its type's range."""
    least, greatest = INT_RANGE if isinstance(type, t.Date) else LONG_RANGE
    return least <= moment <= greatest


def fits_decimal(value: decimal.Decimal, type: t.Decimal) -> bool:
    """Whether the number has the type's scale and no more digits than its precision."""
    sign_digits_exponent = value.as_tuple()
    digits = sign_digits_exponent.digits
    return sign_digits_exponent.exponent == -type.scale and (len(digits) <= type.precision or value == 0)


def drop_zero_sign(value: decimal.Decimal) -> decimal.Decimal:
    """The number; a zero without a sign, which decimals of SQL do not have.

    >>> drop_zero_sign(decimal.Decimal("-0.0"))
    Decimal('0.0')
    """
    return value if value else value.copy_abs()


def round_decimal(value: decimal.Decimal, type: t.Decimal) -> decimal.Decimal | None:
    """The number at the type's scale, half rounded away from zero, zero without a sign; None when it has too many digits.

    >>> round_decimal(decimal.Decimal("-0.005"), t.Decimal(3, 2)), round_decimal(decimal.Decimal(10), t.Decimal(3, 2))
    (Decimal('-0.01'), None)
    """
    if value and value.adjusted() >= type.precision - type.scale:
        return None  # before a number of a thousand digits is written out
    step = decimal.Decimal((0, (1,), -type.scale))
    rounded = EXACT.plus(value.quantize(step, rounding=decimal.ROUND_HALF_UP, context=EXACT))
    return rounded if fits_decimal(rounded, type) else None


def _is_primitive(value: object, type: t.Primitive) -> bool:
    match type:
        case t.Boolean():
            return isinstance(value, bool)
        case t.Int() | t.Date():
            return _is_int(value, *INT_RANGE)
        case t.Long() | t.Timestamp():
            return _is_int(value, *LONG_RANGE)
        case t.Time(unit):
            return _is_int(value, 0, DAY_SECONDS * unit.value - 1)
        case t.Double():
            return isinstance(value, float)
        case t.Float():
            return isinstance(value, float) and (value != value or to_binary32(value) == value)
        case t.String():
            return isinstance(value, str) and _is_utf8(value)
        case t.Enumeration(symbols):
            return isinstance(value, str) and value in symbols
        case t.Uuid():
            return isinstance(value, str) and _canonical_uuid(value) == value
        case t.Binary():
            return isinstance(value, bytes)
        case t.Fixed(size):
            return isinstance(value, bytes) and len(value) == size
        case t.Vector(dimension, element):
            return isinstance(value, bytes) and len(value) == dimension * element.value
        case t.Decimal():
            return isinstance(value, decimal.Decimal) and value.is_finite() and fits_decimal(value, type)
        case _:
            assert_never(type)


def _coerce(value: object, type: t.Primitive) -> object:
    match value:
        case bool():
            return value
        case datetime.datetime() if isinstance(type, t.Timestamp):
            naive = value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
            elapsed = naive - _EPOCH
            seconds = elapsed.days * DAY_SECONDS + elapsed.seconds
            return _in_unit(value, seconds * 1_000_000 + elapsed.microseconds, type.unit)
        case datetime.date() if isinstance(type, t.Date) and not isinstance(value, datetime.datetime):
            return value.toordinal() - _EPOCH_DAY
        case datetime.time() if isinstance(type, t.Time) and value.tzinfo is None:
            seconds = value.hour * 3600 + value.minute * 60 + value.second
            return _in_unit(value, seconds * 1_000_000 + value.microsecond, type.unit)
        case int() | float() | str() | decimal.Decimal() if isinstance(type, t.Decimal):
            return _decimal(value, type)
        case int() | float() if isinstance(type, t.Float | t.Double):
            return _floating(value, type)
        case uuid.UUID() if isinstance(type, t.Uuid):
            return str(value)
        case str() if isinstance(type, t.Uuid):
            return _canonical_uuid(value) or value
        case bytearray() | memoryview():
            return bytes(value)
        case _:
            return value


def _in_unit(value: datetime.datetime | datetime.time, micros: int, unit: t.Unit) -> object:
    """The time in a unit when that is exact, else the value itself. Times of pandas have nanoseconds besides."""
    nanos = micros * 1_000 + getattr(value, "nanosecond", 0)
    whole, rest = divmod(nanos * unit.value, 1_000_000_000)
    return value if rest else whole


def _floating(value: int | float, type: t.Float | t.Double) -> object:
    """As the type has it; the value itself when it is an integer beyond the range of binary64."""
    try:
        number = float(value)
    except OverflowError:
        return value
    return to_binary32(number) if isinstance(type, t.Float) else number


def _decimal(value: int | float | str | decimal.Decimal, type: t.Decimal) -> object:
    """With the type's scale when that is exact, else the value itself, which the check then refuses."""
    try:
        exact = decimal.Decimal.from_float(value) if isinstance(value, float) else decimal.Decimal(value)
        rescaled = exact.quantize(decimal.Decimal((0, (1,), -type.scale)), context=EXACT)
    except decimal.InvalidOperation:
        return value
    return drop_zero_sign(rescaled) if rescaled == exact else value


def _is_int(value: object, least: int, greatest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= greatest


def _is_utf8(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _canonical_uuid(value: str) -> str | None:
    try:
        return str(uuid.UUID(value))
    except ValueError:
        return None


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _mismatch(where: str, data_type: t.Type, value: object) -> SchemaError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return SchemaError(where, expected=f"a value of {type_text(data_type)}", found=f"{type(value).__name__} {shown}")
