"""Plans of compactions: as values, and in the form in which Apache Hudi stores them. Rules COMPACT-350 to COMPACT-352.

The plans of a table and of its metadata table have one form, as have those of compactions and of log compactions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from hudi_core.commit.avro_schemas import COMPACTION_PLAN
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.container import write_container
from hudi_core.paths import FileId, FileName, FileNames, PartitionPath
from hudi_core.timeline.instants import LOG_COMPACTION, Instant
from hudi_core.timeline.services import FileGroup, StoredRecord, StoredString, default_for_null
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline

PLAN_VERSION: Final = 2
"""Plans of version 1 name files by whole path."""
NEW_FILE_BYTES: Final = 120 << 20
"""The size of a base file that does not exist yet, as plans estimate it: Apache Hudi's `hoodie.parquet.max.file.size`."""
LOG_FILES, LOG_BYTES, IO = "TOTAL_LOG_FILES", "TOTAL_LOG_FILES_SIZE", "TOTAL_IO_MB"
_MEGABYTE: Final = 1 << 20
_LOG_COMPACTOR: Final = "org.apache.hudi.table.action.compact.LogCompactionExecutionHelper"


@dataclass(frozen=True, slots=True)
class CompactionOperation:
    """A file slice that a plan merges, its files by name. `instant` is that of the slice, `metrics` Apache Hudi's figures."""

    partition: str
    file_id: str
    instant: str
    base: str | None
    logs: tuple[str, ...]
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def group(self) -> FileGroup:
        return self.partition, self.file_id

    def as_dict(self) -> dict[str, Any]:
        """The operation as users see it."""
        return {
            "partition": self.partition,
            "file_id": self.file_id,
            "base_file": self.base,
            "log_files": list(self.logs),
            "log_bytes": int(self.metrics.get(LOG_BYTES, 0)),
        }


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """A plan. `left_out` are partitions of which slices with log files were left out, to be looked at by the next plan; None
    where plans look at all partitions. With `of_logs` log files are merged into one, and base files stay."""

    operations: tuple[CompactionOperation, ...]
    left_out: tuple[str, ...] | None = ()
    of_logs: bool = False


def plan_operation(file_slice: FileSlice, new_file_bytes: int = NEW_FILE_BYTES) -> CompactionOperation:
    """A slice as a plan has it."""
    log_bytes = sum(log.size for log in file_slice.logs)
    base_bytes = file_slice.base.size if file_slice.base else 0
    read, written = (base_bytes + log_bytes) // _MEGABYTE, (base_bytes or new_file_bytes) // _MEGABYTE
    metrics = {
        LOG_FILES: float(len(file_slice.logs)),
        LOG_BYTES: float(log_bytes),
        "TOTAL_IO_READ_MB": float(read),
        "TOTAL_IO_WRITE_MB": float(written),
        IO: float(read + written),
    }
    return CompactionOperation(
        file_slice.partition,
        file_slice.file_id,
        file_slice.instant,
        file_slice.base.name if file_slice.base else None,
        tuple(log.name for log in file_slice.logs),
        metrics,
    )


def encode_plan(plan: CompactionPlan) -> bytes:
    """The content of the requested instant."""
    strategy = {"compactorClassName": _LOG_COMPACTOR, "strategyParams": {}, "version": 1} if plan.of_logs else None
    record = {
        "operations": [
            {
                "baseInstantTime": one.instant,
                "deltaFilePaths": list(one.logs),
                "dataFilePath": one.base,
                "fileId": one.file_id,
                "partitionPath": one.partition,
                "metrics": dict(one.metrics),
                "bootstrapFilePath": None,
            }
            for one in plan.operations
        ],
        "extraMetadata": {},
        "version": PLAN_VERSION,
        "strategy": strategy,
        "preserveHoodieMetadata": plan.of_logs,
        "missingSchedulePartitions": None if plan.left_out is None else list(plan.left_out),
    }
    return write_container(COMPACTION_PLAN, [record])


def read_plan(timeline: Timeline, instant: Instant) -> CompactionPlan:
    """The plan of a compaction or log compaction, whoever made it; also of one that is completed, where its requested file is
    still there.

    Raises `CorruptFileError` for an instant without one, `UnsupportedError` for a version that is not known.
    """
    where = f"{timeline.storage.uri}/{timeline.folder}/{instant.requested_time}.{instant.action}.requested"
    record = timeline.plan(instant)
    if not record:
        raise CorruptFileError(where, expected="a plan of a compaction", found="none")
    try:
        stored = _StoredPlan.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CorruptFileError(where, expected="a plan of a compaction", found=f"{place}: {first['msg']}") from None
    if not 1 <= stored.version <= PLAN_VERSION:
        expected = f"version 1 to {PLAN_VERSION} of a plan"
        raise UnsupportedError(where, expected=expected, found=str(stored.version))
    if any(one.bootstrap for one in stored.operations):
        raise UnsupportedError(where, expected="base files of the table's own", found="a bootstrap base file")
    return CompactionPlan(
        tuple(map(_operation, stored.operations)), stored.left_out, of_logs=instant.action == LOG_COMPACTION
    )


class _StoredOperation(StoredRecord):
    instant: StoredString = Field("", alias="baseInstantTime")
    logs: FileNames = Field((), alias="deltaFilePaths")
    base: FileName = Field("", alias="dataFilePath")
    file_id: FileId = Field(alias="fileId")
    partition: PartitionPath = Field("", alias="partitionPath")
    metrics: Annotated[Mapping[str, float], default_for_null({})] = Field(default_factory=dict)
    bootstrap: FileName = Field("", alias="bootstrapFilePath")


class _StoredPlan(StoredRecord):
    operations: Annotated[tuple[_StoredOperation, ...], default_for_null(())] = ()
    version: Annotated[int, default_for_null(1)] = 1
    left_out: tuple[str, ...] | None = Field(None, alias="missingSchedulePartitions")


def _operation(stored: _StoredOperation) -> CompactionOperation:
    return CompactionOperation(
        stored.partition,
        stored.file_id,
        stored.instant,
        stored.base or None,
        stored.logs,
        stored.metrics,
    )
