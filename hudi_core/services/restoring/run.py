"""Running a restore: the instants after a write are undone, newest first, each by a rollback of its own. Rules RESTORE-458 to
RESTORE-461.

The table's lock is held throughout, and the requested instant keeps others from beginning a commit after a run that died; the
next run of the same restore goes on with what is left. The metadata table is dropped and built anew: what it recorded of the
undone instants may be in base files of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any

from hudi_core.arguments import take_flag
from hudi_core.commit.avro_schemas import RESTORE_METADATA
from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.lock import table_lock
from hudi_core.commit.steps import Create, Delete, run
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.errors import ConflictError, HudiError, UsageError
from hudi_core.formats.avro.container import write_container
from hudi_core.index_builds.removal import remove_partitions
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.table import FILES
from hudi_core.services.restoring.plan import (
    RestorePlan,
    encode_plan,
    instant_record,
    plan_restore,
    read_plan,
    times_of,
)
from hudi_core.services.restoring.proof import Proof, prove
from hudi_core.services.restoring.rebuilding import build_anew, note_restore, rebuild_after_failure
from hudi_core.services.restoring.result import RestoreResult
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import RESTORE, ROLLBACK, Instant, InstantFiles, time_order
from hudi_core.transactions.refusals import refuse_unwritable_properties
from hudi_core.transactions.remains import delete_announced
from hudi_core.transactions.rollback import roll_back_failed
from hudi_core.transactions.rollback_steps import rollback_steps

Progress = Callable[[int, int], None]
"""Called with how many instants are undone, and of how many."""


def restore(
    table: Table,
    savepoint: str | None = None,
    *,
    to: str | None = None,
    dry_run: bool = False,
    clock: Clock = system_clock,
    progress: Progress | None = None,
) -> RestoreResult:
    """Brings the table back to a savepoint, or with `to` to any completed write whose files are all there.

    All later writes, compactions and clusterings are undone for good, and their files deleted; cleans and the savepoint stay.
    Before the first byte is written a proof is made that every file of that state is there and stays; a dry run returns it,
    with the rows of each partition before and after.

    Raises `UsageError` unless one of both times is given, for one that cannot be restored, and where files of the state were
    cleaned away; `ConflictError` while a writer is alive or another restore is under way; `CorruptFileError` where a file is
    missing; `UnsupportedError` for a table that this library does not write to. Then nothing is changed.
    """
    dry_run = take_flag("dry_run", dry_run)
    if (savepoint is None) == (to is None):
        found = "neither" if savepoint is None else "both"
        raise UsageError("restore", expected="a savepoint, or `to` with another write", found=found)
    target = savepoint or to or ""
    begun = perf_counter()
    if dry_run:
        latest = refreshed(table)
        plan = _plan(latest, target, saved=to is None)
        proof = prove(latest, plan)
        return _result(None, "planned", plan, proof, proof.partitions(latest), begun)
    with rebuild_after_failure(table, clock) as dropped, table_lock(table.storage, clock=clock):
        latest = refreshed(table)
        refuse_unwritable_properties(latest.config, latest.storage.uri)
        pending = _pending_restore(latest)
        if pending is None:
            _refuse_writers(latest, clock)
            latest = roll_back_failed(latest, clock)
            plan = plan_restore(latest, target, saved=to is None)
        else:
            plan = _resume(latest, pending, target)
        proof = prove(latest, plan)
        time = next_time(latest.timeline, clock) if pending is None else pending.requested_time
        kept = _indexes_to_rebuild(latest)
        try:
            _run(latest, time, plan, proof, clock, progress)
        except BaseException:
            # Whatever ended it is the error that counts; once an instant is undone, the next restore goes on.
            with suppress(HudiError):
                if _take_back(latest, time, plan):
                    dropped.extend(kept)
            raise
    rebuilt = build_anew(refreshed(table), kept, clock)
    note_restore(table, time, clock)
    return replace(_result(time, "completed", plan, proof, proof.partitions(), begun), rebuilt=rebuilt)


def _plan(table: Table, target: str, *, saved: bool) -> RestorePlan:
    pending = _pending_restore(table)
    return plan_restore(table, target, saved=saved) if pending is None else _resume(table, pending, target)


def _pending_restore(table: Table) -> Instant | None:
    return next((instant for instant in table.timeline.pending if instant.action == RESTORE), None)


def _resume(table: Table, pending: Instant, target: str) -> RestorePlan:
    plan = read_plan(table, pending)
    if plan.target != target:
        expected = f"the unfinished restore to {plan.target} to be finished first"
        raise ConflictError(f"{table.storage.uri}: restore {pending.requested_time}", expected=expected, found=target)
    return plan


def _refuse_writers(table: Table, clock: Clock) -> None:
    now = clock()
    for instant in table.timeline.pending:
        if is_alive(table.storage, instant.requested_time, now):
            found = f"{instant.action} {instant.requested_time}"
            raise ConflictError(table.storage.uri, expected="no writer at work during a restore", found=found)


def _run(table: Table, time: str, plan: RestorePlan, proof: Proof, clock: Clock, progress: Progress | None) -> None:
    storage, begun = table.storage, clock()
    files = InstantFiles(table.timeline.folder, table.config.layout, time, RESTORE)
    run(storage, [Create(files.requested, encode_plan(plan))] if not storage.exists(files.requested) else [])
    run(storage, [Create(files.inflight)])
    latest = roll_back_failed(refreshed(table), clock)  # rollbacks of an earlier run that died
    if latest.config.kept_partitions:  # first, for it lists the files of what is undone
        remove_partitions(latest, {FILES})
        latest = refreshed(latest)
    there = {(instant.requested_time, instant.action) for instant in latest.timeline.instants}
    for number, rollback in enumerate(proof.rollbacks, 1):
        undone = rollback.instant
        if (undone.requested_time, undone.action) in there:
            run(storage, rollback_steps(latest, rollback, clock, metadata=False))
            latest = refreshed(latest)
        delete_announced(storage, undone.requested_time)
        if progress is not None:
            progress(number, len(proof.rollbacks))
    rollbacks = [
        instant
        for instant in latest.timeline.instants
        if instant.action == ROLLBACK and time_order(instant.requested_time) > time_order(plan.target)
    ]
    records = _records(latest, [one for one in rollbacks if time_order(one.requested_time) > time_order(time)])
    milliseconds = int((clock() - begun).total_seconds() * 1000)
    content = write_container(RESTORE_METADATA, [_record(plan, records, time, milliseconds)])
    completed = files.name_completed(next_time(latest.timeline, clock, after=[time]))
    run(storage, [Create(completed, content)])
    # As Apache Hudi leaves it: the restore alone states what was undone. Until its completed file goes, each is complete.
    for instant in rollbacks:
        names = InstantFiles(latest.timeline.folder, latest.config.layout, instant.requested_time, ROLLBACK)
        own_file = f"{latest.timeline.folder}/{instant.file}"
        run(storage, [Delete(names.requested), Delete(names.inflight), Delete(own_file)])


def _take_back(table: Table, time: str, plan: RestorePlan) -> bool:
    """Removes a restore with what it requested, unless it has undone an instant; whether it did. Rule RESTORE-1407."""
    latest = refreshed(table)
    if not set(plan.undone).issubset(latest.timeline.instants):
        return False
    for instant in sorted(latest.timeline.pending, key=lambda one: time_order(one.requested_time), reverse=True):
        if instant.action in (RESTORE, ROLLBACK) and time_order(instant.requested_time) >= time_order(time):
            files = InstantFiles(latest.timeline.folder, latest.config.layout, instant.requested_time, instant.action)
            run(latest.storage, [Delete(files.inflight), Delete(files.requested)])
    return True


def _records(table: Table, rollbacks: list[Instant]) -> Mapping[str, Mapping[str, Any]]:
    """The records of the rollbacks of a restore, by the instant that each undid."""
    read = [table.timeline.record(instant) for instant in rollbacks if instant.completed]
    return {time: record for record in read for time in record["commitsRollback"]}


def _record(
    plan: RestorePlan, records: Mapping[str, Mapping[str, Any]], time: str, milliseconds: int
) -> Mapping[str, Any]:
    undone = dict.fromkeys([*records, *times_of(plan.undone)])
    return {
        "startRestoreTime": time,
        "timeTakenInMillis": milliseconds,
        "instantsToRollback": list(undone),
        "hoodieRestoreMetadata": {time: [record] for time, record in records.items()},
        "version": 1,
        "restoreInstantInfo": [instant_record(instant) for instant in plan.undone],
    }


def _indexes_to_rebuild(table: Table) -> tuple[str, ...]:
    """The metadata partitions that the table has; those that are defined, where a run that died dropped them already."""
    kept = table.config.kept_partitions
    if kept:
        return tuple(sorted(kept))
    defined = index_definitions(table.storage, table.config)
    return (FILES, *sorted(defined)) if defined else ()


def _result(
    instant: str | None,
    state: str,
    plan: RestorePlan,
    proof: Proof,
    partitions: tuple[Any, ...],
    begun: float,
) -> RestoreResult:
    return RestoreResult(
        instant,
        state,
        plan.target,
        times_of(plan.undone),
        len(proof.files),
        proof.kept,
        proof.bytes,
        seconds=round(perf_counter() - begun, 3),
        partitions=partitions,
        files=proof.files if state == "planned" else (),
    )
