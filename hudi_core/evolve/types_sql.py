"""Types from SQL text: `decimal(10,2)`, `array<struct<a: int NOT NULL COMMENT 'x', b string>>`, `timestamp_ntz(3)`.

Names of SQL, of Spark and of the persisted schema. A decimal is backed by the smallest fixed type, as Apache Hudi's own
`ALTER TABLE` makes it; `decimal_bytes(p,s)` and `decimal_fixed(p,s)[n]` say another backing. Fields of structs, elements and
values are optional.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hudi_core.evolve.cursor import Cursor
from hudi_core.evolve.fields import as_optional
from hudi_core.schema.json import type_from_json_text
from hudi_core.sql.tokens import Kind
from hudi_core.types import nodes as t
from hudi_core.types.decimals import greatest_precision, smallest_size
from hudi_core.types.disguised import blob, variant
from hudi_core.types.sql import MAX_PRECISION, NARROW, UNITS, sql_type

MAX_DEPTH: Final = 100
"""Levels of nesting that are read; deeper texts are refused before they exhaust the stack."""

_NAMED: Final[Mapping[str, t.Type]] = {
    **dict.fromkeys(NARROW, t.Int()),
    "TEXT": t.String(),
    "BYTES": t.Binary(),
    "TIMESTAMP-NANOS": t.Timestamp(t.Unit.NANOS),
    "LOCAL-TIMESTAMP-NANOS": t.Timestamp(t.Unit.NANOS, zoned=False),
    "TIMESTAMP-MICROS": t.Timestamp(),
    "TIME-MICROS": t.Time(),
    "VARIANT": variant(),
    "BLOB": blob(),
}
"""Names of columns' types beside those that SQL and the persisted schema have."""


def parse_type(cursor: Cursor) -> t.Type:
    """The type that comes next. Raises `UsageError` with the place."""
    begin = cursor.token
    if begin.kind is not Kind.WORD:
        cursor.fail("a type")
    word = cursor.hyphenated("a type").upper()
    parse = _PARAMETERISED.get(word.replace("-", "_"))
    if parse is not None:
        return _deeper(cursor, parse)
    found = _NAMED.get(word) or sql_type(word) or type_from_json_text(word)
    if found is None:
        cursor.fail("a type", begin)
    return found


def _deeper(cursor: Cursor, parse: Callable[[Cursor], t.Type]) -> t.Type:
    if cursor.depth >= MAX_DEPTH:
        cursor.fail(f"at most {MAX_DEPTH} types inside each other")
    cursor.depth += 1
    found = parse(cursor)
    cursor.depth -= 1
    return found


def _decimal(cursor: Cursor) -> t.Type:
    precision, scale = _precision_and_scale(cursor) if cursor.token.key == "(" else (10, 0)
    return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)), implied=True)


def _decimal_bytes(cursor: Cursor) -> t.Type:
    return t.Decimal(*_precision_and_scale(cursor))


def _decimal_fixed(cursor: Cursor) -> t.Type:
    precision, scale = _precision_and_scale(cursor)
    cursor.expect("[")
    size = cursor.token
    fixed = cursor.integer("a number of bytes")
    if greatest_precision(fixed) < precision:
        cursor.fail(f"bytes for {precision} digits, at least {smallest_size(precision)}", size)
    cursor.expect("]")
    return t.Decimal(precision, scale, t.Fixed(fixed))


def _precision_and_scale(cursor: Cursor) -> tuple[int, int]:
    cursor.expect("(")
    begin = cursor.token
    precision = cursor.integer("a number of digits")
    if not 1 <= precision <= MAX_PRECISION:
        cursor.fail(f"1 to {MAX_PRECISION} digits", begin)
    scale = 0
    if cursor.take(","):
        begin = cursor.token
        scale = cursor.integer("a scale")
        if scale > precision:
            cursor.fail(f"a scale of at most {precision}", begin)
    cursor.expect(")", "`,` or `)`")
    return precision, scale


def _fixed(cursor: Cursor) -> t.Type:
    return t.Fixed(_size(cursor, "a number of bytes above 0"))


def _size(cursor: Cursor, what: str) -> int:
    closing = "]" if cursor.take("[") else ")"
    if closing == ")":
        cursor.expect("(", "`(` or `[`")
    begin = cursor.token
    size = cursor.integer(what)
    if size < 1:
        cursor.fail(what, begin)
    cursor.expect(closing)
    return size


def _text_of_length(cursor: Cursor) -> t.Type:
    if cursor.token.key == "(":
        _size(cursor, "a number of characters above 0")
    return t.String()


def _double(cursor: Cursor) -> t.Type:
    cursor.take("PRECISION")
    return t.Double()


def _timestamp(cursor: Cursor, *, zoned: bool = True) -> t.Type:
    return t.Timestamp(_unit(cursor), zoned)


def _unit(cursor: Cursor) -> t.Unit:
    if not cursor.take("("):
        return t.Unit.MICROS
    begin = cursor.token
    unit = UNITS.get(cursor.integer("3, 6 or 9 digits"))
    if unit is None:
        cursor.fail("3, 6 or 9 digits", begin)
    cursor.expect(")")
    return unit


def _vector(cursor: Cursor) -> t.Type:
    closing = "]" if cursor.take("[") else ")"
    if closing == ")":
        cursor.expect("(", "`(` or `[`")
    dimension, element, backing = cursor.integer("a dimension"), t.VectorElement.FLOAT, "FIXED_BYTES"
    if cursor.take(","):
        word = cursor.token.key
        if word not in t.VectorElement.__members__:
            cursor.fail("FLOAT, DOUBLE or INT8")
        element = t.VectorElement[word]
        cursor.advance()
        if cursor.take(","):
            backing = cursor.hyphenated("a backing").upper()
    cursor.expect(closing)
    return t.Vector(dimension, element, backing)


def _enumeration(cursor: Cursor) -> t.Type:
    cursor.expect("(")
    symbols = [_symbol(cursor)]
    while cursor.take(","):
        symbols.append(_symbol(cursor))
    cursor.expect(")", "`,` or `)`")
    return t.Enumeration(tuple(symbols))


def _symbol(cursor: Cursor) -> str:
    return cursor.string("a symbol") if cursor.token.kind is Kind.STRING else cursor.hyphenated("a symbol")


def _array(cursor: Cursor) -> t.Type:
    cursor.expect("<")
    element = t.Field(0, "element", parse_type(cursor), optional=not cursor.take("NOT", "NULL"))
    cursor.expect(">")
    return t.Array(element)


def _map(cursor: Cursor) -> t.Type:
    cursor.expect("<")
    begin = cursor.token
    key = parse_type(cursor)
    if not isinstance(key, t.String):
        cursor.fail("string, as keys are text", begin)
    cursor.expect(",")
    value = t.Field(0, "value", parse_type(cursor), optional=not cursor.take("NOT", "NULL"))
    cursor.expect(">")
    return t.Map(t.Field(0, "key", key, optional=False), value)


def _struct(cursor: Cursor) -> t.Type:
    cursor.expect("<")
    fields = [_field(cursor)]
    while cursor.take(","):
        begin = cursor.token
        field = _field(cursor)
        if any(field.name == other.name for other in fields):
            cursor.fail("a name used once in its struct", begin)
        fields.append(field)
    cursor.expect(">", "`,` or `>`")
    return t.Record(tuple(fields))


def _field(cursor: Cursor) -> t.Field:
    name = cursor.hyphenated("a field")
    cursor.take(":")
    of = parse_type(cursor)
    optional = not cursor.take("NOT", "NULL")
    doc = cursor.string("a quoted comment") if cursor.take("COMMENT") else None
    field = t.Field(0, name, of, optional=optional, doc=doc)
    return as_optional(field) if optional else field


_PARAMETERISED: Final[Mapping[str, Callable[[Cursor], t.Type]]] = {
    "DECIMAL": _decimal,
    "DEC": _decimal,
    "NUMERIC": _decimal,
    "DECIMAL_BYTES": _decimal_bytes,
    "DECIMAL_FIXED": _decimal_fixed,
    "FIXED": _fixed,
    "VARCHAR": _text_of_length,
    "CHAR": _text_of_length,
    "DOUBLE": _double,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp,
    "TIMESTAMP_NTZ": lambda cursor: _timestamp(cursor, zoned=False),
    "TIME": lambda cursor: t.Time(_unit(cursor)),
    "VECTOR": _vector,
    "ENUM": _enumeration,
    "ARRAY": _array,
    "LIST": _array,
    "MAP": _map,
    "STRUCT": _struct,
    "RECORD": _struct,
}
