"""Rewriting the groups of a plan, in one replace commit. Rules CLUSTER-10 to CLUSTER-15.

Each group's rows are read once, merged with their log records, and distributed to the files of its layout; tasks then order and
write one file each. Memory holds a few runs of rows while they are read (`sorted_rows.RUN_ROWS`), then for each task that runs
the sort columns of one file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any

from hudi_core.cluster.conflicts import select_unchanged_groups
from hudi_core.cluster.exchanged import Exchange, Group
from hudi_core.cluster.groups import slices_by_group
from hudi_core.cluster.layout import TOO_LARGE, Layout, layout
from hudi_core.cluster.notes import NOTE, note
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import OPERATION, ClusteringPlan, PlannedGroup, read_plan
from hudi_core.cluster.predictions import PREDICTIONS, encode_gains
from hudi_core.cluster.reader import RowReader
from hudi_core.cluster.refusals import refuse_joined
from hudi_core.cluster.result import ClusterResult
from hudi_core.cluster.sample import draw_sample
from hudi_core.cluster.sort_keys import refuse_unsortable
from hudi_core.cluster.sorted_rows import RowRuns, SortedRows, sort_rows
from hudi_core.commit.markers import MarkerKind, marker_step, partition_step
from hudi_core.commit.statuses import StagedLogs, TableChange, WriteStatus, add_written
from hudi_core.commit.steps import SideBySide, run
from hudi_core.data_files.base_file import FileTarget
from hudi_core.data_files.file_properties import codec_of
from hudi_core.data_files.spool import Spool
from hudi_core.errors import ConflictError
from hudi_core.index_kinds.after_write import slice_after, snapshot_after
from hudi_core.index_kinds.file_notes import list_noted_by_run
from hudi_core.parallel.flow import FlowRunner
from hudi_core.parallel.reach import Reach
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.meta import COMMIT_SEQNO, COMMIT_TIME, FILE_NAME, bare_schema
from hudi_core.schema.project import project
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import has_simple_buckets, new_file_prefix
from hudi_core.tally import COMMITTING, WRITING
from hudi_core.timeline.instants import REPLACE_COMMIT, Instant
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.attempts import Attempts, TaskFiles, TaskRuns, delete_others
from hudi_core.transactions.filter_logs import join_staged, stage_filters
from hudi_core.transactions.key_exchange import plan_exchange
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.refusals import refuse_new_indexes
from hudi_core.transactions.reports import keep_needed
from hudi_core.transactions.transaction import Transaction, resume
from hudi_core.writing.incoming import file_schema, row_schema
from hudi_core.writing.tasks import NewFile, TaskRunner


@dataclass(frozen=True, slots=True, eq=False)
class WriteSorted:
    """A new file with rows of one file of a group."""

    target: FileTarget
    rows: RowRuns


@dataclass(frozen=True, slots=True)
class GroupWriter:
    """Writes the files of one group. It can be pickled. `kept` are the partitions of the metadata table that a commit writes."""

    sorted: SortedRows
    runner: TaskRunner
    kept: frozenset[str]

    def run(self, task: WriteSorted) -> WriteStatus | None:
        """Orders the rows of one file, and writes them as they are."""
        rows = self.sorted.order(task.rows.numbers())
        status = self.runner.run(NewFile(task.target, rows, combine=False))
        return None if status is None else keep_needed(status, self.kept)


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """One group after its run."""

    group: PlannedGroup
    slices: tuple[FileSlice, ...]
    statuses: tuple[WriteStatus, ...]


def run_plan(table: Table, instant: Instant, options: ClusterOptions) -> ClusterResult:
    """Runs the plan of a requested clustering, also one of Apache Hudi's.

    Groups that a writer changed since the plan was made are left out. Raises `ConflictError` where that leaves none, or
    while another run is alive; nothing is changed then, and the plan stays.
    """
    begun = perf_counter()
    with resume(table, instant, OPERATION, metadata_steps=metadata_steps, clock=options.clock) as write:
        plan = read_plan(write.table.timeline, instant)
        slices = slices_by_group(write.table.slices())
        groups = select_unchanged_groups(plan, slices)
        _refuse_none(write.table, instant, groups)
        refuse_joined(write.table, groups)
        rewritten = list(_Run(write, plan, slices, options).groups(groups))
        written: list[Rewritten] = []

        def settle(latest: Table, change: TableChange) -> TableChange:
            refuse_new_indexes(write.table, latest, lambda kind: kind.locates_keys or kind.stores_filters)
            now = slices_by_group(latest.slices())
            written[:] = [group for group in rewritten if all(now.get(_group(old)) == old for old in group.slices)]
            _refuse_none(latest, instant, written)
            logs = staged if len(written) == len(rewritten) else _stage(write, written)
            kept = {status.path for group in written for status in group.statuses}
            for status in change.statuses:
                if status.path not in kept:  # before the commit: of a completed one every file is read
                    latest.storage.delete(status.path)
            return _change(write, plan, written, logs)

        staged = _stage(write, rewritten)
        write.commit(_change(write, plan, rewritten, staged), settle)
    return _result(instant, plan, written, perf_counter() - begun)


def _result(instant: Instant, plan: ClusteringPlan, written: Sequence[Rewritten], seconds: float) -> ClusterResult:
    statuses = [status for group in written for status in group.statuses]
    inputs = [file for group in written for file_slice in group.slices for file in file_slice.files]
    return ClusterResult(
        instant.requested_time,
        "completed",
        plan.strategy,
        plan.columns,
        groups=len(written),
        groups_dropped=len(plan.groups) - len(written),
        files_in=sum(len(group.slices) for group in written),
        files_out=len(statuses),
        rows=sum(status.rows for status in statuses),
        bytes_in=sum(file.size for file in inputs),
        bytes_out=sum(status.size for status in statuses),
        seconds=round(seconds, 3),
    )


class _Run:
    """Rewrites groups, one after the other; the files of one side by side."""

    def __init__(
        self, write: Transaction, plan: ClusteringPlan, slices: Mapping[FileGroup, FileSlice], options: ClusterOptions
    ) -> None:
        self._write, self._plan, self._slices, self._options = write, plan, slices, options
        table, schema = write.table, write.before.schema
        bare = bare_schema(schema)
        self._rows = row_schema(write.before, bare)
        self._sources = Sources(write.before)
        self._paths = tuple(schema.get(name).path for name in plan.columns)
        refuse_unsortable(schema, self._paths)
        self._apart = has_simple_buckets(table)
        self._runner = TaskRunner(
            write.before.without_slices(), self._rows, file_schema(bare), Spool(table.engine, self._rows),
            keeps_marked=True, noted=list_noted_by_run(table, write.before), codec=codec_of(table.config.properties),
            tally=options.tally if table.engine.runner.reach is Reach.MEMORY else None,
        )  # fmt: skip
        self._tasks = 0

    def groups(self, groups: Sequence[PlannedGroup]) -> Iterator[Rewritten]:
        storage, time, runner = self._write.table.storage, self._write.instant_time, self._write.table.engine.runner
        partitions = dict.fromkeys(one.partition for group in groups for one in self._slices_of(group))
        run(storage, [SideBySide(tuple(partition_step(partition, time) for partition in partitions))])
        rewritten = self._exchange(runner, groups) if isinstance(runner, FlowRunner) else map(self._rewritten, groups)
        planned, done, statuses = sum(group.outputs for group in groups), 0, list[WriteStatus]()
        tally = self._options.tally
        if tally is not None:
            tally.enter(WRITING, planned or None)
        for one in rewritten:
            done += one.group.outputs
            if tally is not None and self._runner.tally is None:
                for status in one.statuses:
                    add_written(tally, status, counted=False)
            if self._options.progress is not None:
                self._options.progress(done, planned)
            statuses += one.statuses
            yield one
        if runner.reach is not Reach.MEMORY:
            delete_others(self._write, statuses)
        if tally is not None:
            tally.enter(COMMITTING)

    def _exchange(self, runner: FlowRunner, planned: Sequence[PlannedGroup]) -> Iterator[Rewritten]:
        """The groups, rewritten by tasks that exchange their rows."""
        attempts = Attempts(self._write.table.storage, self._write.instant_time)
        files = sum(group.outputs for group in planned)
        exchange = Exchange(runner, self._reader, self._runner, attempts, self._plan.strategy, self._paths, files)
        waiting = iter(planned)
        for some in exchange.rounds([Group(self._slices_of(group), group.outputs) for group in planned]):
            prefixes = [self._file_prefix(group.slices) for group in some]
            for group, statuses in zip(some, exchange.rewritten(some, prefixes), strict=True):
                yield Rewritten(next(waiting), group.slices, statuses)

    def _count_read(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            if self._options.tally is not None:
                self._options.tally.add(read=self._write.table.engine.rows.count(batch))
            yield batch

    def _file_prefix(self, slices: Sequence[FileSlice]) -> str:
        return new_file_prefix(slices[0].file_id if self._apart else None)

    def _slices_of(self, group: PlannedGroup) -> tuple[FileSlice, ...]:
        return tuple(self._slices[one.group] for one in group.slices)

    def _rewritten(self, group: PlannedGroup) -> Rewritten:
        table, time, slices = self._write.table, self._write.instant_time, self._slices_of(group)
        batches, order, folder = self._reader.batches(slices), self._layout(group, slices), self._options.spool_folder
        batches = self._count_read(batches)
        made = sort_rows(table.engine, self._rows, batches, order, self._paths, folder=folder)
        with closing(made.spool):
            partition, prefix = slices[0].partition, self._file_prefix(slices)
            tasks = [
                WriteSorted(FileTarget(partition, f"{prefix}-{number}", time, self._tasks + number), part)
                for number, part in enumerate(_parts(made, group.outputs))
            ]
            self._tasks += len(tasks)
            writer = GroupWriter(made, replace(self._runner, spool=made.spool), frozenset(table.config.kept_partitions))
            written = list(TaskRuns(self._write, table.engine.runner).results(writer.run, tasks, files_of_task))
        return Rewritten(group, slices, tuple(status for status in written if status is not None))

    def _layout(self, group: PlannedGroup, slices: Sequence[FileSlice]) -> Layout | None:
        if not self._paths:
            return None
        schema = self._write.before.schema
        sample = draw_sample(self._sources, slices, project(schema, self._paths))
        return None if sample.rows == 0 else layout(self._plan.strategy, sample.keys(self._paths), group.outputs)

    @cached_property
    def _reader(self) -> RowReader:
        table, blank = self._write.table, set[str]()
        if table.config.populate_meta_fields:
            blank |= {FILE_NAME}.difference(path[0] for path in self._paths)
            if not self._plan.preserves_commit_times:
                blank |= {COMMIT_TIME, COMMIT_SEQNO}
        return RowReader(self._write.before.without_slices(), self._rows, frozenset(blank))


def files_of_task(task: WriteSorted) -> TaskFiles:
    """The file that a task writes."""
    target = task.target
    return TaskFiles((target.path,), (marker_step(target.instant_time, target.path, MarkerKind.CREATE),))


def _parts(rows: SortedRows, outputs: int) -> list[RowRuns]:
    """The rows of each file that is written. Without a layout files are cut by number alone."""
    even = -(-rows.spool.rows // outputs)
    limit = even if rows.layout is None else TOO_LARGE * even
    of_files = (runs.split(even) if runs.rows > limit else [runs] for runs in rows.files)
    return [part for parts in of_files for part in parts if part.rows]


def _stage(write: Transaction, groups: Sequence[Rewritten]) -> StagedLogs | None:
    """The parts of the commit that tasks make of the new files: of the record index, whose keys they exchange, and of
    `bloom_filters`; None where statuses have what indexes need. Rules META-1055, META-1170."""
    table, time, runner = write.table, write.instant_time, write.table.engine.runner
    if not isinstance(runner, FlowRunner):
        return None
    statuses = [status for group in groups for status in group.statuses]
    keys, partitions = sum(status.rows for status in statuses), {status.partition for status in statuses}
    attempts = Attempts(table.storage, time, of_commit=True)
    filters = stage_filters(table, time, statuses, runner)
    exchange = plan_exchange(table, attempts, partitions, keys, runner.parallelism)
    if exchange is None:
        return filters
    before = write.before.without_slices()
    after = replace(exchange, snapshot=snapshot_after(before, bare_schema(before.schema), time))
    return join_staged(after.add(runner, [slice_after(status, None, time) for status in statuses])[1], filters)


def _change(
    write: Transaction, plan: ClusteringPlan, groups: Sequence[Rewritten], staged: StagedLogs | None
) -> TableChange:
    replaced: dict[str, list[str]] = {}
    for one in groups:
        for old in one.slices:
            replaced.setdefault(old.partition, []).append(old.file_id)
    extra = {NOTE: note(plan.strategy, plan.columns)}
    if plan.gains and len(groups) == len(plan.groups):  # with fewer groups the prediction is of something else
        extra[PREDICTIONS] = encode_gains(plan.gains)
    # The new files give every record key of the replaced file groups its new location, so no key has to be removed.
    return TableChange(
        OPERATION,
        REPLACE_COMMIT,
        bare_schema(write.before.schema),
        tuple(status for one in groups for status in one.statuses),
        {partition: tuple(ids) for partition, ids in replaced.items()},
        extra=extra,
        staged=staged,
    )


def _refuse_none(table: Table, instant: Instant, groups: Sequence[object]) -> None:
    if not groups:
        where = f"{table.storage.uri}: {instant.action} {instant.requested_time}"
        raise ConflictError(
            where, expected="a file group that nobody has changed since the plan was made", found="none"
        )


def _group(file_slice: FileSlice) -> FileGroup:
    return file_slice.partition, file_slice.file_id
