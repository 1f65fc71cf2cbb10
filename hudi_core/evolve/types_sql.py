"""Types from SQL text: `decimal(10,2)`, `array<struct<a: int NOT NULL COMMENT 'x', b string>>`, `timestamp_ntz(3)`.

Names of SQL, of Spark and of the persisted schema. A decimal is backed by the smallest fixed type, as Apache Hudi's own
`ALTER TABLE` makes it; `decimal_bytes(p,s)` and `decimal_fixed(p,s)[n]` name another backing. Fields of structs, elements and
values are optional.

Reads through a cursor over SQL text for schemas: names with hyphens, values as Python has them, errors of use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from hudi_core.errors import SchemaError, UsageError
from hudi_core.evolve.fields import as_optional
from hudi_core.schema.json import type_from_json_text
from hudi_core.sql import cursor
from hudi_core.sql.place import Span
from hudi_core.sql.tokens import Kind, bytes_value, number_value
from hudi_core.sql.type_text import ARRAYS, MAP, STRUCTS, FieldText, Parameter, TypeText, parse_type_text
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.nodes import greatest_precision, smallest_size
from hudi_core.types.sql import MAX_PRECISION, NARROW, SIZED, sql_type, type_names

_WORDS: Final[Mapping[str, object]] = {"NULL": None, "TRUE": True, "FALSE": False}
_MAX_SHOWN: Final = 40
_MAX_DIGITS: Final = 100
"""Digits of an integer that are read; Python itself stops at some thousands."""


class Cursor(cursor.Cursor):
    """A text and the token that is next. All errors are `UsageError` with the text, the place and what was expected."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, _complaint)

    def path(self, expected: str = "a column") -> tuple[str, ...]:
        return super().path(expected)

    def literal(self) -> object:
        """A value as Python has it: None, bool, int, Decimal, float, string or bytes.

        `DATE` and the like before a string add nothing.
        """
        if self.token.key in ("DATE", "TIMESTAMP", "TIME"):
            self.advance()
            return self.string("a quoted string")
        if self.token.kind is Kind.STRING:
            return self.string("a value")
        start = self.token
        sign = "-" if self.take("-") else ""
        if not sign:
            self.take("+")
        token, shown = self.token, self.source(self.token)
        signed = token is not start
        if token.kind is Kind.NUMBER:
            self.advance()
            try:
                return _number(sign + shown)
            except SchemaError as wrong:
                self.fail(wrong.expected or "a number", start)
        if token.key in _WORDS and not signed:
            self.advance()
            return _WORDS[token.key]
        data = bytes_value(shown) if token.kind is Kind.BYTES and not signed else None
        if data is None:
            self.fail("a value", start)
        self.advance()
        return data


def _number(shown: str) -> object:
    """The number, exact unless a suffix or an exponent makes it a binary one."""
    if shown.lstrip("-").isdigit() and len(shown) <= _MAX_DIGITS:
        return int(shown)
    return Decimal(shown) if shown[-1].isdigit() or shown[-1] == "." else number_value(shown)[0]


def _complaint(span: Span, expected: str, found: str | None) -> UsageError:
    shown = found or (repr(span.source) if span.source else "the end")
    near = span.text if len(span.text) <= _MAX_SHOWN else f"{span.text[:_MAX_SHOWN]}..."
    return UsageError(f"{near!r} at {span.start + 1}", expected=expected, found=shown)


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
"""Names of column types besides those of SQL and of the persisted schema."""


def parse_type(cursor: Cursor) -> t.Type:
    """The type that comes next. Raises `UsageError` with the place."""
    return _type(cursor, parse_type_text(cursor))


def _type(cursor: Cursor, text: TypeText) -> t.Type:
    build = _PARAMETERISED.get(text.name.replace("-", "_"))
    if build is not None:
        if text.sizes and build is not _decimal_fixed:
            cursor.fail("one list of parameters", text.sizes[0].token)
        return build(cursor, text)
    named = _NAMED.get(text.name) or sql_type(text.name) or type_from_json_text(text.name)
    if named is None or not text.is_plain:
        cursor.fail("a type", text.token)
    return named


def _integer(cursor: Cursor, parameter: Parameter, expected: str, least: int = 0) -> int:
    if not isinstance(parameter.value, int) or parameter.value < least:
        cursor.fail(expected, parameter.token)
    return parameter.value


def _parameters(cursor: Cursor, parameters: tuple[Parameter, ...], counts: range) -> tuple[Parameter, ...]:
    """The parameters themselves, if there are as many as allowed."""
    if len(parameters) > counts[-1]:
        cursor.fail(f"at most {counts[-1]} parameters", parameters[counts[-1]].token)
    if len(parameters) < counts[0]:
        cursor.fail(f"{counts[0]} parameters" if parameters else "`(` or `[`")
    return parameters


def _decimal(cursor: Cursor, text: TypeText) -> t.Type:
    precision, scale = _precision_and_scale(cursor, text) if text.parameters else (10, 0)
    return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)), implied=True)


def _decimal_bytes(cursor: Cursor, text: TypeText) -> t.Type:
    return t.Decimal(*_precision_and_scale(cursor, text))


def _decimal_fixed(cursor: Cursor, text: TypeText) -> t.Type:
    precision, scale = _precision_and_scale(cursor, text)
    (size,) = _parameters(cursor, text.sizes, range(1, 2))
    bytes_ = _integer(cursor, size, "a number of bytes")
    if greatest_precision(bytes_) < precision:
        cursor.fail(f"bytes for {precision} digits, at least {smallest_size(precision)}", size.token)
    return t.Decimal(precision, scale, t.Fixed(bytes_))


def _precision_and_scale(cursor: Cursor, text: TypeText) -> tuple[int, int]:
    digits, *scales = _parameters(cursor, text.parameters, range(1, 3))
    precision = _integer(cursor, digits, "a number of digits")
    if not 1 <= precision <= MAX_PRECISION:
        cursor.fail(f"1 to {MAX_PRECISION} digits", digits.token)
    scale = _integer(cursor, scales[0], "a scale") if scales else 0
    if scale > precision:
        cursor.fail(f"a scale of at most {precision}", scales[0].token)
    return precision, scale


def _parse_fixed(cursor: Cursor, text: TypeText) -> t.Type:
    (size,) = _parameters(cursor, text.parameters, range(1, 2))
    return t.Fixed(_integer(cursor, size, "a number of bytes above 0", least=1))


def _string(cursor: Cursor, text: TypeText) -> t.Type:
    for length in _parameters(cursor, text.parameters, range(2)):
        _integer(cursor, length, "a number of characters above 0", least=1)
    return t.String()


def _time(cursor: Cursor, text: TypeText) -> t.Type:
    """A time or timestamp, with the digits of its second's fraction."""
    digits = [_integer(cursor, parameter, "3, 6 or 9 digits") for parameter in text.parameters]
    time = sql_type(text.name.replace("-", "_"), *digits)
    if time is None:
        cursor.fail("3, 6 or 9 digits", text.parameters[0].token)
    return time


def _vector(cursor: Cursor, text: TypeText) -> t.Type:
    dimension, *words = _parameters(cursor, text.parameters, range(1, 4))
    element, backing = [str(word.value).upper() for word in words] + ["FLOAT", "FIXED_BYTES"][len(words) :]
    if element not in t.VectorElement.__members__:
        cursor.fail("FLOAT, DOUBLE or INT8", words[0].token)
    return t.Vector(_integer(cursor, dimension, "a dimension"), t.VectorElement[element], backing)


def _enumeration(cursor: Cursor, text: TypeText) -> t.Type:
    if not text.parameters:
        cursor.fail("`(`")
    for symbol in text.parameters:
        if not isinstance(symbol.value, str):
            cursor.fail("a symbol", symbol.token)
    return t.Enumeration(tuple(str(symbol.value) for symbol in text.parameters))


def _array(cursor: Cursor, text: TypeText) -> t.Type:
    return t.Array(_part(cursor, text.fields[0]))


def _map(cursor: Cursor, text: TypeText) -> t.Type:
    key, value = text.fields
    if not isinstance(_type(cursor, key.type), t.String):
        cursor.fail("string, the only type of map keys", key.token)
    return t.Map(t.Field(0, "key", t.String(), optional=False), _part(cursor, value))


def _part(cursor: Cursor, part: FieldText) -> t.Field:
    """An element of an array or a value of a map."""
    return t.Field(0, part.name, _type(cursor, part.type), optional=not part.required)


def _struct(cursor: Cursor, text: TypeText) -> t.Type:
    if not text.fields:
        cursor.fail("a field", text.token)
    fields: dict[str, t.Field] = {}
    for part in text.fields:
        if part.name in fields:
            cursor.fail("a name used once in its struct", part.token)
        field = t.Field(0, part.name, _type(cursor, part.type), optional=not part.required, doc=part.comment)
        fields[part.name] = as_optional(field) if field.optional else field
    return t.Record(tuple(fields.values()))


_PARAMETERISED: Final[Mapping[str, Callable[[Cursor, TypeText], t.Type]]] = {
    **dict.fromkeys(type_names(t.Decimal), _decimal),
    "DECIMAL_BYTES": _decimal_bytes,
    "DECIMAL_FIXED": _decimal_fixed,
    "FIXED": _parse_fixed,
    **dict.fromkeys(SIZED, _string),
    **dict.fromkeys(type_names(t.Time, t.Timestamp), _time),
    "VECTOR": _vector,
    "ENUM": _enumeration,
    **dict.fromkeys(ARRAYS, _array),
    MAP: _map,
    **dict.fromkeys(STRUCTS, _struct),
}
