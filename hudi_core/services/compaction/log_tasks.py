"""Tasks of a log compaction: one log file in the place of many. Rules COMPACT-374 to COMPACT-376."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.avro.outbound import schema_to_avro
from hudi_core.columns.nodes import StructColumn, length
from hudi_core.commit.markers import MarkerKind, marker_step
from hudi_core.commit.statuses import ColumnRange, MergedLogs, WriteStatus, add_written
from hudi_core.data_files.column_ranges import join_ranges, ranges_of_rows
from hudi_core.data_files.file_properties import block_bytes
from hudi_core.data_files.log_file import OWN_TIME_SINCE, LogTarget, no_rows, store_log, with_fields
from hudi_core.engine import Engine
from hudi_core.formats.deletes import DeleteRecords, join_deletes, read_deletes
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock
from hudi_core.formats.log_write import encode_data_blocks, encode_delete_blocks
from hudi_core.index_kinds.file_notes import FileNotes, NotedIndex
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.latest_records import LatestRecords
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.project import leave_out
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tally import Tally
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.transactions.attempts import TaskFiles
from hudi_core.writing.input_files import InputFiles


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
    noted: tuple[NotedIndex, ...] = ()
    tally: Tally | None = None
    """Gets what tasks write; None for a compactor that travels to other processes."""

    def run(self, task: MergeLogs) -> WriteStatus | None:
        """Writes the latest record of each key as it is in its log file; None where there is none. Raises `UnsupportedError`
        where records are merged column by column: what one of them lacks is not known from it alone."""
        status = self._write(task)
        if status is not None and self.noted:
            bare = bare_schema(self.rows)
            time = task.target.instant_time
            status = FileNotes(self.snapshot, self.noted, bare, time).of_status(status)
        if self.tally is not None:
            add_written(self.tally, status, counted=True)
        return status

    def _write(self, task: MergeLogs) -> WriteStatus | None:
        files = InputFiles(Sources(self.snapshot.of_slices(slices_of([task.slice]))))
        with MergedSlices(files).latest_records(task.slice, self.rows) as (latest, blocks):
            rows, deletes = int(np.count_nonzero(latest.rows)), int(np.count_nonzero(latest.deletes))
            if not rows and not deletes:
                return None
            ranges: list[Mapping[str, ColumnRange]] = []
            size = store_log(self.snapshot, task.target, self._blocks(task, latest, blocks, ranges))
            if not rows:
                record = self._choose_stored(latest).record
                ranges.append(ranges_of_rows(no_rows(record), record))
        return WriteStatus(
            task.target.partition,
            task.target.name.file_id,
            task.target.path,
            size,
            rows=rows,
            inserts=0,
            updates=rows,
            deletes=deletes,
            is_log=True,
            previous_instant=task.slice.instant,
            previous_base=None if task.slice.base is None else task.slice.base.name,
            columns=join_ranges(ranges),
            merged=MergedLogs(
                len(task.slice.logs), sum(log.size for log in task.slice.logs), len(blocks), latest.records, rows
            ),
        )

    def _blocks(
        self,
        task: MergeLogs,
        latest: LatestRecords,
        blocks: Sequence[LogBlock],
        ranges: list[Mapping[str, ColumnRange]],
    ) -> Iterator[bytes]:
        """The blocks of rows, then those of deletes. Adds the statistics of the rows to `ranges`."""
        whole, schema = latest.columns.schema, self._choose_stored(latest)
        header = {
            HeaderKey.INSTANT_TIME: task.target.instant_time,
            HeaderKey.SCHEMA: json.dumps(schema_to_avro(schema), separators=(",", ":")),
            HeaderKey.COMPACTED_BLOCK_TIMES: ",".join(_instants(blocks)),
        }

        def columns() -> Iterator[StructColumn]:
            for batch in latest.draw():
                column = self._engine.rows.to_column(self._engine.rows.root(batch), whole.record, "log files")
                assert isinstance(column, StructColumn)
                column = with_fields(column, schema.record)
                ranges.append(ranges_of_rows(column, schema.record))
                yield column

        max_bytes = block_bytes(self.snapshot.config.properties)
        yield from encode_data_blocks(lambda *_: header, columns(), task.target.path, max_bytes)
        if (deletes := _deletes_of(blocks, latest.deletes)) is not None:
            yield from encode_delete_blocks(lambda *_: header, deletes, max_bytes)

    def _choose_stored(self, latest: LatestRecords) -> Schema:
        """The schema of rows in the log file."""
        return leave_out(latest.columns.schema, self.snapshot.config.left_out_columns)

    @cached_property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.snapshot.engine

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def _deletes_of(blocks: Sequence[LogBlock], wins: Bools) -> DeleteRecords | None:
    """The records of delete blocks that win, with their ordering values; `wins` has one flag for each record, in order."""
    parts: list[DeleteRecords] = []
    first = 0
    for block in blocks:
        if block.kind is not BlockKind.DELETE:
            continue
        deletes = read_deletes(block)
        flags = wins[first : first + length(deletes.record_keys)]
        first += len(flags)
        if flags.any():
            parts.append(deletes.keep(flags))
    return join_deletes(parts) if parts else None


def _instants(blocks: Sequence[LogBlock]) -> Iterator[str]:
    """The instants of blocks, each once, in order."""
    yield from dict.fromkeys(block.require(HeaderKey.INSTANT_TIME) for block in blocks)
