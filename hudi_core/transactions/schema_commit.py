"""The schema history of a table with schema evolution on read, which every commit continues. Rules: COMMIT-13, COMMIT-14.

Readers of Apache Hudi recognise renamed, moved and dropped columns by the ids of the schema that the last commit records; after
a commit without one they would match columns by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hudi_core.avro.document import record_name
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.commit.steps import Create, Delete, Step
from hudi_core.engine import Storage
from hudi_core.options import TableConfig
from hudi_core.schema.history import append_schema
from hudi_core.schema.ids import NO_ID, record_with_missing_ids, record_with_other_ids
from hudi_core.schema.json import write_persisted
from hudi_core.schema.meta import is_meta, with_meta_columns, without_meta_columns
from hudi_core.schema.project import leave_out
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.files import SCHEMA_COMMIT, SCHEMA_FOLDER
from hudi_core.timeline.instants import InstantFiles
from hudi_core.timeline.schemas import LATEST_SCHEMA, read_recorded_history
from hudi_core.types import nodes as t

_APART: Final = ("version_id", "max_column_id", "doc")
"""The entries in which two persisted schemas of the same columns may differ."""


@dataclass(frozen=True, slots=True)
class SchemaCommit:
    """The entries of a commit's `extraMetadata` for the schema history, and the history's text; empty without a history."""

    extra: Mapping[str, str] = field(default_factory=dict)
    document: str = ""

    def steps(self, layout: int, instant_time: str, completion_time: str) -> tuple[Step, ...]:
        """The files of the history, which count once the commit does."""
        if not self.document:
            return ()
        files = InstantFiles(SCHEMA_FOLDER, layout, instant_time, SCHEMA_COMMIT)
        completed = Create(files.name_completed(completion_time), self.document.encode())
        return Create(files.requested), Create(files.inflight), completed


def schema_text(schema: Schema, name: str) -> str:
    """The Avro schema of a table's rows as commits record it, without the meta columns."""
    return json.dumps(schema_to_avro(schema, record_name(name)), separators=(",", ":"))


def write_committed_schema(schema: Schema, config: TableConfig) -> str:
    """The text that a commit records for the table's schema, given without the meta columns. Rule WRITE-1650."""
    return schema_text(leave_out(schema, config.left_out_columns), config.name)


def schema_commit(before: Snapshot, schema: Schema, instant_time: str, *, begins: bool = False) -> SchemaCommit:
    """The history with the schema that the table has after a commit, given without the meta columns, with the ids that the
    table's columns have `before`. `begins`: a table without a history gets one, whose first schema is the table's."""
    left_out = before.config.left_out_columns
    schema = leave_out(schema, left_out)
    recorded = read_recorded_history(before.named_by or before.timeline)
    if recorded is None:
        if not begins:
            return SchemaCommit()
        first = _first(leave_out(before.schema, left_out), schema.max_column_id)
        recorded = append_schema("", first).value, first
    document, last = recorded
    # Where Apache Hudi gave one id to two columns, the table's schema has another id for the later one.
    stored_ids = {column: last.ids[path] for path, column in before.schema.ids.items() if path in last.ids}
    columns = record_with_other_ids(without_meta_columns(schema.record), stored_ids)
    own = [column for column in last.fields if is_meta(column.name)]
    greatest = max(schema.max_column_id, before.schema.max_column_id, last.max_column_id)
    latest = Schema(replace(columns, fields=(*own, *columns.fields)), int(instant_time), greatest)
    if _columns(latest) == _columns(last):
        latest = last
    if latest is not last or not document:
        document = append_schema(document, latest).value
    return SchemaCommit({LATEST_SCHEMA: write_persisted(latest).value}, document)


def undo_schema_commit(storage: Storage, instant_time: str) -> tuple[Step, ...]:
    """The steps that take the history of a commit away, which is rolled back."""
    files = storage.list(SCHEMA_FOLDER)
    return tuple(Delete(info.path) for info in files if info.name.startswith((f"{instant_time}.", f"{instant_time}_")))


def _first(schema: Schema, greatest: int) -> Schema:
    """The first schema of a history, with the meta columns, whether or not rows have them. Theirs are ids beyond `greatest` then,
    the greatest one of the schema that comes next."""
    if any(is_meta(column.name) for column in schema.fields):
        return replace(schema, version=0)
    own = [replace(column, id=NO_ID) for column in with_meta_columns(t.Record(())).fields]
    record = replace(schema.record, fields=(*own, *schema.fields))
    return Schema(record_with_missing_ids(record, max(schema.max_column_id, greatest)))


def _columns(schema: Schema) -> Any:
    return _bare(json.loads(write_persisted(schema).value))


def _bare(document: Any) -> Any:
    match document:
        case dict():
            return {key: _bare(value) for key, value in document.items() if key not in _APART}
        case list():
            return [_bare(value) for value in document]
        case _:
            return document
