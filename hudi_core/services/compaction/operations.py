"""`compact`: planning a compaction, and running it. Rules COMPACT-353 to COMPACT-369."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from hudi_core.commit.compaction_plans import encode_plan, read_plan
from hudi_core.commit.lock import table_lock
from hudi_core.commit.steps import Create, run
from hudi_core.commit.times import next_time
from hudi_core.errors import HudiError, UsageError, list_times
from hudi_core.services.bounds import PutOff
from hudi_core.services.compaction.bounds import bound, lacking_memory
from hudi_core.services.compaction.log_run import run_log_plan
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.compaction.planner import plan_compaction, refuse_writers
from hudi_core.services.compaction.refusals import refuse_uncompactable
from hudi_core.services.compaction.result import PUT_OFF, CompactionResult, nothing_done, plan_result
from hudi_core.services.compaction.run import run_plan
from hudi_core.services.compaction.triggers import is_due
from hudi_core.table.open import look_to_plan, refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMPACTION, LOG_COMPACTION, Instant, InstantFiles, InstantState, describe_time
from hudi_core.transactions.rollback import roll_back_failed
from hudi_core.transactions.taking_back import take_back_plan
from hudi_core.transactions.transaction import gives_way


def compact(table: Table, options: CompactionOptions | None = None) -> CompactionResult:
    """Merges log files into base files, or with `of_logs` into fewer log files, in one commit.

    If a plan waits that nobody runs, that plan is run; otherwise a plan is made and run. If there is nothing to compact,
    nothing is written. Without options those count that the table's properties state. Rows keep their commit times. `table`
    still shows what it showed; `refreshed` shows the commit. If a run fails, its plan is removed, unless it waited before or
    writers have begun since.

    Raises `UnsupportedError` for a table that is not compacted, and `ConflictError` where a write is under way in table version
    6.
    """
    latest = look_to_plan(table)
    settings = options or _read_stated(latest)
    refuse_uncompactable(latest)
    waiting = _waiting(latest, settings)
    if settings.dry_run:
        return _show(latest, waiting, settings)
    if waiting is not None:
        plan = read_plan(latest.timeline, waiting)
        if (lacking := lacking_memory(latest, plan, settings)).pieces:
            return plan_result(plan, settings, waiting.requested_time, PUT_OFF).with_put_off(lacking)
        return _run(latest, waiting, settings)
    instant, put_off = schedule(latest, settings)
    if instant is None:
        return _nothing(latest, settings, put_off)
    try:
        done = _run(refreshed(latest), instant, settings)
        return replace(done, strategy=settings.strategy).with_put_off(put_off)
    except BaseException:
        # Whatever ended the run is the error that counts; a plan that writers count on waits to be run.
        with suppress(HudiError):
            take_back_plan(latest, instant, settings.clock)
        raise


def plan_only(table: Table, options: CompactionOptions | None = None) -> CompactionResult:
    """Requests a plan and leaves it to be run, here or by Apache Hudi. Raises as `compact` does."""
    latest = look_to_plan(table)
    settings = options or _read_stated(latest)
    refuse_uncompactable(latest)
    if settings.dry_run:
        return _show(latest, None, settings)
    instant, put_off = schedule(latest, settings)
    if instant is None:
        return _nothing(latest, settings, put_off)
    plan = read_plan(refreshed(latest).timeline, instant)
    return plan_result(plan, settings, instant.requested_time, "requested").with_put_off(put_off)


def run_requested(table: Table, requested_time: str, options: CompactionOptions | None = None) -> CompactionResult:
    """Runs a plan that waits, of this library or of Apache Hudi. Raises as `run.run_plan` does."""
    latest = look_to_plan(table)
    settings = options or _read_stated(latest)
    refuse_uncompactable(latest)
    instant = pending_compaction(latest, requested_time)
    if settings.dry_run:
        return _show(latest, instant, settings)
    return _run(latest, instant, settings)


def _run(table: Table, instant: Instant, options: CompactionOptions) -> CompactionResult:
    runs = run_log_plan if instant.action == LOG_COMPACTION else run_plan
    return runs(table, instant, options)


def schedule(table: Table, options: CompactionOptions) -> tuple[Instant | None, PutOff]:
    """Makes a plan and requests it, and tells what bounds put off; None where nothing is to compact, or with `if_due` where it is
    not due. `table` is as it is now; the plan is made under its lock: every commit is before it or after it."""
    if options.if_due and not is_due(table, options):
        return None, PutOff()
    plan, put_off = bound(table, plan_compaction(table, options), options)
    if not plan.operations:
        return None, put_off
    with table_lock(table.storage, clock=options.clock):
        healed = roll_back_failed(refreshed(table), options.clock)
        if not options.of_logs:
            refuse_writers(healed)
        plan, put_off = bound(healed, plan_compaction(healed, options), options)
        if not plan.operations:
            return None, put_off
        time, action = next_time(healed.timeline, options.clock), LOG_COMPACTION if options.of_logs else COMPACTION
        files = InstantFiles(healed.timeline.folder, healed.config.layout, time, action)
        run(healed.storage, [Create(files.requested, encode_plan(plan))])
    return Instant(time, action, InstantState.REQUESTED, None, files.requested.rpartition("/")[2]), put_off


def pending_compaction(table: Table, requested_time: str) -> Instant:
    """The compaction or log compaction that was requested at a time and is not completed; `UsageError` where there is none."""
    compactions = [instant for instant in table.timeline.pending if instant.action in (COMPACTION, LOG_COMPACTION)]
    for instant in compactions:
        if instant.requested_time == requested_time:
            return instant
    waiting = list_times([instant.requested_time for instant in compactions])
    raise UsageError(
        "instant", expected=f"a compaction that is not completed ({waiting})", found=describe_time(requested_time)
    )


def _read_stated(table: Table) -> CompactionOptions:
    """The options that a table's properties state, for a compaction that somebody asks for."""
    return CompactionOptions.on_request(None, table.config.properties)


def _waiting(table: Table, options: CompactionOptions) -> Instant | None:
    """The oldest plan of the kind that nobody runs."""
    action = LOG_COMPACTION if options.of_logs else COMPACTION
    compactions = (instant for instant in table.timeline.pending if instant.action == action)
    idle = (one for one in compactions if gives_way(table, one, options.clock, takes_over=options.takes_over))
    return next(idle, None)


def _show(table: Table, waiting: Instant | None, options: CompactionOptions) -> CompactionResult:
    """What would be done; nothing is written."""
    if waiting is not None:
        return plan_result(read_plan(table.timeline, waiting), options, waiting.requested_time, "requested")
    if options.if_due and not is_due(table, options):
        return _nothing(table, options, PutOff())
    plan, put_off = bound(table, plan_compaction(table, options), options)
    if not plan.operations:
        return _nothing(table, options, put_off)
    return plan_result(plan, options, None, "planned").with_put_off(put_off)


def _nothing(table: Table, options: CompactionOptions, put_off: PutOff) -> CompactionResult:
    if put_off.pieces:
        return nothing_done(options, PUT_OFF).with_put_off(put_off)
    is_early = options.if_due and not is_due(table, options)
    return nothing_done(options, "not due" if is_early else "nothing to compact")
