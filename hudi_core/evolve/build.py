"""Schemas of columns by name, with types as SQL writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hudi_core.errors import UnknownColumnError, UsageError, describe
from hudi_core.evolve.fields import require_name
from hudi_core.evolve.types_sql import Cursor, parse_type
from hudi_core.schema.ids import NO_ID, record_with_ids
from hudi_core.schema.names import name_list
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import ABSENT, Field, Record, Type


def type_of(text: str) -> Type:
    """The type that SQL writes so. Raises `UsageError` with the place of what is no type.

    >>> type_of("timestamp_ntz")
    Timestamp(unit=<Unit.MICROS: 1000000>, zoned=False)
    """
    cursor = Cursor(text)
    parsed = parse_type(cursor)
    if not cursor.at_end:
        cursor.fail("the end")
    return parsed


def schema_of_columns(
    columns: Mapping[str, str | Type], *, required: Iterable[str] = (), name: str = "record"
) -> Schema:
    """The schema of columns in this order; all but the required ones may be null. `name` is that of the Avro record.

    Raises `UsageError` for what is no type, `SchemaError` for a name that Avro does not have, `UnknownColumnError` for a required
    column that is none.
    """
    needed = frozenset(name_list(required, "required"))
    for column in sorted(needed - columns.keys()):
        raise UnknownColumnError(column, expected="a column of the schema to be required", found="none")
    fields = tuple(_field(column, kind, column not in needed) for column, kind in columns.items())
    return Schema(record_with_ids(Record(fields, name)))


def _field(name: str, type: str | Type, optional: bool) -> Field:
    require_name(name, "schema")
    if not isinstance(type, str | Type):
        raise UsageError(f"type of {name}", expected="a type, or SQL's text of one", found=describe(type))
    made = type_of(type) if isinstance(type, str) else type
    return Field(NO_ID, name, made, optional, default=None if optional else ABSENT)
