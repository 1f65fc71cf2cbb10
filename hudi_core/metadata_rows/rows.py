"""Records of metadata partitions as columns: keys and encoded values. No Python object a record.

Rules META-51 to META-55.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    MapColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    length,
)
from hudi_core.columns.strings import concat_strings, string_column, take_strings
from hudi_core.commit.statuses import StagedLog, StagedLogs
from hudi_core.formats.avro.block import encode
from hudi_core.metadata.file_keys import keys_of
from hudi_core.metadata.files import ALL_PARTITIONS, ROOT
from hudi_core.metadata.record_index import uuid_halves
from hudi_core.metadata_rows.record_schema import STORED_SCHEMA
from hudi_core.schema.meta import META_COLUMNS
from hudi_core.timeline.files import FileList

NO_STRINGS: Final = string_column([])
_NO_VALUES: Final = BinaryColumn(np.zeros(1, np.int64), np.zeros(0, np.uint8))

_PAYLOADS: Final = {
    1: "filesystemMetadata",
    2: "filesystemMetadata",
    3: "ColumnStatsMetadata",
    4: "BloomFilterMetadata",
    5: "recordIndexMetadata",
    6: "ColumnStatsMetadata",
    7: "SecondaryIndexMetadata",
}
"""The field that holds the payload of each type of record."""
_ALL, _FILES, _BLOOM, _LOCATION, _SECONDARY = 1, 2, 4, 5, 7
_UUID, _TEXT = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class IndexRows:
    """The changes of a metadata partition: new records by key, in any order, and deleted keys. No key is in both.

    `group_keys` are what chooses the file group of each record, and then of each delete; None: the keys themselves.
    """

    keys: StringColumn = NO_STRINGS
    values: BinaryColumn = _NO_VALUES
    deletes: StringColumn = NO_STRINGS
    group_keys: StringColumn | None = field(default=None)

    def __bool__(self) -> bool:
        return len(self.keys.offsets) + len(self.deletes.offsets) > 2

    def __len__(self) -> int:
        """The number of records."""
        return len(self.keys.offsets) - 1

    @property
    def size(self) -> int:
        """Bytes of the records' keys and values."""
        return int(sum(part.offsets[-1] - part.offsets[0] for part in (self.keys, self.values)))


NO_ROWS: Final = IndexRows()


def together(parts: Sequence[IndexRows]) -> IndexRows:
    """The rows of all parts, whose keys choose their file groups themselves."""
    if not parts:
        return NO_ROWS
    count = sum(len(part.keys.offsets) - 1 for part in parts)
    values = concat_columns([part.values for part in parts], count)
    assert isinstance(values, BinaryColumn)
    return IndexRows(
        concat_strings([part.keys for part in parts]), values, concat_strings([part.deletes for part in parts])
    )


def slice_rows(rows: IndexRows, start: int, stop: int) -> IndexRows:
    """Some of the records, without copies. There are no deletes."""
    keys = take_strings(rows.keys, slice(start, stop))
    values = BinaryColumn(rows.values.offsets[start : stop + 1], rows.values.data)
    group_keys = None if rows.group_keys is None else take_strings(rows.group_keys, slice(start, stop))
    return IndexRows(keys, values, group_keys=group_keys)


def encode_records(kind: int, payload: Column) -> BinaryColumn:
    """Values of records of one type with these payloads. The key in them is blank, as the row has it."""
    count = length(payload)
    nothing = NullColumn(count)
    fields: dict[str, Column] = dict.fromkeys((*META_COLUMNS, *_PAYLOADS.values()), nothing)
    fields["key"] = StringColumn(np.zeros(count + 1, np.int64), np.zeros(0, np.uint8))
    fields["type"] = PrimitiveColumn(np.full(count, kind, np.int32))
    fields[_PAYLOADS[kind]] = payload
    return BinaryColumn(*encode(STORED_SCHEMA, StructColumn(count, fields), "records of the metadata table"))


def file_rows(sizes: Mapping[str, Mapping[str, int]], removed: Mapping[str, Iterable[str]] | None = None) -> IndexRows:
    """Rows of `files`: sizes of files by name, by partition; and deleted files. The list of partitions gets those named
    here; without any it gets an empty record, as a table has from its beginning."""
    gone = {partition: tuple(names) for partition, names in (removed or {}).items()}
    partitions = sorted({*sizes, *gone})
    of_all = _files_payload([{(partition or ROOT.decode()): 0 for partition in partitions}], [()])
    all_partitions = IndexRows(string_column([ALL_PARTITIONS.decode()]), encode_records(_ALL, of_all))
    if not partitions:
        return all_partitions
    payload = _files_payload(
        [sizes.get(partition, {}) for partition in partitions], [gone.get(partition, ()) for partition in partitions]
    )
    keys = string_column([partition or ROOT.decode() for partition in partitions])
    return together([all_partitions, IndexRows(keys, encode_records(_FILES, payload))])


def removal_rows(removed: Mapping[str, Sequence[str]], partitions: Iterable[str]) -> IndexRows:
    """Rows of `files` for deleted files by partition; `partitions` are gone with their records, and leave the list of all."""
    gone = sorted(partitions)
    left = sorted(set(removed).difference(gone))
    payload = _files_payload([{}] * len(left), [removed[partition] for partition in left])
    rows = IndexRows(
        string_column([partition or ROOT.decode() for partition in left]),
        encode_records(_FILES, payload),
        string_column(gone),
    )
    if not gone:
        return rows
    of_all = IndexRows(string_column([ALL_PARTITIONS.decode()]), encode_records(_ALL, _files_payload([{}], [gone])))
    return together([of_all, rows])


def listing_rows(files: FileList) -> IndexRows:
    """Rows of `files` that list these files: one for each partition, and the list of partitions. The newest state of all of
    them, and nothing of files that are gone."""
    order = np.argsort(files.partition_of, kind="stable")
    offsets = np.searchsorted(files.partition_of[order], np.arange(len(files.partitions) + 1))
    keys = string_column([partition or ROOT.decode() for partition in files.partitions])
    entries = MapColumn(offsets, take_strings(files.names, order), _entries(files.sizes[order]))
    count = len(files.partitions)
    of_all = MapColumn(np.array([0, count], np.int64), keys, _entries(np.zeros(count, np.int64)))
    all_partitions = IndexRows(string_column([ALL_PARTITIONS.decode()]), encode_records(_ALL, of_all))
    return together([all_partitions, IndexRows(keys, encode_records(_FILES, entries))]) if count else all_partitions


def _entries(sizes: Numbers) -> StructColumn:
    """Files that are there, of these sizes."""
    fields: dict[str, Column] = {
        "size": PrimitiveColumn(sizes),
        "isDeleted": PrimitiveColumn(np.zeros(len(sizes), np.bool_)),
    }
    return StructColumn(len(sizes), fields)


def _files_payload(sizes: Sequence[Mapping[str, int]], gone: Sequence[Sequence[str]]) -> MapColumn:
    """A map from file name to size, and whether the file is gone, for each row."""
    counts = [len(live) + len(lost) for live, lost in zip(sizes, gone, strict=True)]
    names = [name for live, lost in zip(sizes, gone, strict=True) for name in (*live, *lost)]
    bytes_of = [size for live, lost in zip(sizes, gone, strict=True) for size in (*live.values(), *(0 for _ in lost))]
    deleted = [
        flag for live, lost in zip(sizes, gone, strict=True) for flag in [False] * len(live) + [True] * len(lost)
    ]
    entries = StructColumn(
        len(names),
        {
            "size": PrimitiveColumn(np.array(bytes_of, np.int64)),
            "isDeleted": PrimitiveColumn(np.array(deleted, np.bool_)),
        },
    )
    return MapColumn(np.cumsum([0, *counts], dtype=np.int64), string_column(names), entries)


@dataclass(frozen=True, slots=True)
class FileFilter:
    """The bloom filter of a base file: its partition, its name, and the filter as its footer has it."""

    partition: str
    name: str
    kind: str
    content: bytes


def filter_rows(filters: Sequence[FileFilter], instant_time: str) -> IndexRows:
    """Rows of `bloom_filters`."""
    count = len(filters)
    if not count:
        return NO_ROWS
    keys = keys_of((entry.partition for entry in filters), string_column([entry.name for entry in filters]))
    content = b"".join(entry.content for entry in filters)
    offsets = np.cumsum([0, *(len(entry.content) for entry in filters)], dtype=np.int64)
    payload = StructColumn(
        count,
        {
            "type": string_column([entry.kind for entry in filters]),
            "timestamp": repeat(instant_time, count),
            "bloomFilter": BinaryColumn(offsets, np.frombuffer(content, np.uint8)),
            "isDeleted": PrimitiveColumn(np.zeros(count, np.bool_)),
        },
    )
    width = keys.dtype.itemsize
    rows = StringColumn(np.arange(count + 1, dtype=np.int64) * width, keys.view(np.uint8))
    return IndexRows(rows, encode_records(_BLOOM, payload))


@dataclass(frozen=True, slots=True, eq=False)
class GroupKeys:
    """Record keys that a file group of a partition holds."""

    partition: str
    file_id: str
    keys: StringColumn


def location_rows(groups: Sequence[GroupKeys], milliseconds: int) -> IndexRows:
    """Rows of `record_index`: the keys of these file groups are there since a time, counted from 1970.

    A file id that is no UUID with a number is stored as it is.
    """
    if not groups:
        return NO_ROWS
    count, halves = len(groups), [uuid_halves(group.file_id) for group in groups]
    numbers = np.array([(-1, -1, -1) if half is None else half for half in halves], np.int64)
    texts = [group.file_id if half is None else "" for group, half in zip(groups, halves, strict=True)]
    payload = StructColumn(
        count,
        {
            "partitionName": string_column([group.partition for group in groups]),
            "fileIdHighBits": PrimitiveColumn(numbers[:, 0].copy()),
            "fileIdLowBits": PrimitiveColumn(numbers[:, 1].copy()),
            "fileIndex": PrimitiveColumn(numbers[:, 2].astype(np.int32)),
            "fileId": string_column(texts),
            "instantTime": PrimitiveColumn(np.full(count, milliseconds, np.int64)),
            "fileIdEncoding": PrimitiveColumn(
                np.array([_TEXT if half is None else _UUID for half in halves], np.int32)
            ),
            "position": NullColumn(count),
        },
    )
    # All keys of a file group have one location: it is encoded once.
    values = encode_records(_LOCATION, payload)
    counts, sizes = np.array([length(group.keys) for group in groups]), np.diff(values.offsets)
    rows, ends = np.cumsum(counts).tolist(), np.cumsum(counts * sizes).tolist()
    data, offsets = np.empty(ends[-1], np.uint8), np.zeros(rows[-1] + 1, np.int64)
    for number, (keys, size) in enumerate(zip(counts.tolist(), sizes.tolist(), strict=True)):
        row, end = rows[number], ends[number]
        value = values.data[values.offsets[number] : values.offsets[number + 1]]
        data[end - keys * size : end].reshape(keys, size)[:] = value
        offsets[row - keys + 1 : row + 1] = np.arange(end - (keys - 1) * size, end + 1, size)
    return IndexRows(concat_strings([group.keys for group in groups]), BinaryColumn(offsets, data))


def secondary_rows(keys: StringColumn, prefixes: StringColumn | None) -> IndexRows:
    """Rows of a secondary index. `prefixes` are the starts of the keys that choose their file groups (index version V2), None
    for the whole keys (V1)."""
    count = len(keys.offsets) - 1
    payload = StructColumn(count, {"isDeleted": PrimitiveColumn(np.zeros(count, np.bool_))})
    return IndexRows(keys, encode_records(_SECONDARY, payload), group_keys=prefixes)


def repeat(string: str, count: int) -> StringColumn:
    """The string in every row."""
    data = np.frombuffer(string.encode(), np.uint8)
    return StringColumn(np.arange(count + 1, dtype=np.int64) * len(data), np.tile(data, count))


@dataclass(frozen=True, slots=True, eq=False)
class PartitionRows:
    """Rows for a metadata partition; of a partitioned record index those of one partition of the table."""

    partition: str
    rows: IndexRows
    table_partition: str | None = None
    staged: StagedLogs | None = None
    """The rows as tasks have encoded them; then `rows` has none."""

    def __bool__(self) -> bool:
        return bool(self.rows) or self.staged is not None


def list_staged_rows(partition: str, staged: StagedLogs) -> Iterator[PartitionRows]:
    """The rows that tasks have encoded for a metadata partition."""
    by_partition: dict[str | None, list[StagedLog]] = {}
    for log in staged.of_partition(partition):
        by_partition.setdefault(log.of_table, []).append(log)
    for of_table, logs in by_partition.items():
        yield PartitionRows(partition, NO_ROWS, of_table, replace(staged, logs=tuple(logs)))
