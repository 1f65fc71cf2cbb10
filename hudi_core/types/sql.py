"""The SQL names of types without parts, and the numbers behind them: what CAST, typed literals, printed expressions and column
definitions use. Nested types are put together by the parsers of each language.
"""

from __future__ import annotations

import re

from hudi_core.types.nodes import (
    Binary,
    Boolean,
    Date,
    Decimal,
    Double,
    Float,
    Int,
    Long,
    String,
    Time,
    Timestamp,
    Type,
    Unit,
)

MAX_PRECISION = 38
"""Digits of the longest decimal that Apache Hudi's engines hold."""

_NAMED: dict[str, Type] = {
    "BOOLEAN": Boolean(),
    "INT": Int(),
    "INTEGER": Int(),
    "BIGINT": Long(),
    "LONG": Long(),
    "FLOAT": Float(),
    "REAL": Float(),
    "DOUBLE": Double(),
    "DATE": Date(),
    "TIME": Time(),
    "TIMESTAMP": Timestamp(),
    "TIMESTAMP_LTZ": Timestamp(),
    "TIMESTAMP_NTZ": Timestamp(zoned=False),
    "STRING": String(),
    "BINARY": Binary(),
    "DECIMAL": Decimal(10),
    "DEC": Decimal(10),
    "NUMERIC": Decimal(10),
}
_WRITTEN = re.compile(r"([A-Za-z_]+)(?:\((\d+(?:,\d+)?)\))?", re.ASCII)
UNITS = {3: Unit.MILLIS, 6: Unit.MICROS, 9: Unit.NANOS}
"""Units of time by the digits of a second's fraction."""

_DIGITS = {unit: digits for digits, unit in UNITS.items()}
SIZED = ("CHAR", "CHARACTER", "VARCHAR")
"""Strings of limited length: a column is a `string` instead."""

NARROW = {"TINYINT": 8, "BYTE": 8, "SMALLINT": 16, "SHORT": 16}
"""Integers of fewer bits than a column can have: a column is an `int` instead, a cast to one is unknown."""


def sql_type(name: str, *parameters: int) -> Type | None:
    """The type an SQL name and its numbers stand for, or None. `TIMESTAMP(3)` counts the digits of the second's fraction.

    >>> sql_type("bigint"), sql_type("timestamp", 3), sql_type("decimal", 50)
    (Long(), Timestamp(unit=<Unit.MILLIS: 1000>, zoned=True), None)
    """
    named = _NAMED.get(name.upper())
    if not parameters:
        return named
    match named, parameters:
        case Decimal(), (precision, *scales) if len(scales) <= 1:
            scale = scales[0] if scales else 0
            return Decimal(precision, scale) if 1 <= precision <= MAX_PRECISION and scale <= precision else None
        case Timestamp(_, zoned), (digits,):
            return Timestamp(UNITS[digits], zoned) if digits in UNITS else None
        case Time(), (digits,):
            return Time(UNITS[digits]) if digits in UNITS else None
        case _:
            return None


def type_names(*kinds: type[Type]) -> tuple[str, ...]:
    """The SQL names of types of some kinds.

    >>> type_names(Decimal)
    ('DECIMAL', 'DEC', 'NUMERIC')
    """
    return tuple(name for name, named in _NAMED.items() if isinstance(named, kinds))


def parse_named_type(text: str) -> Type | None:
    """The type of a name with its numbers in brackets, as `sql_name` writes it.

    >>> parse_named_type("DECIMAL(10,2)") == Decimal(10, 2), parse_named_type("array<int>")
    (True, None)
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    return sql_type(match[1], *(int(digits) for digits in (match[2] or "").split(",") if digits))


def sql_name(type: Type) -> str:
    """The SQL name of a type, as `sql_type` takes it apart into name and numbers.

    >>> sql_name(Timestamp(Unit.MILLIS, zoned=False)), sql_name(Long()), sql_name(Decimal(10, 2))
    ('TIMESTAMP_NTZ(3)', 'BIGINT', 'DECIMAL(10,2)')
    """
    match type:
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Timestamp(unit, zoned):
            digits = "" if unit is Unit.MICROS else f"({_DIGITS[unit]})"
            return f"{'TIMESTAMP' if zoned else 'TIMESTAMP_NTZ'}{digits}"
        case Time(unit):
            return f"TIME{'' if unit is Unit.MICROS else f'({_DIGITS[unit]})'}"
        case _:
            return next((name for name, named in _NAMED.items() if named == type), "STRING")
