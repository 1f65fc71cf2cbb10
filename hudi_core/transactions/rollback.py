"""Rolling back: what a write that failed has left behind, or one that completed last. Rules: ROLLBACK-1 to ROLLBACK-4.

The plan and what was done are on the timeline in Apache Hudi's form, so that either library can finish what the other began.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

from hudi_core.commit.abandoned import delete_abandoned
from hudi_core.commit.avro_schemas import ROLLBACK_METADATA, ROLLBACK_PLAN
from hudi_core.commit.heartbeat import heartbeat_path, is_alive
from hudi_core.commit.instant_files import InstantFiles
from hudi_core.commit.lock import table_lock
from hudi_core.commit.markers import marker_folder, read_markers
from hudi_core.commit.steps import Create, Delete, DeleteMany, SideBySide, Step, run
from hudi_core.commit.times import Clock, next_time, system_clock
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError, list_times
from hudi_core.formats.avro.container import write_container
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import has_whole_partitions
from hudi_core.metadata_writer.undo import refuse_mixed, undo_steps
from hudi_core.notebook import show_briefly
from hudi_core.snapshot.snapshot import list_files
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tally import DELETING_FILES, Tally
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMMIT,
    COMPACTION,
    DELTA_COMMIT,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    ROLLBACK,
    WRITES,
    Instant,
    InstantState,
)
from hudi_core.timeline.plans import rollback_target
from hudi_core.timeline.services import is_planned_clustering
from hudi_core.transactions.command_blocks import CommandLog, Share, command_logs, listing_steps, share_of
from hudi_core.transactions.dependents import later_writes, refuse_dependents
from hudi_core.transactions.old_versions import refuse_read_only
from hudi_core.transactions.remains import delete_announced, delete_remains
from hudi_core.transactions.schema_commit import undo_schema_commit

_DELETED_AT_ONCE: Final = 1_000
"""Files between two reports of how many are deleted."""


@show_briefly
@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """The rollback of one instant. `files` are the data files that it removes, by path from the table's root."""

    instant: Instant
    files: tuple[str, ...]
    shared: tuple[str, ...] = ()
    """Log files of other writes too, which stay: the blocks of this one are cancelled."""
    rebuilt: tuple[str, ...] = ()
    """Metadata partitions that were built anew, since the write could not be taken out of them."""

    def as_dict(self) -> dict[str, Any]:
        """The rollback as users see it: the instant that is undone, its action, the number of files, and what was built anew."""
        return {
            "instant": self.instant.requested_time,
            "action": self.instant.action,
            "files_deleted": len(self.files),
            "rebuilt": list(self.rebuilt),
        }


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
    repeated: a rollback that died is done again as a whole by whoever comes next.
    """
    plan = rollback_plan(table, instant)
    steps = rollback_steps(table, plan, clock, keep_plan=keep_plan)
    run(table.storage, steps if tally is None else _count_deleted(steps, tally))
    delete_announced(table.storage, instant.requested_time)
    return plan


def _count_deleted(steps: Iterable[Step], tally: Tally) -> Iterator[Step]:
    """The steps, of which those that delete many files are cut into shares: how many files are deleted is counted."""
    for step in steps:
        if not isinstance(step, DeleteMany):
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
        "rollback", expected=f"a completed write of the timeline ({list_times(times)})", found=requested_time
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


def rollback_plan(table: Table, instant: Instant) -> RollbackPlan:
    """The data files of a write. Those of a completed one are in its metadata; a pending one announced them by markers, and
    where there are none they are looked for in all partitions."""
    storage, time = table.storage, instant.requested_time
    if instant.completed:
        stats = table.timeline.metadata(instant).stats
        paths = {stat.path for of_partition in stats.values() for stat in of_partition if stat.path}
        paths |= {path for of_partition in stats.values() for stat in of_partition for path in stat.cdc_files}
        paths = {path for path in paths if _may_be_of(path, time, table.config.layout)}
    else:
        markers = read_markers(storage, time)
        paths = set() if markers is None else {path for path, _ in markers.files}
        _refuse_others(storage, paths, time, table.config.layout)
        if markers is None or not markers.whole:
            paths |= {info.path for _, info in list_files(storage).infos() if _is_written_at(storage, info.path, time)}
    if table.config.version >= OWN_TIME_SINCE:
        return RollbackPlan(instant, tuple(sorted(paths)))
    # A log file of another write may have the name that this one announced, or get it while it is rolled back.
    logs = {path for path in paths if parse_log_file(path.rpartition("/")[2]) is not None}
    shares = {path: share_of(storage, path, time) for path in logs}
    named = _list_named_by_later(table, instant) if Share.ALL in shares.values() else set()
    shared = {path for path, share in shares.items() if share is Share.SOME or (share is Share.ALL and path in named)}
    own = (paths - logs) | {path for path, share in shares.items() if share is Share.ALL and path not in shared}
    return RollbackPlan(instant, tuple(sorted(own)), tuple(sorted(shared)))


def _list_named_by_later(table: Table, undone: Instant) -> set[str]:
    """The paths of files that writes name which were requested after this one and are complete: one of Apache Hudi also names log
    files that it met under the names that it had announced. Rule ROLLBACK-1293."""
    commits = [table.timeline.metadata(commit) for commit in later_writes(table, undone)]
    return {stat.path for commit in commits for of_partition in commit.stats.values() for stat in of_partition}


def _refuse_others(storage: Storage, paths: Iterable[str], time: str, layout: int) -> None:
    """Raises `CorruptFileError` where markers name a file that the write cannot have made: it stays."""
    for path in sorted(paths):
        if not _may_be_of(path, time, layout):
            where = f"{storage.uri}/{marker_folder(time)}"
            raise CorruptFileError(where, expected=f"markers of data files of {time}", found=repr(path))


def _may_be_of(path: str, time: str, layout: int) -> bool:
    """Whether a write requested at this time can have made the data file of this name. A log file of layout 1 has the time of
    its slice."""
    name = path.rpartition("/")[2]
    base, log = parse_base_file(name), parse_log_file(name)
    if base is not None:
        return base.instant == time
    return log is not None and (layout == 1 or log.instant == time)


def rollback_steps(
    table: Table,
    plan: RollbackPlan,
    clock: Clock = system_clock,
    resumed: str | None = None,
    *,
    keep_plan: bool = False,
    metadata: bool = True,
) -> Iterator[Step]:
    """The steps of a rollback, its own instant among them; `resumed` is the requested time of one that died. With `keep_plan`
    the requested instant stays; without `metadata` the metadata table is left as it is, for one who builds it anew."""
    timeline, undone = table.timeline, plan.instant
    begun = clock()
    time = resumed or next_time(timeline, clock)
    files = InstantFiles(timeline.folder, table.config.layout, time, ROLLBACK)
    commands = command_logs(table.storage, plan.shared, undone.requested_time, time)
    if resumed is None:
        record = _plan_record(table.storage, plan, commands)
        yield Create(files.requested, write_container(ROLLBACK_PLAN, [record]))
    yield Create(files.inflight)
    if undone.completed:
        # It is pending again before its files go: no reader looks for them any more.
        yield Delete(f"{timeline.folder}/{undone.file}")
    if metadata:
        yield from undo_steps(table.storage, undone.requested_time)
    yield from undo_schema_commit(table.storage, undone.requested_time)
    yield DeleteMany(plan.files)
    yield SideBySide(tuple(Create(log.path, log.content) for log in commands))
    if metadata:
        yield from listing_steps(table, time, commands)
    milliseconds = int((clock() - begun).total_seconds() * 1000)
    record = _metadata_record(table.storage, plan, commands, time, milliseconds)
    completed = files.name_completed(next_time(timeline, clock, after=[time]))
    yield Create(completed, write_container(ROLLBACK_METADATA, [record]))
    for action in _list_requested_actions(table, undone):
        undone_files = InstantFiles(timeline.folder, table.config.layout, undone.requested_time, action)
        yield Delete(undone_files.inflight)
        if not keep_plan:
            yield Delete(undone_files.requested)
    yield Delete(heartbeat_path(undone.requested_time))


def _list_requested_actions(table: Table, undone: Instant) -> tuple[str, ...]:
    """The actions that a write may have been requested as: services complete under another name (a clustering in layout 2), and
    their plans would be pending again."""
    if not undone.completed or (undone.action == REPLACE_COMMIT and table.config.layout == 1):
        return (undone.action,)
    services = {REPLACE_COMMIT: CLUSTERING, COMMIT: COMPACTION, DELTA_COMMIT: LOG_COMPACTION}
    return undone.action, services[undone.action]


def _keeps_plan(table: Table, instant: Instant) -> bool:
    """Whether a pending action is run again by its plan after its run was rolled back."""
    return instant.action == COMPACTION or is_planned_clustering(table.timeline, instant)


def _is_written_at(storage: Storage, path: str, time: str) -> bool:
    """Whether a data file is of the write requested at this time. Names of log files of version 6 do not state it: their blocks
    do."""
    name = path.rpartition("/")[2]
    base = parse_base_file(name)
    if base is not None:
        return base.instant == time
    log = parse_log_file(name)
    if log is None:
        return False
    return log.instant == time or (log.instant < time and _has_block_of(storage, path, time))


def _has_block_of(storage: Storage, path: str, time: str) -> bool:
    return any(block.header.get(HeaderKey.INSTANT_TIME) == time for block in read_blocks(storage.open(path)))


def _plan_record(storage: Storage, plan: RollbackPlan, commands: Sequence[CommandLog]) -> dict[str, object]:
    time = plan.instant.requested_time
    requests = [_request(path, time, files=[_absolute(storage, path)]) for path in plan.files]
    for log in commands:
        blocks = {path.rpartition("/")[2]: size for path, size in log.cancelled.items()}
        parsed = parse_log_file(log.name)
        requests.append(_request(log.path, time if parsed is None else parsed.instant, blocks=blocks))
    return {"instantToRollback": _instant_record(plan.instant), "RollbackRequests": requests, "version": 1}


def _request(
    path: str, instant: str, *, files: Sequence[str] = (), blocks: Mapping[str, int] | None = None
) -> dict[str, object]:
    return {
        "partitionPath": path.rpartition("/")[0],
        "fileId": _file_id(path),
        "latestBaseInstant": instant,
        "filesToBeDeleted": list(files),
        "logBlocksToBeDeleted": dict(blocks or {}),
    }


def _metadata_record(
    storage: Storage, plan: RollbackPlan, commands: Sequence[CommandLog], time: str, milliseconds: int
) -> dict[str, object]:
    deleted: dict[str, list[str]] = defaultdict(list)
    for path in plan.files:
        deleted[path.rpartition("/")[0]].append(_absolute(storage, path))
    partitions: dict[str, object] = {}
    for partition in dict.fromkeys([*deleted, *(log.partition for log in commands)]):
        own = [log for log in commands if log.partition == partition]
        partitions[partition] = {
            "partitionPath": partition,
            "successDeleteFiles": deleted.get(partition, []),
            "failedDeleteFiles": [],
            "rollbackLogFiles": {_absolute(storage, log.path): len(log.content) for log in own},
            "logFilesFromFailedCommit": {
                path.rpartition("/")[2]: size for log in own for path, size in log.cancelled.items()
            },
        }
    return {
        "startRollbackTime": time,
        "timeTakenInMillis": milliseconds,
        "totalFilesDeleted": len(plan.files),
        "commitsRollback": [plan.instant.requested_time],
        "partitionMetadata": partitions,
        "version": 1,
        "instantsRollback": [_instant_record(plan.instant)],
    }


def _instant_record(instant: Instant) -> dict[str, str]:
    return {"commitTime": instant.requested_time, "action": instant.action}


def _file_id(path: str) -> str:
    name = path.rpartition("/")[2]
    parsed = parse_base_file(name) or parse_log_file(name)
    return "" if parsed is None else parsed.file_id


def _absolute(storage: Storage, path: str) -> str:
    """Rollbacks name files by absolute path, the scheme left out."""
    return f"{urlsplit(storage.uri).path if '://' in storage.uri else storage.uri}/{path}"
