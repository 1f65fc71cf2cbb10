"""CDC logs: changes as a commit logged them, read instead of the slices that it changed. Rule QUERY-19."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.changes.rows import AFTER, BEFORE, DELETE, INSERT, OPERATION, UPDATE
from hudi_core.columns.nodes import StringColumn, StructColumn
from hudi_core.engine import Engine, FileInfo
from hudi_core.errors import CorruptFileError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.formats.avro.block import avro_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.native_log import log_blocks
from hudi_core.options import CdcMode, TableConfig
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.block_files import open_content
from hudi_core.rows.project import projection
from hudi_core.schema.meta import RECORD_KEY, is_meta
from hudi_core.schema.schema import Schema
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import Field, Record, String

_KEY = "record_key"
_OPERATIONS = (INSERT, UPDATE, DELETE)


@dataclass(frozen=True, slots=True)
class CdcBatch:
    """A batch of logged changes: their count, operations as an engine's column, record keys where those are logged, and batches
    of the rows before and after, None where those are not logged or not requested. A missing row is all null."""

    count: int
    operations: Any
    keys: StringColumn | None
    before: Any
    after: Any


def change_logs(stats: Sequence[WriteStat], files: Sequence[FileInfo]) -> tuple[FileInfo, ...] | None:
    """The CDC logs of a write to a file group, by its write statistics; None where it did not log all changes, or the logs
    were deleted."""
    by_name = {info.name: info for info in files}
    names = [path.rpartition("/")[2] for stat in stats for path in stat.cdc_files]
    if not all(stat.cdc_files for stat in stats) or not all(name in by_name for name in names):
        return None
    return tuple(by_name[name] for name in names)


def choose_images(needed: Schema) -> tuple[str, ...] | None:
    """Which of `before` and `after` the columns include; None where they include meta columns, which are not logged."""
    images = [field for field in needed.fields if field.name in (BEFORE, AFTER)]
    meta_columns = (
        is_meta(inner.name) for field in images if isinstance(field.type, Record) for inner in field.type.fields
    )
    return None if any(meta_columns) else tuple(field.name for field in images)


def logs_suffice(config: TableConfig, sides: Sequence[str]) -> bool:
    """Whether the table logs changes, with rows before or after where those are requested."""
    return config.cdc_enabled and (not sides or config.cdc_mode is not CdcMode.OP_KEY_ONLY)


@dataclass(frozen=True)
class CdcLogReader:
    """Reads the logs of changes of one commit, with rows before and after in the schema `images`."""

    base_files: BaseFiles
    images: Schema

    def read(self, slice: FileSlice, files: Sequence[FileInfo], sides: Sequence[str]) -> list[CdcBatch]:
        """The changes in the logs that a write left beside a slice. Raises `CorruptFileError` for bytes that are no such log."""
        storage = self.base_files.sources.snapshot.storage
        return [
            batch
            for file in files
            for block in log_blocks(file.name, storage.open(file.path, file.size))
            for batch in self._block(block, slice, sides)
        ]

    def _block(self, block: LogBlock, slice: FileSlice, sides: Sequence[str]) -> Iterator[CdcBatch]:
        if block.kind is not BlockKind.CDC_DATA:
            raise CorruptFileError(block.where, expected="a block of changes", found=block.kind.name)
        if block.native:
            yield from self._native(block, slice, sides)
            return
        records = avro_records(block)
        log_schema = schema_from_avro(records.schema_text, f"{block.where}, schema")
        fields = _fields_to_read(log_schema, sides, block.where)
        if len(records.starts) == 0:
            return
        data = np.frombuffer(records.data, np.uint8)
        read_names = [field.name for field in fields]
        decoded = decode(records.schema_text, data, records.starts, records.lengths, block.where, read_names)
        assert isinstance(decoded, StructColumn)
        for batch in self._engine.rows.from_columns(decoded, Schema(Record(fields)), block.where):
            yield self._read_logged(self._engine.rows.root(batch), fields, block, slice)

    def _native(self, block: LogBlock, slice: FileSlice, sides: Sequence[str]) -> Iterator[CdcBatch]:
        """The changes of a native file. Rule LOG-714."""
        with open_content(block, self._engine) as opened:
            fields = _fields_to_read(opened.footer.schema, sides, block.where)
            for batch in opened.batches([field.name for field in fields]):
                yield self._read_logged(self._engine.rows.root(batch), fields, block, slice)

    def _read_logged(self, root: Any, fields: Sequence[Field], block: LogBlock, slice: FileSlice) -> CdcBatch:
        values, rows = self._engine.values, self._engine.rows
        columns = {field.name: values.field(root, index) for index, field in enumerate(fields)}
        operations = columns[OPERATION]
        is_known = rows.flags(values.one_of(operations, _OPERATIONS, String()))
        if not is_known.all():
            raise CorruptFileError(
                block.where, expected=f"one of {', '.join(_OPERATIONS)} in {OPERATION}", found="another operation"
            )
        keys = rows.to_column(columns[_KEY], String(), block.where) if _KEY in columns else None
        assert keys is None or isinstance(keys, StringColumn)
        if keys is not None and keys.validity is not None and not keys.validity.all():
            raise CorruptFileError(block.where, expected="a key with every change", found="null")
        row_images = {
            field.name: self._image(field, columns, root, block, slice)
            for field in fields
            if field.name in (BEFORE, AFTER)
        }
        return CdcBatch(len(is_known), operations, keys, row_images.get(BEFORE), row_images.get(AFTER))

    def _image(self, field: Field, columns: dict[str, Any], root: Any, block: LogBlock, slice: FileSlice) -> Any:
        """The rows before or after as a batch of `images`. Missing rows have no record key; others have the
        log's, or an empty one."""
        if not isinstance(field.type, Record):
            raise CorruptFileError(
                block.where, expected=f"rows in {field.name}", found=type(field.type).__name__.lower()
            )
        history = self.base_files.sources.snapshot.history
        stored = history.identify(Schema(field.type), history.number_at(block.require(HeaderKey.INSTANT_TIME)))
        plan = self.base_files.with_path_values(reconcile(stored, self.images, nulls_for_required=True), slice)
        values = self._engine.values
        image = columns[field.name]
        read, absent = projection(plan, values)(image), values.is_null(image)
        key = columns.get(_KEY)
        key = values.literal("", String(), root) if key is None else key
        parts = [
            (
                field,
                values.field(read, index) if field.name != RECORD_KEY else values.replace(key, absent, None, String()),
            )
            for index, field in enumerate(self.images.fields)
        ]
        no_row_is_null = values.is_null(values.literal("", String(), root))
        return self._engine.rows.batch(values.struct(parts, no_row_is_null, root))

    @property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.base_files.sources.snapshot.engine


def _fields_to_read(log_schema: Schema, sides: Sequence[str], where: str) -> tuple[Field, ...]:
    """The columns of a log of changes that are read for rows before and after."""
    names = {field.name for field in log_schema.fields}
    if OPERATION not in names:
        raise CorruptFileError(where, expected=f"changes with a column {OPERATION}", found="no such column")
    # Rows after that are not logged are those of the slice, to which only the rows before have to be put.
    sides = (BEFORE,) if AFTER in sides and AFTER not in names else sides
    return tuple(field for field in log_schema.fields if field.name in (OPERATION, _KEY, *sides))
