"""Tables of version 10 with native log files, byte by byte as its published code describes them: nothing here is the reader's.

Rows, columns and file group are those of `logged_tables`. Each delta commit is a `Native` one (a Parquet file of rows, one of
deletes, or both) or a `Block` in a log file of blocks.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.snapshot.mode import MetadataMode
from tests.support.hfiles import Shape, build
from tests.support.logged_tables import (
    BASE_INSTANT,
    COLUMNS,
    FILE_ID,
    META,
    Block,
    LoggedTable,
    Row,
    log_bytes,
    schema_of,
    with_meta,
)
from tests.support.metadata_records import NEWEST

KINDS = {"id": pa.string(), "ts": pa.int64(), "v": pa.string(), "n": pa.int32()}
FOOTER = "hudi.log.format.metadata"


@dataclass(frozen=True)
class Native:
    """A delta commit in native files; `members` are added to their footers, and take the place of those there (None: removed)."""

    block: Block
    version: int = 1
    members: Mapping[str, Any] = field(default_factory=dict)
    footer: Mapping[str, str] | None = None
    """The whole key-value metadata, in place of what the members make."""


@dataclass
class NativeTable(LoggedTable):
    """A table of version 10 whose delta commits are native or not, oldest first."""

    natives: Sequence[Native | Block] = ()

    def __post_init__(self) -> None:
        self.properties = {"hoodie.table.version": "10", "hoodie.meta.fields.mode": "ALL", **self.properties}

    @property
    def logs(self) -> list[str]:
        return [path for path in self.memory.files if ".log." in path or ".deletes." in path]

    def _write(self) -> None:
        super()._write()
        for number, native in enumerate(self.natives, start=1):
            instant = f"202401010001{number:05}"
            if isinstance(native, Block):
                names = [f".{FILE_ID}_{instant}.log.1_0-1-1"]
                self.memory.files[names[0]] = log_bytes(native, instant)
            else:
                written = native_files(native, instant)
                names = list(written)
                self.memory.files.update(written)
            for name in names:
                self._commit(instant, "deltacommit", name)
            self._state(instant, names)

    def _state(self, instant: str, names: Sequence[str]) -> None:
        """One commit of all files, each with a write status of its own."""
        path = f".hoodie/timeline/{instant}_{instant}.deltacommit"
        commit = json.loads(self.memory.files[path])
        sizes = {name: len(self.memory.files[name]) for name in names}
        commit["partitionToWriteStats"] = {
            "": [{"fileId": FILE_ID, "path": name, "fileSizeInBytes": size} for name, size in sizes.items()]
        }
        self.memory.files[path] = json.dumps(commit).encode()


def with_metadata_table(
    table: NativeTable, members: Mapping[str, Any] | None = None, schema: Mapping[str, Any] = NEWEST
) -> NativeTable:
    """Adds a metadata table with the partition `files`, of one native log file for each commit, to the files of a table."""
    table.properties = {**table.properties, "hoodie.table.metadata.partitions": "files"}
    table.mode = MetadataMode.AUTO
    table.open()
    put, folder = table.memory.files, ".hoodie/metadata"
    put[f"{folder}/.hoodie/hoodie.properties"] = (
        b"hoodie.table.name=logged_metadata\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.version=10\n"
        b"hoodie.table.base.file.format=HFILE\nhoodie.populate.meta.fields=false\nhoodie.table.recordkey.fields=key\n"
    )
    for path in sorted(path for path in put if path.startswith(".hoodie/timeline/")):
        instant = path.rpartition("/")[2].partition("_")[0]
        written = json.loads(put[path])["partitionToWriteStats"][""]
        sizes = {one["path"]: {"size": len(put[one["path"]]), "isDeleted": False} for one in written}
        records = {".": (2, sizes), "__all_partitions__": (1, {".": {"size": 0, "isDeleted": False}})}
        name = f"files-0000-0_0-0-0_{instant}_1.log.hfile"
        footer = {"VERSION": "2", "INSTANT_TIME": instant, "SCHEMA": json.dumps(schema), **(members or {})}
        content = metadata_hfile(records, {key: value for key, value in footer.items() if value is not None}, schema)
        put[f"{folder}/files/{name}"] = content
        stats = {
            "files": [
                {"fileId": "files-0000-0", "path": f"files/{name}", "numWrites": 2, "fileSizeInBytes": len(content)}
            ]
        }
        own = f"{folder}/.hoodie/timeline/{instant}_{instant}.deltacommit"
        put[own] = json.dumps({"operationType": "UPSERT_PREPPED", "partitionToWriteStats": stats}).encode()
    return table


def metadata_hfile(
    records: Mapping[str, tuple[int, Mapping[str, Any]]], members: Mapping[str, str], schema: Mapping[str, Any]
) -> bytes:
    """An HFile of records of `files` by key, and their types."""
    parsed, cells = fastavro.parse_schema(json.loads(json.dumps(schema))), []
    for key in sorted(records):
        kind, files = records[key]
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, {"key": "", "type": kind, "filesystemMetadata": files})
        cells.append((key.encode(), out.getvalue()))
    return build(cells, Shape(info={FOOTER.encode(): json.dumps(members).encode()} if members else {}))


def native_name(instant: str, version: int, kind: str, extension: str = "parquet") -> str:
    return f"{FILE_ID}_1-0-1_{instant}_{version}.{kind}.{extension}"


def native_files(native: Native, instant: str) -> dict[str, bytes]:
    """The files of a delta commit by name: rows first."""
    block, files = native.block, {}
    positions = None if block.positions is None else list(block.positions)
    if block.rows:
        rows = [with_meta(row) for row in block.rows]
        columns = [*META, *(block.columns or COLUMNS)]
        members = {"IS_PARTIAL": "true"} if block.columns is not None else {}
        content = parquet(columns, rows, _footer(native, instant, positions and positions[: len(rows)], members))
        files[native_name(instant, native.version, "log")] = content
    if block.deletes:
        deletes = [{"_hoodie_record_key": key, "ts": ts} for key, ts in block.deletes]
        footer = _footer(native, instant, positions and positions[len(block.rows) :])
        files[native_name(instant, native.version, "deletes")] = parquet(["_hoodie_record_key", "ts"], deletes, footer)
    return files


def parquet(columns: Sequence[str], rows: Sequence[Row], footer: Mapping[str, str]) -> bytes:
    """A Parquet file with this key-value metadata."""
    arrays = [pa.array([row.get(name) for row in rows], KINDS.get(name, pa.string())) for name in columns]
    out = io.BytesIO()
    pq.write_table(pa.table(arrays, names=list(columns)).replace_schema_metadata(dict(footer)), out)
    return out.getvalue()


def _footer(
    native: Native, instant: str, positions: Sequence[int] | None, more: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    if native.footer is not None:
        return native.footer
    columns = native.block.columns or COLUMNS
    members: dict[str, Any] = {
        "VERSION": "2",
        "INSTANT_TIME": instant,
        "SCHEMA": json.dumps(schema_of(columns)),
        "A_MEMBER_OF_LATER": "x",
        **(more or {}),
    }
    if positions is not None:
        members["RECORD_POSITIONS"] = position_list(positions)
        members["BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS"] = BASE_INSTANT
    members |= native.members
    return {FOOTER: json.dumps({name: value for name, value in members.items() if value is not None})}


def position_list(positions: Sequence[int]) -> str:
    """The base64 of a count and varints."""
    out = bytearray(len(positions).to_bytes(4, "big"))
    for position in positions:
        while position >= 0x80:
            out.append(position & 0x7F | 0x80)
            position >>= 7
        out.append(position)
    return base64.b64encode(bytes(out)).decode()


def without(native: Native, *names: str) -> Native:
    """A delta commit whose footers lack these members."""
    return replace(native, members={**native.members, **dict.fromkeys(names)})
