"""Columns of keys in the types of the table's: a key is a text of its value, and one value has other texts in other types.
Rule WRITE-1377."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hudi_core.engine import Engine
from hudi_core.errors import SchemaError
from hudi_core.evolve.reconcile import Match, reconcile
from hudi_core.options import TableConfig
from hudi_core.rows.exact_types import ExactTypes, align_schema
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text


@dataclass(frozen=True, slots=True)
class StoredKeyTypes:
    """Brings rows to a schema whose columns of the key and the partition have the table's types."""

    schema: Schema
    rows: Callable[[Any, int], Any]
    """Converts a column of structs, of which the first has this number among all rows. Raises `RowError` for a value that the
    table's column cannot have."""


def align_key_types(
    engine: Engine[Any, Any, Any], given: Schema, table: Schema, config: TableConfig
) -> StoredKeyTypes | None:
    """How rows come to the table's types of keys, None where they have them. Raises `SchemaError` for a column
    of another kind."""
    names = {name.partition(".")[0] for name in (*config.record_key_fields, *config.partition_fields)}
    stored = replace(table, record=_with_fields(table, [field for field in table.fields if field.name in names]))
    aligned = align_schema(given, stored)
    types = {field.name: field.type for field in stored.fields}
    fields = [replace(field, type=_choose(field, types.get(field.name))) for field in aligned.fields]
    wanted = replace(aligned, record=_with_fields(aligned, fields))
    if wanted.record == given.record:
        return None
    exact = ExactTypes(engine, given, aligned)
    project = projection(reconcile(aligned, wanted, Match.NAME, relabels=False), engine.values)
    return StoredKeyTypes(wanted, lambda root, first_row: project(exact.rows(root, first_row)))


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
