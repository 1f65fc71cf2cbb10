"""Conflicts between writers: whether a write may still complete after others have. Rules: CONFLICT-1 to CONFLICT-6, COMPACT-370,
COMPACT-371. What conflicts with what: `pairs.PAIRS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hudi_core.columns.nodes import StringColumn, to_list
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.commit.statuses import (
    ALTER_SCHEMA,
    COMPACT,
    COMPACTIONS,
    LOG_COMPACT,
    SERVICES,
    StagedLogs,
    TableChange,
    WriteStatus,
)
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import ConflictError, NoSuchFileError, PendingPlanError
from hudi_core.formats.names import parse_log_file
from hudi_core.metadata.changed_keys import list_changed_logs, read_changed_keys, read_log_keys
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import locates_keys
from hudi_core.metadata.table import RECORD_INDEX, MetadataTable, open_metadata_table
from hudi_core.metadata_writer.delta_commit import group_sets, partition_group_prefixes
from hudi_core.schema.meta import bare_schema
from hudi_core.table.table import Table
from hudi_core.tagging.bucket_layout import has_simple_buckets, same_bucket
from hudi_core.timeline.commits import CommitMetadata
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMPACTION,
    REPLACE_COMMIT,
    WRITES,
    Instant,
    InstantState,
    time_order,
)
from hudi_core.timeline.services import FileGroup, pending_work
from hudi_core.transactions.pairs import Meeting, conflicting_meetings
from hudi_core.transactions.schema_commit import write_committed_schema

_NO_ROWS = np.zeros(0, np.int64)


def refuse_conflicts(begun: Table, latest: Table, instant_time: str, change: TableChange) -> None:
    """Raises `ConflictError` when what completed since the write began touches its file groups or partitions, when a clustering
    is going to rewrite them, when the schema is another or would not be seen, when the write itself was rolled back, or when a
    record index came since: the write collected no keys for it."""
    where = f"{latest.storage.uri}: {change.operation} of {instant_time}"
    if all(instant.requested_time != instant_time for instant in latest.timeline.pending):
        raise ConflictError(where, expected="a pending write", found="one that another writer rolled back")
    if latest.schema != begun.schema:
        raise ConflictError(
            where, expected="the schema that the write began with", found="one that another writer changed"
        )
    _refuse_hidden_schema(latest, where, instant_time, change)
    if change.operation in COMPACTIONS:  # log files that came since belong to what it writes
        return
    if locates_keys(latest.config.kept_partitions - begun.config.kept_partitions):
        found = "a record index that came since"
        raise ConflictError(where, expected="the indexes that the write began with", found=found)
    groups = list_touched_groups(change)
    new = _new_buckets(change)
    partitions = {status.partition for status in change.statuses} | {partition for partition, _ in groups}
    since = list(_list_completed_since(begun, latest))
    for instant, metadata in since:
        meetings = conflicting_meetings(change.operation, metadata.operation, looks_up=change.looks_up)
        changed = {(partition, stat.file_id) for partition, stats in metadata.stats.items() for stat in stats}
        changed |= {(partition, file_id) for partition, ids in metadata.replaced.items() for file_id in ids}
        if metadata.operation in COMPACTIONS:
            changed -= _find_appended(change, latest, instant, metadata.operation)
        both = sorted(changed & groups)
        if both and Meeting.FILE_GROUP in meetings:
            raise ConflictError(
                where, expected="file groups that nobody else changed", found=_change_of(instant, both[0])
            )
        twice = sorted(
            new & _buckets((partition, stat.file_id) for partition, stats in metadata.stats.items() for stat in stats)
        )
        if twice and Meeting.NEW_BUCKET in meetings:
            raise ConflictError(
                where, expected="buckets that no other writer began", found=_change_of(instant, twice[0])
            )
        if Meeting.NEW_FILE_GROUP in meetings:
            added = sorted(
                partition
                for partition, stats in metadata.stats.items()
                if partition in partitions and any(stat.previous is None for stat in stats)
            )
            if added:
                found = f"{instant.action} {instant.requested_time} added file groups to partition {added[0]!r}"
                raise ConflictError(where, expected="partitions that got no new keys", found=found)
        if Meeting.NEW_ROW in meetings:
            _refuse_new_rows(latest, where, change, instant, metadata)
    _refuse_same_keys(latest, where, change, since)
    refuse_clustered(latest, instant_time, change.operation, groups)
    if latest.config.layout == 1:
        _refuse_scheduled(begun, latest, where, change)


def _refuse_hidden_schema(latest: Table, where: str, instant_time: str, change: TableChange) -> None:
    """Raises `ConflictError` for a change of the schema where a write that was requested later is complete: the table's schema is
    that of the write requested last, so nobody would see the change, nor the values of a new column. Rule CONFLICT-1546."""
    last = latest.timeline.commits[-1] if latest.timeline.commits else None
    if last is None or time_order(last.requested_time) <= time_order(instant_time) or change.operation in SERVICES:
        return
    texts = {write_committed_schema(schema, latest.config) for schema in (change.schema, bare_schema(latest.schema))}
    if change.operation == ALTER_SCHEMA or len(texts) > 1:
        found = f"{last.action} {last.requested_time}, behind which nobody would see the new schema"
        raise ConflictError(where, expected="no write that was requested since and is complete", found=found)


def _refuse_new_rows(
    latest: Table, where: str, change: TableChange, instant: Instant, metadata: CommitMetadata
) -> None:
    """Raises `ConflictError` where both writes added rows to a partition, also where the file groups were there: each looked its
    keys up before the rows of the other came. A record index has the keys themselves; a bucket has all rows of its keys. Rule
    CONFLICT-1433."""
    if locates_keys(latest.config.kept_partitions):
        return
    mine = {status.partition for status in change.statuses if status.inserts}
    both = sorted(
        partition
        for partition, stats in metadata.stats.items()
        if partition in mine and any(stat.inserts != 0 for stat in stats)
    )
    if both and not has_simple_buckets(latest) and not latest.snapshot().has_hashing_nodes:
        found = f"{instant.action} {instant.requested_time} added rows to partition {both[0]!r}"
        raise ConflictError(where, expected="partitions that got no new keys", found=found)


def _refuse_same_keys(
    latest: Table, where: str, change: TableChange, since: Sequence[tuple[Instant, CommitMetadata]]
) -> None:
    """Raises `ConflictError` where a write that completed since changed the record index's entry of one of the change's keys:
    each took the other's row for one that is not there."""
    if not locates_keys(latest.config.kept_partitions):
        return
    others = [
        instant for instant, commit in since if Meeting.KEY in conflicting_meetings(change.operation, commit.operation)
    ]
    if not others:
        return
    metadata = latest.snapshot().metadata or open_metadata_table(latest.storage, latest.config, latest.timeline)
    assert metadata is not None  # the record index is a part of it
    if change.staged is not None and locates_keys(change.staged.partitions):
        for instant in others:
            _refuse_staged(replace(metadata, partitions=latest.config.kept_partitions), where, change.staged, instant)
        return
    definition = index_definitions(latest.storage, latest.config).get(RECORD_INDEX)
    own = _keys_by_group(change, partitioned=definition is not None and definition.is_partitioned)
    for instant in others:
        changed = read_changed_keys(metadata, instant.requested_time)
        if changed is None:
            raise _unknown_keys(where, instant)
        for prefix, index in own.items():
            for group, keys in changed.items():
                rows = index.find(keys) if group.startswith(prefix) else _NO_ROWS
                if (rows >= 0).any():
                    key = to_list(take_strings(keys, np.flatnonzero(rows >= 0)[:1]))[0]
                    raise _same_key(where, key, instant)


def _refuse_staged(metadata: MetadataTable, where: str, staged: StagedLogs, instant: Instant) -> None:
    """As `_refuse_same_keys`, of keys that wait in log files: tasks compare them with those of another write. Rule META-1056."""
    logs = list_changed_logs(metadata, instant.requested_time)
    if logs is None:
        raise _unknown_keys(where, instant)
    own = staged.of_partition(RECORD_INDEX)
    sets = {
        of_table: group_sets(metadata, RECORD_INDEX, of_table) for of_table in {log.of_table for log in staged.logs}
    }
    pairs = [
        _LogPair(FileInfo(log.path, log.size), logs[groups[log.group].file_id])
        for log in own
        for groups in sets[log.of_table]
        if len(groups) == log.groups and groups[log.group].file_id in logs
    ]
    for keys in staged.runner.run(partial(_find_same_key, metadata.storage), pairs):
        if keys is None:
            raise _unknown_keys(where, instant)
        if keys:
            raise _same_key(where, keys[0], instant)


@dataclass(frozen=True, slots=True)
class _LogPair:
    """A log file that waits, and those of another write in its file group."""

    own: FileInfo
    others: tuple[FileInfo, ...]


def _find_same_key(storage: Storage, pair: _LogPair) -> list[str] | None:
    """A key of both; None where those of the other write are gone."""
    own = index_strings(read_log_keys(storage, [pair.own]))
    try:
        keys = read_log_keys(storage, pair.others)
    except NoSuchFileError:
        return None
    return [str(key) for key in to_list(take_strings(keys, np.flatnonzero(own.find(keys) >= 0)[:1]))]


def _unknown_keys(where: str, instant: Instant) -> ConflictError:
    found = f"{instant.action} {instant.requested_time}, whose keys are not known any more"
    return ConflictError(where, expected="keys that nobody else wrote", found=found)


def _same_key(where: str, key: object, instant: Instant) -> ConflictError:
    found = f"{key!r} of {instant.action} {instant.requested_time}"
    return ConflictError(where, expected="keys that nobody else wrote", found=found)


def _keys_by_group(change: TableChange, *, partitioned: bool) -> dict[str, StringIndex]:
    """The keys whose entries in the record index a change writes, by the prefix of the ids of the file groups there."""
    parts: dict[str, list[StringColumn]] = {}
    for status in change.statuses:
        mine = [keys for keys in (status.added_keys, status.removed_keys) if keys is not None]
        parts.setdefault(status.partition if partitioned else "", []).extend(mine)
    for partition, keys in change.replaced_keys.items():
        parts.setdefault(partition if partitioned else "", []).append(keys)
    return {
        prefix: index_strings(concat_strings(keys))
        for partition, keys in parts.items()
        if keys
        for prefix in (partition_group_prefixes(partition) if partitioned else ("",))
    }


def _refuse_scheduled(begun: Table, latest: Table, where: str, change: TableChange) -> None:
    """Raises `ConflictError` where a compaction was scheduled since a write of table version 6 began: its log files have the time
    of the slice that is merged, and would be lost behind the new one."""
    known = {instant.requested_time for instant in begun.timeline.pending}
    for work in pending_work(latest.timeline):
        if work.instant.action == COMPACTION and work.instant.requested_time not in known:
            late = {(one.partition, one.file_id) for one in change.statuses if one.is_log}
            late = late.intersection(work.file_groups) - _find_appended(change, latest, work.instant, COMPACT)
            if late:
                found = _change_of(work.instant, min(late))
                raise ConflictError(where, expected="file groups whose compaction was known", found=found)


def _find_appended(change: TableChange, latest: Table, instant: Instant, operation: str) -> set[FileGroup]:
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
    clustering gives way to it; `PendingPlanError` where nobody runs it."""
    for work in pending_work(latest.timeline):
        if work.instant.action in (CLUSTERING, REPLACE_COMMIT) and work.instant.requested_time != instant_time:
            both = sorted(groups & set(work.file_groups))
            if both and not gives_way(work.instant):
                where = f"{latest.storage.uri}: {operation} of {instant_time}"
                found = _change_of(work.instant, both[0])
                if work.instant.state is not InstantState.REQUESTED:
                    raise ConflictError(where, expected="file groups that are not clustered", found=found)
                error = PendingPlanError(where, expected="file groups that are not clustered", found=found)
                time = work.instant.requested_time
                error.add_note(
                    f"the plan waits until it is run: hudi-core cluster TABLE --run {time}, or --cancel {time}; "
                    "with `cancels_plans` the write cancels it"
                )
                raise error


def _new_buckets(change: TableChange) -> frozenset[FileGroup]:
    """The buckets of new file groups: two writers that begin one bucket at once would leave it twice, or hide a file."""
    new = [status for status in change.statuses if status.previous_instant is None]
    return _buckets((status.partition, status.file_id) for status in new)


def _buckets(groups: Iterable[FileGroup]) -> frozenset[FileGroup]:
    return frozenset((partition, same_bucket(file_id)) for partition, file_id in groups)


def list_touched_groups(change: TableChange) -> set[FileGroup]:
    """The existing file groups that a change updates or replaces."""
    updated = {(status.partition, status.file_id) for status in change.statuses if status.previous_instant is not None}
    return updated | {(partition, file_id) for partition, ids in change.replaced.items() for file_id in ids}


def _list_completed_since(begun: Table, latest: Table) -> Iterator[tuple[Instant, CommitMetadata]]:
    known = {instant.requested_time for instant in begun.timeline.completed if instant.action in WRITES}
    for instant in (*_list_archived_since(begun, latest), *latest.timeline.commits):
        if instant.requested_time not in known:
            yield instant, latest.timeline.metadata(instant)


def _list_archived_since(begun: Table, latest: Table) -> Iterator[Instant]:
    """Writes that were pending when a write began, and that an archive has put into the history since they completed: it keeps
    what was requested after the first pending write. Others that are gone were rolled back. Rule CONFLICT-1430."""
    there = {instant.requested_time for instant in latest.timeline.instants}
    gone = {instant.requested_time for instant in begun.timeline.pending} - there
    if gone:
        yield from (one for one in latest.timeline.with_archived().commits if one.requested_time in gone)


def _change_of(instant: Instant, group: FileGroup) -> str:
    partition, file_id = group
    return f"{instant.action} {instant.requested_time} of {f'{partition}/' if partition else ''}{file_id}"
