"""Records of table services: cleans, savepoints, rollbacks, restores, plans of compaction and clustering.

Rules TIME-26 to TIME-28. Contents are read on use; errors name the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo

from hudi_core.errors import CorruptFileError
from hudi_core.paths import FileNames, PartitionPath, name_in
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


def default_for_null(empty: object) -> BeforeValidator:
    """Takes null for this value: fields that another release added are null in records of older ones."""
    return BeforeValidator(lambda value: empty if value is None else value)


StoredString = Annotated[str, default_for_null("")]
"""A text of a record; empty where it is null."""
_Strings = Annotated[tuple[str, ...], default_for_null(())]


class StoredRecord(BaseModel):
    """A record as it is stored, whose other fields do not matter here."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, defer_build=True)


class CleanedPartition(StoredRecord):
    policy: StoredString = ""
    deleted: FileNames = Field((), alias="successDeleteFiles")
    """Names of files."""
    partition_deleted: Annotated[bool, default_for_null(False)] = Field(False, alias="isPartitionDeleted")
    """The whole partition was deleted."""


_TimeOrNone = Annotated[str | None, BeforeValidator(lambda value: value or None)]


class CleanMetadata(StoredRecord):
    """The record of a clean. Queries of times before `earliest_retained` may miss files; None: the policy is not by time."""

    earliest_retained: _TimeOrNone = Field(None, alias="earliestCommitToRetain")
    last_completed: StoredString = Field("", alias="lastCompletedCommitTimestamp")
    """The last write that was completed when the clean was planned."""
    extra: Annotated[Mapping[str, StoredString], default_for_null({})] = Field(
        default_factory=dict, alias="extraMetadata"
    )
    partitions: Annotated[Mapping[PartitionPath, CleanedPartition], default_for_null({})] = Field(
        default_factory=dict, alias="partitionMetadata"
    )


class RetainedInstant(StoredRecord):
    """The first write whose state a clean keeps."""

    time: StoredString = Field("", alias="timestamp")
    action: StoredString = ""
    state: StoredString = ""


def _name_or_path(path: object, others: ValidationInfo) -> str:
    text = path if isinstance(path, str) else ""
    return text if others.data.get("is_bootstrap") else name_in(text)


_PlannedPath = Annotated[str, BeforeValidator(_name_or_path)]


class PlannedFile(StoredRecord):
    """A file that a clean is going to delete, by name: its path is that of the machine which planned. One of a bootstrap lies
    elsewhere, by whole path."""

    is_bootstrap: Annotated[bool, default_for_null(False)] = Field(False, alias="isBootstrapBaseFile")
    path: _PlannedPath = Field("", alias="filePath")


class StoredCleanPlan(StoredRecord):
    """The plan of a clean as it is stored. Old plans have names of files, later ones paths."""

    retained: RetainedInstant | None = Field(None, alias="earliestInstantToRetain")
    last_completed: StoredString = Field("", alias="lastCompletedCommitTimestamp")
    policy: StoredString = ""
    names: Annotated[Mapping[PartitionPath, FileNames], default_for_null({})] = Field(
        default_factory=dict, alias="filesToBeDeletedPerPartition"
    )
    paths: Annotated[Mapping[PartitionPath, tuple[PlannedFile, ...]], default_for_null({})] = Field(
        default_factory=dict, alias="filePathsToBeDeletedPerPartition"
    )
    partitions: Annotated[tuple[PartitionPath, ...], default_for_null(())] = Field((), alias="partitionsToBeDeleted")
    extra: Annotated[Mapping[str, StoredString], default_for_null({})] = Field(
        default_factory=dict, alias="extraMetadata"
    )

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


class SavedPartition(StoredRecord):
    files: FileNames = Field((), alias="savepointDataFile")
    """Names of files."""


class Savepoint(StoredRecord):
    """The files of the latest slices at the savepoint's time: no clean deletes them."""

    by: StoredString = Field("", alias="savepointedBy")
    comments: StoredString = ""
    partitions: Annotated[Mapping[PartitionPath, SavedPartition], default_for_null({})] = Field(
        default_factory=dict, alias="partitionMetadata"
    )


class _Rollback(StoredRecord):
    instants: _Strings = Field((), alias="commitsRollback")


class _Restore(StoredRecord):
    instants: _Strings = Field((), alias="instantsToRollback")


class _Slice(StoredRecord):
    partition: PartitionPath = Field("", alias="partitionPath")
    file_id: StoredString = Field("", alias="fileId")


class _MergedSlice(_Slice):
    logs: FileNames = Field((), alias="deltaFilePaths")


class _CompactionPlan(StoredRecord):
    slices: Annotated[tuple[_MergedSlice, ...], default_for_null(())] = Field((), alias="operations")


class _ClusteringGroup(StoredRecord):
    slices: Annotated[tuple[_Slice, ...], default_for_null(())] = ()


class _ClusteringPlan(StoredRecord):
    groups: Annotated[tuple[_ClusteringGroup, ...], default_for_null(())] = Field(
        (), validation_alias=AliasPath("clusteringPlan", "inputGroups")
    )


@dataclass(frozen=True, slots=True)
class PendingWork:
    """A pending action; `file_groups` are those it will rewrite by its plan, empty where it has none."""

    instant: Instant
    file_groups: tuple[FileGroup, ...]


M = TypeVar("M", bound=BaseModel)


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


def list_logs_to_compact(timeline: Timeline) -> dict[FileGroup, frozenset[str]]:
    """The file groups of pending compactions, with the names of the log files that these merge into a base file. Raises
    `CorruptFileError` for a plan that cannot be read."""
    return {
        (one.partition, one.file_id): frozenset(one.logs)
        for instant in timeline.pending
        if instant.action == COMPACTION
        for one in _read_plan(_CompactionPlan, timeline, instant).slices
    }


def list_planned_file_groups(timeline: Timeline, instant: Instant) -> tuple[FileGroup, ...]:
    """The file groups that a pending action will rewrite by its plan, none for one that rewrites none. Raises `CorruptFileError`
    for a plan that cannot be read."""
    slices: Sequence[_Slice] = ()
    if instant.action in (COMPACTION, LOG_COMPACTION):
        slices = _read_plan(_CompactionPlan, timeline, instant).slices
    elif is_planned_clustering(timeline, instant):
        groups = _read_plan(_ClusteringPlan, timeline, instant).groups
        slices = tuple(file_slice for group in groups for file_slice in group.slices)
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


def _read_plan(model: type[M], timeline: Timeline, instant: Instant) -> M:
    try:
        return _check(model, timeline, instant, timeline.plan(instant))
    except CorruptFileError as error:
        raise with_a_way_out(error) from None


def _read(model: type[M], timeline: Timeline, instant: Instant) -> M:
    return _check(model, timeline, instant, timeline.record(instant))


def _check(model: type[M], timeline: Timeline, instant: Instant, record: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CorruptFileError(
            f"{timeline.storage.uri}/{timeline.folder}/{instant.file}",
            expected=f"the record of a {instant.action}",
            found=f"{place}: {first['msg']}",
        ) from None
