"""Avro schemas of the contents of instants, as Apache Hudi 1.2 writes them: field order is part of the format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_MODEL: Final = "org.apache.hudi.avro.model"
_STRING: Final = {"type": "string", "avro.java.string": "String"}


def _array(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


def _map(values: object) -> dict[str, object]:
    return {"type": "map", "avro.java.string": "String", "values": values}


def _optional(name: str, type: object) -> dict[str, object]:
    return {"name": name, "type": ["null", type], "default": None}


def _record(name: str, fields: list[dict[str, object]]) -> dict[str, Any]:
    return {"type": "record", "name": f"{_MODEL}.{name}", "fields": fields}


def define_once(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with each named record defined where it is first, and by its name alone from then on."""
    known: set[str] = set()

    def walk(part: Any) -> Any:
        match part:
            case {"type": "record", "name": str(name)}:
                if name in known:
                    return name
                known.add(name)
                return {key: walk(value) for key, value in part.items()}
            case Mapping():
                return {key: walk(value) for key, value in part.items()}
            case list():
                return [walk(value) for value in part]
            case _:
                return part

    schema_once: dict[str, Any] = walk(schema)
    return schema_once


_VERSION: Final[dict[str, object]] = {"name": "version", "type": ["int", "null"], "default": 1}

_RUNTIME_STATS = _record(
    "HoodieRuntimeStats", [_optional(name, "long") for name in ("totalScanTime", "totalCreateTime", "totalUpsertTime")]
)
_WRITE_STAT = _record(
    "HoodieWriteStat",
    [
        _optional("fileId", _STRING),
        _optional("path", _STRING),
        _optional("prevCommit", _STRING),
        _optional("numWrites", "long"),
        _optional("numDeletes", "long"),
        _optional("numUpdateWrites", "long"),
        _optional("totalWriteBytes", "long"),
        _optional("totalWriteErrors", "long"),
        _optional("partitionPath", _STRING),
        _optional("totalLogRecords", "long"),
        _optional("totalLogFiles", "long"),
        _optional("totalUpdatedRecordsCompacted", "long"),
        _optional("numInserts", "long"),
        _optional("totalLogBlocks", "long"),
        _optional("totalCorruptLogBlock", "long"),
        _optional("totalRollbackBlocks", "long"),
        _optional("fileSizeInBytes", "long"),
        _optional("logVersion", "int"),
        _optional("logOffset", "long"),
        _optional("baseFile", _STRING),
        _optional("logFiles", _array(_STRING)),
        _optional("cdcStats", _map("long")),
        _optional("prevBaseFile", _STRING),
        _optional("minEventTime", "long"),
        _optional("maxEventTime", "long"),
        _optional("runtimeStats", _RUNTIME_STATS),
        _optional("totalLogFilesCompacted", "long"),
        _optional("totalLogReadTimeMs", "long"),
        _optional("totalLogSizeCompacted", "long"),
        _optional("tempPath", _STRING),
        _optional("numUpdates", "long"),
    ],
)
_COMMIT_FIELDS = [
    _optional("partitionToWriteStats", _map(_array(_WRITE_STAT))),
    _optional("compacted", "boolean"),
    _optional("extraMetadata", _map(_STRING)),
    _VERSION,
    _optional("operationType", _STRING),
]

COMMIT_METADATA: Final = _record("HoodieCommitMetadata", _COMMIT_FIELDS)
REPLACE_COMMIT_METADATA: Final = _record(
    "HoodieReplaceCommitMetadata", [*_COMMIT_FIELDS, _optional("partitionToReplaceFileIds", _map(_array(_STRING)))]
)

_SLICE = _record(
    "HoodieSliceInfo",
    [
        _optional("dataFilePath", _STRING),
        _optional("deltaFilePaths", _array(_STRING)),
        {"name": "fileId", "type": ["null", _STRING]},
        _optional("partitionPath", _STRING),
        _optional("bootstrapFilePath", _STRING),
        _VERSION,
    ],
)
_CLUSTERING_GROUP = _record(
    "HoodieClusteringGroup",
    [
        _optional("slices", _array(_SLICE)),
        _optional("metrics", _map("double")),
        {"name": "numOutputFileGroups", "type": ["int", "null"], "default": 1},
        _optional("extraMetadata", _map(_STRING)),
        _VERSION,
    ],
)
_CLUSTERING_STRATEGY = _record(
    "HoodieClusteringStrategy",
    [_optional("strategyClassName", _STRING), _optional("strategyParams", _map(_STRING)), _VERSION],
)
_CLUSTERING_PLAN = _record(
    "HoodieClusteringPlan",
    [
        _optional("inputGroups", _array(_CLUSTERING_GROUP)),
        _optional("strategy", _CLUSTERING_STRATEGY),
        _optional("extraMetadata", _map(_STRING)),
        _VERSION,
        _optional("preserveHoodieMetadata", "boolean"),
        _optional("missingSchedulePartitions", _array(_STRING)),
    ],
)
REQUESTED_REPLACE_METADATA: Final = _record(
    "HoodieRequestedReplaceMetadata",
    [
        _optional("operationType", _STRING),
        _optional("clusteringPlan", _CLUSTERING_PLAN),
        _optional("extraMetadata", _map(_STRING)),
        _VERSION,
    ],
)

_INSTANT = _record("HoodieInstantInfo", [{"name": "commitTime", "type": _STRING}, {"name": "action", "type": _STRING}])
_ROLLBACK_REQUEST = _record(
    "HoodieRollbackRequest",
    [
        {"name": "partitionPath", "type": _STRING},
        _optional("fileId", _STRING),
        _optional("latestBaseInstant", _STRING),
        {"name": "filesToBeDeleted", "type": _array(_STRING), "default": []},
        _optional("logBlocksToBeDeleted", _map("long")),
    ],
)
ROLLBACK_PLAN: Final = _record(
    "HoodieRollbackPlan",
    [
        {**_optional("instantToRollback", _INSTANT), "doc": "Hoodie instant that needs to be rolled back"},
        _optional("RollbackRequests", _array(_ROLLBACK_REQUEST)),
        _VERSION,
    ],
)
_ROLLBACK_PARTITION = _record(
    "HoodieRollbackPartitionMetadata",
    [
        {"name": "partitionPath", "type": _STRING},
        {"name": "successDeleteFiles", "type": _array(_STRING)},
        {"name": "failedDeleteFiles", "type": _array(_STRING)},
        _optional("rollbackLogFiles", _map("long")),
        _optional("logFilesFromFailedCommit", _map("long")),
    ],
)
ROLLBACK_METADATA: Final = _record(
    "HoodieRollbackMetadata",
    [
        {"name": "startRollbackTime", "type": _STRING},
        {"name": "timeTakenInMillis", "type": "long"},
        {"name": "totalFilesDeleted", "type": "int"},
        {"name": "commitsRollback", "type": _array(_STRING)},
        {"name": "partitionMetadata", "type": _map(_ROLLBACK_PARTITION)},
        _VERSION,
        {"name": "instantsRollback", "type": _array(_INSTANT), "default": []},
    ],
)

_INDEX_PARTITION = _record(
    "HoodieIndexPartitionInfo",
    [
        _VERSION,
        _optional("metadataPartitionPath", _STRING),
        _optional("indexUptoInstant", _STRING),
        _optional("extraMetadata", _map(_STRING)),
    ],
)
INDEX_PLAN: Final = _record("HoodieIndexPlan", [_VERSION, _optional("indexPartitionInfos", _array(_INDEX_PARTITION))])
INDEX_COMMIT_METADATA: Final = _record(
    "HoodieIndexCommitMetadata",
    [_VERSION, _optional("operationType", _STRING), _optional("indexPartitionInfos", _array(_INDEX_PARTITION))],
)

_COMPACTION_OPERATION = _record(
    "HoodieCompactionOperation",
    [
        {"name": "baseInstantTime", "type": ["null", _STRING]},
        _optional("deltaFilePaths", _array(_STRING)),
        _optional("dataFilePath", _STRING),
        {"name": "fileId", "type": ["null", _STRING]},
        _optional("partitionPath", _STRING),
        _optional("metrics", _map("double")),
        _optional("bootstrapFilePath", _STRING),
    ],
)
_COMPACTION_STRATEGY = _record(
    "HoodieCompactionStrategy",
    [_optional("compactorClassName", _STRING), _optional("strategyParams", _map(_STRING)), _VERSION],
)
COMPACTION_PLAN: Final = _record(
    "HoodieCompactionPlan",
    [
        _optional("operations", _array(_COMPACTION_OPERATION)),
        _optional("extraMetadata", _map(_STRING)),
        _VERSION,
        _optional("strategy", _COMPACTION_STRATEGY),
        {"name": "preserveHoodieMetadata", "type": ["boolean", "null"], "default": False},
        _optional("missingSchedulePartitions", _array(_STRING)),
    ],
)

_STRINGS = _array(_STRING)
_CLEAN_FILE = _record(
    "HoodieCleanFileInfo", [_optional("filePath", _STRING), _optional("isBootstrapBaseFile", "boolean")]
)
_ACTION_INSTANT = _record(
    "HoodieActionInstant", [{"name": name, "type": _STRING} for name in ("timestamp", "action", "state")]
)
CLEANER_PLAN: Final = _record(
    "HoodieCleanerPlan",
    [
        _optional("earliestInstantToRetain", _ACTION_INSTANT),
        {"name": "lastCompletedCommitTimestamp", "type": _STRING, "default": ""},
        {"name": "policy", "type": _STRING},
        _optional("filesToBeDeletedPerPartition", _map(_STRINGS)),
        _VERSION,
        _optional("filePathsToBeDeletedPerPartition", _map(_array(_CLEAN_FILE))),
        _optional("partitionsToBeDeleted", _STRINGS),
        _optional("extraMetadata", _map(_STRING)),
    ],
)
_CLEANED_PARTITION = _record(
    "HoodieCleanPartitionMetadata",
    [
        {"name": "partitionPath", "type": _STRING},
        {"name": "policy", "type": _STRING},
        {"name": "deletePathPatterns", "type": _STRINGS},
        {"name": "successDeleteFiles", "type": _STRINGS},
        {"name": "failedDeleteFiles", "type": _STRINGS},
        _optional("isPartitionDeleted", "boolean"),
    ],
)
CLEAN_METADATA: Final = _record(
    "HoodieCleanMetadata",
    [
        {"name": "startCleanTime", "type": _STRING},
        {"name": "timeTakenInMillis", "type": "long"},
        {"name": "totalFilesDeleted", "type": "int"},
        {"name": "earliestCommitToRetain", "type": _STRING},
        {"name": "lastCompletedCommitTimestamp", "type": _STRING, "default": ""},
        {"name": "partitionMetadata", "type": _map(_CLEANED_PARTITION)},
        _VERSION,
        _optional("bootstrapPartitionMetadata", _map(_CLEANED_PARTITION["name"])),
        _optional("extraMetadata", _map(_STRING)),
    ],
)

_SAVED_PARTITION = _record(
    "HoodieSavepointPartitionMetadata",
    [{"name": "partitionPath", "type": _STRING}, {"name": "savepointDataFile", "type": _STRINGS}],
)
SAVEPOINT_METADATA: Final = _record(
    "HoodieSavepointMetadata",
    [
        {"name": "savepointedBy", "type": _STRING},
        {"name": "savepointedAt", "type": "long"},
        {"name": "comments", "type": _STRING},
        {"name": "partitionMetadata", "type": _map(_SAVED_PARTITION)},
        _VERSION,
    ],
)

RESTORE_PLAN: Final = _record(
    "HoodieRestorePlan",
    [
        {"name": "instantsToRollback", "type": _array(_INSTANT), "default": []},
        {"name": "version", "type": ["int", "null"], "default": 2},
        _optional("savepointToRestoreTimestamp", _STRING),
    ],
)
RESTORE_METADATA: Final = _record(
    "HoodieRestoreMetadata",
    [
        {"name": "startRestoreTime", "type": _STRING},
        {"name": "timeTakenInMillis", "type": "long"},
        {"name": "instantsToRollback", "type": _STRINGS},
        {"name": "hoodieRestoreMetadata", "type": _map(_array(["null", ROLLBACK_METADATA]))},
        _VERSION,
        {"name": "restoreInstantInfo", "type": _array(_INSTANT["name"]), "default": []},
    ],
)
