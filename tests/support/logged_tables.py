"""Merge-on-read tables of one file slice with real files: a Parquet base file and log files, whose records a test chooses.

Rows have the columns `id` (text, the record key), `ts` (long, nullable, the ordering field), `v` (text) and `n` (int).
"""

from __future__ import annotations

import base64
import io
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.engine import ENGINE
from hudi_core.formats import deletes
from hudi_core.formats.log import MAGIC
from hudi_core.options import table_config
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.timeline import load_timeline
from tests.support.memory import Memory

META = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
COLUMNS = ("id", "ts", "v", "n")
FILE_ID = "00000000-0000-0000-0000-000000000001-0"
BASE_INSTANT = "20240101000000000"
BASE_NAME = f"{FILE_ID}_0-1-1_{BASE_INSTANT}.parquet"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Block:
    """One delta commit: rows, or deletes as key and ordering value; None is an absolute delete.

    `positions` are rows of the base file, one for each record in their order; `columns` makes the block a partial one.
    """

    rows: Sequence[Row] = ()
    deletes: Sequence[tuple[str, int | None]] = ()
    positions: Sequence[int] | None = None
    columns: Sequence[str] | None = None


@dataclass
class LoggedTable:
    """A base file's rows and what was logged since, oldest first."""

    base: Sequence[Row] | None
    blocks: Sequence[Block]
    properties: Mapping[str, str] = field(default_factory=dict)
    row_group: int = 1000
    memory: Memory = field(default_factory=lambda: Memory({}))
    mode: MetadataMode = MetadataMode.OFF

    def open(self) -> Table:
        """The table. It may be opened again after files in `memory` were changed."""
        if not self.memory.files:
            self._write()
        stated = {
            "hoodie.table.name": "logged",
            "hoodie.table.type": "MERGE_ON_READ",
            "hoodie.table.version": "9",
            "hoodie.table.recordkey.fields": "id",
            "hoodie.table.ordering.fields": "ts",
            "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        }
        config = table_config({**stated, **self.properties}, "properties")
        return Table(ENGINE, self.memory, config, load_timeline(self.memory, config), self.mode)

    @property
    def logs(self) -> list[str]:
        """Paths of the log files."""
        return [path for path in self.memory.files if ".log." in path]

    def _write(self) -> None:
        put = self.memory.files
        put[".hoodie_partition_metadata"] = b""
        if self.base is not None:
            put[BASE_NAME] = self._base_file(self.base)
            self._commit(BASE_INSTANT, "commit", BASE_NAME)
        for number, block in enumerate(self.blocks, start=1):
            instant = f"202401010000{number:05}"
            name = f".{FILE_ID}_{instant}.log.1_0-1-1"
            put[name] = log_bytes(block, instant)
            self._commit(instant, "deltacommit", name)

    def _commit(self, instant: str, action: str, wrote: str) -> None:
        answer = {"operationType": "UPSERT", "extraMetadata": {"schema": json.dumps(schema_of(COLUMNS, meta=False))}}
        stats = {"": [{"fileId": FILE_ID, "path": wrote}]}
        path = f".hoodie/timeline/{instant}_{instant}.{action}"
        self.memory.files[path] = json.dumps({**answer, "partitionToWriteStats": stats}).encode()

    def _base_file(self, rows: Sequence[Row]) -> bytes:
        names = [*META, *COLUMNS]
        kinds = [pa.string()] * len(META) + [pa.string(), pa.int64(), pa.string(), pa.int32()]
        whole = [with_meta(row) for row in rows]
        columns = [pa.array([row.get(name) for row in whole], kind) for name, kind in zip(names, kinds, strict=True)]
        out = io.BytesIO()
        table = pa.table(columns, names=names)
        pq.write_table(table, out, row_group_size=self.row_group)
        return out.getvalue()


def with_meta(row: Row) -> Row:
    """A row with the meta columns."""
    return {**dict.fromkeys(META, ""), "_hoodie_record_key": row["id"], **row}


def schema_of(columns: Sequence[str], meta: bool = True) -> dict[str, Any]:
    """The Avro schema of rows with these columns."""
    kinds = {"id": "string", "ts": "long", "v": "string", "n": "int"}
    names = [*(META if meta else ()), *columns]
    fields = [{"name": name, "type": ["null", kinds.get(name, "string")], "default": None} for name in names]
    return {"type": "record", "name": "logged", "fields": fields}


def log_bytes(block: Block, instant: str) -> bytes:
    """A log file of one block of rows, or of deletes, or of both."""
    found = b""
    positions = list(block.positions) if block.positions is not None else None
    if block.rows:
        schema = schema_of(block.columns or COLUMNS)
        records = [encoded(schema, with_meta(row)) for row in block.rows]
        listed = b"".join(struct.pack(">i", len(record)) + record for record in records)
        header = {0: instant, 2: json.dumps(schema), **_positions(positions, 0, len(records))}
        if block.columns is not None:
            header[7] = "true"
        found += frame(3, header, struct.pack(">ii", 3, len(records)) + listed)
    if block.deletes:
        wrapped = [
            {
                "recordKey": key,
                "partitionPath": "",
                "orderingVal": None if ts is None else ("LongWrapper", {"value": ts}),
            }
            for key, ts in block.deletes
        ]
        content = encoded(json.loads(deletes._SCHEMA), {"deleteRecordList": wrapped})
        header = {0: instant, **_positions(positions, len(block.rows), len(wrapped))}
        found += frame(1, header, struct.pack(">ii", 3, len(content)) + content)
    return found


def frame(kind: int, header: Mapping[int, str], content: bytes) -> bytes:
    """A block of a log file."""
    texts = [struct.pack(">ii", key, len(text.encode())) + text.encode() for key, text in header.items()]
    body = struct.pack(">iii", 1, kind, len(texts)) + b"".join(texts)
    body += struct.pack(">q", len(content)) + content + bytes(4)
    return MAGIC + struct.pack(">q", len(body) + 8) + body + struct.pack(">q", len(body) + 14)


def _positions(positions: Sequence[int] | None, begin: int, count: int) -> dict[int, str]:
    if positions is None:
        return {}
    members = np.array(positions[begin : begin + count], "<u2")
    head = struct.pack("<qIIIHHI", 1, 0, 12346, 1, 0, len(members) - 1, 16)
    return {5: base64.b64encode(head + members.tobytes()).decode(), 8: BASE_INSTANT}


def encoded(schema: dict[str, Any], value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()
