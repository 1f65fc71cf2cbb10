"""Commit metadata to be written: records of it from what tasks report, and their bytes. Rules: COMMIT-1 to COMMIT-4.

Table version 6 writes JSON, later ones an Avro container of one record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from hudi_core.commit.avro_schemas import COMMIT_METADATA, REPLACE_COMMIT_METADATA
from hudi_core.commit.statuses import COMPACTIONS, TableChange, WriteStatus
from hudi_core.formats.avro.container import write_container
from hudi_core.formats.avro.long_lists import write_with_lists
from hudi_core.timeline.instants import REPLACE_COMMIT

NO_INSTANT: Final = "null"
"""The previous instant of a new file group, never null: readers of Apache Hudi call methods on it."""

_COUNTERS: Final = (
    "numWrites", "numDeletes", "numUpdateWrites", "numInserts", "totalWriteBytes", "totalWriteErrors", "totalLogRecords",
    "totalUpdatedRecordsCompacted", "totalLogBlocks", "totalCorruptLogBlock", "totalRollbackBlocks", "fileSizeInBytes",
    "totalLogFilesCompacted", "totalLogReadTimeMs", "totalLogSizeCompacted", "numUpdates",
)  # fmt: skip
_ABSENT: Final = (
    "path", "partitionPath", "totalLogFiles", "logVersion", "logOffset", "baseFile", "logFiles", "cdcStats",
    "prevBaseFile", "minEventTime", "maxEventTime", "runtimeStats", "tempPath",
)  # fmt: skip
_ONLY_IN_LOGS: Final = ("logVersion", "logOffset", "baseFile", "logFiles")

Stat = dict[str, Any]
"""A `HoodieWriteStat`: its fields by name."""


def plan_stat(file_id: str, previous_instant: str | None, inserts: int, updates: int) -> Stat:
    """The statistics that an inflight commit records of a file group that it is going to write to; an empty id stands for new
    ones."""
    return _stat(fileId=file_id, prevCommit=previous_instant or NO_INSTANT, numInserts=inserts, numUpdateWrites=updates)


def stat_of(status: WriteStatus, instant_time: str, version: int) -> Stat:
    """The write statistics of one file in a completed commit. Log files of version 6, and those whose status states it, are
    recorded under the commit of their slice, others under their own."""
    stat = _stat(
        fileId=status.file_id,
        path=status.path,
        partitionPath=status.partition,
        prevCommit=status.previous_instant or NO_INSTANT,
        prevBaseFile=status.previous_base,
        numWrites=status.rows,
        numInserts=status.inserts,
        numUpdateWrites=status.updates,
        numDeletes=status.deletes,
        totalWriteBytes=status.size,
        fileSizeInBytes=status.size,
        cdcStats=dict(status.change_logs) or None,
        runtimeStats={"totalScanTime": 0, "totalCreateTime": 0, "totalUpsertTime": 0},
    )
    if status.merged is not None:
        stat |= {
            "totalLogRecords": status.merged.records,
            "totalLogFilesCompacted": status.merged.files,
            "totalLogSizeCompacted": status.merged.size,
            "totalLogBlocks": status.merged.blocks,
            "totalUpdatedRecordsCompacted": status.merged.updates,
        }
    if status.is_log:
        name = status.path.rpartition("/")[2]
        stat |= {
            "logOffset": 0,
            "prevBaseFile": None,
            "baseFile": "",
            "logFiles": [name],
            "logVersion": log_version(name),
        }
        if status.merged is None and (version < 8 or status.names_slice):
            stat |= {"baseFile": status.previous_base or "", "logFiles": list(status.log_files) or [name]}
        elif status.merged is None:
            stat["prevCommit"] = instant_time
    return stat


def log_version(name: str) -> int:
    """The number in a log file's name: `.<file id>_<time>.log.<number>_<token>`."""
    return int(name.rpartition(".log.")[2].partition("_")[0])


def commit_record(change: TableChange, instant_time: str, version: int, schema_text: str) -> dict[str, Any]:
    """The metadata of a completed commit."""
    stats: dict[str, list[Stat]] = {}
    for status in change.statuses:
        stats.setdefault(status.partition, []).append(stat_of(status, instant_time, version))
    extra = {**change.extra, "schema": schema_text}
    record = metadata_record(stats, change.operation, extra, compacted=change.operation in COMPACTIONS)
    if change.action == REPLACE_COMMIT:
        record["partitionToReplaceFileIds"] = {partition: list(ids) for partition, ids in change.replaced.items()}
    return record


def metadata_record(
    stats: Mapping[str, Iterable[Stat]], operation: str, extra: Mapping[str, str] | None = None, compacted: bool = False
) -> dict[str, Any]:
    """Commit metadata of these statistics by partition."""
    return {
        "partitionToWriteStats": {partition: list(of_partition) for partition, of_partition in stats.items()},
        "compacted": compacted,
        "extraMetadata": dict(extra or {}),
        "version": None,
        "operationType": operation,
    }


def encode_commit(record: Mapping[str, Any], layout: int) -> bytes:
    """The file of an inflight or completed commit. A record with replaced file groups is that of a replace commit."""
    if layout == 1:
        return _json(record)
    if "partitionToReplaceFileIds" in record:
        return write_with_lists(REPLACE_COMMIT_METADATA, record)
    return write_container(COMMIT_METADATA, [record])


def _stat(**fields: Any) -> Stat:
    return {**dict.fromkeys(_ABSENT), **dict.fromkeys(_COUNTERS, 0), **fields}


def _json(record: Mapping[str, Any]) -> bytes:
    """The record in Apache Hudi's form for version 6: without a version, base files without the fields of log files."""
    stats = {
        partition: [
            {name: value for name, value in stat.items() if name not in _ONLY_IN_LOGS or value is not None}
            for stat in of_partition
        ]
        for partition, of_partition in record["partitionToWriteStats"].items()
    }
    fields = {name: value for name, value in record.items() if name != "version"}
    text = json.dumps({**fields, "partitionToWriteStats": stats}, indent=2, separators=(",", " : "), ensure_ascii=False)
    return text.encode()
