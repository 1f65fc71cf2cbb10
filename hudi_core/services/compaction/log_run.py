"""Running a plan of a log compaction, in one delta commit. Rules COMPACT-374 to COMPACT-378."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter

from hudi_core.commit.compaction_plans import CompactionPlan, read_plan
from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import list_marked_logs
from hudi_core.commit.statuses import LOG_COMPACT, TableChange, WriteStatus
from hudi_core.data_files.log_file import OWN_TIME_SINCE, log_target
from hudi_core.errors import ConflictError
from hudi_core.index_kinds.file_notes import list_noted_by_run
from hudi_core.parallel.reach import Reach
from hudi_core.schema.meta import bare_schema
from hudi_core.services.compaction.log_tasks import LogCompactor, MergeLogs, files_of_task
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.compaction.result import CompactionResult, plan_result
from hudi_core.services.compaction.run import group_of, list_planned_slices, run_result
from hudi_core.services.compaction.tasks import runner_of
from hudi_core.services.compaction.triggers import last_compaction
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import WRITING
from hudi_core.timeline.instants import COMPACTION, DELTA_COMMIT, Instant, time_order
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.attempts import TaskRuns
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.rollback import roll_back
from hudi_core.transactions.transaction import Transaction, gives_way, resume
from hudi_core.writing.incoming import row_schema


def run_log_plan(table: Table, instant: Instant, options: CompactionOptions) -> CompactionResult:
    """Runs the plan of a requested log compaction, also one of Apache Hudi's. One that a compaction overtook is given up: its log
    file would bring old rows back on top of the new base files.

    Raises `ConflictError` while another run is alive, or where a compaction came meanwhile; the plan stays then.
    """
    begun = perf_counter()
    plan = read_plan(table.timeline, instant)
    if _overtaken_by(table, instant) is not None:
        return _give_up(table, instant, plan, options)
    with resume(
        table, instant, LOG_COMPACT, metadata_steps=metadata_steps, takes_over=options.takes_over, clock=options.clock
    ) as write:
        slices = [one for one in list_planned_slices(write.table, plan) if one.logs]
        statuses = _statuses(write, slices, options)
        kept: list[WriteStatus] = []

        def settle(latest: Table, change: TableChange) -> TableChange:
            newer = _overtaken_by(latest, instant)
            if newer is not None:
                where = f"{latest.storage.uri}: {instant.action} {instant.requested_time}"
                raise ConflictError(where, expected="no compaction since", found=newer.requested_time)
            now = {group_of(one) for one in list_planned_slices(latest, plan)}
            kept[:] = [status for status in change.statuses if (status.partition, status.file_id) in now]
            for status in change.statuses:
                if (status.partition, status.file_id) not in now:
                    latest.storage.delete(status.path)
            return replace(change, statuses=tuple(kept))

        write.commit(TableChange(LOG_COMPACT, DELTA_COMMIT, bare_schema(write.before.schema), statuses), settle)
    return run_result(instant, plan, slices, kept, perf_counter() - begun)


def _statuses(write: Transaction, slices: Sequence[FileSlice], options: CompactionOptions) -> tuple[WriteStatus, ...]:
    table, time, version = write.table, write.instant_time, write.table.config.version
    rows = row_schema(write.before, bare_schema(write.before.schema))
    compactor = LogCompactor(write.before.without_slices(), rows, list_noted_by_run(table, write.before))
    latest = {group_of(one): one for one in table.slices()}
    pending = () if version >= OWN_TIME_SINCE else table.timeline.pending
    taken = list_marked_logs(table.storage, (one.requested_time for one in pending if one.requested_time != time))
    tasks = [
        MergeLogs(log_target(latest[group_of(one)], time, number, version).beside(taken), one)
        for number, one in enumerate(slices)
    ]
    runner = runner_of(table.engine, table.storage, slices, options.bounds.memory, of_logs=True)
    if options.tally is not None:
        options.tally.enter(WRITING, len(tasks) or None)
    runs = TaskRuns(write, runner, options.progress, options.tally)
    if runner.reach is Reach.MEMORY:
        compactor = replace(compactor, tally=options.tally)
    return runs.statuses(compactor.run, tasks, partial(files_of_task, version))


def _overtaken_by(table: Table, instant: Instant) -> Instant | None:
    """A compaction that was requested later, pending or completed."""
    pending = [one for one in table.timeline.pending if one.action == COMPACTION]
    last = last_compaction(table.timeline)
    others = [*pending, *([] if last is None else [last])]
    return next((one for one in others if time_order(one.requested_time) > time_order(instant.requested_time)), None)


def _give_up(table: Table, instant: Instant, plan: CompactionPlan, options: CompactionOptions) -> CompactionResult:
    """Deletes the plan, and what a dead run wrote."""
    with table_lock(table.storage, clock=options.clock):
        latest = refreshed(table)
        pending = [one for one in latest.timeline.pending if one.requested_time == instant.requested_time]
        for one in pending:
            if not gives_way(latest, one, options.clock, takes_over=options.takes_over):
                where = f"{latest.storage.uri}: {one.action} {one.requested_time}"
                raise ConflictError(where, expected="a plan that nobody runs", found="one that is being run")
            roll_back(latest, one, options.clock)
    return replace(plan_result(plan, options, instant.requested_time, "given up"), operations=())
