"""The records of log files: rows of data blocks, and what merging needs of them and of delete blocks, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError
from hudi_core.evolve.reconcile import ReadRecord, reconcile
from hudi_core.formats.avro_block import avro_records
from hudi_core.formats.avro_columns import decode
from hudi_core.formats.column_join import join
from hudi_core.formats.columns import Bools, Column, Struct, Text, length, validity_of
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile import HFile
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.source import Bytes, RandomAccess
from hudi_core.formats.text_match import TextIndex, index_texts
from hudi_core.rows.comparable import comparable, width_of
from hudi_core.rows.delete_ordering import delete_ordering
from hudi_core.rows.merge import NO_ROW, Records, Sources
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.table.reading.base_files import BaseFiles
from hudi_core.table.reading.merge_columns import MergeColumns
from hudi_core.timeline.blocks import counting_blocks
from hudi_core.timeline.schemas import with_ids_of
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t


@dataclass(frozen=True, slots=True, eq=False)
class LogRecords:
    """What the logs of a slice hold, oldest first.

    `batches` have the rows of data blocks. `records` are these rows and the deletes of delete blocks as they come, and
    `keys` their keys. `columns` is the number of columns that are merged one by one, 1 when rows are taken whole.
    """

    batches: Sequence[Any]
    rows: int
    keys: TextIndex
    records: Records
    columns: int
    widths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _BlockReading:
    """How the data blocks of one schema are read."""

    stored: Schema
    part: Schema
    plan: ReadRecord


@dataclass(slots=True, eq=False)
class _Gathered:
    """Parts of all blocks, to be joined."""

    batches: list[Any] = field(default_factory=list)
    keys: list[Column] = field(default_factory=list)
    ordering: list[tuple[Column, ...]] = field(default_factory=list)
    deleted: list[Bools] = field(default_factory=list)
    absolute: list[Bools] = field(default_factory=list)
    listed: list[Bools] = field(default_factory=list)
    given: list[Bools] = field(default_factory=list)
    numbers: list[NDArray[np.int32]] = field(default_factory=list)
    rows: int = 0


@dataclass(frozen=True)
class LogReader:
    """Reads log files as rows of the schema that merging needs. Plans are made once for each schema that blocks have."""

    base_files: BaseFiles
    columns: MergeColumns
    _plans: dict[tuple[str, int], _BlockReading] = field(default_factory=dict, repr=False, compare=False)

    def read(self, slice: FileSlice) -> LogRecords:
        """The records of a slice's logs, as far as their blocks count (rules TIME-15 to TIME-17)."""
        snapshot = self.base_files.sources.snapshot
        blocks = counting_blocks(
            (block for log in slice.logs for block in read_blocks(snapshot.storage.open(log.path))),
            snapshot.timeline.committed,
        )
        partial = self.columns.rules.partial is not None or any(map(_is_partial, blocks))
        found = _Gathered()
        for block in blocks:
            if block.kind is BlockKind.DELETE:
                self._add_deletes(found, block, partial)
            else:
                self._add_rows(found, block, slice, partial)
        return self._joined(found, len(self.columns.schema.fields) if partial else 1)

    def _add_rows(self, found: _Gathered, block: LogBlock, slice: FileSlice, partial: bool) -> None:
        engine, columns, where = self._engine, self.columns, block.where
        reading: _BlockReading | None = None
        for reading, batch in self._batches(block, slice):
            root = engine.rows.root(batch)
            rows = engine.rows.count(batch)
            ordering = columns.ordering_values(root, where)
            deleted = columns.deleted(root, where)
            found.batches.append(batch)
            found.keys.append(columns.record_keys(root, where))
            found.ordering.append(ordering)
            found.deleted.append(deleted)
            found.absolute.append(deleted & self._without_value(ordering, rows))
            found.listed.append(np.zeros(rows, np.bool_))
            found.numbers.append(np.arange(found.rows, found.rows + rows, dtype=np.int32))
            found.rows += rows
            if partial:
                given = columns.given(root)
                if _is_partial(block):
                    ids = {each.id for each in reading.part.fields}
                    given &= np.array([each.id in ids for each in columns.schema.fields])
                found.given.append(given)

    def _add_deletes(self, found: _Gathered, block: LogBlock, partial: bool) -> None:
        deletes = read_deletes(block)
        rows = length(deletes.record_keys)
        if rows == 0:
            return
        if not validity_of(deletes.record_keys).all():
            raise CorruptFileError(block.where, expected="a key with each delete", found="a null")
        ordering, absolute = delete_ordering(
            deletes.ordering_values, [place.field.type for place in self.columns.ordering]
        )
        found.keys.append(deletes.record_keys)
        found.ordering.append(ordering)
        found.deleted.append(np.ones(rows, np.bool_))
        found.absolute.append(absolute)
        found.listed.append(np.ones(rows, np.bool_))
        found.numbers.append(np.full(rows, NO_ROW, np.int32))
        if partial:
            found.given.append(np.ones((rows, len(self.columns.schema.fields)), np.bool_))

    def _without_value(self, ordering: tuple[Column, ...], rows: int) -> Bools:
        """Rows whose ordering value is the one that stands for none: no field, null, or the int 0."""
        if not ordering:
            return np.ones(rows, np.bool_)
        if len(ordering) > 1:
            return np.zeros(rows, np.bool_)
        of = self.columns.ordering[0].field.type
        absent = ~validity_of(ordering[0])
        return absent | (comparable(ordering[0], of, 0) == 0) if isinstance(of, t.Int) else absent

    def _joined(self, found: _Gathered, columns: int) -> LogRecords:
        records = sum(map(len, found.deleted))
        keys = join(found.keys, records) if found.keys else Text(np.zeros(1, np.int64), np.empty(0, np.uint8))
        assert isinstance(keys, Text)
        types = [place.field.type for place in self.columns.ordering]
        joined = [join((part[n] for part in found.ordering), records) for n in range(len(types))] if records else []
        widths = tuple(map(width_of, joined, types))
        numbers = _concatenated(found.numbers, np.int32)
        whole = Records(
            tuple(map(comparable, joined, types, widths)),
            _concatenated(found.deleted, np.bool_),
            _concatenated(found.absolute, np.bool_),
            _concatenated(found.listed, np.bool_),
            _spread_over(numbers, columns),
            np.concatenate(found.given) if found.given else np.ones((records, columns), np.bool_),
        )
        return LogRecords(found.batches, found.rows, index_texts(keys), whole, columns, widths)

    def _batches(self, block: LogBlock, slice: FileSlice) -> Iterator[tuple[_BlockReading, Any]]:
        """The rows of a data block in the schema that merging needs."""
        match block.kind:
            case BlockKind.PARQUET_DATA:
                yield from self._parquet(block, slice)
                return
            case BlockKind.HFILE_DATA:
                file = HFile(Bytes(block.content(), block.where))
                text = block.header.get(HeaderKey.SCHEMA) or file.schema_text
                if text is None:
                    raise CorruptFileError(block.where, expected="a schema of the records", found="none")
                cells = file.cells()
                data, starts, lengths = cells.data, cells.value_offsets, cells.value_lengths
            case _:
                records = avro_records(block)
                text, starts, lengths = records.schema_text, records.starts, records.lengths
                data = np.frombuffer(records.data, np.uint8)
        reading = self._reading(text, None, block)
        if len(starts) == 0:
            return
        names = [each.name for each in reading.part.fields]
        decoded = decode(text, data, starts, lengths, block.where, names)
        assert isinstance(decoded, Struct)
        read = projection(self.base_files.with_path_values(reading.plan, slice), self._engine.values)
        for batch in self._engine.rows.from_columns(decoded, reading.part, block.where):
            yield reading, self._engine.rows.batch(read(self._engine.rows.root(batch)))

    def _parquet(self, block: LogBlock, slice: FileSlice) -> Iterator[tuple[_BlockReading, Any]]:
        reader = self._engine.reader("parquet")
        storage, file = _InMemory(Bytes(block.content(), block.where)), FileInfo("", block.content_length)
        footer = reader.footer(storage, file)
        reading = self._reading(repr(footer.schema.record), footer.schema, block)
        read = projection(self.base_files.with_path_values(reading.plan, slice), self._engine.values)
        for batch in reader.batches(storage, file, [each.name for each in reading.part.fields]):
            yield reading, self._engine.rows.batch(read(self._engine.rows.root(batch)))

    def _reading(self, text: str, schema: Schema | None, block: LogBlock) -> _BlockReading:
        """The reading of a block whose schema is written as `text`, or is given besides."""
        history = self.base_files.sources.snapshot.history
        version = history.number_at(block.require(HeaderKey.INSTANT_TIME))
        if (text, version) not in self._plans:
            own = schema_from_avro(text, f"{block.where}, schema") if schema is None else schema
            stored = with_ids_of(own, history.schemas[version], history.latest.max_column_id)
            wanted = self.columns.schema
            ids = {each.id for each in wanted.fields}
            fields = tuple(each for each in stored.fields if each.id in ids)
            part = Schema(t.Record(fields, stored.record.name))
            plan = reconcile(part, wanted, nulls_for_required=True)
            self._plans[text, version] = _BlockReading(stored, part, plan)
        return self._plans[text, version]

    @cached_property
    def _engine(self) -> Any:
        return self.base_files.sources.snapshot.engine


def _is_partial(block: LogBlock) -> bool:
    return block.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"


def _concatenated(parts: list[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, kind)


def _spread_over(numbers: NDArray[np.int32], columns: int) -> Sources:
    return np.repeat(numbers[:, None], columns, axis=1)


@dataclass(frozen=True, slots=True)
class _InMemory:
    """A storage of one file, for a file that is a part of another."""

    content: Bytes

    @property
    def uri(self) -> str:
        return self.content.where

    def list(self, folder: str, *, recursive: bool = False) -> list[FileInfo]:
        return []

    def exists(self, path: str) -> bool:
        return True

    def read(self, path: str) -> bytes:
        return self.content.data

    def open(self, path: str) -> RandomAccess:
        return self.content
