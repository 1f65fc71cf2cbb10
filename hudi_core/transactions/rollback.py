"""Rolling back: what a write that failed has left behind, or one that completed last. Rules: ROLLBACK-1 to ROLLBACK-4.

The plan and what was done are on the timeline in Apache Hudi's form, so that either library can finish what the other began.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from hudi_core.commit.abandoned import delete_abandoned
from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.lock import table_lock
from hudi_core.commit.steps import Create, Delete, DeleteMany, Step, run
from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, HudiError, StorageError, UnsupportedError, UsageError, list_times
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import has_whole_partitions
from hudi_core.metadata_writer.undo import refuse_mixed
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import DELETING_FILES, Tally
from hudi_core.timeline.instants import (
    COMPACTION,
    ROLLBACK,
    WRITES,
    Instant,
    InstantFiles,
    InstantState,
    describe_time,
)
from hudi_core.timeline.plans import rollback_target
from hudi_core.timeline.services import is_planned_clustering
from hudi_core.transactions.dependents import later_writes, refuse_dependents
from hudi_core.transactions.old_versions import refuse_read_only
from hudi_core.transactions.remains import delete_announced, delete_remains
from hudi_core.transactions.rollback_plans import RollbackPlan, rollback_plan
from hudi_core.transactions.rollback_steps import rollback_steps

_DELETED_AT_ONCE: Final = 1_000
"""Files between two reports of how many are deleted."""


def roll_back_dead(table: Table, clock: Clock = system_clock, tally: Tally | None = None) -> list[RollbackPlan]:
    """Undoes all writes that died, and gives what was undone; temporary files that killed processes left go too. Writers that are
    alive are left alone. `table` still shows what it showed. `tally` gets how many of the files of each are deleted."""
    refuse_read_only(table.config, table.storage.uri)
    with table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        plans = [rollback_plan(latest, write) for write in list_failed_writes(latest, clock)]
        delete_remains(roll_back_failed(latest, clock, tally), clock())
        delete_abandoned(latest.storage, clock(), "")
        return plans


def list_failed_writes(table: Table, clock: Clock = system_clock) -> list[Instant]:
    """Writes that are pending and whose writer is dead. Compactions and clusterings are not among them: they are
    resumed, not rolled back."""
    now = clock()
    pending = (instant for instant in table.timeline.pending if instant.action in WRITES)
    return [
        instant
        for instant in pending
        if not is_planned_clustering(table.timeline, instant)
        and not is_alive(table.storage, instant.requested_time, now)
    ]


def roll_back_failed(table: Table, clock: Clock = system_clock, tally: Tally | None = None) -> Table:
    """The table after all failed writes were rolled back, and rollbacks that died were finished. On a local disk, what writes
    that are over have left goes too. To be done under the table's lock."""
    for rollback in [instant for instant in table.timeline.pending if instant.action == ROLLBACK]:
        _finish(table, rollback, clock)
        table = refreshed(table)
    for instant in list_failed_writes(table, clock):
        roll_back(table, instant, clock, tally=tally)
        table = refreshed(table)
    if not table.storage.is_remote:  # there it would cost each write two requests: `roll_back_dead` does it
        delete_remains(table, clock())
    return table


def roll_back(
    table: Table,
    instant: Instant,
    clock: Clock = system_clock,
    *,
    keep_plan: bool = False,
    tally: Tally | None = None,
) -> RollbackPlan:
    """Undoes a write: its data files, its commit of the metadata table, its files of the timeline. Under the table's lock.

    With `keep_plan` it is requested again, as before it was begun: a clustering that failed keeps its plan. Every step can be
    repeated: a rollback that died is done again as a whole by whoever comes next. A completed write whose files cannot be
    deleted is complete again, as long as none of them is known to be gone. Rule ROLLBACK-1403.
    """
    storage, plan = table.storage, rollback_plan(table, instant)
    content = storage.read(f"{table.timeline.folder}/{instant.file}") if instant.completed else b""
    steps = rollback_steps(table, plan, clock, keep_plan=keep_plan)
    try:
        run(storage, _count_deleted(_until_files_go(steps), tally))
    except BaseException:
        # Whatever ended it is the error that counts; a write that stays pending is rolled back by whoever comes next.
        if instant.completed:
            with suppress(HudiError):
                _put_back(table, plan, content)
        raise
    run(storage, _count_deleted(steps, tally))
    delete_announced(storage, instant.requested_time)
    return plan


def _until_files_go(steps: Iterator[Step]) -> Iterator[Step]:
    """The steps of a rollback up to the one that deletes the data files; the others remain."""
    for step in steps:
        yield step
        if isinstance(step, DeleteMany):
            return


def _put_back(table: Table, plan: RollbackPlan, content: bytes) -> None:
    """Makes a completed write complete again that was about to be undone, and removes the instant of its rollback; nothing where
    a data file is gone."""
    storage, folder = table.storage, table.timeline.folder
    if not all(in_order(partial(_may_be_there, storage), plan.files, request_threads(storage))):
        return
    run(storage, [Create(f"{folder}/{plan.instant.file}", content)])
    for instant in refreshed(table).timeline.pending:
        if instant.action == ROLLBACK:  # that of another write was finished before this one began
            files = InstantFiles(folder, table.config.layout, instant.requested_time, ROLLBACK)
            run(storage, [Delete(files.inflight), Delete(files.requested)])


def _may_be_there(storage: Storage, path: str) -> bool:
    """Whether a file is there, or in a folder that cannot be read: then it could not be deleted either."""
    try:
        return storage.exists(path)
    except StorageError:
        return True


def _count_deleted(steps: Iterable[Step], tally: Tally | None) -> Iterator[Step]:
    """The steps. With a tally those that delete many files are cut into shares: how many files are deleted is counted."""
    for step in steps:
        if tally is None or not isinstance(step, DeleteMany):
            yield step
            continue
        tally.enter(DELETING_FILES, len(step.paths))
        for begin in range(0, len(step.paths), _DELETED_AT_ONCE):
            share = step.paths[begin : begin + _DELETED_AT_ONCE]
            yield replace(step, paths=share)
            tally.add(done=len(share))


def _finish(table: Table, rollback: Instant, clock: Clock) -> None:
    """Does a rollback again that died, also one of Apache Hudi's, as the instant that it was requested as. One whose plan cannot
    be read is dropped."""
    try:
        undone = rollback_target(table.timeline, rollback)
    except CorruptFileError:
        # As Apache Hudi does: what it was to undo is still pending, and is found as that of any dead writer.
        files = InstantFiles(table.timeline.folder, table.config.layout, rollback.requested_time, ROLLBACK)
        run(table.storage, [Delete(files.inflight), Delete(files.requested)])
        return
    time, action = undone.requested_time, undone.action
    instants = [instant for instant in table.timeline.instants if instant.requested_time == time]
    plan = rollback_plan(table, instants[0]) if instants else RollbackPlan(_stand_in(time, action), ())
    # A run of a plan: whether the plan was to go too is not recorded, and one that is kept can still be dropped.
    keep_plan = bool(instants) and instants[0].action == action and _keeps_plan(table, instants[0])
    run(table.storage, rollback_steps(table, plan, clock, rollback.requested_time, keep_plan=keep_plan))
    delete_announced(table.storage, time)


def _stand_in(time: str, action: str) -> Instant:
    """A write whose files are deleted already; only the rollback itself is not completed."""
    return Instant(time, action, InstantState.REQUESTED, None, "")


def roll_back_completed(
    table: Table, requested_time: str, clock: Clock = system_clock, tally: Tally | None = None
) -> RollbackPlan:
    """Undoes a completed write that nothing builds on. To be done under the table's lock.

    Raises `UsageError` for a time that is no completed write, and as `refuse_dependents` does, `UnsupportedError` where the
    metadata table holds what cannot be taken out of it.
    """
    commit = find_completed_write(table, requested_time)
    refuse_dependents(table, commit)
    if table.config.kept_partitions:
        refuse_mixed(table.storage, commit)
        refuse_wide_statistics(table, commit)
    return roll_back(table, commit, clock, tally=tally)


def find_completed_write(table: Table, requested_time: str) -> Instant:
    """The completed write of a requested time. Raises `UsageError` where the active timeline has none."""
    commits = table.timeline.commits
    for commit in commits:
        if commit.requested_time == requested_time:
            return commit
    times = [commit.requested_time for commit in commits]
    raise UsageError(
        "rollback",
        expected=f"a completed write of the timeline ({list_times(times)})",
        found=describe_time(requested_time, commits),
    )


def refuse_wide_statistics(table: Table, undone: Instant) -> None:
    """Raises `UnsupportedError` where statistics of whole partitions, recorded since, leave out values that come back."""
    if not _records_whole_partitions(table):
        return
    partitions = set(table.timeline.metadata(undone).stats)
    for instant in later_writes(table, undone):
        both = sorted(partitions.intersection(table.timeline.metadata(instant).stats))
        if both:
            raise UnsupportedError(
                table.storage.uri,
                expected=f"no statistics of its partitions since {undone.requested_time}",
                found=f"those of partition {both[0]!r} by {instant.requested_time}",
            )


def _records_whole_partitions(table: Table) -> bool:
    """Whether an index has statistics of whole partitions. An expression index of filters has none."""
    kept = [partition for partition in table.config.kept_partitions if has_whole_partitions([partition])]
    definitions = index_definitions(table.storage, table.config) if kept else {}
    return any(partition not in definitions or not definitions[partition].records_filters for partition in kept)


def _keeps_plan(table: Table, instant: Instant) -> bool:
    """Whether a pending action is run again by its plan after its run was rolled back."""
    return instant.action == COMPACTION or is_planned_clustering(table.timeline, instant)
