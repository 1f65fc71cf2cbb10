"""Printing a type for people: readable trees, tables and error messages."""

from __future__ import annotations

from typing import assert_never

from hudi_core.types import nodes as t


def text(type: t.Type) -> str:
    """One line, in SQL's manner.

    >>> text(t.Decimal(10, 2)), text(t.Timestamp(zoned=False)), text(t.Array(t.Field(0, "element", t.Int())))
    ('decimal(10,2)', 'local-timestamp-micros', 'array<int>')
    """
    match type:
        case t.Boolean():
            return "boolean"
        case t.Int():
            return "int"
        case t.Long():
            return "long"
        case t.Float():
            return "float"
        case t.Double():
            return "double"
        case t.Date():
            return "date"
        case t.Time(unit):
            return f"time-{unit.name.lower()}"
        case t.Timestamp(unit, zoned):
            return f"{'' if zoned else 'local-'}timestamp-{unit.name.lower()}"
        case t.String():
            return "string"
        case t.Binary():
            return "binary"
        case t.Fixed(size):
            return f"fixed({size})"
        case t.Uuid():
            return "uuid"
        case t.Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case t.Enumeration(symbols):
            return f"enum({','.join(symbols)})"
        case t.Vector(dimension, element):
            return f"vector({dimension},{element.name.lower()})"
        case t.Record(fields, kind=kind):
            if kind is not t.RecordKind.PLAIN:
                return str(kind.value)
            return f"record<{','.join(f'{f.name}:{text(f.type)}' for f in fields)}>"
        case t.Array(element):
            return f"array<{text(element.type)}>"
        case t.Map(key, value):
            return f"map<{text(key.type)},{text(value.type)}>"
        case t.Union(branches):
            return f"union<{','.join(text(b.type) for b in branches)}>"
        case _:
            assert_never(type)
