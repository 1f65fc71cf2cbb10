"""Tables as hudi-rs 0.6 leaves them, made by hand from its sources: its names, blocks, commits and markers."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.formats import deletes
from tests.support.logged_tables import META, Row, encoded, frame

COLUMNS = ("id", "p", "ts", "n")
KINDS = {"id": pa.string(), "p": pa.string(), "ts": pa.int64(), "n": pa.int32()}
GROUP = "5a0e2f9c-6f0e-4a86-9d3c-0c0f5f2f1a0{}-0"
TOKEN = "0-0-0"
SCHEMA = {
    "type": "record",
    "name": "hoodie_record",
    "fields": [
        {"name": name, "type": ["null", kind], "default": None}
        for name, kind in zip(COLUMNS, ("string", "string", "long", "int"), strict=True)
    ],
}
_TEXTS = ("fileId", "path", "prevCommit", "partitionPath")
_LONGS = (
    "numWrites",
    "numDeletes",
    "numUpdateWrites",
    "numInserts",
    "totalWriteBytes",
    "totalWriteErrors",
    "fileSizeInBytes",
)
_STAT = {
    "type": "record", "name": "HoodieWriteStat",
    "fields": [
        *({"name": name, "type": ["null", "string"], "default": None} for name in _TEXTS),
        *({"name": name, "type": ["null", "long"], "default": None} for name in _LONGS),
    ],
}  # fmt: skip
_COMMIT = {
    "type": "record", "name": "HoodieCommitMetadata",
    "fields": [
        {"name": "partitionToWriteStats", "type": ["null", {"type": "map", "values": {"type": "array", "items": _STAT}}]},
        {"name": "extraMetadata", "type": ["null", {"type": "map", "values": "string"}]},
        {"name": "operationType", "type": ["null", "string"]},
    ],
}  # fmt: skip


def instant(number: int) -> str:
    return f"202401010000{number:05}"


def rust_table(root: Path, kind: str = "MERGE_ON_READ") -> Path:
    """Three rows in partition `x`; on merge-on-read one was updated and one deleted since, in log files, and partition `y` was
    added by a base file. A writer died at instant 9."""
    rows = [{"id": key, "p": "x", "ts": 1, "n": n} for n, key in enumerate("abc")]
    stated = {
        "hoodie.table.name": "t", "hoodie.table.type": kind, "hoodie.table.version": "9", "hoodie.table.initial.version": "9",
        "hoodie.timeline.layout.version": "2", "hoodie.table.recordkey.fields": "id", "hoodie.table.partition.fields": "p",
        "hoodie.table.ordering.fields": "ts", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.datasource.write.hive_style_partitioning": "true", "hoodie.table.keygenerator.type": "SIMPLE",
        "hoodie.table.timeline.timezone": "LOCAL", "hoodie.table.format": "native",
    }  # fmt: skip
    put(root / ".hoodie/hoodie.properties", "".join(f"{key}={value}\n" for key, value in stated.items()).encode())
    put(root / ".hoodie/timeline/.keep", b"")
    put(root / ".hoodie/timeline/history/.keep", b"")
    base = base_file(root, "x", 0, instant(1), rows)
    commit(root, 1, "commit" if kind == "COPY_ON_WRITE" else "deltacommit", "INSERT", [base])
    if kind == "MERGE_ON_READ":
        updated = log_file(root, "x", 0, instant(2), rows=[{"id": "b", "p": "x", "ts": 2, "n": 11}])
        added = base_file(root, "y", 1, instant(2), [{"id": "d", "p": "y", "ts": 1, "n": 3}])
        commit(root, 2, "deltacommit", "UPSERT", [updated, added])
        commit(root, 3, "deltacommit", "DELETE", [log_file(root, "x", 0, instant(3), deleted=["c"])])
    dead = base_file(root, "x", 2, instant(9), rows)
    action = "commit" if kind == "COPY_ON_WRITE" else "deltacommit"
    put(root / f".hoodie/timeline/{instant(9)}.{action}.requested", b"")
    put(root / f".hoodie/timeline/{instant(9)}{'' if action == 'commit' else f'.{action}'}.inflight", b"")
    put(root / f".hoodie/.temp/{instant(9)}/MARKERS.type", b"TIMELINE_SERVER_BASED")
    put(root / f".hoodie/.temp/{instant(9)}/MARKERS0", f"{dead['path']}.marker.CREATE\n".encode())
    return root


def base_file(root: Path, partition: str, number: int, time: str, rows: Sequence[Row]) -> dict[str, Any]:
    """A base file without a bloom filter, compressed with ZSTD, with its status."""
    name = f"{GROUP.format(number)}_{TOKEN}_{time}.parquet"
    return written(root, partition, number, name, parquet(partition, time, name, rows), len(rows))


def log_file(
    root: Path, partition: str, number: int, time: str, *, rows: Sequence[Row] = (), deleted: Sequence[str] = ()
) -> dict[str, Any]:
    """A log file of one block: rows in Parquet, or deletes by commit time."""
    name = f".{GROUP.format(number)}_{time}.log.1_{TOKEN}"
    if rows:
        meta = [{"name": name, "type": ["null", "string"], "default": None} for name in META]
        schema = {**SCHEMA, "fields": [*meta, *SCHEMA["fields"]]}
        content = frame(5, {0: time, 2: json.dumps(schema)}, parquet(partition, time, name, rows))
    else:
        listed = [
            {"recordKey": key, "partitionPath": f"p={partition}", "orderingVal": ("IntWrapper", {"value": 0})}
            for key in deleted
        ]
        body = encoded(json.loads(deletes._SCHEMA), {"deleteRecordList": listed})
        content = frame(1, {0: time}, (3).to_bytes(4, "big") + len(body).to_bytes(4, "big") + body)
    return written(root, partition, number, name, content, len(rows), len(deleted))


def parquet(partition: str, time: str, name: str, rows: Sequence[Row]) -> bytes:
    values: list[Mapping[str, Any]] = [
        {**row, "_hoodie_commit_time": time, "_hoodie_commit_seqno": f"{time}_0_{at}", "_hoodie_record_key": row["id"],
         "_hoodie_partition_path": f"p={partition}", "_hoodie_file_name": name}
        for at, row in enumerate(rows)
    ]  # fmt: skip
    schema = pa.schema([*((name, pa.string()) for name in META), *KINDS.items()])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(values, schema), out, compression="zstd")
    return out.getvalue()


def written(
    root: Path, partition: str, number: int, name: str, content: bytes, rows: int, gone: int = 0
) -> dict[str, Any]:
    """Puts a file, and gives its status."""
    put(root / f"p={partition}" / name, content)
    put(root / f"p={partition}/.hoodie_partition_metadata", f"commitTime={instant(1)}\npartitionDepth=1\n".encode())
    counts = dict.fromkeys(_LONGS, 0) | {"numWrites": rows, "numDeletes": gone, "fileSizeInBytes": len(content)}
    own = {
        "fileId": GROUP.format(number),
        "path": f"p={partition}/{name}",
        "prevCommit": "null",
        "partitionPath": f"p={partition}",
    }
    return {**own, **counts, "totalWriteBytes": len(content)}


def commit(root: Path, number: int, action: str, operation: str, statuses: Sequence[Mapping[str, Any]]) -> None:
    """A completed write: Avro, its `extraMetadata` the schema alone."""
    stats: dict[str, list[Mapping[str, Any]]] = {}
    for status in statuses:
        stats.setdefault(str(status["partitionPath"]), []).append(status)
    record = {
        "partitionToWriteStats": stats, "extraMetadata": {"schema": json.dumps(SCHEMA)}, "operationType": operation,
    }  # fmt: skip
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(json.loads(json.dumps(_COMMIT))), [record])
    put(root / f".hoodie/timeline/{instant(number)}_{instant(number)[:-1]}{number}.{action}", out.getvalue())


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
