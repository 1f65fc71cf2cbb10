"""Conflicts between writers: whether a write may still complete after others have. Rules: CONFLICT-1 to CONFLICT-6, COMPACT-370,
COMPACT-371.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from hudi_core.commit.statuses import COMPACT, COMPACTIONS, LOG_COMPACT, TableChange, WriteStatus
from hudi_core.errors import ConflictError
from hudi_core.formats.names import parse_log_file
from hudi_core.metadata.table import RECORD_INDEX
from hudi_core.table.table import Table
from hudi_core.timeline.commits import CommitMetadata
from hudi_core.timeline.instants import CLUSTERING, COMPACTION, REPLACE_COMMIT, WRITES, Instant
from hudi_core.timeline.services import FileGroup, pending_work

_LOOKED_UP = frozenset({"UPSERT", "DELETE", "INSERT_OVERWRITE", "INSERT_OVERWRITE_TABLE", "DELETE_PARTITION"})
"""Operations that depend on which rows a partition had: rows that others added there meanwhile may have the same keys."""


def refuse_conflicts(begun: Table, latest: Table, instant_time: str, change: TableChange) -> None:
    """Raises `ConflictError` when what completed since the write began touches its file groups or partitions, when a clustering
    is going to rewrite them, when the schema is another, when the write itself was rolled back, or when a record index came
    since: the write collected no keys for it."""
    where = f"{latest.storage.uri}: {change.operation} of {instant_time}"
    if all(instant.requested_time != instant_time for instant in latest.timeline.pending):
        raise ConflictError(where, expected="a pending write", found="one that another writer rolled back")
    if latest.schema != begun.schema:
        raise ConflictError(
            where, expected="the schema that the write began with", found="one that another writer changed"
        )
    if change.operation in COMPACTIONS:  # log files that came since belong to what it writes
        return
    if RECORD_INDEX in latest.config.kept_partitions - begun.config.kept_partitions:
        found = "a record index that came since"
        raise ConflictError(where, expected="the indexes that the write began with", found=found)
    groups = touched_groups(change)
    partitions = {status.partition for status in change.statuses} | {partition for partition, _ in groups}
    for instant, metadata in _completed_since(begun, latest):
        changed = {(partition, stat.file_id) for partition, stats in metadata.stats.items() for stat in stats}
        changed |= {(partition, file_id) for partition, ids in metadata.replaced.items() for file_id in ids}
        if metadata.operation in COMPACTIONS:
            changed -= _appended(change, latest, instant, metadata.operation)
        both = sorted(changed & groups)
        if both:
            raise ConflictError(
                where, expected="file groups that nobody else changed", found=_change_of(instant, both[0])
            )
        if change.operation in _LOOKED_UP:
            added = sorted(
                partition
                for partition, stats in metadata.stats.items()
                if partition in partitions and any(stat.previous is None for stat in stats)
            )
            if added and metadata.operation not in COMPACTIONS:
                found = f"{instant.action} {instant.requested_time} added file groups to partition {added[0]!r}"
                raise ConflictError(where, expected="partitions that got no new keys", found=found)
    refuse_clustered(latest, instant_time, change.operation, groups)
    if latest.config.layout == 1:
        _refuse_scheduled(begun, latest, where, change)


def _refuse_scheduled(begun: Table, latest: Table, where: str, change: TableChange) -> None:
    """Raises `ConflictError` where a compaction was scheduled since a write of table version 6 began: its log files have the time
    of the slice that is merged, and would be lost behind the new one."""
    known = {instant.requested_time for instant in begun.timeline.pending}
    for work in pending_work(latest.timeline):
        if work.instant.action == COMPACTION and work.instant.requested_time not in known:
            late = {(one.partition, one.file_id) for one in change.statuses if one.is_log}
            late = late.intersection(work.file_groups) - _appended(change, latest, work.instant, COMPACT)
            if late:
                found = _change_of(work.instant, min(late))
                raise ConflictError(where, expected="file groups whose compaction was known", found=found)


def _appended(change: TableChange, latest: Table, instant: Instant, operation: str) -> set[FileGroup]:
    """The file groups whose new log files are read with what a completed compaction wrote."""

    def follows(status: WriteStatus) -> bool:
        if latest.config.layout > 1 or operation == LOG_COMPACT:  # its completion time decides, not its name
            return True
        log = parse_log_file(status.path.rpartition("/")[2])
        return log is not None and log.instant >= instant.requested_time

    replaced = {(partition, file_id) for partition, ids in change.replaced.items() for file_id in ids}
    logged = {(one.partition, one.file_id) for one in change.statuses if one.is_log and follows(one)}
    return logged - replaced


def refuse_clustered(
    latest: Table,
    instant_time: str,
    operation: str,
    groups: Set[FileGroup],
    gives_way: Callable[[Instant], bool] = lambda _: False,
) -> None:
    """Raises `ConflictError` when a clustering is going to rewrite one of the file groups that a write changes, unless the
    clustering gives way to it."""
    for work in pending_work(latest.timeline):
        if work.instant.action in (CLUSTERING, REPLACE_COMMIT) and work.instant.requested_time != instant_time:
            both = sorted(groups & set(work.file_groups))
            if both and not gives_way(work.instant):
                where = f"{latest.storage.uri}: {operation} of {instant_time}"
                found = _change_of(work.instant, both[0])
                raise ConflictError(where, expected="file groups that are not clustered", found=found)


def touched_groups(change: TableChange) -> set[FileGroup]:
    """The existing file groups that a change updates or replaces."""
    updated = {(status.partition, status.file_id) for status in change.statuses if status.previous_instant is not None}
    return updated | {(partition, file_id) for partition, ids in change.replaced.items() for file_id in ids}


def _completed_since(begun: Table, latest: Table) -> Iterator[tuple[Instant, CommitMetadata]]:
    known = {instant.requested_time for instant in begun.timeline.completed if instant.action in WRITES}
    for instant in latest.timeline.commits:
        if instant.requested_time not in known:
            yield instant, latest.timeline.metadata(instant)


def _change_of(instant: Instant, group: FileGroup) -> str:
    partition, file_id = group
    return f"{instant.action} {instant.requested_time} of {f'{partition}/' if partition else ''}{file_id}"
