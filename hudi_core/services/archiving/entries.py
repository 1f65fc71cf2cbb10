"""Entries of the history of layout 1, one for each state of each instant, in Apache Hudi's form. Rule ARCHIVE-396."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hudi_core.commit.avro_schemas import (
    CLEAN_METADATA,
    CLEANER_PLAN,
    COMMIT_METADATA,
    COMPACTION_PLAN,
    INDEX_COMMIT_METADATA,
    REPLACE_COMMIT_METADATA,
    REQUESTED_REPLACE_METADATA,
    ROLLBACK_METADATA,
    define_once,
)
from hudi_core.errors import CorruptFileError
from hudi_core.formats.avro.container import MAGIC
from hudi_core.json_texts import parse_json
from hudi_core.timeline.commits import read_record
from hudi_core.timeline.instants import (
    CLEAN,
    COMMIT,
    COMPACTION,
    DELTA_COMMIT,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    ROLLBACK,
    Instant,
    InstantState,
)

_TEXT: Final = {"type": "string", "avro.java.string": "String"}
_COMPACTION_STAT: Final = {
    "type": "record",
    "name": "org.apache.hudi.avro.model.HoodieCompactionWriteStat",
    "fields": [
        {"name": "partitionPath", "type": ["null", _TEXT], "default": None},
        *(
            {"name": name, "type": ["null", "long"], "default": None}
            for name in ("totalLogRecords", "totalLogFiles", "totalUpdatedRecordsCompacted")
        ),
        {"name": "hoodieWriteStat", "type": ["null", "org.apache.hudi.avro.model.HoodieWriteStat"], "default": None},
    ],
}
_COMPACTION_METADATA: Final = {
    "type": "record",
    "name": "org.apache.hudi.avro.model.HoodieCompactionMetadata",
    "fields": [
        {
            "name": "partitionToCompactionWriteStats",
            "type": [
                "null",
                {
                    "type": "map",
                    "avro.java.string": "String",
                    "values": {"type": "array", "items": _COMPACTION_STAT},
                },
            ],
        }
    ],
}
_SAVED_PARTITION: Final = {
    "type": "record",
    "name": "org.apache.hudi.avro.model.HoodieSavepointPartitionMetadata",
    "fields": [
        {"name": "partitionPath", "type": _TEXT},
        {"name": "savepointDataFile", "type": {"type": "array", "items": _TEXT}},
    ],
}
_SAVEPOINT_METADATA: Final = {
    "type": "record",
    "name": "org.apache.hudi.avro.model.HoodieSavepointMetadata",
    "fields": [
        {"name": "savepointedBy", "type": _TEXT},
        {"name": "savepointedAt", "type": "long"},
        {"name": "comments", "type": _TEXT},
        {
            "name": "partitionMetadata",
            "type": {"type": "map", "avro.java.string": "String", "values": _SAVED_PARTITION},
        },
        {"name": "version", "type": ["int", "null"], "default": 1},
    ],
}


def _optional(name: str, schema: object) -> dict[str, object]:
    return {"name": name, "type": ["null", schema], "default": None}


ENTRY: Final = define_once(
    {
        "type": "record",
        "name": "org.apache.hudi.avro.model.HoodieArchivedMetaEntry",
        "fields": [
            _optional("hoodieCommitMetadata", COMMIT_METADATA),
            _optional("hoodieCleanMetadata", CLEAN_METADATA),
            _optional("hoodieCompactionMetadata", _COMPACTION_METADATA),
            _optional("hoodieRollbackMetadata", ROLLBACK_METADATA),
            _optional("hoodieSavePointMetadata", _SAVEPOINT_METADATA),
            _optional("commitTime", _TEXT),
            _optional("actionType", _TEXT),
            {"name": "version", "type": ["int", "null"], "default": 1},
            _optional("hoodieCompactionPlan", COMPACTION_PLAN),
            _optional("hoodieCleanerPlan", CLEANER_PLAN),
            _optional("actionState", _TEXT),
            _optional("hoodieReplaceCommitMetadata", REPLACE_COMMIT_METADATA),
            _optional("hoodieRequestedReplaceMetadata", REQUESTED_REPLACE_METADATA),
            _optional("HoodieInflightReplaceMetadata", COMMIT_METADATA),
            _optional("hoodieIndexCommitMetadata", INDEX_COMMIT_METADATA),
            _optional("stateTransitionTime", _TEXT),
        ],
    }
)
"""The schema of entries."""

_COMPLETED: Final = {
    COMMIT: "hoodieCommitMetadata",
    DELTA_COMMIT: "hoodieCommitMetadata",
    REPLACE_COMMIT: "hoodieReplaceCommitMetadata",
    CLEAN: "hoodieCleanMetadata",
    ROLLBACK: "hoodieRollbackMetadata",
}
_REQUESTED: Final = {
    CLEAN: "hoodieCleanerPlan",
    COMPACTION: "hoodieCompactionPlan",
    LOG_COMPACTION: "hoodieCompactionPlan",
    REPLACE_COMMIT: "hoodieRequestedReplaceMetadata",
}
_INFLIGHT: Final = {
    COMMIT: "hoodieCommitMetadata",
    DELTA_COMMIT: "hoodieCommitMetadata",
    REPLACE_COMMIT: "HoodieInflightReplaceMetadata",
}
_FIELDS: Final = {
    InstantState.COMPLETED: _COMPLETED,
    InstantState.REQUESTED: _REQUESTED,
    InstantState.INFLIGHT: _INFLIGHT,
}


def entry(instant: Instant, content: bytes, changed_at: str, where: str) -> Mapping[str, Any]:
    """The entry of one state of an instant; `changed_at` is when its file was written. An empty file has no record."""
    record: dict[str, Any] = {
        "commitTime": instant.requested_time,
        "actionType": instant.action,
        "actionState": instant.state.name,
        "stateTransitionTime": changed_at,
        "version": 1,
    }
    place = _FIELDS[instant.state].get(instant.action)
    if place is not None and content.strip():
        record[place] = _record(content, where)
    return record


def _record(content: bytes, where: str) -> Mapping[str, Any]:
    """The record in a file: Avro, or JSON in the commits of this layout."""
    if content.startswith(MAGIC):
        return read_record(content, where)
    try:
        document = parse_json(content)
    except ValueError as error:
        raise CorruptFileError(where, expected="commit metadata", found=str(error)) from None
    if not isinstance(document, dict):
        raise CorruptFileError(where, expected="commit metadata", found=type(document).__name__)
    extra = document.get("extraMetadata") or {}
    return {**document, "extraMetadata": {name: value for name, value in extra.items() if value is not None}}
