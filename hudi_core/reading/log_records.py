"""The records of log files: rows of data blocks, and what merging needs of them and of delete blocks, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, StructColumn
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.evolve.reconcile import ReadRecord, reconcile
from hudi_core.formats.avro.block import joined_records, read_content
from hudi_core.formats.avro.columns import decode_batches, decode_framed
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.names import parse_base_file
from hudi_core.formats.random_access import InMemoryFile, RandomAccess
from hudi_core.formats.roaring import read_positions
from hudi_core.merge.records import MergeRecords
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.timeline.blocks import counting_blocks
from hudi_core.timeline.schemas import with_ids_of
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t

TOGETHER_BYTES = 1 << 23
"""Blocks are decoded together up to so many bytes: each decoding has its price, whatever the records, and gives a batch."""


@dataclass(frozen=True, slots=True, eq=False)
class LogRecords:
    """What the logs of a slice hold, oldest first.

    `batches` have the rows of data blocks. `records` are these rows and the deletes of delete blocks as they come, and
    `numbers` stand for their keys: rows of the base file where records are found by position, else the first record
    with the same key, which `keys` finds. `columns` is the number of columns that are merged one by one, 1 when rows are
    taken whole.
    """

    batches: Sequence[Any]
    rows: int
    keys: StringIndex | None
    numbers: NDArray[np.int64]
    records: MergeRecords
    columns: int
    widths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _BlockReading:
    """How the data blocks of one schema are read."""

    stored: Schema
    part: Schema
    plan: ReadRecord


@dataclass(frozen=True)
class LogReader:
    """Reads log files as rows of the schema that merging needs. Plans are made once for each schema that blocks have."""

    base_files: BaseFiles
    columns: MergeColumns
    _plans: dict[tuple[str, int], _BlockReading] = field(default_factory=dict, repr=False, compare=False)

    def read(self, slice: FileSlice, blocks: Sequence[LogBlock], positions: NDArray[np.int64] | None) -> LogRecords:
        """The records of a slice's counting blocks; `positions` are those of all of them in the base file, if they are told."""
        partial = self.columns.rules.partial is not None or any(map(_is_partial, blocks))
        found = LogBuffer(self.columns, partial)
        for run in self._runs(blocks):
            if run[0].kind is BlockKind.DELETE:
                found.add_deletes(read_deletes(run[0]), run[0].where)
            else:
                self._add_rows(found, run, slice)
        records, widths = found.joined()
        keys = None if positions is not None else index_strings(found.keys())
        numbers = positions if keys is None else keys.first
        assert numbers is not None
        return LogRecords(found.batches, found.rows, keys, numbers, records, found.merged_columns, widths)

    def _runs(self, blocks: Sequence[LogBlock]) -> Iterator[list[LogBlock]]:
        """The blocks in order: each by itself, but small ones of Avro records together when they are read in the same way."""
        run: list[LogBlock] = []
        size = 0
        for block in blocks:
            size += block.content_length
            if run and (size > TOGETHER_BYTES or not self._alike(run[-1], block)):
                yield run
                run, size = [], block.content_length
            run.append(block)
        if run:
            yield run

    def _alike(self, one: LogBlock, other: LogBlock) -> bool:
        number_at = self.base_files.sources.snapshot.history.number_at
        keys = (HeaderKey.SCHEMA, HeaderKey.IS_PARTIAL)
        return (
            one.kind is other.kind is BlockKind.AVRO_DATA
            and all(one.header.get(key) == other.header.get(key) for key in keys)
            and number_at(one.require(HeaderKey.INSTANT_TIME)) == number_at(other.require(HeaderKey.INSTANT_TIME))
        )

    def _add_rows(self, found: LogBuffer, run: Sequence[LogBlock], slice: FileSlice) -> None:
        """Adds the rows of data blocks that are read together; one by one when that fails, which says in which it does."""
        where = run[0].where
        try:
            for reading, batch in self._batches(run, slice):
                ids = {each.id for each in reading.part.fields}
                found.add_rows(batch, where, ids if _is_partial(run[0]) else None)
        except CorruptFileError:
            if len(run) > 1:
                for block in run:
                    self._add_rows(found, [block], slice)
            raise

    def _batches(self, run: Sequence[LogBlock], slice: FileSlice) -> Iterator[tuple[_BlockReading, Any]]:
        """The rows of data blocks in the schema that merging needs."""
        block = run[0]
        if block.kind is BlockKind.PARQUET_DATA:
            yield from self._parquet(block, slice)
            return
        text, count, decode = _stored(run)
        reading = self._reading(text, None, block)
        parts = decode([each.name for each in reading.part.fields])
        if count == 0:
            next(parts, None)  # raises when there is something none the less
            return
        decoded = concat_columns(parts, count)
        assert isinstance(decoded, StructColumn)
        read = projection(self.base_files.with_path_values(reading.plan, slice), self._engine.values)
        for batch in self._engine.rows.from_columns(decoded, reading.part, block.where):
            yield reading, self._engine.rows.batch(read(self._engine.rows.root(batch)))

    def _parquet(self, block: LogBlock, slice: FileSlice) -> Iterator[tuple[_BlockReading, Any]]:
        reader = self._engine.reader("parquet")
        storage, file = _InMemory(InMemoryFile(block.content(), block.where)), FileInfo("", block.content_length)
        footer = reader.footer(storage, file)
        reading = self._reading(repr(footer.schema.record), footer.schema, block)
        read = projection(self.base_files.with_path_values(reading.plan, slice), self._engine.values)
        try:
            for batch in reader.batches(storage, file, [each.name for each in reading.part.fields]):
                yield reading, self._engine.rows.batch(read(self._engine.rows.root(batch)))
        finally:
            storage.release()

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


def _stored(run: Sequence[LogBlock]) -> tuple[str, int, Callable[[Collection[str]], Iterator[Column]]]:
    """The schema of the Avro records of blocks, how many they are, and what decodes the fields of some names."""
    block = run[0]
    if len(run) > 1:
        text, (data, starts, lengths) = block.require(HeaderKey.SCHEMA), joined_records(run)
        return text, len(starts), lambda names: decode_batches(text, data, starts, lengths, block.where, names)
    if block.kind is not BlockKind.HFILE_DATA:
        content = read_content(block)
        text, count = content.schema_text, content.count
        return text, count, lambda names: decode_framed(text, content.data, content.begin, count, block.where, names)
    file = HFile(InMemoryFile(block.content(), block.where))
    schema = block.header.get(HeaderKey.SCHEMA) or file.schema_text
    if schema is None:
        raise CorruptFileError(block.where, expected="a schema of the records", found="none")
    cells = file.cells()
    spans = cells.value_offsets, cells.value_lengths
    return schema, len(cells), lambda names: decode_batches(schema, cells.data, *spans, block.where, names)


def slice_blocks(slice: FileSlice, storage: Storage, committed: Callable[[str], bool]) -> list[LogBlock]:
    """The blocks of a slice's logs that count, in the order in which they apply (rules TIME-15 to TIME-17)."""
    blocks = (block for log in slice.logs for block in read_blocks(storage.open(log.path)))
    return counting_blocks(blocks, committed)


_RECORDS_A_BYTE = 1032
"""Records that a byte of a compressed block stands for at most, as deflate makes no more bytes than this of one."""


def positions_in_base(slice: FileSlice, blocks: Sequence[LogBlock]) -> NDArray[np.int64] | None:
    """The position in the slice's base file of each record of the blocks; None unless every block tells them. Rule MERGE-15."""
    base = None if slice.base is None else parse_base_file(slice.base.name)
    if base is None or not blocks:
        return None
    found = []
    for block in blocks:
        text = block.header.get(HeaderKey.RECORD_POSITIONS)
        if text is None or block.header.get(HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS) != base.instant:
            return None
        found.append(read_positions(text, f"{block.where}, positions", _most_records(block)))
    return np.concatenate(found)


def _most_records(block: LogBlock) -> int:
    """More records than a block of so many bytes can have: each takes a byte, where nothing is compressed."""
    plain = block.kind in (BlockKind.AVRO_DATA, BlockKind.DELETE)
    return block.content_length if plain else _RECORDS_A_BYTE * block.content_length


def _is_partial(block: LogBlock) -> bool:
    return block.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"


@dataclass(eq=False)
class _InMemory:
    """A storage of one file, for a file that is a part of another."""

    content: InMemoryFile

    def release(self) -> None:
        """Lets go of the content: a reader may remember the storage, by what it knows of its file."""
        self.content = InMemoryFile(b"", self.content.where)

    @property
    def uri(self) -> str:
        return self.content.where

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        return []

    def exists(self, path: str) -> bool:
        return True

    def read(self, path: str) -> bytes:
        return self.content.data

    def open(self, path: str) -> RandomAccess:
        return self.content
