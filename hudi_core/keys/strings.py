"""The string that a value has in keys and paths, by the path of writing. Rule KEY-7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar, assert_never

from hudi_core.engine import Values
from hudi_core.errors import SchemaError
from hudi_core.functions.casts import CAST
from hudi_core.keys.generator import Generator, WritePath
from hudi_core.keys.zones import Zone
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastKind, CastLoss, promotion
from hudi_core.types.text import text as type_text
from hudi_core.values.calendar import timestamp_text

V = TypeVar("V")
M = TypeVar("M")

TEXT = t.String()

_PLAIN_SCALE = 6
"""Digits after the point up to which Java's decimals are never written with an exponent."""


def key_text(values: Values[V, M], column: V, kind: t.Type, where: str, generator: Generator) -> V:
    """The strings of a column, null for null. Raises `SchemaError` with the field for a nested type."""
    match kind:
        case t.String():
            return column
        case t.Boolean() | t.Int() | t.Long() | t.Float() | t.Double() | t.Date() | t.Enumeration() | t.Uuid():
            return values.apply(CAST, [column], [kind], TEXT)
        case t.Decimal(scale=scale):
            if scale > _PLAIN_SCALE:
                return values.map(column, decimal_text, kind, TEXT)
            return values.apply(CAST, [column], [kind], TEXT)
        case t.Time():
            return values.map(column, str, kind, TEXT)
        case t.Timestamp():
            return values.map(column, timestamp_rule(kind, generator), kind, TEXT)
        case t.Fixed() if generator.writer is WritePath.AVRO and not generator.spark_types:
            return values.map(column, byte_array_text, kind, TEXT)
        case t.Binary() | t.Fixed() | t.Vector():
            return values.map(column, bytes.hex, kind, TEXT)
        case t.Record() | t.Array() | t.Map() | t.Union():
            raise no_string(where, kind)
        case _:
            assert_never(kind)


def keeps_key_text(from_: t.Type, to: t.Type) -> bool:
    """Whether every value of a column keeps its string when the column's type changes. Rule KEY-1541.

    >>> keeps_key_text(t.Int(), t.Long()), keeps_key_text(t.Int(), t.Double())
    (True, False)
    """
    rule = promotion(from_, to)
    if rule is None or rule.loss is not CastLoss.EXACT:
        return False
    match rule.cast:
        case CastKind.WIDEN | CastKind.FLOAT_TO_DOUBLE:
            return True
        case CastKind.SAME:
            return type(from_) is type(to) or isinstance(to, t.String)
        case CastKind.RESCALE:
            return isinstance(from_, t.Decimal) and isinstance(to, t.Decimal) and from_.scale == to.scale
        case CastKind.TO_TEXT:
            return not (isinstance(from_, t.Decimal) and from_.scale > _PLAIN_SCALE)
        case _:
            return False


def no_string(where: str, kind: t.Nested) -> SchemaError:
    """That a field has no string for a key or path."""
    return SchemaError(where, expected="a field of a primitive type for a key or path", found=type_text(kind))


def byte_array_text(value: bytes) -> str:
    """Java's text of an array of bytes, which have a sign.

    >>> byte_array_text(bytes([10, 255]))
    '[10, -1]'
    """
    return str([byte - 256 if byte >= 128 else byte for byte in value])


def decimal_text(value: Decimal) -> str:
    """Java's text of a decimal: with an exponent where the number is smaller than 10^-6.

    >>> decimal_text(Decimal("0.00000012")), decimal_text(Decimal("1.50000000"))
    ('1.2E-7', '1.50000000')
    """
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    power = exponent + len(digits) - 1
    if exponent <= 0 and power >= -_PLAIN_SCALE:
        return f"{value:f}"
    shown = "".join(map(str, digits))
    return f"{'-' if sign else ''}{shown[0]}{'.' if shown[1:] else ''}{shown[1:]}E{power:+d}"


def timestamp_rule(kind: t.Timestamp, generator: Generator) -> Callable[[Any], str]:
    """The formatter of a timestamp."""
    match generator.writer, kind.zoned:
        case WritePath.ROW, False:
            return WallClock(kind.unit.value)
        case WritePath.ROW, True:
            return SqlTimestamp(kind.unit.value, t.Unit.MICROS.value, generator.zone)
        case WritePath.INTERNAL_ROW, True:
            return SqlTimestamp(kind.unit.value, t.Unit.MILLIS.value, generator.zone)
        case WritePath.INTERNAL_ROW, False:
            return Micros(kind.unit.value)
        case WritePath.AVRO, True if generator.consistent:
            return SqlTimestamp(kind.unit.value, t.Unit.MILLIS.value, generator.zone)
        case WritePath.AVRO, _ if generator.spark_types:
            return Micros(kind.unit.value)
        case _:
            return str


@dataclass(frozen=True, slots=True)
class Micros:
    """The number that Spark's internal rows hold of a timestamp, whatever the unit of the file."""

    per_second: int

    def count(self, ticks: int) -> int:
        return ticks * t.Unit.MICROS.value // self.per_second

    def __call__(self, ticks: int) -> str:
        return str(self.count(ticks))


@dataclass(frozen=True, slots=True)
class SqlTimestamp:
    """`java.sql.Timestamp`'s text in a zone: with a fraction, if only `.0`; ticks are cut towards zero to `kept_per_second`."""

    per_second: int
    kept_per_second: int
    zone: Zone

    def __call__(self, ticks: int) -> str:
        step = max(self.per_second // self.kept_per_second, 1)
        ticks = ticks - ticks % step if ticks >= 0 else -(-ticks - -ticks % step)
        shown = timestamp_text(ticks + self.zone.ahead(ticks // self.per_second) * self.per_second, self.per_second)
        return (shown if "." in shown else f"{shown}.0").removeprefix("+")


@dataclass(frozen=True, slots=True)
class WallClock:
    """`java.time.LocalDateTime`'s text: without seconds when they are zero, fractions in groups of three digits."""

    per_second: int

    def __call__(self, ticks: int) -> str:
        shown, _, fraction = timestamp_text(ticks, self.per_second, separator="T").partition(".")
        if fraction:
            return f"{shown}.{fraction.ljust(-(-len(fraction) // 3) * 3, '0')}"
        return shown.removesuffix(":00") if ticks // self.per_second % 60 == 0 else shown
