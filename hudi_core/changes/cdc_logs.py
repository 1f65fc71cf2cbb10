"""Changes as a commit logged them, read in place of the slices that it changed where they tell enough. Rule QUERY-19."""

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
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.options import CdcMode, TableConfig
from hudi_core.reading.base_files import BaseFiles
from hudi_core.rows.project import projection
from hudi_core.schema.meta import RECORD_KEY, is_meta
from hudi_core.schema.schema import Schema
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.schemas import with_ids_of
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import Field, Record, String

_KEY = "record_key"
_OPERATIONS = (INSERT, UPDATE, DELETE)


@dataclass(frozen=True, slots=True)
class CdcBatch:
    """A batch of logged changes: how many, their operations as an engine's column, their record keys where those are logged, and
    batches of the rows before and after, None where those are not logged or not asked for. A row that was not there is all
    null."""

    count: int
    operations: Any
    keys: StringColumn | None
    before: Any
    after: Any


def change_logs(stats: Sequence[WriteStat], there: Sequence[FileInfo]) -> tuple[FileInfo, ...] | None:
    """The logs of changes of a write to a file group, by what it says it did; None where it did not log all that it changed,
    or they are not there any more."""
    by_name = {info.name: info for info in there}
    names = [path.rpartition("/")[2] for stat in stats for path in stat.cdc_files]
    if not all(stat.cdc_files for stat in stats) or not all(name in by_name for name in names):
        return None
    return tuple(by_name[name] for name in names)


def sides_asked_for(needed: Schema) -> tuple[str, ...] | None:
    """Which of the rows before and after columns of changes are about; None where they have Hudi's own columns, which are not
    logged."""
    images = [each for each in needed.fields if each.name in (BEFORE, AFTER)]
    own = (is_meta(inner.name) for each in images if isinstance(each.type, Record) for inner in each.type.fields)
    return None if any(own) else tuple(each.name for each in images)


def may_tell(config: TableConfig, sides: Sequence[str]) -> bool:
    """The table logs changes, and with them more than operations and keys where rows are asked for."""
    return config.cdc_enabled and (not sides or config.cdc_mode is not CdcMode.OP_KEY_ONLY)


@dataclass(frozen=True)
class CdcLogReader:
    """Reads the logs of changes of one commit, with rows before and after in the schema `images`."""

    base_files: BaseFiles
    images: Schema

    def read(self, slice: FileSlice, files: Sequence[FileInfo], sides: Sequence[str]) -> list[CdcBatch]:
        """What the logs hold that a write left beside a slice. Raises `CorruptFileError` for bytes that are no such log."""
        storage = self.base_files.sources.snapshot.storage
        return [
            found
            for file in files
            for block in read_blocks(storage.open(file.path))
            for found in self._block(block, slice, sides)
        ]

    def _block(self, block: LogBlock, slice: FileSlice, sides: Sequence[str]) -> Iterator[CdcBatch]:
        if block.kind is not BlockKind.CDC_DATA:
            raise CorruptFileError(block.where, expected="a block of changes", found=block.kind.name)
        records = avro_records(block)
        own = schema_from_avro(records.schema_text, f"{block.where}, schema")
        there = {each.name for each in own.fields}
        # Rows after that are not logged are those of the slice, to which only the rows before have to be put.
        sides = (BEFORE,) if AFTER in sides and AFTER not in there else sides
        fields = tuple(each for each in own.fields if each.name in (OPERATION, _KEY, *sides))
        if OPERATION not in there:
            raise CorruptFileError(block.where, expected=f"changes with a column {OPERATION}", found="none")
        if len(records.starts) == 0:
            return
        data = np.frombuffer(records.data, np.uint8)
        names = [each.name for each in fields]
        decoded = decode(records.schema_text, data, records.starts, records.lengths, block.where, names)
        assert isinstance(decoded, StructColumn)
        for batch in self._engine.rows.from_columns(decoded, Schema(Record(fields)), block.where):
            yield self._logged(self._engine.rows.root(batch), fields, block, slice)

    def _logged(self, root: Any, fields: Sequence[Field], block: LogBlock, slice: FileSlice) -> CdcBatch:
        values, rows = self._engine.values, self._engine.rows
        columns = {each.name: values.field(root, number) for number, each in enumerate(fields)}
        operations = columns[OPERATION]
        known = rows.flags(values.one_of(operations, _OPERATIONS, String()))
        if not known.all():
            raise CorruptFileError(
                block.where, expected=f"one of {', '.join(_OPERATIONS)} in {OPERATION}", found="another"
            )
        keys = rows.to_column(columns[_KEY], String(), block.where) if _KEY in columns else None
        assert keys is None or isinstance(keys, StringColumn)
        if keys is not None and keys.validity is not None and not keys.validity.all():
            raise CorruptFileError(block.where, expected="a key with every change", found="null")
        found = {
            each.name: self._image(each, columns, root, block, slice) for each in fields if each.name in (BEFORE, AFTER)
        }
        return CdcBatch(len(known), operations, keys, found.get(BEFORE), found.get(AFTER))

    def _image(self, field: Field, columns: dict[str, Any], root: Any, block: LogBlock, slice: FileSlice) -> Any:
        """The rows before or after as a batch of `images`. The record key tells rows from none: it is the log's, or empty."""
        if not isinstance(field.type, Record):
            raise CorruptFileError(
                block.where, expected=f"rows in {field.name}", found=type(field.type).__name__.lower()
            )
        history = self.base_files.sources.snapshot.history
        version = history.schemas[history.number_at(block.require(HeaderKey.INSTANT_TIME))]
        stored = with_ids_of(Schema(field.type), version, history.latest.max_column_id)
        plan = self.base_files.with_path_values(reconcile(stored, self.images, nulls_for_required=True), slice)
        values = self._engine.values
        image = columns[field.name]
        read, absent = projection(plan, values)(image), values.is_null(image)
        key = columns.get(_KEY)
        key = values.literal("", String(), root) if key is None else key
        parts = [
            (
                each,
                values.field(read, number) if each.name != RECORD_KEY else values.replaced(key, absent, None, String()),
            )
            for number, each in enumerate(self.images.fields)
        ]
        nobody = values.is_null(values.literal("", String(), root))
        return self._engine.rows.batch(values.struct(parts, nobody, root))

    @property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.base_files.sources.snapshot.engine
