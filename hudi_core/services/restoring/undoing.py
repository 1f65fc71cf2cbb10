"""Undoing one completed write that nothing builds on, wherever it is on the timeline. Rules ROLLBACK-571 to ROLLBACK-574."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.arguments import take_flag
from hudi_core.commit.lock import table_lock
from hudi_core.commit.times import Clock, system_clock
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.index_builds.removal import remove_partitions
from hudi_core.metadata.table import FILES
from hudi_core.metadata_writer.undo import refuse_mixed
from hudi_core.services.restoring.rebuilding import build_anew, rebuild_after_failure
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import Tally, refuse_other_tally
from hudi_core.timeline.instants import Instant
from hudi_core.transactions.dependents import refuse_dependents
from hudi_core.transactions.old_versions import refuse_read_only
from hudi_core.transactions.refusals import refuse_restoring, refuse_unwritable_properties
from hudi_core.transactions.rollback import (
    find_completed_write,
    list_failed_writes,
    refuse_wide_statistics,
    roll_back_completed,
    roll_back_dead,
    roll_back_failed,
)
from hudi_core.transactions.rollback_plans import RollbackPlan, rollback_plan


def rollback(
    table: Table,
    instant: str | None = None,
    *,
    failed: bool = False,
    dry_run: bool = False,
    clock: Clock = system_clock,
    tally: Tally | None = None,
) -> list[RollbackPlan]:
    """Undoes a completed write that nothing builds on, by its requested time, or with `failed` all writes that died. Gives what
    was undone; `table` still shows what it showed. A dry run gives what would be undone, and changes nothing. `tally` gets how
    many of the files are deleted.

    The metadata table loses the write's records. Where these cannot be taken out of it (it was compacted since, an index was
    built since, or statistics of its partitions were recorded since) it is dropped first, and built anew with the indexes that
    it had. Writers that are alive are left alone.

    Raises `UsageError` unless one of both is given, for a time that is no completed write of the active timeline, for one with
    a savepoint, or one after it, for one that later instants build on, which are named, and where a clean deleted what the
    write had taken the place of. Then nothing is changed.
    """
    refuse_other_tally(tally)
    failed, dry_run = take_flag("failed", failed), take_flag("dry_run", dry_run)
    if (instant is None) == (not failed):
        found = "both" if failed else "neither"
        raise UsageError("rollback", expected="either an instant or `failed`", found=found)
    if dry_run:
        return _foresee(refreshed(table), instant, clock)
    if instant is None:
        return roll_back_dead(table, clock, tally)
    kept: tuple[str, ...] = ()
    with rebuild_after_failure(table, clock) as dropped, table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        _refuse_unwritable(latest)
        find_completed_write(latest, instant)
        latest = roll_back_failed(latest, clock, tally)
        commit = find_completed_write(latest, instant)
        refuse_dependents(latest, commit)
        if _is_mixed(latest, commit):
            kept = tuple(sorted(latest.config.kept_partitions))
            dropped.extend(kept)
            remove_partitions(latest, {FILES})
            latest = refreshed(latest)
        undone = roll_back_completed(latest, instant, clock, tally)
    return [replace(undone, rebuilt=build_anew(refreshed(table), kept, clock))]


def _foresee(latest: Table, instant: str | None, clock: Clock) -> list[RollbackPlan]:
    """What a rollback would undo. Rule ROLLBACK-1360."""
    _refuse_unwritable(latest)
    if instant is None:
        return [rollback_plan(latest, write) for write in list_failed_writes(latest, clock)]
    commit = find_completed_write(latest, instant)
    refuse_dependents(latest, commit)
    rebuilt = tuple(sorted(latest.config.kept_partitions)) if _is_mixed(latest, commit) else ()
    return [replace(rollback_plan(latest, commit), rebuilt=rebuilt)]


def _refuse_unwritable(latest: Table) -> None:
    """Raises `UnsupportedError` for a table that this library must not write to, `ConflictError` while a restore is under way."""
    refuse_read_only(latest.config, latest.storage.uri)
    refuse_unwritable_properties(latest.config, latest.storage.uri)
    refuse_restoring(latest)


def _is_mixed(table: Table, commit: Instant) -> bool:
    """Whether a write cannot be taken out of the metadata table."""
    if not table.config.kept_partitions:
        return False
    try:
        refuse_mixed(table.storage, commit)
        refuse_wide_statistics(table, commit)
    except UnsupportedError:
        return True
    return False
