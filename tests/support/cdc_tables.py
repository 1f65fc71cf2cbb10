"""Copy-on-write tables of two commits that log what they change, with real files: base files and logs of changes.

Rows have the columns of `logged_tables`. The first commit inserts `BEFORE`; the second changes `key-1`, deletes `key-2`, inserts
`key-4` and leaves the others alone.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Sequence
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.engine import ENGINE
from hudi_core.options import CdcMode, table_config
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.timeline import load_timeline
from tests.support.logged_tables import COLUMNS, FILE_ID, META, Row, frame, schema_of, with_meta
from tests.support.memory import Memory

FIRST, SECOND = "20240101000000000", "20240101000000500"
BEFORE: Sequence[Row] = [{"id": f"key-{at}", "ts": 1, "v": "old", "n": at} for at in range(4)]
CHANGED, ADDED = {"id": "key-1", "ts": 2, "v": "new", "n": 11}, {"id": "key-4", "ts": 2, "v": "new", "n": 4}
CHANGES: Sequence[tuple[str, Row | None, Row | None]] = [
    ("u", BEFORE[1], CHANGED),
    ("d", BEFORE[2], None),
    ("i", None, ADDED),
]


def base_name(instant: str) -> str:
    """The name of the base file of a commit."""
    return f"{FILE_ID}_0-1-1_{instant}.parquet"


LOG_NAME = f".{FILE_ID}_{SECOND}.log.1_0-1-1.cdc"


NATIVE_NAME = f"{FILE_ID}_0-1-1_{SECOND}_1.cdc.parquet"


def cdc_table(
    mode: CdcMode, changes: Sequence[tuple[str, Row | None, Row | None]] = CHANGES, *, native: bool = False
) -> tuple[Table, Memory]:
    """The table, and the storage that it is read from. `changes` are those that the second commit logs; with `native` in a
    Parquet file, as from table version 10 on."""
    kept = [(FIRST, BEFORE[0]), (FIRST, BEFORE[3]), (SECOND, CHANGED), (SECOND, ADDED)]
    memory = Memory({".hoodie_partition_metadata": b""})
    memory.files[base_name(FIRST)] = _base_file([(FIRST, row) for row in BEFORE])
    memory.files[base_name(SECOND)] = _base_file(kept)
    name = NATIVE_NAME if native else LOG_NAME
    memory.files[name] = (native_log_of_changes if native else log_of_changes)(mode, changes)
    _commit(memory, FIRST, {"numInserts": len(BEFORE), "numUpdateWrites": 0, "numDeletes": 0, "prevCommit": "null"})
    counts = {"numInserts": 1, "numUpdateWrites": 1, "numDeletes": 1, "prevCommit": FIRST}
    _commit(memory, SECOND, {**counts, "cdcStats": {name: len(memory.files[name])}})
    config = table_config(
        {
            "hoodie.table.name": "logged",
            "hoodie.table.type": "COPY_ON_WRITE",
            "hoodie.table.version": "10" if native else "9",
            "hoodie.table.recordkey.fields": "id",
            "hoodie.table.cdc.enabled": "true",
            "hoodie.table.cdc.supplemental.logging.mode": mode.value,
        },
        "properties",
    )
    return Table(ENGINE, memory, config, load_timeline(memory, config), MetadataMode.OFF), memory


def log_of_changes(mode: CdcMode, changes: Sequence[tuple[str, Row | None, Row | None]]) -> bytes:
    """A log of one block of changes."""
    row = {**schema_of(COLUMNS, meta=False), "name": "row"}
    text = ["null", "string"]
    fields: list[dict[str, Any]] = [{"name": "op", "type": text, "default": None}]
    if mode is CdcMode.DATA_BEFORE_AFTER:
        fields += [{"name": "ts_ms", "type": text}, {"name": "before", "type": ["null", row]}]
        fields += [{"name": "after", "type": ["null", "row"]}]
    else:
        fields += [{"name": "record_key", "type": text}]
        fields += [{"name": "before", "type": ["null", row]}] if mode is CdcMode.DATA_BEFORE else []
    schema = {"type": "record", "name": "CDC", "fields": fields}
    parsed = fastavro.parse_schema(json.loads(json.dumps(schema)))
    listed = b""
    for op, before, after in changes:
        one = {"op": op, "ts_ms": SECOND, "record_key": (before or after or {})["id"], "before": before, "after": after}
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, {item["name"]: one[item["name"]] for item in fields})
        listed += struct.pack(">i", len(out.getvalue())) + out.getvalue()
    return frame(6, {0: SECOND, 2: json.dumps(schema)}, struct.pack(">ii", 3, len(changes)) + listed)


def native_log_of_changes(mode: CdcMode, changes: Sequence[tuple[str, Row | None, Row | None]]) -> bytes:
    """The same as a Parquet file, without any metadata of its own."""
    row = pa.struct([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string()), ("n", pa.int32())])
    columns = {"op": pa.string(), "ts_ms": pa.string(), "record_key": pa.string(), "before": row, "after": row}
    names = {
        CdcMode.OP_KEY_ONLY: ("op", "record_key"),
        CdcMode.DATA_BEFORE: ("op", "record_key", "before"),
        CdcMode.DATA_BEFORE_AFTER: ("op", "ts_ms", "before", "after"),
    }[mode]
    whole = [
        {"op": op, "ts_ms": SECOND, "record_key": (before or after or {})["id"], "before": before, "after": after}
        for op, before, after in changes
    ]
    out = io.BytesIO()
    pq.write_table(pa.table([pa.array([one[name] for one in whole], columns[name]) for name in names], names), out)
    return out.getvalue()


def _base_file(rows: Sequence[tuple[str, Row]]) -> bytes:
    names = [*META, *COLUMNS]
    kinds = [pa.string()] * len(META) + [pa.string(), pa.int64(), pa.string(), pa.int32()]
    whole = [{**with_meta(row), "_hoodie_commit_time": instant} for instant, row in rows]
    columns = [pa.array([row.get(name) for row in whole], kind) for name, kind in zip(names, kinds, strict=True)]
    out = io.BytesIO()
    pq.write_table(pa.table(columns, names=names), out)
    return out.getvalue()


def _commit(memory: Memory, instant: str, stat: dict[str, Any]) -> None:
    answer = {
        "operationType": "UPSERT",
        "extraMetadata": {"schema": json.dumps(schema_of(COLUMNS, meta=False))},
        "partitionToWriteStats": {"": [{"fileId": FILE_ID, "path": base_name(instant), **stat}]},
    }
    memory.files[f".hoodie/timeline/{instant}_{instant[:-1]}9.commit"] = json.dumps(answer).encode()
