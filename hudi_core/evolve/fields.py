"""The invariants of every change of a field: names that can be written, defaults that fit the type."""

from __future__ import annotations

import decimal
from dataclasses import replace
from typing import Final

from hudi_core.errors import SchemaError
from hudi_core.schema.ids import with_ids
from hudi_core.schema.meta import META_COLUMNS, OPERATION
from hudi_core.types.nodes import (
    ABSENT,
    Array,
    Date,
    Double,
    Field,
    Float,
    Map,
    Record,
    Time,
    Timestamp,
    Type,
    Union,
    is_name,
)
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import walk
from hudi_core.values.cast import cast
from hudi_core.values.domain import coerce
from hudi_core.values.text import parse_text

RESERVED: Final = frozenset({*META_COLUMNS, OPERATION})
"""Names at the top of a schema that are Hudi's own, in any case of letters."""


def require_name(name: str, where: str) -> None:
    """Raises `SchemaError` unless the name is one that Avro allows: every commit stores the schema as Avro."""
    if not is_name(name):
        raise SchemaError(where, expected="a name of letters, digits and _ that begins with no digit", found=repr(name))


def is_reserved(path: tuple[str, ...]) -> bool:
    """Whether the path is, or lies below, a column that Hudi itself keeps."""
    return path[0].lower() in RESERVED


def number_field(field: Field, column_id: int) -> tuple[Field, int]:
    """The field under a new id with all ids inside it following, and the greatest of them."""
    data_type = with_ids(field.type, column_id + 1)
    return replace(field, id=column_id, type=data_type), max((column_id, *(inner.id for _, inner in walk(data_type))))


def as_optional(field: Field) -> Field:
    """The field with null allowed, and for its default unless it has another: what Avro readers of older rows need."""
    return replace(field, optional=True, default=None if field.default is ABSENT else field.default)


def retype(field: Field, to: Type) -> Field:
    """The field with another primitive type and its default cast to it. Raises `SchemaError` when that has no counterpart."""
    default = field.default if field.default is ABSENT else cast(field.type, to)(field.default)
    return replace(field, type=to, default=default)


def default_value(value: object, type: Type, where: str) -> object:
    """A default in the form of the type, from that or from what people write for it. Raises `SchemaError`.

    Beyond what `values.domain.coerce` takes: the text of a date, time or timestamp, and a decimal for a float.
    """
    if isinstance(value, str) and isinstance(type, Date | Time | Timestamp):
        return parse_text(value, type)
    if isinstance(value, decimal.Decimal) and isinstance(type, Float | Double):
        value = float(value)
    return coerce(value, type, where)


def require_names_inside(type: Type, path: tuple[str, ...], *, case_sensitive: bool) -> None:
    """`require_name` for all fields inside a type; raises `SchemaError` too for parts of one struct whose names differ in case
    alone, unless case counts. Rule CHANGE-1521."""
    held: dict[tuple[str, ...], str] = {}
    for inner, field in walk(type, path):
        where = ".".join(inner)
        require_name(field.name, where)
        alike = held.setdefault((*inner[:-1], field.name.lower()), field.name)
        if not case_sensitive and alike != field.name:
            raise SchemaError(where, expected="a name of its own", found=f"{alike} in other case")


def brief(type: Type) -> str:
    """A type in an error: its text, but only the kind of a nested one, whose text may be long."""
    match type:
        case Record(kind=kind):
            return kind.value or "record"
        case Array():
            return "array"
        case Map():
            return "map"
        case Union():
            return "union"
        case _:
            return type_text(type)
