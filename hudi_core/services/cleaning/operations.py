"""`clean`: planning a clean, and running it. Rules CLEAN-404 to CLEAN-408."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from hudi_core.commit.lock import table_lock
from hudi_core.commit.staged_rows import delete_abandoned_rows
from hudi_core.commit.steps import Create, Delete, run
from hudi_core.commit.times import next_time, time_of
from hudi_core.errors import HudiError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.services.cleaning.options import CleanOptions, CleanSettings, clean_settings
from hudi_core.services.cleaning.plan import encode_plan
from hudi_core.services.cleaning.planner import Planned, plan_clean
from hudi_core.services.cleaning.result import NOTHING, CleanedFile, CleanResult
from hudi_core.services.cleaning.retention import earlier_cleans
from hudi_core.services.cleaning.run import pending_cleans, run_clean
from hudi_core.table.open import look_to_plan, refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import CLEAN, Instant, InstantFiles, InstantState, time_order
from hudi_core.timeline.timeline import Timeline
from hudi_core.transactions.refusals import refuse_unwritable
from hudi_core.transactions.rollback import roll_back_failed
from hudi_core.transactions.taking_back import take_back_plan

_ATTEMPTS: Final = 3
"""Plans that are made while writers continue. The one after them is made while writers wait."""


def clean(table: Table, options: CleanOptions | None = None) -> CleanResult:
    """Deletes the files that no query needs any more by the policy. Cleans that died are finished first. Rows that wait for the
    commit of a dead write are deleted, too.

    The states of the table since the first write that is retained stay readable, and so do savepoints and what pending services
    are going to read. `table` still shows what it showed.

    Raises `UnsupportedError` for a table that this library does not write to and while a restore is under way, `UsageError` for
    a property with an impossible value, and `CorruptFileError` where a savepoint or a pending plan cannot be read. Then no file
    is deleted.
    """
    settings = options or CleanOptions()
    latest = look_to_plan(table)
    refuse_unwritable(latest, merges=False)
    rule = clean_settings(latest.config, settings)
    if settings.dry_run:
        return _foreseen(latest, plan_clean(latest, rule, settings.clock), rule)
    latest = _without_empty(latest, settings)
    delete_abandoned_rows(latest.storage, settings.clock)
    finished = [run_clean(latest, instant, settings) for instant in pending_cleans(latest)]
    names = tuple(one.instant for one in finished if one.instant is not None)
    instant = schedule(latest, settings)
    if instant is not None:
        try:
            return replace(run_clean(latest, instant, settings), finished=names)
        except BaseException:
            # Whatever ended the run is the error that counts; of a plan that has deleted files, the next clean deletes the rest.
            with suppress(HudiError):
                take_back_plan(latest, instant, settings.clock)
            raise
    if finished:
        return replace(finished[-1], finished=names)
    return CleanResult(None, NOTHING, rule.policy, _still_retained(refreshed(latest), rule))


def _without_empty(table: Table, options: CleanOptions) -> Table:
    """The table after completed cleans without a record, which a writer left that died, are pending again."""
    empty = [one for one in table.timeline.instants if one.action == CLEAN and one.completed and one.size == 0]
    if not empty:
        return table
    with table_lock(table.storage, clock=options.clock):
        run(table.storage, [Delete(f"{table.timeline.folder}/{instant.file}") for instant in empty])
    return refreshed(table)


def run_requested(table: Table, requested_time: str, options: CleanOptions | None = None) -> CleanResult:
    """Runs a clean that is planned, by this library or by Apache Hudi. Raises as `run.run_clean` does."""
    latest = look_to_plan(table)
    refuse_unwritable(latest, merges=False)
    return run_clean(
        latest, Instant(requested_time, CLEAN, InstantState.REQUESTED, None, ""), options or CleanOptions()
    )


def schedule(table: Table, options: CleanOptions) -> Instant | None:
    """Makes a plan and requests it; None where there is nothing to delete. It can be run later, by Apache Hudi too.

    Writes that died are rolled back first. Where writers change the table faster than a plan is made, they wait while it is.
    Raises as `clean` does.
    """
    settings = clean_settings(table.config, options)
    for attempt in range(_ATTEMPTS + 1):
        latest = look_to_plan(table)
        planned = None if attempt == _ATTEMPTS else plan_clean(latest, settings, options.clock)
        with table_lock(table.storage, clock=options.clock):
            healed = roll_back_failed(refreshed(latest), options.clock)
            refuse_unwritable(healed, merges=False)
            if pending_cleans(healed) and not settings.several:
                return None
            if planned is None:
                planned = plan_clean(healed, settings, options.clock)
            elif healed.timeline.instants != latest.timeline.instants or (healed is not latest and not latest.warnings):
                continue  # the metadata table changed, too, or it alone
            if planned.plan.is_empty and not _empty_is_due(healed.timeline, planned, settings, options):
                return None
            return _request(healed, planned, options)
    return None


def is_due(table: Table, options: CleanOptions) -> bool:
    """Whether so many writes completed since the last clean was planned that the next one is due."""
    settings = clean_settings(table.config, options)
    last = earlier_cleans(table.timeline).last
    since = "" if last is None else time_order(last.last_completed)
    count = sum(time_order(instant.requested_time) > since for instant in table.timeline.commits)
    return settings.automatic and count >= settings.trigger_commits


def _request(table: Table, planned: Planned, options: CleanOptions) -> Instant:
    """The requested instant of a plan, which is written; the table's lock is held."""
    time = next_time(table.timeline, options.clock)
    files = InstantFiles(table.timeline.folder, table.config.layout, time, CLEAN)
    run(table.storage, [Create(files.requested, encode_plan(planned.plan, table.storage))])
    return Instant(time, CLEAN, InstantState.REQUESTED, None, files.requested.rpartition("/")[2])


def _empty_is_due(timeline: Timeline, planned: Planned, settings: CleanSettings, options: CleanOptions) -> bool:
    """Whether a clean that deletes nothing is to be recorded, so that the next one looks at fewer partitions."""
    if settings.empty_after_hours is None or planned.plan.retained is None or not settings.incremental:
        return False
    last = earlier_cleans(timeline).last_time
    due = time_of(options.clock() - timedelta(hours=settings.empty_after_hours), timeline.zone)
    return last is None or time_order(last) < due


def _still_retained(table: Table, settings: CleanSettings) -> str | None:
    """Since when every state stays readable, where nothing is deleted; None where the policy counts versions."""
    return None if settings.policy.counts_versions else earlier_cleans(table.timeline).retained


def _foreseen(table: Table, planned: Planned, settings: CleanSettings) -> CleanResult:
    """The result of a dry run."""
    files = tuple(_name_files(table, planned))
    retained = planned.plan.retained
    return CleanResult(
        None,
        NOTHING if planned.plan.is_empty else "planned",
        planned.plan.policy,
        retained.time if retained is not None else _still_retained(table, settings),
        files=len(files),
        bytes=planned.bytes,
        partitions_deleted=planned.plan.partitions,
        planned=files,
    )


def _name_files(table: Table, planned: Planned) -> Iterator[CleanedFile]:
    for one in planned.versions:
        for row in one.version.rows:
            info = planned.files.info(row)
            made_by = _find_maker(table, info.path)
            yield CleanedFile(one.group.partition, info.name, made_by, info.size, one.reason)


def _find_maker(table: Table, path: str) -> str:
    """The write that made a file. Names of log files of layout 1 do not state it: their first block does."""
    name = path.rpartition("/")[2]
    base, log = parse_base_file(name), parse_log_file(name)
    if base is not None:
        return base.instant
    assert log is not None
    if table.config.layout == 1 and table.storage.exists(path):
        for block in read_blocks(table.storage.open(path)):
            if (time := block.header.get(HeaderKey.INSTANT_TIME)) is not None:
                return time
    return log.instant
