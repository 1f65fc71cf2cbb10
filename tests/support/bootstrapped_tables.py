"""Tables that a bootstrap made of plain files, byte by byte: skeletons in the table, rows outside of it, and the index between.

Rows have the columns of `logged_tables` but for the partition `p`, which is in the folders' names.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.hfiles import Shape, build
from tests.support.logged_tables import COLUMNS, META, Block, Row, log_bytes, schema_of

FIRST = "00000000000001"
GROUP = "00000000-0000-0000-0000-00000000000{}-0"
INDEX = ".hoodie/.aux/.bootstrap/.fileids/00000000-0000-0000-0000-000000000000-0_1-0-1_00000000000001.hfile"
KINDS = {"id": pa.string(), "ts": pa.int64(), "v": pa.string(), "n": pa.int32()}
ROWS: Mapping[str, Sequence[Row]] = {
    "x": [{"id": f"k{n}", "ts": 5, "v": "old", "n": n} for n in range(6)],
    "y": [{"id": f"k{n}", "ts": 5, "v": None, "n": n} for n in range(6, 9)],
}


def record(name: str, **fields: object) -> dict[str, object]:
    listed = [{"name": key, "type": ["null", of], "default": None} for key, of in fields.items()]
    return {"type": "record", "name": name, "fields": listed}


_PATH = record("HoodiePath", uri="string")
_STATUS = record("HoodieFileStatus", path=_PATH, length="long")
ENTRY = record("HoodieBootstrapFilePartitionInfo", partitionPath="string", bootstrapFileStatus=_STATUS)
INFO = record("HoodieBootstrapIndexInfo", bootstrapBasePath="string")


def bootstrapped(
    folder: Path, rows: Mapping[str, Sequence[Row]] = ROWS, *, logs: Sequence[tuple[str, Block]] = ()
) -> Path:
    """The table in `folder / "t"`, of the files in `folder / "source"`: one in each partition, in group i that of partition i."""
    root, source = folder / "t", folder / "source"
    entries: dict[str, str] = {}
    names = {}
    for number, (partition, listed) in enumerate(sorted(rows.items())):
        group = GROUP.format(number)
        names[partition] = group
        other, own = (
            source / f"p={partition}" / "part-0.parquet",
            root / f"p={partition}" / f"{group}_0-1-1_{FIRST}.parquet",
        )
        columns = [pa.array([row[name] for row in listed], KINDS[name]) for name in COLUMNS]
        put(other, parquet(pa.table(columns, list(COLUMNS)), 2))
        meta = [
            {"_hoodie_commit_time": FIRST, "_hoodie_commit_seqno": str(at), "_hoodie_record_key": row["id"],
             "_hoodie_partition_path": f"p={partition}", "_hoodie_file_name": own.name}
            for at, row in enumerate(listed)
        ]  # fmt: skip
        put(own, parquet(pa.Table.from_pylist(meta, pa.schema([(name, pa.string()) for name in META])), 4))
        entries[f"part=p={partition};fileid={group}"] = str(other)
    put(root / INDEX, index(entries, str(source)))
    paths = [f"p={partition}/{names[partition]}_0-1-1_{FIRST}.parquet" for partition in names]
    commit(root, FIRST, "commit", paths)
    for number, (partition, block) in enumerate(logs, start=1):
        instant = f"202401010000{number:05}"
        name = f"p={partition}/.{names[partition]}_{instant}.log.1_0-1-1"
        put(root / name, log_bytes(block, instant))
        commit(root, instant, "deltacommit", [name])
    stated = {
        "hoodie.timeline.layout.version": "2",
        "hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": "9",
        "hoodie.table.recordkey.fields": "id", "hoodie.table.partition.fields": "p", "hoodie.table.ordering.fields": "ts",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING", "hoodie.datasource.write.hive_style_partitioning": "true",
        "hoodie.table.keygenerator.type": "SIMPLE", "hoodie.bootstrap.base.path": str(source),
    }  # fmt: skip
    put(root / ".hoodie/hoodie.properties", "".join(f"{key}={value}\n" for key, value in stated.items()).encode())
    return root


def index(entries: Mapping[str, str], source: str, more: Mapping[str, Any] | None = None) -> bytes:
    """The index by file group: of each key the file with the rows."""
    cells = []
    for key in sorted(entries):
        status = {"path": {"uri": f"file:{entries[key]}"}, "length": Path(entries[key]).stat().st_size, **(more or {})}
        cells.append((key.encode(), container(ENTRY, {"partitionPath": key, "bootstrapFileStatus": status})))
    return build(cells, Shape(info={b"INDEX_INFO": container(INFO, {"bootstrapBasePath": source})}))


def container(schema: Mapping[str, object], value: Mapping[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(json.loads(json.dumps(schema))), [value])
    return out.getvalue()


def parquet(table: pa.Table, row_group: int) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=row_group)
    return out.getvalue()


def commit(root: Path, instant: str, action: str, paths: Sequence[str]) -> None:
    """A completed write of these files."""
    schema = schema_of((*COLUMNS, "p"), meta=False)
    stats: dict[str, list[dict[str, Any]]] = {}
    for path in paths:
        partition, _, name = path.partition("/")
        group = name.lstrip(".").partition("_")[0]
        stats.setdefault(partition, []).append(
            {"fileId": group, "path": path, "fileSizeInBytes": (root / path).stat().st_size}
        )
    answer = {
        "operationType": "UPSERT",
        "extraMetadata": {"schema": json.dumps(schema)},
        "partitionToWriteStats": stats,
    }
    put(root / f".hoodie/timeline/{instant}_{instant}.{action}", json.dumps(answer).encode())


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
