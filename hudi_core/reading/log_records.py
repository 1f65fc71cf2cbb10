"""The records of log files: rows of data blocks, and the arrays that merging needs of data and delete blocks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, StringColumn, StructColumn, length
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.errors import CorruptFileError
from hudi_core.evolve.reconcile import ReadRecord, reconcile
from hudi_core.formats.avro.block import join_records, read_content
from hudi_core.formats.avro.columns import decode_batches, decode_framed
from hudi_core.formats.deletes import DeleteRecords, read_deletes
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.hfile.records import KEY, decode_rows
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.names import parse_base_file
from hudi_core.formats.native_log import read_position_list
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.formats.roaring import read_positions
from hudi_core.merge.records import MergeRecords
from hudi_core.options import TableConfig
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.block_files import open_content
from hudi_core.reading.log_buffer import LogBuffer
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.reading.native_deletes import native_deletes
from hudi_core.rows.project import projection
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t

MAX_RUN_BYTES = 1 << 23
"""Bytes of blocks that are decoded together: each decoding has a fixed cost and gives a batch of its own."""
WORTH_DIVIDING: Final = 4
"""A block of so many times as many bytes becomes batches of about as many; smaller ones become one batch."""
INFLATED_BLOCK: Final = 4
"""Bytes in memory for a byte of a compressed block."""
PARTIAL_ROWS_SINCE: Final = 8
"""The table version from which on blocks may have rows of some columns."""


@dataclass(frozen=True, slots=True, eq=False)
class LogRecords:
    """The records of a slice's log files, oldest first.

    `batches` have the rows of data blocks. `records` are these rows and the records of delete blocks, in order, and
    `key_ids` are integers that stand for their keys: the position in the base file where records are merged by position,
    else the first record with the same key, which `keys` looks up. `columns` is the number of columns that are merged one by
    one, 1 when rows are merged as a whole.
    """

    batches: Sequence[Any]
    rows: int
    keys: StringIndex | None
    key_ids: Numbers
    records: MergeRecords
    columns: int
    widths: tuple[int, ...]


def gather_records(buffer: LogBuffer, positions: Numbers | None = None) -> LogRecords:
    """The records of a buffer, ready to be merged: by `positions` in the base file where the log has them, else by key."""
    records, widths = buffer.join()
    keys = None if positions is not None else index_strings(buffer.keys())
    key_ids = positions if keys is None else keys.first
    assert key_ids is not None
    return LogRecords(buffer.batches, buffer.rows, keys, key_ids, records, buffer.merged_columns, widths)


class RecordSink(Protocol):
    """Takes the records of logs, oldest first: `LogBuffer`, or what keeps them in files."""

    def add_rows(self, batch: Any, where: str, stored: Set[int] | None = None, size: int = 0) -> None: ...

    def add_deletes(self, deletes: DeleteRecords, where: str) -> None: ...

    def add_typed_deletes(self, keys: StringColumn, ordering: tuple[Column, ...], where: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _BlockPlan:
    """How data blocks of one schema are read: the stored schema, the part of it that is read, and the plan for that part."""

    stored: Schema
    part: Schema
    plan: ReadRecord


@dataclass(frozen=True)
class LogReader:
    """Reads log files as rows of the schema that merging needs. There is one plan for each schema of blocks."""

    base_files: BaseFiles
    columns: MergeColumns
    _plans: dict[tuple[str, int], _BlockPlan] = field(default_factory=dict, repr=False, compare=False)

    def read(self, slice: FileSlice, blocks: Sequence[LogBlock], positions: Numbers | None) -> LogRecords:
        """The records of a slice's counting blocks; `positions` are their positions in the base file, if recorded."""
        buffer = LogBuffer(self.columns, self.merges_columns(blocks))
        self.read_into(buffer, slice, blocks)
        return gather_records(buffer, positions)

    def read_into(self, records: RecordSink, slice: FileSlice, blocks: Sequence[LogBlock]) -> None:
        """Adds the records of a slice's counting blocks, oldest first."""
        for run in self._runs(blocks):
            if run[0].kind is BlockKind.DELETE:
                self._add_deletes(records, run[0])
            else:
                self._add_rows(records, run, slice)

    def merges_columns(self, blocks: Sequence[LogBlock]) -> bool:
        """Whether columns are merged one by one."""
        return self.columns.rules.partial is not None or any(map(is_partial, blocks))

    def _runs(self, blocks: Sequence[LogBlock]) -> Iterator[list[LogBlock]]:
        """The blocks in order, one per list; small Avro blocks that are read by the same plan are joined in one list."""
        run: list[LogBlock] = []
        size = 0
        for block in blocks:
            size += block.content_length
            if run and (size > MAX_RUN_BYTES or not self._can_join(run[-1], block)):
                yield run
                run, size = [], block.content_length
            run.append(block)
        if run:
            yield run

    def _can_join(self, one: LogBlock, other: LogBlock) -> bool:
        number_at = self.base_files.sources.snapshot.history.number_at
        keys = (HeaderKey.SCHEMA, HeaderKey.IS_PARTIAL)
        return (
            one.kind is other.kind is BlockKind.AVRO_DATA
            and all(one.header.get(key) == other.header.get(key) for key in keys)
            and number_at(one.require(HeaderKey.INSTANT_TIME)) == number_at(other.require(HeaderKey.INSTANT_TIME))
        )

    def _add_deletes(self, records: RecordSink, block: LogBlock) -> None:
        if not block.native:
            records.add_deletes(read_deletes(block), block.where)
            return
        for keys, ordering in native_deletes(block, self.base_files.sources.snapshot, self.columns.ordering):
            records.add_typed_deletes(keys, ordering, block.where)

    def _add_rows(self, records: RecordSink, run: Sequence[LogBlock], slice: FileSlice) -> None:
        """Adds the rows of data blocks that are read together. After an error they are read one by one, to name the block."""
        where = run[0].where
        try:
            for block_plan, batch, size in self._batches(run, slice):
                ids = {field.id for field in block_plan.part.fields}
                records.add_rows(batch, where, ids if is_partial(run[0]) else None, size)
        except CorruptFileError:
            if len(run) > 1:
                for block in run:
                    self._add_rows(records, [block], slice)
            raise

    def _batches(self, run: Sequence[LogBlock], slice: FileSlice) -> Iterator[tuple[_BlockPlan, Any, int]]:
        """The rows of data blocks in the schema that merging needs, each batch with about how many bytes it has in its block."""
        block = run[0]
        if block.kind is BlockKind.PARQUET_DATA:
            yield from self._parquet(block, slice)
            return
        text, count, decode = _content(run, list_columns_left_to_keys(block, self.base_files.sources.snapshot.config))
        block_plan = self._block_plan(text, None, block)
        parts = decode([field.name for field in block_plan.part.fields])
        if count == 0:
            next(parts, None)  # raises where there are bytes all the same
            return
        rows = self._engine.rows
        read_columns = projection(self.base_files.with_path_values(block_plan.plan, slice), self._engine.values)
        row_bytes = sum(block.content_length for block in run) / count
        for decoded in _join(parts, count, int(MAX_RUN_BYTES / row_bytes)):
            for batch in rows.from_columns(decoded, block_plan.part, block.where):
                yield block_plan, rows.batch(read_columns(rows.root(batch))), int(rows.count(batch) * row_bytes)

    def _parquet(self, block: LogBlock, slice: FileSlice) -> Iterator[tuple[_BlockPlan, Any, int]]:
        with open_content(block, self._engine) as opened:
            schema = opened.footer.schema
            block_plan = self._block_plan(repr(schema.record), schema, block)
            read_columns = projection(self.base_files.with_path_values(block_plan.plan, slice), self._engine.values)
            row_bytes = INFLATED_BLOCK * block.content_length / max(opened.footer.rows, 1)
            rows = self._engine.rows
            for batch in opened.batches([field.name for field in block_plan.part.fields]):
                yield block_plan, rows.batch(read_columns(rows.root(batch))), int(rows.count(batch) * row_bytes)

    def _block_plan(self, text: str, schema: Schema | None, block: LogBlock) -> _BlockPlan:
        """The plan of a block. `schema` is None where `text` is its Avro schema."""
        history = self.base_files.sources.snapshot.history
        version = history.number_at(block.require(HeaderKey.INSTANT_TIME))
        if (text, version) not in self._plans:
            block_schema = schema_from_avro(text, f"{block.where}, schema") if schema is None else schema
            stored = history.identify(block_schema, version)
            wanted = self.columns.schema
            ids = {field.id for field in wanted.fields}
            fields = tuple(field for field in stored.fields if field.id in ids)
            part_schema = Schema(t.Record(fields, stored.record.name))
            plan = reconcile(part_schema, wanted, nulls_for_required=True)
            self._plans[text, version] = _BlockPlan(stored, part_schema, plan)
        return self._plans[text, version]

    @cached_property
    def _engine(self) -> Any:
        return self.base_files.sources.snapshot.engine


def _join(parts: Iterator[Column], count: int, rows_at_once: int) -> Iterator[StructColumn]:
    """The decoded parts of a block of so many records, put together."""
    some: list[Column] = []
    rows, enough = 0, max(rows_at_once, 1)
    if count <= WORTH_DIVIDING * enough:
        enough = count
    for part in parts:
        some.append(part)
        rows += length(part)
        if rows >= enough:
            yield _struct(some, rows)
            some, rows = [], 0
    if some:
        yield _struct(some, rows)


def _struct(parts: list[Column], rows: int) -> StructColumn:
    joined = concat_columns(parts, rows)
    assert isinstance(joined, StructColumn)
    return joined


def list_columns_left_to_keys(block: LogBlock, config: TableConfig) -> Collection[str]:
    """The columns whose texts an HFile of log records leaves to its keys: those of base files in native files. Rule LOG-830."""
    if block.native:
        return {KEY}
    fields = [RECORD_KEY] if config.populate_meta_fields else config.record_key_fields
    return fields if len(fields) == 1 else ()


def _content(
    run: Sequence[LogBlock], left: Collection[str]
) -> tuple[str, int, Callable[[Collection[str]], Iterator[Column]]]:
    """The Avro schema of the records of blocks, their count, and the function that decodes fields by name. HFiles leave the texts
    of the columns `left` to their keys."""
    block = run[0]
    if len(run) > 1:
        text, (data, starts, lengths) = block.require(HeaderKey.SCHEMA), join_records(run)
        return text, len(starts), lambda names: decode_batches(text, data, starts, lengths, block.where, names)
    if block.kind is not BlockKind.HFILE_DATA:
        content = read_content(block)
        text, count = content.schema_text, content.count
        return text, count, lambda names: decode_framed(text, content.data, content.start, count, block.where, names)
    file = HFile(InMemoryFile(block.content(), block.where))
    schema = block.header.get(HeaderKey.SCHEMA) or file.schema_text
    if schema is None:
        raise CorruptFileError(block.where, expected="a schema of the records", found="no schema")
    cells = file.cells()
    return schema, len(cells), lambda names: decode_rows(schema, cells, names, block.where, left)


MAX_RECORDS_PER_BYTE = 1032
"""The greatest number of records for each byte of a compressed block: the greatest ratio of deflate."""


def positions_in_base(slice: FileSlice, blocks: Sequence[LogBlock]) -> Numbers | None:
    """The position in the slice's base file of each record of the blocks; None unless every block records them. Rule MERGE-15."""
    base = None if slice.base is None else parse_base_file(slice.base.name)
    if base is None or not blocks:
        return None
    positions = []
    for block in blocks:
        text = block.header.get(HeaderKey.RECORD_POSITIONS)
        if text is None or block.header.get(HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS) != base.instant:
            return None
        where = f"{block.where}, positions"
        in_order = block.native  # of the rows, where the others are those of a set
        positions.append(
            read_position_list(text, where) if in_order else read_positions(text, where, _max_records(block))
        )
    return np.concatenate(positions)


def refuse_positions_beyond(positions: Numbers, rows: int, where: str) -> None:
    """Raises `CorruptFileError` for a position that a base file of so many rows does not have."""
    beyond = positions[positions >= rows]
    if len(beyond):
        raise CorruptFileError(where, expected=f"a row at position {beyond.min()}", found=f"{rows} rows")


def _max_records(block: LogBlock) -> int:
    """An upper bound of the number of records in the block: without compression a record takes at least one byte."""
    plain = block.kind in (BlockKind.AVRO_DATA, BlockKind.DELETE)
    return block.content_length if plain else MAX_RECORDS_PER_BYTE * block.content_length


def is_partial(block: LogBlock) -> bool:
    """Whether the rows of a block have some columns alone."""
    return block.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"


def log_bytes(blocks: Sequence[LogBlock]) -> int:
    """About how many bytes the records of blocks take in memory."""
    plain = (BlockKind.AVRO_DATA, BlockKind.DELETE)
    return sum((1 if block.kind in plain else INFLATED_BLOCK) * block.content_length for block in blocks)
