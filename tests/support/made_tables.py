"""Small merge-on-read tables made in memory, with a metadata table, whose rows a test chooses: what pruning may never lose is
known exactly.

Footers are told by the engine of the test, so that nothing here needs a library for files. A table has the columns `id`
(text, the record key), `n` (int), `x` (double), `s` (text) and `p` (text, the partition).
"""

from __future__ import annotations

import base64
import io
import json
import math
import struct
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fastavro
import numpy as np

from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.hashes import bloom_filter_key, column_stats_key, file_group_index
from hudi_core.columns.strings import string_column
from hudi_core.engine import FileInfo, Footer, OpenedFile, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.bloom import positions
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.formats.log import MAGIC
from hudi_core.formats.secondary_key import secondary_file_group_index, secondary_key
from hudi_core.options import table_config
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.timeline import load_timeline
from hudi_core.types import nodes as t
from tests.support.hfiles import Shape, build
from tests.support.memory import Memory
from tests.support.metadata_records import NEWEST, files, record_of, statistics

Row = Mapping[str, Any]

COLUMNS: Mapping[str, t.Primitive] = {"id": t.String(), "n": t.Int(), "x": t.Double(), "s": t.String(), "p": t.String()}
_AVRO = {"id": "string", "n": "int", "x": "double", "s": "string", "p": "string"}
_WRAPPERS = {"n": ("IntWrapper", 3), "x": ("DoubleWrapper", 6)}
_TEXT = ("StringWrapper", 7)

_OTHERS = [
    record_of("HoodieMetadataBloomFilter", type="string", timestamp="string", bloomFilter="bytes", isDeleted="boolean"),
    record_of(
        "HoodieRecordIndexInfo",
        partitionName=["null", "string"],
        fileIdHighBits=["null", "long"],
        fileIdLowBits=["null", "long"],
        fileIndex=["null", "int"],
        fileId=["null", "string"],
        instantTime=["null", "long"],
        fileIdEncoding="int",
        position=["null", "long"],
    ),
    record_of("HoodieSecondaryIndexInfo", isDeleted="boolean"),
]
_NAMES = ("BloomFilterMetadata", "recordIndexMetadata", "SecondaryIndexMetadata")
_RECORD = NEWEST | {
    "fields": [*NEWEST["fields"], *({"name": n, "type": ["null", r]} for n, r in zip(_NAMES, _OTHERS, strict=True))]
}
_PARSED = fastavro.parse_schema(json.loads(json.dumps(_RECORD)))


def avro_schema(columns: Iterable[str]) -> str:
    """The schema of rows with these columns, all of them optional."""
    fields = [{"name": name, "type": ["null", _AVRO[name]], "default": None} for name in columns]
    return json.dumps({"type": "record", "name": "row", "fields": fields})


@dataclass(frozen=True)
class Log:
    """What one delta commit did to a file group: rows put, or (with `columns`) a few columns of rows, and keys deleted."""

    rows: Sequence[Row] = ()
    deleted: Sequence[str] = ()
    columns: tuple[str, ...] | None = None
    reported: bool = True
    """`column_stats` have records of it, for the columns it has."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(COLUMNS) if self.columns is None else ("id", *self.columns)


@dataclass(frozen=True)
class Group:
    """A file group. `told` are the columns of its base file that `column_stats` have records of."""

    partition: str
    base: Sequence[Row]
    logs: Sequence[Log] = ()
    reported: tuple[str, ...] = tuple(COLUMNS)
    footer: bool = True
    """The base file's footer can be read."""

    def merge(self) -> list[dict[str, Any]]:
        """The rows that a query sees."""
        rows = {row["id"]: _whole(row, self.partition) for row in self.base}
        for log in self.logs:
            for row in log.rows:
                if log.columns is None:
                    rows[row["id"]] = _whole(row, self.partition)
                else:
                    old = rows.get(row["id"], _whole({"id": row["id"]}, self.partition))
                    rows[row["id"]] = old | {name: row.get(name) for name in log.columns}
            for key in log.deleted:
                rows.pop(key, None)
        return list(rows.values())


def _whole(row: Row, partition: str) -> dict[str, Any]:
    return {name: row.get(name) for name in COLUMNS} | {"p": partition}


@dataclass
class MadeTable:
    """Groups of files, and what the metadata table says of them. Fields may be changed before `open`."""

    groups: Sequence[Group]
    indexes: tuple[str, ...] = ("column_stats",)
    """Metadata partitions beside `files`."""
    properties: Mapping[str, str] = field(default_factory=dict)
    index_keys: Sequence[str] | None = None
    """The keys that `record_index` has; None: all that there are."""
    footers_read: list[str] = field(default_factory=list)
    memory: Memory = field(default_factory=lambda: Memory({}))

    def open(self, mode: MetadataMode = MetadataMode.AUTO) -> Table:
        self._write()
        config = table_config(self._properties(), "properties")
        return Table(_Engine(self), self.memory, config, load_timeline(self.memory, config), mode)  # type: ignore[arg-type]

    def file_id(self, number: int) -> str:
        return f"{uuid.UUID(int=number + 1)}-0"

    def base_name(self, number: int) -> str:
        return f"{self.file_id(number)}_0-1-1_{_instant(0)}.parquet"

    def log_name(self, number: int, log: int) -> str:
        return f".{self.file_id(number)}_{_instant(log + 1)}.log.1_0-1-1"

    def footer(self, path: str) -> Footer:
        number = next(n for n, _ in enumerate(self.groups) if path.endswith(self.base_name(n)))
        group = self.groups[number]
        self.footers_read.append(path)
        if not group.footer:
            raise CorruptFileError(path, expected="a footer", found="none")
        schema = schema_from_avro(avro_schema(COLUMNS), path)
        rows = [_whole(row, group.partition) for row in group.base]
        reported: dict[tuple[str, ...], LeafStatistics] = {}
        for name in COLUMNS:
            reported[name,] = _leaf(name, [row[name] for row in rows])
        text = _filter_text([row["id"] for row in rows]).decode()
        return Footer(len(rows), schema, {"org.apache.hudi.bloomfilter": text}, reported)

    # ---- writing

    def _properties(self) -> dict[str, str]:
        return {
            "hoodie.table.name": "made",
            "hoodie.table.type": "MERGE_ON_READ",
            "hoodie.table.version": "9",
            "hoodie.table.recordkey.fields": "id",
            "hoodie.table.partition.fields": "p",
            "hoodie.table.keygenerator.type": "SIMPLE",
            "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
            "hoodie.populate.meta.fields": "true",
            "hoodie.table.metadata.partitions": ",".join(("files", *self.indexes)) if self.indexes else "",
        } | dict(self.properties)

    def _write(self) -> None:
        put = self.memory.files
        put[".hoodie/hoodie.properties"] = b"x"
        latest = max((len(group.logs) for group in self.groups), default=0)
        for commit in range(latest + 1):
            name = f"{_instant(commit)}_{_instant(commit)}"
            put[f".hoodie/timeline/{name}.deltacommit"] = self._commit(commit)
            put[f".hoodie/metadata/.hoodie/timeline/{name}.deltacommit"] = b"{}"
        for number, group in enumerate(self.groups):
            put[f"{group.partition}/{self.base_name(number)}"] = b"base"
            for at, log in enumerate(group.logs):
                put[f"{group.partition}/{self.log_name(number, at)}"] = _log_bytes(log, _instant(at + 1))
        if self.indexes:
            own = "hoodie.table.name=m\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.version=9\n"
            put[".hoodie/metadata/.hoodie/hoodie.properties"] = own.encode()
            self._index("files", 1, self._files(), lambda _: 0)
        for index in self.indexes:
            self._write_index(index)

    def _commit(self, commit: int) -> bytes:
        stats: dict[str, list[dict[str, Any]]] = {}
        for number, group in enumerate(self.groups):
            if commit and commit <= len(group.logs):
                before = {row["id"] for row in group.base}
                before |= {row["id"] for log in group.logs[: commit - 1] for row in log.rows}
                inserts = sum(row["id"] not in before for row in group.logs[commit - 1].rows)
                path = f"{group.partition}/{self.log_name(number, commit - 1)}"
                reported = {"fileId": self.file_id(number), "path": path, "numInserts": inserts}
                stats.setdefault(group.partition, []).append(reported)
        return json.dumps({"extraMetadata": {"schema": avro_schema(COLUMNS)}, "partitionToWriteStats": stats}).encode()

    def _write_index(self, index: str) -> None:
        match index.split("_"):
            case ["column", "stats"]:
                self._index(index, 1, self._column_stats(), lambda _: 0)
            case ["record", "index"]:
                self._index(index, 2, self._record_index(), lambda key: file_group_index(key, 2))
            case ["bloom", "filters"]:
                self._index(index, 1, self._filters(), lambda _: 0)
            case ["secondary", "index", *_]:
                values = {secondary_key(row["s"], row["id"]): row["s"] for g in self.groups for row in g.merge()}
                places = {key: secondary_file_group_index(value, 2) for key, value in values.items()}
                record = _record(7, SecondaryIndexMetadata={"isDeleted": False})
                self._index(index, 2, dict.fromkeys(values, record), places.__getitem__)
                self._define(index, "secondary_index", "identity", "s", "V2")
            case ["expr", "index", *_]:
                self._index(index, 1, self._lower(), lambda _: 0)
                self._define(index, "column_stats", "lower", "s", "V2")

    def _define(self, index: str, kind: str, function: str, column: str, version: str) -> None:
        path = ".hoodie/.index_defs/index.json"
        known = json.loads(self.memory.files.get(path, b'{"indexDefinitions": {}}'))
        known["indexDefinitions"][index] = {
            "indexName": index,
            "indexType": kind,
            "indexFunction": function,
            "sourceFields": [column],
            "indexOptions": {"expr": function} if kind == "column_stats" else {},
            "version": version,
        }
        self.memory.files[path] = json.dumps(known).encode()

    def _index(self, partition: str, groups: int, records: Mapping[str, Any], place: Any) -> None:
        for number in range(groups):
            mine = sorted((key.encode(), value) for key, value in records.items() if place(key) == number)
            content = build(mine, Shape(info={b"schema": json.dumps(_RECORD).encode()}))
            prefix = partition.replace("_", "-").replace("column-stats", "col-stats")
            name = f"{prefix}-{number:04d}-0_0-1-1_{_instant(0)}.hfile"
            self.memory.files[f".hoodie/metadata/{partition}/{name}"] = content

    def _files(self) -> dict[str, bytes]:
        names: dict[str, list[str]] = {}
        for number, group in enumerate(self.groups):
            logs = [self.log_name(number, at) for at, _ in enumerate(group.logs)]
            names.setdefault(group.partition, []).extend([self.base_name(number), *logs])
        listed = {partition: _encoded(files(**dict.fromkeys(item, 10))) for partition, item in names.items()}
        return listed | {"__all_partitions__": _encoded(files(**dict.fromkeys(names, 0)))}

    def _column_stats(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for number, group in enumerate(self.groups):
            rows = [_whole(row, group.partition) for row in group.base]
            for name in group.reported:
                key = column_stats_key(name, group.partition, self.base_name(number))
                found[key] = _base_record(name, [row[name] for row in rows])
            for at, log in enumerate(group.logs):
                for name in log.names if log.reported and log.rows else ():
                    key = column_stats_key(name, group.partition, self.log_name(number, at))
                    found[key] = _log_record(name, [_whole(row, group.partition)[name] for row in log.rows])
        return found

    def _lower(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for number, group in enumerate(self.groups):
            values = [None if row["s"] is None else row["s"].lower() for row in group.base]
            known = [value.encode() for value in values if value is not None]
            low, high = (min(known).decode(), max(known).decode()) if known else (None, None)
            key = column_stats_key("s", group.partition, self.base_name(number))
            low_bound, high_bound = _bound("StringWrapper", low), _bound("StringWrapper", high)
            nulls = len(values) - len(known)
            found[key] = _encoded(statistics(low_bound, high_bound, nulls=nulls, rows=len(known), size=5000, ordinal=7))
        return found

    def _record_index(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for number, group in enumerate(self.groups):
            file_id = uuid.UUID(int=number + 1).int
            place = {
                "partitionName": group.partition,
                "fileIdHighBits": file_id >> 64,
                "fileIdLowBits": file_id & (2**64 - 1),
                "fileIndex": 0,
                "fileId": "",
                "instantTime": 0,
                "fileIdEncoding": 0,
                "position": None,
            }
            for row in group.merge():
                if self.index_keys is None or row["id"] in self.index_keys:
                    found[row["id"]] = _record(5, recordIndexMetadata=place)
        return found

    def _filters(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for number, group in enumerate(self.groups):
            text = _filter_text([row["id"] for row in group.base])
            payload = {"type": "SIMPLE", "timestamp": _instant(0), "bloomFilter": text, "isDeleted": False}
            found[bloom_filter_key(group.partition, self.base_name(number))] = _record(4, BloomFilterMetadata=payload)
        return found


def _instant(number: int) -> str:
    return f"202601010000{number:05d}"


def _encoded(record: Mapping[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, _PARSED, dict.fromkeys(_NAMES) | dict(record))
    return out.getvalue()


def _record(kind: int, **payload: Any) -> bytes:
    return _encoded({"key": "", "type": kind, "filesystemMetadata": None, "ColumnStatsMetadata": None, **payload})


def _base_record(name: str, values: Sequence[Any]) -> bytes:
    """As Hudi makes it of a footer: NaN, and no value at all, leave 0 and 0 of numbers."""
    known = [value for value in values if value is not None]
    wrapper, ordinal = _WRAPPERS.get(name, _TEXT)
    low, high = _least_and_greatest(known) if known else (None, None)
    if name in _WRAPPERS and (not known or any(value != value for value in known)):
        low, high = 0, 0
    nulls, bounds = len(values) - len(known), (_bound(wrapper, low), _bound(wrapper, high))
    return _encoded(statistics(*bounds, nulls=nulls, rows=len(values), ordinal=ordinal))


def _log_record(name: str, values: Sequence[Any]) -> bytes:
    """As Hudi makes it of values in memory: NaN is the greatest."""
    known = [value for value in values if value is not None]
    wrapper, ordinal = _WRAPPERS.get(name, _TEXT)
    low, high = _least_and_greatest(known) if known else (None, None)
    nulls, bounds = len(values) - len(known), (_bound(wrapper, low), _bound(wrapper, high))
    return _encoded(statistics(*bounds, nulls=nulls, rows=len(values), size=0, ordinal=ordinal if known else 1))


def _bound(wrapper: str, value: Any) -> tuple[str, Any] | None:
    return None if value is None else (wrapper, value)


def _least_and_greatest(known: Sequence[Any]) -> tuple[Any, Any]:
    if isinstance(known[0], float):
        numbers = [value for value in known if value == value]
        if not numbers:
            return math.nan, math.nan
        low, high = min(numbers), max(numbers)
        return (-0.0 if low == 0 else low), (math.nan if len(numbers) < len(known) else 0.0 if high == 0 else high)
    return min(known), max(known)


def _leaf(name: str, values: Sequence[Any]) -> LeafStatistics:
    """As a footer says it: none where NaN is."""
    known = [value for value in values if value is not None]
    low, high = _least_and_greatest(known) if known else (None, None)
    nans = any(value != value for value in known)
    if nans:
        low = high = None
    return LeafStatistics(COLUMNS[name], low, high, len(values) - len(known), len(values), nans)


def _filter_text(keys: Sequence[str]) -> bytes:
    bits, hashes = 256, 5
    octets = np.zeros(bits // 8, np.uint8)
    for places in positions(string_column(keys), bits, hashes):
        np.bitwise_or.at(octets, places >> 3, (1 << (places & 7)).astype(np.uint8))
    return base64.b64encode(struct.pack(">iibi", -1, hashes, 1, bits) + octets.tobytes())


def _log_bytes(log: Log, instant: str) -> bytes:
    """Blocks whose contents nobody reads here: what their headers say is what counts."""
    found = b""
    if log.rows:
        header = {0: instant, 2: avro_schema(log.names)} | ({7: "true"} if log.columns is not None else {})
        found += _frame(3, header)
    return found + (_frame(1, {0: instant}) if log.deleted or not log.rows else b"")


def _frame(kind: int, header: Mapping[int, str]) -> bytes:
    entries = b"".join(struct.pack(">ii", key, len(text)) + text.encode() for key, text in header.items())
    body = struct.pack(">iii", 1, kind, len(header)) + entries + struct.pack(">qi", 0, 0)
    return MAGIC + struct.pack(">q", len(body) + 8) + body + struct.pack(">q", len(body) + 14)


@dataclass(frozen=True)
class _Reader:
    made: MadeTable

    def open(self, storage: Storage, file: FileInfo) -> OpenedFile[Any]:
        return _OpenedFooter(self.made.footer(file.path))


@dataclass(frozen=True)
class _OpenedFooter:
    footer: Footer

    def batches(self, *_: Any) -> Iterator[Any]:
        raise NotImplementedError


@dataclass(frozen=True)
class _Engine:
    """An engine that reads footers and nothing else."""

    made: MadeTable
    name: str = "made"

    def reader(self, extension: str) -> _Reader:
        return _Reader(self.made)
