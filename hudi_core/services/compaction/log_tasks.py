"""Tasks of a log compaction: one log file in the place of many. Rules COMPACT-374 to COMPACT-376."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, StringColumn, StructColumn, length
from hudi_core.columns.slicing import filter_rows
from hudi_core.columns.strings import concat_strings
from hudi_core.commit.markers import MarkerKind, marker_step
from hudi_core.commit.statuses import MergedLogs, WriteStatus, add_written
from hudi_core.data_files.column_ranges import ranges_of_rows
from hudi_core.data_files.log_file import OWN_TIME_SINCE, LogTarget, no_rows, store_log
from hudi_core.engine import Engine
from hudi_core.errors import UnsupportedError
from hudi_core.formats.deletes import DeleteRecords, read_deletes
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.log_write import encode_data_block, encode_delete_block
from hudi_core.index_kinds.expression_values import Expression
from hudi_core.index_kinds.expressions import ExpressionChanges
from hudi_core.merge.records import fold
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.log_records import LogRecords
from hudi_core.reading.merge_columns import MergeColumns
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.schema.meta import without_meta_columns
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tally import Tally
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.transactions.attempts import TaskFiles
from hudi_core.writing.stored_files import StoredFiles


@dataclass(frozen=True, slots=True)
class MergeLogs:
    """A slice with the log files of it that are merged into one."""

    target: LogTarget
    slice: FileSlice


def files_of_task(version: int, task: MergeLogs) -> TaskFiles:
    """The file that a task writes, in a table of this version."""
    kind = MarkerKind.CREATE if version >= OWN_TIME_SINCE else MarkerKind.APPEND
    return TaskFiles((task.target.path,), (marker_step(task.target.instant_time, task.target.path, kind),))


@dataclass(frozen=True)
class LogCompactor:
    """Runs tasks. It can be pickled. `snapshot` has the schemas of the table and none of its slices; `rows` is the schema in
    which rows are merged."""

    snapshot: Snapshot
    rows: Schema
    expressions: tuple[Expression, ...] = ()
    tally: Tally | None = None
    """Gets what tasks write; None for a compactor that travels to other processes."""

    def run(self, task: MergeLogs) -> WriteStatus | None:
        """Writes the latest record of each key as it is in its log file; None where there is none. Raises `UnsupportedError`
        where records are merged column by column: what one of them lacks is not known from it alone."""
        status = self._write(task)
        if status is not None and self.expressions:
            bare = replace(self.rows, record=without_meta_columns(self.rows.record))
            time = task.target.instant_time
            status = ExpressionChanges(self.snapshot, self.expressions, bare, time).of_status(status)
        if self.tally is not None:
            add_written(self.tally, status, counted=True)
        return status

    def _write(self, task: MergeLogs) -> WriteStatus | None:
        files = StoredFiles(Sources(self.snapshot.of_slices(slices_of([task.slice]))))
        columns, records, blocks = MergedSlices(files).log_records(task.slice, self.rows)
        if records.columns > 1 or columns.rules.partial is not None:
            where = f"{self.snapshot.storage.uri}/{task.slice.partition}: {task.slice.file_id}"
            raise UnsupportedError(where, expected="records that are merged as a whole", found="partial updates")
        wins = _winners(columns, records)
        rows = self._rows_of(columns, records, wins)
        deletes = _deletes_of(blocks, wins[records.records.listed])
        deleted = 0 if deletes is None else length(deletes.record_keys)
        if not rows.length and not deleted:
            return None
        header = {
            HeaderKey.INSTANT_TIME: task.target.instant_time,
            HeaderKey.SCHEMA: json.dumps(schema_to_avro(columns.schema), separators=(",", ":")),
            HeaderKey.COMPACTED_BLOCK_TIMES: ",".join(_instants(blocks)),
        }
        content = b""
        if rows.length:
            content += encode_data_block(header, rows, task.target.path)
        if deletes is not None and deleted:
            content += encode_delete_block(header, deletes)
        store_log(self.snapshot, task.target, content)
        return WriteStatus(
            task.target.partition,
            task.target.name.file_id,
            task.target.path,
            len(content),
            rows=rows.length,
            inserts=0,
            updates=rows.length,
            deletes=deleted,
            is_log=True,
            previous_instant=task.slice.instant,
            previous_base=None if task.slice.base is None else task.slice.base.name,
            columns=ranges_of_rows(rows, columns.schema.record),
            merged=MergedLogs(
                len(task.slice.logs),
                sum(log.size for log in task.slice.logs),
                len(blocks),
                len(records.key_ids),
                rows.length,
            ),
        )

    def _rows_of(self, columns: MergeColumns, records: LogRecords, wins: Bools) -> StructColumn:
        """The rows that win, as columns; they keep their meta columns."""
        listed = records.records.listed
        sources = records.records.sources[wins & ~listed, 0].astype(np.int64)
        parts: list[Column] = []
        if len(sources):
            gathered = self._engine.rows.gather(records.batches, [sources] * len(columns.schema.fields), columns.schema)
            parts = [
                self._engine.rows.to_column(self._engine.rows.root(batch), columns.schema.record, "log files")
                for batch in gathered
            ]
        joined = concat_columns(parts, len(sources)) if parts else no_rows(columns.schema.record)
        assert isinstance(joined, StructColumn)
        return joined

    @cached_property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.snapshot.engine

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _winners(columns: MergeColumns, records: LogRecords) -> Bools:
    """Which records win over all others with their key. They are numbered, so that the merge gives their numbers back."""
    count = len(records.key_ids)
    numbered = replace(records.records, sources=np.arange(count, dtype=np.int32)[:, None])
    wins = np.zeros(count, np.bool_)
    if count:
        _, latest = fold(numbered, records.key_ids, columns.rules.precedence, columns.latest)
        wins[latest.sources[:, 0]] = True
    return wins


def _deletes_of(blocks: Sequence[LogBlock], wins: Bools) -> DeleteRecords | None:
    """The records of delete blocks that win, with their ordering values; `wins` has one flag for each record, in order."""
    parts = [read_deletes(block) for block in blocks if block.kind is BlockKind.DELETE]
    parts = [part for part in parts if length(part.record_keys)]
    if not parts:
        return None
    keys, paths = (
        filter_rows(column, wins)
        for column in (
            concat_strings([part.record_keys for part in parts]),
            concat_columns([part.partition_paths for part in parts], len(wins)),
        )
    )
    assert isinstance(keys, StringColumn)
    assert isinstance(paths, StringColumn)
    ordering = filter_rows(concat_columns([part.ordering_values for part in parts], len(wins)), wins)
    return DeleteRecords(keys, paths, ordering)


def _instants(blocks: Sequence[LogBlock]) -> Iterator[str]:
    """The instants of blocks, each once, in order."""
    yield from dict.fromkeys(block.require(HeaderKey.INSTANT_TIME) for block in blocks)
