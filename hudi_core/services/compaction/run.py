"""Running a plan of a compaction, in one commit. Rules COMPACT-364 to COMPACT-369.

Writers go on meanwhile: their log files belong to the new base files (by completion time, in table version 6 by name).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from time import perf_counter

from hudi_core.cluster.groups import slices_by_group
from hudi_core.commit.compaction_plans import CompactionOperation, CompactionPlan, read_plan
from hudi_core.commit.markers import partition_step
from hudi_core.commit.statuses import COMPACT, StagedLogs, TableChange, WriteStatus
from hudi_core.commit.steps import SideBySide, run
from hudi_core.data_files.base_file import FileTarget
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.errors import ConflictError, CorruptFileError
from hudi_core.index_kinds.file_notes import list_noted_by_run
from hudi_core.parallel.flow import FlowRunner
from hudi_core.parallel.reach import Reach
from hudi_core.schema.meta import bare_schema
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.compaction.result import CompactionResult, kind_of
from hudi_core.services.compaction.tasks import Compactor, CompactSlice, files_of_task, runner_of
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.table import Table
from hudi_core.tally import COMMITTING, WRITING
from hudi_core.timeline.instants import COMMIT, Instant
from hudi_core.timeline.recorded_logs import writes_of
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.attempts import TaskRuns
from hudi_core.transactions.filter_logs import stage_filters
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.refusals import refuse_new_indexes
from hudi_core.transactions.transaction import Transaction, resume
from hudi_core.writing.incoming import file_schema, row_schema


def run_plan(table: Table, instant: Instant, options: CompactionOptions) -> CompactionResult:
    """Runs the plan of a requested compaction, also one of Apache Hudi's.

    Slices whose file group was replaced since, or got another base file, are left out. Raises `ConflictError` while another run
    is alive; nothing is changed then, and the plan stays.
    """
    begun = perf_counter()
    plan = read_plan(table.timeline, instant)
    with resume(
        table, instant, COMPACT, metadata_steps=metadata_steps, takes_over=options.takes_over, clock=options.clock
    ) as write:
        slices = list_planned_slices(write.table, plan)
        statuses = _Run(write, options).statuses(slices)
        kept: list[WriteStatus] = []

        def settle(latest: Table, change: TableChange) -> TableChange:
            """The change without slices that others replaced while tasks ran, whose new files are deleted."""
            refuse_new_indexes(write.table, latest, lambda kind: kind.stores_filters)
            now = {group_of(one) for one in list_planned_slices(latest, plan)}
            kept[:] = [status for status in change.statuses if (status.partition, status.file_id) in now]
            for status in change.statuses:
                if (status.partition, status.file_id) in now:
                    continue
                for path in (status.path, *status.change_logs):
                    latest.storage.delete(path)  # before the commit: of a completed one every file is read
            if len(kept) == len(change.statuses):
                return change
            return replace(change, statuses=tuple(kept), staged=_stage(write, kept))

        write.commit(
            TableChange(COMPACT, COMMIT, bare_schema(write.before.schema), statuses, staged=_stage(write, statuses)),
            settle,
        )
    return run_result(instant, plan, slices, kept, perf_counter() - begun)


def _stage(write: Transaction, statuses: Sequence[WriteStatus]) -> StagedLogs | None:
    """The part of the commit in `bloom_filters`, where tasks make it."""
    return stage_filters(write.table, write.instant_time, statuses, write.table.engine.runner)


def list_planned_slices(table: Table, plan: CompactionPlan) -> list[FileSlice]:
    """The slices of a plan with the log files that it names. Those whose file group is gone, or has another base file, are left
    out; in table version 6, where log files name the compaction already, another base file is a `ConflictError`, and those that
    were replaced are compacted, too: a rollback may bring them back. Rule COMPACT-1486."""
    latest = slices_by_group(table.slices())
    if table.config.version < OWN_TIME_SINCE and not plan.of_logs:
        latest |= _list_replaced(table, {operation.group for operation in plan.operations} - latest.keys())
    slices: list[FileSlice] = []
    for operation in plan.operations:
        file_slice = latest.get(operation.group)
        if file_slice is None:
            continue
        if (None if file_slice.base is None else file_slice.base.name) != operation.base:
            _refuse_rewritten(table, operation)
            continue
        names = set(operation.logs)
        logs = tuple(log for log in file_slice.logs if log.name in names)
        _refuse_lost(table, operation, names.difference(log.name for log in logs))
        slices.append(FileSlice(file_slice.partition, file_slice.file_id, operation.instant, file_slice.base, logs))
    return slices


def _list_replaced(table: Table, groups: AbstractSet[FileGroup]) -> dict[FileGroup, FileSlice]:
    """The slices of file groups that were replaced, as if they had not been."""
    replaced = {group: time for group, time in table.timeline.replaced.items() if group in groups}
    if not replaced:
        return {}
    instants = (one for one in table.timeline.instants if one.requested_time not in replaced.values())
    timeline = replace(table.timeline, instants=tuple(instants))
    before = replace(table, timeline=timeline, metadata_mode=MetadataMode.OFF, earlier=None)
    return slices_by_group(one for one in before.slices() if group_of(one) in replaced)


def _refuse_rewritten(table: Table, operation: CompactionOperation) -> None:
    if table.config.version < OWN_TIME_SINCE:
        where = f"{table.storage.uri}: {operation.file_id}"
        found = "another one that was written since"
        raise ConflictError(where, expected=f"the base file of the plan, {operation.base or 'none'}", found=found)


def _refuse_lost(table: Table, operation: CompactionOperation, names: AbstractSet[str]) -> None:
    """Raises `CorruptFileError` for a log file that is gone though its write is there: those of writes that were rolled back
    since may be gone."""
    for name in sorted(names):
        path = f"{operation.partition}/{name}" if operation.partition else name
        if writes_of(table.timeline, path):
            where = f"{table.storage.uri}/{path}"
            raise CorruptFileError(where, expected="a log file that a completed write wrote", found="none")


class _Run:
    """Compacts slices side by side."""

    def __init__(self, write: Transaction, options: CompactionOptions) -> None:
        self._write, self._options = write, options
        bare = bare_schema(write.before.schema)
        rows, noted = row_schema(write.before, bare), list_noted_by_run(write.table, write.before)
        self._compactor = Compactor(write.before.without_slices(), rows, file_schema(bare), noted)

    def statuses(self, slices: Sequence[FileSlice]) -> tuple[WriteStatus, ...]:
        """What became of each slice, in their order; the new base files are written by then. Raises what a task raises."""
        table, time = self._write.table, self._write.instant_time
        tasks = [
            CompactSlice(FileTarget(one.partition, one.file_id, time, number), one) for number, one in enumerate(slices)
        ]
        run(table.storage, [SideBySide(tuple(partition_step(one.partition, time) for one in slices))])
        runner = runner_of(table.engine, table.storage, slices, self._options.bounds.memory)
        tally, here = self._options.tally, runner.reach is Reach.MEMORY
        if tally is not None:
            tally.enter(WRITING, len(tasks) or None)
        runs = TaskRuns(self._write, runner, self._options.progress, tally)
        leaving = len(tasks) if isinstance(table.engine.runner, FlowRunner) else 0
        compactor = replace(self._compactor, tally=tally) if here else replace(self._compactor, files_of_run=leaving)
        statuses = runs.statuses(compactor.run, tasks, partial(files_of_task, table.config))
        if tally is not None:
            tally.enter(COMMITTING)
        return statuses


def run_result(
    instant: Instant,
    plan: CompactionPlan,
    slices: Sequence[FileSlice],
    statuses: Sequence[WriteStatus],
    seconds: float,
) -> CompactionResult:
    """The result of a plan that ran."""
    written = {(status.partition, status.file_id) for status in statuses}
    merged: Mapping[FileGroup, FileSlice] = {group_of(one): one for one in slices if group_of(one) in written}
    return CompactionResult(
        instant.requested_time,
        "completed",
        kind_of(of_logs=plan.of_logs),
        None,
        slices=len(merged),
        slices_dropped=len(plan.operations) - len(merged),
        log_files=sum(len(one.logs) for one in merged.values()),
        rows=sum(status.rows for status in statuses),
        updated=sum(status.updates for status in statuses),
        inserted=sum(status.inserts for status in statuses),
        deleted=sum(status.deletes for status in statuses),
        bytes_in=sum(file.size for one in merged.values() for file in one.files),
        bytes_out=sum(status.size for status in statuses),
        seconds=round(seconds, 3),
    )


def group_of(file_slice: FileSlice) -> FileGroup:
    """The file group of a slice."""
    return file_slice.partition, file_slice.file_id
