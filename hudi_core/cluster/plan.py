"""Plans of clusterings: as values, and in the form in which Apache Hudi stores them. Rules CLUSTER-20 to CLUSTER-23.

The stored form names a class that runs the plan and its parameters; how rows are ordered is the runner's own configuration in
Apache Hudi, so ours is among the parameters too, under names of its own and under those of Apache Hudi's options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import AliasPath, Field, ValidationError

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.predictions import PREDICTIONS, Gain, decode_gains, encode_gains
from hudi_core.commit.avro_schemas import REQUESTED_REPLACE_METADATA
from hudi_core.commit.statuses import CLUSTER
from hudi_core.engine import Storage
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.container import write_container
from hudi_core.paths import FileName, FileNames, PartitionPath
from hudi_core.timeline.instants import CLUSTERING, REPLACE_COMMIT, Instant
from hudi_core.timeline.services import FileGroup, StoredRecord, StoredString, default_for_null
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline

OPERATION: Final = CLUSTER
SORT_COLUMNS: Final = "hoodie.clustering.plan.strategy.sort.columns"
TARGET_BYTES: Final = "hoodie.clustering.plan.strategy.target.file.max.bytes"
LAYOUT: Final = "hoodie.layout.optimize.strategy"
CURVE_METHOD: Final = "hoodie.layout.optimize.curve.build.method"
_CLASSES: Final = "org.apache.hudi.client.clustering.run.strategy."
SORT_AND_SIZE: Final = f"{_CLASSES}SparkSortAndSizeExecutionStrategy"
_REWRITING: Final = frozenset(
    f"{_CLASSES}{name}"
    for name in (
        "SparkSortAndSizeExecutionStrategy",
        "SparkSingleFileSortExecutionStrategy",
        "SparkStreamCopyClusteringExecutionStrategy",
        "SparkBinaryCopyClusteringExecutionStrategy",
        "JavaSortAndSizeExecutionStrategy",
    )
)
"""Strategies whose plans any rewriting of rows fulfils. Those of consistent hashing need file ids of their own."""
_SAMPLE: Final = "SAMPLE"
_NO_FILE: Final = ""
_MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PlannedSlice:
    """A file slice that a plan rewrites, its files by name."""

    partition: str
    file_id: str
    base: str | None
    logs: frozenset[str] = frozenset()

    @property
    def group(self) -> FileGroup:
        return self.partition, self.file_id


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """Slices of one partition that are rewritten together, into about `outputs` files."""

    slices: tuple[PlannedSlice, ...]
    outputs: int
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClusteringPlan:
    """A plan. `target_bytes` is the size of files, where the plan states it."""

    groups: tuple[PlannedGroup, ...]
    strategy: Strategy = Strategy.LINEAR
    columns: tuple[str, ...] = ()
    target_bytes: int | None = None
    strategy_class: str = SORT_AND_SIZE
    preserves_commit_times: bool = True
    gains: tuple[Gain, ...] = ()
    """The predicted gains of queries."""

    @property
    def file_groups(self) -> tuple[FileGroup, ...]:
        """All file groups that the plan rewrites."""
        return tuple(file_slice.group for group in self.groups for file_slice in group.slices)


def plan_slice(file_slice: FileSlice) -> PlannedSlice:
    """A slice as a plan names it."""
    base = None if file_slice.base is None else file_slice.base.name
    logs = frozenset(log.name for log in file_slice.logs)
    return PlannedSlice(file_slice.partition, file_slice.file_id, base, logs)


def clustering_action(version: int) -> str:
    """The action of a clustering that is not completed."""
    return CLUSTERING if version >= 8 else REPLACE_COMMIT


def encode_plan(plan: ClusteringPlan, slices: Mapping[FileGroup, FileSlice], storage: Storage) -> bytes:
    """The content of the requested instant. `slices` are the slices of the plan, by file group: Apache Hudi names their files by
    whole path."""
    parameters = {LAYOUT: plan.strategy.upper()}
    if plan.columns:
        parameters[SORT_COLUMNS] = ",".join(plan.columns)
    if plan.target_bytes is not None:
        parameters[TARGET_BYTES] = str(plan.target_bytes)
    if plan.strategy is not Strategy.LINEAR:
        parameters[CURVE_METHOD] = _SAMPLE
    groups = [
        {
            "slices": [_slice_record(slices[planned.group], storage.uri) for planned in group.slices],
            "metrics": dict(group.metrics),
            "numOutputFileGroups": group.outputs,
            "extraMetadata": None,
            "version": 1,
        }
        for group in plan.groups
    ]
    stored = {
        "inputGroups": groups,
        "strategy": {"strategyClassName": plan.strategy_class, "strategyParams": parameters, "version": 1},
        "extraMetadata": {PREDICTIONS: encode_gains(plan.gains)} if plan.gains else {},
        "version": 1,
        "preserveHoodieMetadata": plan.preserves_commit_times,
        "missingSchedulePartitions": [],
    }
    record = {"operationType": OPERATION, "clusteringPlan": stored, "extraMetadata": {}, "version": 1}
    return write_container(REQUESTED_REPLACE_METADATA, [record])


def read_plan(timeline: Timeline, instant: Instant) -> ClusteringPlan:
    """The plan of a pending clustering, whoever made it.

    Raises `CorruptFileError` for an instant without one, `UnsupportedError` for a strategy whose file ids mean something.
    """
    where = f"{timeline.storage.uri}/{timeline.folder}/{instant.requested_time}.{instant.action}.requested"
    record = timeline.plan(instant)
    if not record.get("clusteringPlan"):
        raise CorruptFileError(where, expected="a plan of a clustering", found="none")
    try:
        stored = _StoredPlan.model_validate(record["clusteringPlan"])
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CorruptFileError(where, expected="a plan of a clustering", found=f"{place}: {first['msg']}") from None
    if stored.strategy_class not in _REWRITING:
        raise UnsupportedError(
            where, expected="a strategy that sorts or joins files", found=stored.strategy_class or "none"
        )
    parameters = stored.parameters
    layout = parameters.get(LAYOUT, Strategy.LINEAR).lower()
    target = parameters.get(TARGET_BYTES, "")
    return ClusteringPlan(
        tuple(
            PlannedGroup(tuple(map(_parse_slice, group.slices)), group.outputs, group.metrics)
            for group in stored.groups
        ),
        Strategy(layout) if layout in list(Strategy) else Strategy.LINEAR,
        tuple(name.strip() for name in parameters.get(SORT_COLUMNS, "").split(",") if name.strip()),
        int(target) if target.isdigit() else None,
        stored.strategy_class,
        stored.preserves,
        decode_gains(stored.extra.get(PREDICTIONS, "")),
    )


def group_metrics(slices: Sequence[FileSlice]) -> dict[str, float]:
    """The five figures that Apache Hudi records of a group, in MiB."""
    logs = [log for file_slice in slices for log in file_slice.logs]
    read = sum(file.size for file_slice in slices for file in file_slice.files) / _MEBIBYTE
    written = sum(file_slice.base.size for file_slice in slices if file_slice.base is not None) / _MEBIBYTE
    return {
        "TOTAL_IO_READ_MB": read,
        "TOTAL_IO_WRITE_MB": written,
        "TOTAL_IO_MB": read + written,
        "TOTAL_LOG_FILES": float(len(logs)),
        "TOTAL_LOG_FILES_SIZE": float(sum(log.size for log in logs)),
    }


def _slice_record(file_slice: FileSlice, uri: str) -> dict[str, Any]:
    return {
        "dataFilePath": _NO_FILE if file_slice.base is None else f"{uri}/{file_slice.base.path}",
        "deltaFilePaths": [f"{uri}/{log.path}" for log in file_slice.logs],
        "fileId": file_slice.file_id,
        "partitionPath": file_slice.partition,
        "bootstrapFilePath": _NO_FILE,
        "version": 1,
    }


class _StoredSlice(StoredRecord):
    base: FileName = Field("", alias="dataFilePath")
    logs: FileNames = Field((), alias="deltaFilePaths")
    file_id: StoredString = Field("", alias="fileId")
    partition: PartitionPath = Field("", alias="partitionPath")


class _StoredGroup(StoredRecord):
    slices: Annotated[tuple[_StoredSlice, ...], default_for_null(())] = ()
    metrics: Annotated[Mapping[str, float], default_for_null({})] = Field(default_factory=dict)
    outputs: Annotated[int, default_for_null(1)] = Field(1, alias="numOutputFileGroups")


class _StoredPlan(StoredRecord):
    groups: Annotated[tuple[_StoredGroup, ...], default_for_null(())] = Field((), alias="inputGroups")
    strategy_class: StoredString = Field("", validation_alias=AliasPath("strategy", "strategyClassName"))
    parameters: Annotated[Mapping[str, str], default_for_null({})] = Field(
        default_factory=dict, validation_alias=AliasPath("strategy", "strategyParams")
    )
    preserves: Annotated[bool, default_for_null(False)] = Field(False, alias="preserveHoodieMetadata")
    extra: Annotated[Mapping[str, str], default_for_null({})] = Field(default_factory=dict, alias="extraMetadata")


def _parse_slice(stored: _StoredSlice) -> PlannedSlice:
    """Directories of paths are those of the machine that planned: names count."""
    return PlannedSlice(stored.partition, stored.file_id, stored.base or None, frozenset(stored.logs))
