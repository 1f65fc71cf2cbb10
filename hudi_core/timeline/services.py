"""What table services did and are to do: cleans, savepoints, rollbacks, restores, plans of compaction and clustering.

Rules TIME-26 to TIME-28. Contents are read when asked for; errors name the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from hudi_core.errors import CorruptFileError
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


def _none_is(empty: object) -> BeforeValidator:
    return BeforeValidator(lambda value: empty if value is None else value)


_Text = Annotated[str, _none_is("")]
_Texts = Annotated[tuple[str, ...], _none_is(())]


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class CleanedPartition(_Read):
    policy: _Text = ""
    deleted: _Texts = Field((), alias="successDeleteFiles")
    """Names of files."""
    gone: Annotated[bool, _none_is(False)] = Field(False, alias="isPartitionDeleted")
    """The partition went as a whole."""


class CleanMetadata(_Read):
    """What a clean took away. Queries of times before `earliest_retained` may miss files; None: it kept by other measures."""

    earliest_retained: Annotated[str | None, BeforeValidator(lambda value: value or None)] = Field(
        None, alias="earliestCommitToRetain"
    )
    partitions: Annotated[Mapping[str, CleanedPartition], _none_is({})] = Field(
        default_factory=dict, alias="partitionMetadata"
    )


class SavedPartition(_Read):
    files: _Texts = Field((), alias="savepointDataFile")
    """Names of files."""


class Savepoint(_Read):
    """The files of the latest slices at the savepoint's time: no clean takes them away."""

    by: _Text = Field("", alias="savepointedBy")
    comments: _Text = ""
    partitions: Annotated[Mapping[str, SavedPartition], _none_is({})] = Field(
        default_factory=dict, alias="partitionMetadata"
    )


class _Undone(_Read):
    instants: _Texts = Field((), alias="commitsRollback")


class _Restored(_Read):
    instants: _Texts = Field((), alias="instantsToRollback")


class _Slice(_Read):
    partition: _Text = Field("", alias="partitionPath")
    file_id: _Text = Field("", alias="fileId")


class _CompactionPlan(_Read):
    slices: Annotated[tuple[_Slice, ...], _none_is(())] = Field((), alias="operations")


class _ClusteringGroup(_Read):
    slices: Annotated[tuple[_Slice, ...], _none_is(())] = ()


class _ClusteringPlan(_Read):
    groups: Annotated[tuple[_ClusteringGroup, ...], _none_is(())] = Field(
        (), validation_alias=AliasPath("clusteringPlan", "inputGroups")
    )


@dataclass(frozen=True, slots=True)
class PendingWork:
    """Something that was requested and is not done; `file_groups` are those it is going to rewrite, as far as its plan tells."""

    instant: Instant
    file_groups: tuple[FileGroup, ...]


M = TypeVar("M", bound=BaseModel)


def clean(timeline: Timeline, instant: Instant) -> CleanMetadata:
    """What a completed clean did."""
    return _read(CleanMetadata, timeline, instant)


def latest_clean(timeline: Timeline) -> CleanMetadata | None:
    """What the last clean did that completed on the timeline, whatever the time it is cut at; None: there was none."""
    done = [instant for instant in timeline.instants if instant.action == CLEAN and instant.completed]
    return clean(timeline, done[-1]) if done else None


def savepoints(timeline: Timeline) -> list[str]:
    """Times of the commits that are saved."""
    return [i.requested_time for i in timeline.instants if i.action == SAVEPOINT and i.completed]


def savepoint(timeline: Timeline, instant: Instant) -> Savepoint:
    """What a completed savepoint keeps."""
    return _read(Savepoint, timeline, instant)


def undone(timeline: Timeline, instant: Instant) -> tuple[str, ...]:
    """Requested times of the instants that a completed rollback or restore took away."""
    if instant.action == ROLLBACK:
        return _read(_Undone, timeline, instant).instants
    return _read(_Restored, timeline, instant).instants


def pending_work(timeline: Timeline) -> Sequence[PendingWork]:
    """What is requested or at work, in order. A plan is read of each compaction and clustering."""
    return [PendingWork(instant, _planned(timeline, instant)) for instant in timeline.pending]


def _planned(timeline: Timeline, instant: Instant) -> tuple[FileGroup, ...]:
    if instant.action in (COMPACTION, LOG_COMPACTION):
        slices = _checked(_CompactionPlan, timeline, instant, timeline.plan(instant)).slices
    elif instant.action in (CLUSTERING, REPLACE_COMMIT):
        # A replace commit of another kind, an overwrite, has no plan of what it will replace.
        record = timeline.plan(instant)
        if not record.get("clusteringPlan"):
            return ()
        groups = _checked(_ClusteringPlan, timeline, instant, record).groups
        slices = tuple(each for group in groups for each in group.slices)
    else:
        return ()
    return tuple(dict.fromkeys((each.partition, each.file_id) for each in slices))


def _read(model: type[M], timeline: Timeline, instant: Instant) -> M:
    return _checked(model, timeline, instant, timeline.record(instant))


def _checked(model: type[M], timeline: Timeline, instant: Instant, record: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CorruptFileError(
            f"{timeline.storage.uri}/{timeline.folder}/{instant.file}",
            expected=f"what a {instant.action} says",
            found=f"{place}: {first['msg']}",
        ) from None
