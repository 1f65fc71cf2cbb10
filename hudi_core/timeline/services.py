"""Records of table services: cleans, savepoints, rollbacks, restores, plans of compaction and clustering.

Rules TIME-26 to TIME-28. Contents are read on use; errors name the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hudi_core.errors import CorruptFileError
from hudi_core.paths import name_in, read_names, read_partition
from hudi_core.stated_records import default_to, items, mapping, read_as, record_of, take, text, texts, truth_value
from hudi_core.timeline.instants import (
    CLEAN,
    CLUSTERING,
    COMPACTION,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    ROLLBACK,
    SAVEPOINT,
    Instant,
)
from hudi_core.timeline.timeline import Timeline

FileGroup = tuple[str, str]
"""Partition path, empty for a table without partitions, and file id."""


@dataclass(frozen=True, slots=True)
class CleanedPartition:
    policy: str = take("policy", read=text)
    deleted: tuple[str, ...] = take("successDeleteFiles", read=read_names)
    """Names of files."""
    partition_deleted: bool = take("isPartitionDeleted", read=truth_value)
    """The whole partition was deleted."""


@dataclass(frozen=True, slots=True)
class CleanMetadata:
    """The record of a clean. Queries of times before `earliest_retained` may miss files; None: the policy is not by time."""

    earliest_retained: str | None = take("earliestCommitToRetain", read=lambda value: text(value) or None)
    last_completed: str = take("lastCompletedCommitTimestamp", read=text)
    """The last write that was completed when the clean was planned."""
    extra: Mapping[str, str] = take("extraMetadata", read=mapping(text, text))
    partitions: Mapping[str, CleanedPartition] = take(
        "partitionMetadata", read=mapping(read_partition, record_of(CleanedPartition))
    )


@dataclass(frozen=True, slots=True)
class RetainedInstant:
    """The first write whose state a clean keeps."""

    time: str = take("timestamp", read=text)
    action: str = take("action", read=text)
    state: str = take("state", read=text)


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file that a clean is going to delete, by name: its path is that of the machine which planned. One of a bootstrap lies
    elsewhere, by whole path."""

    is_bootstrap: bool = take("isBootstrapBaseFile", read=truth_value)
    path: str = take("filePath", read=text)


def _read_planned_file(record: object) -> PlannedFile:
    file = read_as(PlannedFile, record)
    return file if file.is_bootstrap else replace(file, path=name_in(file.path, "filePath"))


@dataclass(frozen=True, slots=True)
class StoredCleanPlan:
    """The plan of a clean as it is stored. Old plans have names of files, later ones paths."""

    retained: RetainedInstant | None = take(
        "earliestInstantToRetain", read=default_to(None, record_of(RetainedInstant))
    )
    last_completed: str = take("lastCompletedCommitTimestamp", read=text)
    policy: str = take("policy", read=text)
    names: Mapping[str, tuple[str, ...]] = take(
        "filesToBeDeletedPerPartition", read=mapping(read_partition, read_names)
    )
    paths: Mapping[str, tuple[PlannedFile, ...]] = take(
        "filePathsToBeDeletedPerPartition", read=mapping(read_partition, items(_read_planned_file))
    )
    partitions: tuple[str, ...] = take("partitionsToBeDeleted", read=items(read_partition))
    extra: Mapping[str, str] = take("extraMetadata", read=mapping(text, text))

    @property
    def earliest_retained(self) -> str | None:
        """The time from which on the clean keeps every state; None: its policy is not by time."""
        return self.retained.time or None if self.retained is not None else None

    def list_deleted(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the files to delete in each partition; those of a bootstrap, which lie elsewhere, are not among them."""
        return {
            partition: (
                *self.names.get(partition, ()),
                *(file.path for file in self.paths.get(partition, ()) if not file.is_bootstrap),
            )
            for partition in dict.fromkeys((*self.names, *self.paths))
        }


@dataclass(frozen=True, slots=True)
class SavedPartition:
    files: tuple[str, ...] = take("savepointDataFile", read=read_names)
    """Names of files."""


@dataclass(frozen=True, slots=True)
class Savepoint:
    """The files of the latest slices at the savepoint's time: no clean deletes them."""

    by: str = take("savepointedBy", read=text)
    comments: str = take("comments", read=text)
    partitions: Mapping[str, SavedPartition] = take(
        "partitionMetadata", read=mapping(read_partition, record_of(SavedPartition))
    )


@dataclass(frozen=True, slots=True)
class _Rollback:
    instants: tuple[str, ...] = take("commitsRollback", read=texts)


@dataclass(frozen=True, slots=True)
class _Restore:
    instants: tuple[str, ...] = take("instantsToRollback", read=texts)


@dataclass(frozen=True, slots=True)
class _Slice:
    partition: str = take("partitionPath", read=read_partition)
    file_id: str = take("fileId", read=text)


@dataclass(frozen=True, slots=True)
class _CompactionPlan:
    slices: tuple[_Slice, ...] = take("operations", read=items(record_of(_Slice)))


@dataclass(frozen=True, slots=True)
class _ClusteringGroup:
    slices: tuple[_Slice, ...] = take("slices", read=items(record_of(_Slice)))


@dataclass(frozen=True, slots=True)
class _ClusteringPlan:
    groups: tuple[_ClusteringGroup, ...] = take("inputGroups", read=items(record_of(_ClusteringGroup)))


@dataclass(frozen=True, slots=True)
class _PlannedReplace:
    plan: _ClusteringPlan = take("clusteringPlan", read=default_to(_ClusteringPlan(), record_of(_ClusteringPlan)))


@dataclass(frozen=True, slots=True)
class PendingWork:
    """A pending action; `file_groups` are those it will rewrite by its plan, empty where it has none."""

    instant: Instant
    file_groups: tuple[FileGroup, ...]


M = TypeVar("M")


def clean(timeline: Timeline, instant: Instant) -> CleanMetadata:
    """The record of a completed clean."""
    return _read(CleanMetadata, timeline, instant)


def clean_plan(timeline: Timeline, instant: Instant) -> StoredCleanPlan:
    """The plan of a clean that is not completed."""
    return _check(StoredCleanPlan, timeline, instant, timeline.plan(instant))


def latest_clean(timeline: Timeline) -> CleanMetadata | None:
    """The record of the last completed clean of the timeline, whatever its cuts; None: there was none."""
    cleans = [instant for instant in timeline.instants if instant.action == CLEAN and instant.completed]
    return clean(timeline, cleans[-1]) if cleans else None


def savepoints(timeline: Timeline) -> list[str]:
    """Times of the commits that are saved."""
    return [i.requested_time for i in timeline.instants if i.action == SAVEPOINT and i.completed]


def savepoint(timeline: Timeline, instant: Instant) -> Savepoint:
    """The record of a completed savepoint."""
    return _read(Savepoint, timeline, instant)


def list_rolled_back(timeline: Timeline, instant: Instant) -> tuple[str, ...]:
    """Requested times of the instants that a completed rollback or restore removed."""
    if instant.action == ROLLBACK:
        return _read(_Rollback, timeline, instant).instants
    return _read(_Restore, timeline, instant).instants


def pending_work(timeline: Timeline) -> Sequence[PendingWork]:
    """The pending actions, in order. The plans of compactions and clusterings are read."""
    return [PendingWork(instant, list_planned_file_groups(timeline, instant)) for instant in timeline.pending]


def list_opened_by_compactions(timeline: Timeline) -> dict[FileGroup, str]:
    """The file groups of pending compactions, with the time that the slice of each will have."""
    works = (work for work in pending_work(timeline) if work.instant.action == COMPACTION)
    return {group: work.instant.requested_time for work in works for group in work.file_groups}


def list_planned_file_groups(timeline: Timeline, instant: Instant) -> tuple[FileGroup, ...]:
    """The file groups that a pending action will rewrite by its plan, none for one that rewrites none. Raises `CorruptFileError`
    for a plan that cannot be read."""
    if instant.action not in (COMPACTION, LOG_COMPACTION, CLUSTERING, REPLACE_COMMIT):
        return ()
    try:
        if instant.action in (COMPACTION, LOG_COMPACTION):
            slices = _check(_CompactionPlan, timeline, instant, timeline.plan(instant)).slices
        elif is_planned_clustering(timeline, instant):
            groups = _check(_PlannedReplace, timeline, instant, timeline.plan(instant)).plan.groups
            slices = tuple(file_slice for group in groups for file_slice in group.slices)
        else:
            return ()
    except CorruptFileError as error:
        raise with_a_way_out(error) from None
    return tuple(dict.fromkeys((file_slice.partition, file_slice.file_id) for file_slice in slices))


def is_planned_clustering(timeline: Timeline, instant: Instant) -> bool:
    """Whether a pending action is a clustering, whose plan a later run carries out. In table version 6 it is a replace commit;
    one of another kind, an overwrite, has no plan of what it will replace. Raises `CorruptFileError` for a plan that cannot be
    read."""
    if instant.action != REPLACE_COMMIT:
        return instant.action == CLUSTERING
    try:
        return bool(timeline.plan(instant).get("clusteringPlan"))
    except CorruptFileError as error:
        raise with_a_way_out(error) from None


def with_a_way_out(error: CorruptFileError) -> CorruptFileError:
    """The error of a plan that cannot be read, with what helps."""
    expected = f"{error.expected} (hudi-core validate TABLE --mend drops the plan)"
    return CorruptFileError(error.where, expected=expected, found=error.found)


def _read(model: type[M], timeline: Timeline, instant: Instant) -> M:
    return _check(model, timeline, instant, timeline.record(instant))


def _check(model: type[M], timeline: Timeline, instant: Instant, record: Mapping[str, Any]) -> M:
    try:
        return read_as(model, record)
    except CorruptFileError as error:
        where = f"{timeline.storage.uri}/{timeline.folder}/{instant.file}"
        raise CorruptFileError(where, expected=f"the record of a {instant.action}", found=str(error)) from None
