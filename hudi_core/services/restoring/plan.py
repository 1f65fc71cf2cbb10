"""The plan of a restore: which instants it undoes, in which order, and in the form in which it is stored. Rules RESTORE-453 to
RESTORE-455."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hudi_core.commit.avro_schemas import RESTORE_PLAN
from hudi_core.errors import CorruptFileError, UsageError, list_names, list_times
from hudi_core.formats.avro.container import write_container
from hudi_core.options import TableType
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMMIT,
    COMPACTION,
    LOG_COMPACTION,
    WRITES,
    Instant,
    describe_time,
    time_order,
)
from hudi_core.timeline.services import savepoints

_VERSION = 2
_UNDONE = WRITES | {COMPACTION, LOG_COMPACTION, CLUSTERING}
"""Actions that a restore undoes: what wrote data files. Cleans, savepoints and earlier rollbacks stay."""


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """The last write that stays, and the instants that are undone, in that order."""

    target: str
    undone: tuple[Instant, ...]


def plan_restore(table: Table, target: str, *, saved: bool) -> RestorePlan:
    """Plans a restore to a write, by its requested time; with `saved` it has to have a savepoint.

    Raises `UsageError` for a time that is no savepoint, or no completed write of the active timeline, for a table that is in
    that state already, and where a later savepoint would lose its files.
    """
    timeline = table.timeline
    present = savepoints(timeline)
    if saved and target not in present:
        expected = f"a savepoint of the table ({list_times(present)}), or `to` for a write without one"
        raise UsageError("restore", expected=expected, found=describe_time(target, timeline.commits))
    commit = next((one for one in timeline.commits if one.requested_time == target), None)
    if commit is None:
        times = [one.requested_time for one in timeline.commits]
        expected = f"a completed write of the timeline ({list_times(times)})"
        raise UsageError("restore", expected=expected, found=describe_time(target, timeline.commits))
    undone = newer_than(table, commit)
    archived = [one for one in timeline.with_archived().commits if one.archived and _is_newer(table, one, commit)]
    if archived:
        # Their files would count again as soon as the active timeline starts after them.
        found = f"{archived[0].requested_time}, which is archived"
        raise UsageError("restore", expected=f"only writes of the active timeline after {target}", found=found)
    if not undone:
        raise UsageError("restore", expected="a write before the latest one", found=f"the latest one, {target}")
    times_undone = {instant.requested_time for instant in undone}
    later = [time for time in present if time in times_undone]
    if later:
        expected = f"no savepoint after {target}: drop it first"
        raise UsageError("restore", expected=expected, found=f"one of {list_names(later)}")
    return RestorePlan(target, tuple(undone))


def newer_than(table: Table, commit: Instant) -> list[Instant]:
    """The instants that a restore to a write undoes, as Apache Hudi chooses them: pending clusterings first, then the newest
    first."""
    timeline = table.timeline
    newer = [
        instant for instant in timeline.instants if instant.action in _UNDONE and _is_newer(table, instant, commit)
    ]
    clusterings = [instant for instant in newer if instant.action == CLUSTERING]
    others = [instant for instant in newer if instant.action != CLUSTERING]
    return [*reversed(clusterings), *reversed(others)]


def _is_newer(table: Table, instant: Instant, commit: Instant) -> bool:
    if instant.requested_time == commit.requested_time:
        return False
    by_requested = time_order(instant.requested_time) > time_order(commit.requested_time)
    # What a log file of a merge-on-read table holds is seen from the completion of its write on; the base file of a compaction
    # has what had completed when it was requested.
    by_completion = table.config.type is TableType.MERGE_ON_READ and table.config.layout > 1
    if not by_completion or instant.action in (COMMIT, COMPACTION):
        return by_requested
    if instant.completion_time is None or commit.completion_time is None:
        return by_requested
    return time_order(instant.completion_time) > time_order(commit.completion_time)


def encode_plan(plan: RestorePlan) -> bytes:
    """The content of the requested instant."""
    record = {
        "instantsToRollback": [instant_record(instant) for instant in plan.undone],
        "version": _VERSION,
        "savepointToRestoreTimestamp": plan.target,
    }
    return write_container(RESTORE_PLAN, [record])


def read_plan(table: Table, restore: Instant) -> RestorePlan:
    """The plan of a restore that died, with those of its instants that are still there. Raises `CorruptFileError` for one that
    names no write of the table to go back to."""
    record = table.timeline.plan(restore)
    target = str(record.get("savepointToRestoreTimestamp") or "")
    commit = next((one for one in table.timeline.commits if one.requested_time == target), None)
    if commit is None:
        where = f"{table.storage.uri}/{table.timeline.folder}/{restore.requested_time}.{restore.action}.requested"
        raise CorruptFileError(where, expected="a plan that names a completed write to restore", found=repr(target))
    return RestorePlan(target, tuple(newer_than(table, commit)))


def instant_record(instant: Instant) -> dict[str, str]:
    """An instant as plans and records of restores name it."""
    return {"commitTime": instant.requested_time, "action": instant.action}


def times_of(instants: Sequence[Instant]) -> tuple[str, ...]:
    """The requested times of instants, in order."""
    return tuple(instant.requested_time for instant in instants)
