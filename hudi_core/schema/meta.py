"""The meta columns: five that are first in every row unless keys are virtual, and a sixth on request."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Field, Record, String

COMMIT_TIME = "_hoodie_commit_time"
COMMIT_SEQNO = "_hoodie_commit_seqno"
RECORD_KEY = "_hoodie_record_key"
PARTITION_PATH = "_hoodie_partition_path"
FILE_NAME = "_hoodie_file_name"
OPERATION = "_hoodie_operation"
META_COLUMNS = (COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY, PARTITION_PATH, FILE_NAME)


def is_meta(name: str) -> bool:
    """The column is one of Hudi's own."""
    return name in META_COLUMNS or name == OPERATION


def with_meta_columns(record: Record, *, operation: bool = False) -> Record:
    """The record with the meta columns first and all ids given again; same-named user columns give way to them."""
    names = (*META_COLUMNS, OPERATION) if operation else META_COLUMNS
    meta = tuple(Field(0, name, String(), optional=True, doc="", default=None) for name in names)
    return record_with_ids(replace(record, fields=meta + tuple(f for f in record.fields if f.name not in names)))


def without_meta_columns(record: Record) -> Record:
    """The record without any of the meta columns; all ids stay."""
    return replace(record, fields=tuple(f for f in record.fields if f.name not in (*META_COLUMNS, OPERATION)))


def bare_schema(schema: Schema) -> Schema:
    """The schema without any of the meta columns; all ids stay."""
    return replace(schema, record=without_meta_columns(schema.record))
