"""Tasks of a compaction: the new base file of one slice. Rules COMPACT-364 to COMPACT-367.

The rows are those that a query reads: the reader of slices merges them. A base file is read a batch at a time; the log records of
a slice are held in memory up to a bound, beyond it in files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from hudi_core.commit.markers import MarkerKind, marker_step
from hudi_core.commit.statuses import MergedLogs, WriteStatus, add_written
from hudi_core.data_files.base_file import BaseFileWriter, FileTarget, status_of_base
from hudi_core.data_files.change_log import ChangeLog, change_log_path
from hudi_core.data_files.file_properties import codec_of
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.data_files.waiting import INFLATED, waiting_runner
from hudi_core.engine import Engine, Runner, Storage
from hudi_core.formats.names import parse_base_file
from hudi_core.index_kinds.file_notes import FileNotes, NotedIndex
from hudi_core.metadata.kinds import stores_filters
from hudi_core.options import TableConfig
from hudi_core.parallel.runners import ThreadRunner
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.merged_slices import MAX_LOG_BYTES, MergedSlices
from hudi_core.reading.slice_merge import Changes, SliceMerge
from hudi_core.reading.spilled_merge import SpilledMerge
from hudi_core.schema.meta import bare_schema
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tally import Tally
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.transactions.attempts import TaskFiles
from hudi_core.transactions.filter_logs import with_filter
from hudi_core.writing.input_files import InputFiles

MAX_BYTES: Final = 512 << 20
"""Bytes in memory of all tasks that run at once in this process, roughly."""
_WRITER_BYTES: Final = 320 << 20
"""Bytes in memory for the base files of a task at most: they are read and written a row group at a time."""
_ROW_GROUP_BYTES: Final = 16 << 20
"""Bytes in memory of the rows of a row group. Two are held at once, beside a part of the old base file and of the logs."""
_LOG_INFLATED: Final = 4
"""Bytes in memory for a byte of a log file."""


@dataclass(frozen=True, slots=True)
class CompactSlice:
    """A slice whose log files are merged into a new base file."""

    target: FileTarget
    slice: FileSlice


def files_of_task(config: TableConfig, task: CompactSlice) -> TaskFiles:
    """The files that a task writes."""
    target = task.target
    base = marker_step(target.instant_time, target.path, MarkerKind.MERGE)
    if not config.cdc_enabled:
        return TaskFiles((target.path,), (base,))
    log, kind = change_log_path(target), MarkerKind.CREATE if config.version >= OWN_TIME_SINCE else MarkerKind.APPEND
    return TaskFiles((target.path, log), (base, marker_step(target.instant_time, log, kind)))


@dataclass(frozen=True)
class Compactor:
    """Runs tasks. It can be pickled. `snapshot` has the schemas of the table and none of its slices; `rows` is the schema in
    which rows are merged, `files` that of base files."""

    snapshot: Snapshot
    rows: Schema
    files: Schema
    noted: tuple[NotedIndex, ...] = ()
    tally: Tally | None = None
    """Gets what tasks write; None for a compactor that travels to other processes."""
    files_of_run: int = 0
    """The files of the whole compaction, where statuses of many leave filters in the footers; 0: statuses have them."""

    def run(self, task: CompactSlice) -> WriteStatus:
        """Writes the rows of a slice, those of the old base file in its order, changed ones where they stood. Rows keep their
        commit times. Raises what storage raises."""
        status = self._write(task)
        if self.noted:
            bare = bare_schema(self.rows)
            time = task.target.instant_time
            status = FileNotes(self.snapshot, self.noted, bare, time).of_status(status)
        if self.tally is not None:
            add_written(self.tally, status, counted=True)
        return status

    def _write(self, task: CompactSlice) -> WriteStatus:
        logs_changes = self.snapshot.config.cdc_enabled
        files = InputFiles(Sources(self.snapshot.of_slices(slices_of([task.slice]))))
        merge, blocks = MergedSlices(files).merge(task.slice, self.rows, by_key=logs_changes)
        if not logs_changes:
            return self._base_file(task, merge, blocks, None)
        with ChangeLog(self._engine, self.snapshot, self.rows, task.target, merge.record_keys).open() as changes:
            status = self._base_file(task, merge, blocks, changes)
        return replace(status, change_logs={changes.path: changes.size})

    def _base_file(
        self, task: CompactSlice, merge: SliceMerge | SpilledMerge, blocks: int, changes: Changes | None
    ) -> WriteStatus:
        target, base = task.target, task.slice.base
        stores_keys = self.snapshot.config.populate_meta_fields
        codec = codec_of(self.snapshot.config.properties)
        writer = BaseFileWriter(
            self._engine,
            self.snapshot.storage,
            self.files,
            target,
            stores_keys,
            codec=codec,
            held=_ROW_GROUP_BYTES,
            tally=self.tally,
            left_out=self.snapshot.config.left_out_columns,
        )
        written = writer.rewrite(merge.rewritten(changes))
        status = status_of_base(
            writer,
            written,
            inserts=merge.inserts,
            updates=merge.updates,
            deletes=merge.deletes,
            added_keys=writer.keys,
            previous=None if base is None else parse_base_file(base.name),
        )
        merged = MergedLogs(
            len(task.slice.logs),
            sum(log.size for log in task.slice.logs),
            blocks,
            merge.records,
            merge.updates,
            frozenset(file.name for file in task.slice.files),
        )
        # Keys stay in their file groups: no index asks for them.
        without_keys = replace(status, added_keys=None, merged=merged)
        if not stores_filters(self.snapshot.config.kept_partitions):
            return replace(without_keys, bloom_filter=None, bloom_filter_type=None)
        return with_filter(without_keys, self.files_of_run)

    @cached_property
    def _engine(self) -> Engine[Any, Any, Any]:
        return self.snapshot.engine

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def runner_of(
    engine: Engine[Any, Any, Any],
    storage: Storage,
    slices: Sequence[FileSlice],
    memory: int | None = None,
    *,
    of_logs: bool = False,
) -> Runner:
    """The runner of the tasks of a compaction: in the threads of this process so many at once as memory has room for, which
    `memory` may bound further. Rule COMPACT-379."""
    largest = max((task_bytes(one, of_logs=of_logs) for one in slices), default=0)
    runner = waiting_runner(engine, storage, largest)
    room = max(1, min(MAX_BYTES, memory or MAX_BYTES) // max(largest, 1))
    return ThreadRunner(room) if isinstance(runner, ThreadRunner) and room < runner.parallelism else runner


def task_bytes(file_slice: FileSlice, *, of_logs: bool = False) -> int:
    """About how much memory the task of a slice takes; a log compaction reads no base file."""
    base = 0 if file_slice.base is None or of_logs else file_slice.base.size
    logs = sum(log.size for log in file_slice.logs)
    return min(INFLATED * base, _WRITER_BYTES) + _LOG_INFLATED * min(logs, MAX_LOG_BYTES)
