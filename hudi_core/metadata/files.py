"""`files`: the live files of each partition, with their sizes. Rules META-5 to META-8, META-1292."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Offsets
from hudi_core.columns.nodes import MapColumn, PrimitiveColumn, StringColumn, StructColumn, select_nested_column
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, string_list, take_strings
from hudi_core.errors import CorruptFileError
from hudi_core.formats.names import parse_log_file
from hudi_core.metadata.records import MetadataRecords, RecordBatch, decode_values
from hudi_core.paths import LOCAL_SCHEME, file_name, partition_path
from hudi_core.timeline.files import FileList

ALL_PARTITIONS = b"__all_partitions__"
"""The key of the record that lists the partitions."""
ROOT = b"."
"""The key of the only partition of a table without partitions."""

_PAYLOAD = "filesystemMetadata"
_WANTED = frozenset({_PAYLOAD})


def live_files(records: MetadataRecords) -> FileList:
    """The live files of each partition (empty for a table without partitions), with their sizes in bytes.

    The list of partitions decides which partitions there are. Raises `CorruptFileError` when there is no such list, or when
    a partition of it has no record.
    """
    where = records.batches[0].where if records.batches else "metadata partition files"
    entries = _entries(records.batches)
    if entries is None:
        raise CorruptFileError(where, expected=f"a record {ALL_PARTITIONS.decode()}", found="none")
    last_deleted: dict[bytes, int] = {}
    for deletes in records.deletes:
        for key in deletes.keys:
            last_deleted[key] = max(deletes.order, last_deleted.get(key, deletes.order))
    keys = entries.keys
    number_of = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    counts = np.array(
        [order > last_deleted.get(key, -1) for key, order in zip(keys, entries.orders, strict=True)], np.bool_
    )
    there = {key for key, live in zip(keys, counts.tolist(), strict=True) if live}
    if ALL_PARTITIONS not in there:
        raise CorruptFileError(where, expected=f"a record {ALL_PARTITIONS.decode()}", found="none")
    record_of = np.repeat(np.arange(len(keys)), np.diff(entries.offsets))
    key_of = np.array([number_of[key] for key in keys], np.int64)[record_of]
    order_of = np.array(entries.orders, np.int64)[record_of]
    rows, sizes = _live(entries, np.flatnonzero(counts[record_of]), key_of, order_of)
    of_list = key_of[rows] == number_of[ALL_PARTITIONS]
    partitions = sorted(string_list(take_strings(entries.names, rows[of_list])))
    place = np.full(len(number_of), -1, np.int64)
    for number, partition in enumerate(partitions):
        if partition.encode() not in there:
            raise CorruptFileError(where, expected=f"a record of the partition {partition!r}", found="none")
        place[number_of[partition.encode()]] = number
    place[number_of[ALL_PARTITIONS]] = -1
    listed = place[key_of[rows]] >= 0
    rows, sizes = rows[listed], sizes[listed]
    paths = ["" if partition == ROOT.decode() else partition_path(partition, where) for partition in partitions]
    ascending = sorted(range(len(paths)), key=paths.__getitem__)
    place_of = np.empty(len(paths), np.int64)
    place_of[ascending] = np.arange(len(paths))
    names = entries.names if len(rows) == len(entries.sizes) else take_strings(entries.names, rows)
    partition_of = place[key_of[rows]]
    cut = _find_cut_names(names, partition_of, paths, where)
    if cut:
        kept = np.setdiff1d(np.arange(len(rows)), cut)
        names, partition_of, sizes = take_strings(names, kept), partition_of[kept], sizes[kept]
    return FileList(tuple(paths[number] for number in ascending), place_of[partition_of], names, sizes)


def _find_cut_names(names: StringColumn, partition_of: Numbers, partitions: Sequence[str], where: str) -> list[int]:
    """The rows of names that Apache Hudi cut out of paths with a scheme. Raises `CorruptFileError` for another name that leads
    elsewhere. Of millions only those are looked at that may be strange. Rules STORE-320, META-1292."""
    starts, stops = names.offsets[:-1], names.offsets[1:]
    strange = np.isin(names.data[: names.offsets[-1]], (ord("/"), ord(":"), 0))
    counts = np.append(0, np.cumsum(strange))
    cut: list[int] = []
    for row in np.flatnonzero((counts[stops] > counts[starts]) | (stops - starts <= len(".."))).tolist():
        name = names.data[starts[row] : stops[row]].tobytes().decode("utf-8", "surrogatepass")
        if _is_cut(name, partitions[int(partition_of[row])]):
            cut.append(row)
        else:
            file_name(name, where)
    return cut


def _is_cut(name: str, partition: str) -> bool:
    """Whether a name is what Apache Hudi leaves of the path of a log file of a failed attempt: with the scheme before it, and as
    much cut off as the partition with its slash is long."""
    own = name.rpartition("/")[2].removeprefix(LOCAL_SCHEME)
    stated = LOCAL_SCHEME + (f"{partition}/{own}" if partition else own)
    return name == stated[len(partition) + bool(partition) :] and parse_log_file(own) is not None


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Records, and the entries of them all: record i has those from `offsets[i]` to `offsets[i + 1]`."""

    keys: list[bytes]
    orders: list[int]
    offsets: Offsets
    names: StringColumn
    sizes: Numbers
    deleted: Bools


def _live(entries: _Entries, rows: Numbers, keys: Numbers, orders: Numbers) -> tuple[Numbers, Numbers]:
    """Which of the entries stand for live files, one for each, and their sizes. A deleted file goes, one that is there twice
    has grown to the larger size."""
    if not entries.deleted.any() and int(keys.max(initial=-1)) + 1 == len(entries.keys):
        return rows, entries.sizes[rows]  # each key has one record, and names in a record are distinct
    name = index_strings(entries.names).first
    rows = rows[np.lexsort((rows, orders[rows], name[rows], keys[rows]))]
    starts = np.flatnonzero(np.append(True, (np.diff(keys[rows]) != 0) | (np.diff(name[rows]) != 0)))
    if not len(rows):
        return rows, entries.sizes[rows]
    lengths = np.diff(np.append(starts, len(rows)))
    indices = np.arange(len(rows))
    last_gone = np.repeat(np.maximum.reduceat(np.where(entries.deleted[rows], indices, -1), starts), lengths)
    sizes = np.maximum.reduceat(np.where(indices > last_gone, entries.sizes[rows], -1), starts)
    live = sizes >= 0
    return rows[starts][live], sizes[live]


def _entries(batches: Sequence[RecordBatch]) -> _Entries | None:
    """The records of all batches; those of one schema are decoded together. None where there are none."""
    by_schema: dict[str, list[RecordBatch]] = {}
    for batch in batches:
        by_schema.setdefault(batch.schema, []).append(batch)
    if not by_schema:
        return None
    parts = [_columns(decode_values(alike, _WANTED), alike[0].where) for alike in by_schema.values()]
    ordered = [batch for alike in by_schema.values() for batch in alike]
    records = [(batch.cells.key(row), batch.order) for batch in ordered for row in range(len(batch.cells))]
    counts = [np.diff(maps.offsets) for maps, _, _ in parts]
    return _Entries(
        [key for key, _ in records],
        [order for _, order in records],
        np.append(0, np.concatenate(counts)).cumsum(),
        concat_strings([maps.keys for maps, _, _ in parts]),
        np.concatenate([sizes for _, sizes, _ in parts]).astype(np.int64),
        np.concatenate([gone for _, _, gone in parts]).astype(np.bool_),
    )


def _columns(column: object, where: str) -> tuple[MapColumn, NDArray[Any], NDArray[Any]]:
    try:
        assert isinstance(column, StructColumn)
        maps = select_nested_column(column, _PAYLOAD)
        assert isinstance(maps, MapColumn)
        sizes, gone = select_nested_column(maps.values, "size"), select_nested_column(maps.values, "isDeleted")
        assert isinstance(sizes, PrimitiveColumn)
        assert isinstance(gone, PrimitiveColumn)
    except (AssertionError, KeyError):
        raise CorruptFileError(where, expected="a schema of files with sizes", found="another") from None
    return maps, sizes.values, gone.values
