"""Histories made by hand: archive logs of layout 1, and of layout 2 rows that a stand-in for Parquet gives."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import fastavro
import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import FileInfo, Footer, OpenedFile, Storage
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.log import MAGIC
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import Binary, Field, Int, Record, String

ENTRY = {
    "type": "record",
    "name": "HoodieArchivedMetaEntry",
    "fields": [
        {
            "name": "hoodieCommitMetadata",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "HoodieCommitMetadata",
                    "fields": [{"name": "operationType", "type": ["null", "string"]}],
                },
            ],
        },
        {
            "name": "hoodieReplaceCommitMetadata",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "HoodieReplaceCommitMetadata",
                    "fields": [
                        {"name": "operationType", "type": ["null", "string"]},
                        {
                            "name": "partitionToReplaceFileIds",
                            "type": ["null", {"type": "map", "values": {"type": "array", "items": "string"}}],
                        },
                    ],
                },
            ],
        },
        {"name": "commitTime", "type": ["null", "string"]},
        {"name": "actionType", "type": ["null", "string"]},
        {"name": "actionState", "type": ["null", "string"]},
    ],
}


def archive_log(
    *entries: tuple[str, str, str, str | None], replaced: Mapping[str, Sequence[str]] | None = None
) -> bytes:
    """An archive log of one block: time, action, state and operation of each entry. Replace commits replaced these file groups,
    by partition."""
    schema = fastavro.parse_schema(ENTRY)
    listed = b""
    for time, action, state, operation in entries:
        out = io.BytesIO()
        answer = None if operation is None else {"operationType": operation}
        record = {"commitTime": time, "actionType": action, "actionState": state}
        if action == "replacecommit":
            record["hoodieReplaceCommitMetadata"] = answer and {**answer, "partitionToReplaceFileIds": replaced}
        else:
            record["hoodieCommitMetadata"] = answer
        fastavro.schemaless_writer(out, schema, record)
        listed += struct.pack(">i", len(out.getvalue())) + out.getvalue()
    content = struct.pack(">ii", 3, len(entries)) + listed
    text = json.dumps(ENTRY).encode()
    header = struct.pack(">iii", 1, 2, len(text)) + text
    body = struct.pack(">ii", 1, 3) + header + struct.pack(">q", len(content)) + content + bytes(4)
    size = len(body) + 8
    return MAGIC + struct.pack(">q", size) + body + struct.pack(">q", size + 6)


_ROW = Schema(
    Record(
        (
            Field(0, "instantTime", String()),
            Field(1, "completionTime", String()),
            Field(2, "action", String()),
            Field(3, "metadata", Binary()),
            Field(4, "plan", Binary()),
            Field(5, "version", Int()),
        )
    )
)


class StandIn:
    """A reader and rows of "Parquet" files that are JSON lists of rows; notes the columns that are read of each file."""

    def __init__(self, statistics: Mapping[str, Mapping[Path, LeafStatistics]] | None = None) -> None:
        self.reads: list[tuple[str, tuple[str, ...]]] = []
        self.statistics = statistics or {}
        """The statistics in the footers, by name of the file."""

    def open(self, storage: Storage, file: FileInfo) -> OpenedFile[list[dict[str, Any]]]:
        return _OpenedStandIn(self, storage, file)

    def to_json(self, batch: list[dict[str, Any]], schema: Schema) -> list[dict[str, Any]]:
        return [{field.name: row.get(field.name) for field in schema.fields} for row in batch]


@dataclass(frozen=True)
class _OpenedStandIn:
    reader: StandIn
    storage: Storage
    file: FileInfo

    @property
    def footer(self) -> Footer:
        return Footer(0, _ROW, statistics=self.reader.statistics.get(self.file.name, {}))

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: NDArray[np.bool_] | None = None,
    ) -> Iterator[list[dict[str, Any]]]:
        self.reader.reads.append((self.file.name, tuple(map(str, columns or ()))))
        yield json.loads(self.storage.read(self.file.path))


def lsm_files(folder: str, version: int, files: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, bytes]:
    """The files of a history of layout 2, by path."""
    manifest = {"files": [{"fileName": name, "fileLen": 1} for name in files]}
    return {
        f"{folder}/_version_": str(version).encode(),
        f"{folder}/manifest_{version}": json.dumps(manifest).encode(),
        **{f"{folder}/{name}": json.dumps(rows).encode() for name, rows in files.items()},
    }


def clean_file(retained: str | None, **taken: list[str]) -> bytes:
    """What a completed clean says: the earliest commit it retained, and the names of files it took, by partition."""
    texts = {"type": "array", "items": "string"}
    partition = {
        "type": "record",
        "name": "partition",
        "fields": [{"name": "successDeleteFiles", "type": texts}],
    }
    schema = {
        "type": "record",
        "name": "clean",
        "fields": [
            {"name": "earliestCommitToRetain", "type": ["null", "string"]},
            {"name": "partitionMetadata", "type": {"type": "map", "values": partition}},
        ],
    }
    partitions = {name: {"successDeleteFiles": files} for name, files in taken.items()}
    out = io.BytesIO()
    record = {"earliestCommitToRetain": retained, "partitionMetadata": partitions}
    fastavro.writer(out, fastavro.parse_schema(schema), [record])
    return out.getvalue()
