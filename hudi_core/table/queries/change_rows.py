"""The form of changes: their columns and operations."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.schema.ids import NO_ID, record_with_missing_ids
from hudi_core.schema.meta import is_meta
from hudi_core.schema.project import with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Field, Record, String, Type, children
from hudi_core.types.walk import with_children

OPERATION, TIME, BEFORE, AFTER = "op", "ts_ms", "before", "after"
INSERT, UPDATE, DELETE = "i", "u", "d"


def changes_schema(table: Schema, *, meta: bool) -> Schema:
    """The schema of changes: `op` (`i`, `u`, `d`), `ts_ms` (the commit's requested time), and `before` and `after`, rows of the
    table, with `meta` with Hudi's own columns; null where there was none."""
    image = Record(tuple(each for each in with_all_optional(table).fields if meta or not is_meta(each.name)))
    fields = (
        Field(NO_ID, OPERATION, String(), optional=False),
        Field(NO_ID, TIME, String(), optional=False),
        Field(NO_ID, BEFORE, _without_ids(image)),
        Field(NO_ID, AFTER, _without_ids(image)),
    )
    return Schema(record_with_missing_ids(Record(fields)))


def _without_ids(of: Type) -> Type:
    inner = tuple(replace(each, id=NO_ID, type=_without_ids(each.type)) for each in children(of))
    return with_children(of, inner)
