"""Columns of keys in the types of the table's: a key is a text of its value, and one value has other texts in other types.
Rule WRITE-1377."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hudi_core.engine import Engine, InputRows
from hudi_core.errors import SchemaError
from hudi_core.evolve.reconcile import Match, reconcile
from hudi_core.options import TableConfig
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text
from hudi_core.writing.exact_types import ExactTypes, align_schema


def in_stored_types(
    engine: Engine[Any, Any, Any], given: InputRows[Any], table: Schema, config: TableConfig, keys: tuple[str, str]
) -> InputRows[Any]:
    """Rows whose columns of the key and the partition have the table's types; as they are where columns of two names hold keys.

    Raises `SchemaError` for a column of another kind, and `RowError` for a value that the table's column cannot have.
    """
    if any(field.name in keys for field in given.schema.fields):
        return given
    names = {name.partition(".")[0] for name in (*config.record_key_fields, *config.partition_fields)}
    stored = replace(table, record=_with_fields(table, [field for field in table.fields if field.name in names]))
    aligned = align_schema(given.schema, stored)
    types = {field.name: field.type for field in stored.fields}
    fields = [replace(field, type=_choose(field, types.get(field.name))) for field in aligned.fields]
    wanted = replace(aligned, record=_with_fields(aligned, fields))
    if wanted.record == given.schema.record:
        return given
    exact = ExactTypes(engine, given.schema, aligned)
    project = projection(reconcile(aligned, wanted, Match.NAME, relabels=False), engine.values)

    def convert() -> Iterator[Any]:
        first = 0
        for batch in given.batches:
            yield engine.rows.batch(project(exact.rows(engine.rows.root(batch), first)))
            first += engine.rows.count(batch)

    return InputRows(wanted, convert(), given.inferred)


def _with_fields(schema: Schema, fields: list[t.Field]) -> t.Record:
    return replace(schema.record, fields=tuple(fields))


def _choose(field: t.Field, stored: t.Type | None) -> t.Type:
    """The stored type, but where a value has the same text in both, and for texts, which may be those of keys."""
    given = field.type
    match given, stored:
        case _, None:
            return given
        case t.Int() | t.Long(), t.Date() | t.Time() | t.Timestamp():
            raise SchemaError(field.name, expected=text(stored), found=text(given))
        case (t.Int() | t.Long(), t.Int() | t.Long()) | (t.Decimal(_, 0), t.Int() | t.Long()):
            return given
        case t.String(), _ if not isinstance(stored, t.String | t.Binary):
            return given
    assert stored is not None
    return stored
