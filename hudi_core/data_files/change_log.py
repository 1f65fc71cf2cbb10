"""The change log of a new base file: its differences from the one before it. Rules WRITE-50 to WRITE-53."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, BinaryIO, Final

import numpy as np

from hudi_core.avro.document import record_name
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, StringColumn, StructColumn, length
from hudi_core.columns.strings import string_column, take_strings
from hudi_core.data_files.base_file import FileTarget
from hudi_core.engine import Engine
from hudi_core.formats.log import BlockKind, HeaderKey
from hudi_core.formats.log_write import encode_data_block
from hudi_core.formats.names import LogFileName
from hudi_core.options import CdcMode
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot

CHANGE_LOG_SUFFIX: Final = ".cdc"
_ROWS_OF_BLOCK: Final = 1 << 16
"""Changes that wait in memory to be encoded together."""
_INSERT, _UPDATE, _DELETE = "i", "u", "d"
_OPTIONAL_STRING: Final = ["null", "string"]


def change_log_path(target: FileTarget) -> str:
    """From the table's root: the name has the write's own time in every table version."""
    name = LogFileName(target.file_id, target.instant_time, 1, target.token, CHANGE_LOG_SUFFIX).file_name()
    return f"{target.partition}/{name}" if target.partition else name


@dataclass
class ChangeLog:
    """Takes the changes of a merge (`reading.slice_merge.Changes`) and logs the images that the table's mode requires. `rows`
    is the schema of the batches, `keys` reads their record keys."""

    engine: Engine[Any, Any, Any]
    snapshot: Snapshot
    rows: Schema
    target: FileTarget
    keys: Callable[[Any], StringColumn]
    size: int = field(default=0, init=False)
    """Bytes of the log, once it is closed."""
    _stream: BinaryIO | None = field(default=None, init=False)
    _parts: list[StructColumn] = field(default_factory=list, init=False)
    _waiting: int = field(default=0, init=False)

    @property
    def path(self) -> str:
        """From the table's root."""
        return change_log_path(self.target)

    @contextmanager
    def open(self) -> Iterator[ChangeLog]:
        """The log while it is written. It has a block even without a change: readers of Apache Hudi miss a log beside a base
        file that has rows of before. With an error nothing of it remains."""
        with self.snapshot.storage.output(self.path) as stream:
            self._stream = stream
            yield self
            if self._waiting or not self.size:
                self._write()

    def write_updates(self, before: Any, after: Iterable[Any]) -> None:
        """Rows that changed, as they were and as they are, in one order."""
        images = [self._image(batch) for batch in after] if self._mode is CdcMode.DATA_BEFORE_AFTER else []
        new = concat_columns(images, self.engine.rows.count(before)) if images else None
        self._add(_UPDATE, before, self._image(before), new)

    def write_deletes(self, before: Any) -> None:
        """Deleted rows."""
        self._add(_DELETE, before, self._image(before), None)

    def write_inserts(self, after: Any) -> None:
        """New rows."""
        if self.engine.rows.count(after):
            self._add(_INSERT, after, None, self._image(after))

    def _add(self, operation: str, rows: Any, before: Column | None, after: Column | None) -> None:
        count = self.engine.rows.count(rows)
        columns: dict[str, Column] = {"op": _repeat(operation, count)}
        if self._mode is CdcMode.DATA_BEFORE_AFTER:
            columns["ts_ms"] = _repeat(self.target.instant_time, count)
        else:
            columns["record_key"] = self.keys(self.engine.rows.root(rows))
        if self._mode is not CdcMode.OP_KEY_ONLY:
            columns["before"] = before if before is not None else _absent(after)
        if self._mode is CdcMode.DATA_BEFORE_AFTER:
            columns["after"] = after if after is not None else _absent(before)
        self._parts.append(StructColumn(count, columns))
        self._waiting += count
        if self._waiting >= _ROWS_OF_BLOCK:
            self._write()

    def _image(self, batch: Any) -> StructColumn:
        """Rows without the meta columns; none of them is null."""
        root = self.engine.rows.root(batch)
        columns = {
            column.name: self.engine.rows.to_column(
                self.engine.values.field(root, position), column.type, f"{self.path}, {column.name}"
            )
            for position, column in enumerate(self.rows.fields)
            if column.name in self._logged
        }
        return StructColumn(self.engine.rows.count(batch), columns)

    def _write(self) -> None:
        assert self._stream is not None
        header = {HeaderKey.INSTANT_TIME: self.target.instant_time, HeaderKey.SCHEMA: self._schema_text}
        changes: Column = StructColumn(0, {})
        if self._parts:
            changes = concat_columns(self._parts, self._waiting)
        assert isinstance(changes, StructColumn)
        block = encode_data_block(header, changes, self.path, BlockKind.CDC_DATA)
        self._stream.write(block)
        self.size += len(block)
        self._parts, self._waiting = [], 0

    @property
    def _mode(self) -> CdcMode:
        return self.snapshot.config.cdc_mode

    @cached_property
    def _images(self) -> Schema:
        return bare_schema(self.rows)

    @cached_property
    def _logged(self) -> frozenset[str]:
        return frozenset(column.name for column in self._images.fields)

    @cached_property
    def _schema_text(self) -> str:
        """The schema of Apache Hudi: its reader of changes finds the columns of each mode by position."""
        if self._mode is CdcMode.OP_KEY_ONLY:
            key_fields = [{"name": name, "type": ["string", "null"]} for name in ("op", "record_key")]
            return json.dumps({"type": "record", "name": "Record", "fields": key_fields}, separators=(",", ":"))
        row = record_name(self.snapshot.config.name)
        image = schema_to_avro(self._images, row)
        second = "ts_ms" if self._mode is CdcMode.DATA_BEFORE_AFTER else "record_key"
        kinds: list[tuple[str, object]] = [
            ("op", _OPTIONAL_STRING),
            (second, _OPTIONAL_STRING),
            ("before", ["null", image]),
        ]
        if self._mode is CdcMode.DATA_BEFORE_AFTER:
            kinds.append(("after", ["null", row]))
        fields = [{"name": name, "type": kind, "doc": "", "default": None} for name, kind in kinds]
        schema = {"type": "record", "name": "CDC", "namespace": row.rpartition(".")[0], "doc": "", "fields": fields}
        return json.dumps(schema, separators=(",", ":"))


def _absent(like: Column | None) -> StructColumn:
    """No rows, as many as there are of the others; what their fields hold has no meaning."""
    assert isinstance(like, StructColumn)
    return replace(like, validity=np.zeros(length(like), np.bool_))


def _repeat(string: str, count: int) -> StringColumn:
    return take_strings(string_column([string]), np.zeros(count, np.int64))
