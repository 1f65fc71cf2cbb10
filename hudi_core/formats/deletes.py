"""DELETE blocks of log files: which keys are deleted, as columns; read and written."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    ListColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    length,
    validity_of,
)
from hudi_core.columns.slicing import filter_rows, slice_rows, take_values, without_nulls
from hudi_core.columns.strings import concat_strings
from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError
from hudi_core.formats.avro.block import encode
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.log import BlockKind, LogBlock
from hudi_core.formats.wrappers import LOCAL_DATE, WRAPPERS, physical_type

VERSION = 3
"""Earlier versions are Java objects, serialised by Kryo or Java itself."""

_ARRAY = "ArrayWrapper"
_WRAPPERS = tuple((name, physical_type(avro)) for name, avro in WRAPPERS.items())


@dataclass(frozen=True, slots=True, eq=False)
class DeleteRecords:
    """One row a deleted key. Keys and partition paths may be null.

    Ordering values are a union of null and records with the one field `value`, named for their type: `IntWrapper`,
    `DateWrapper` (days), `DecimalWrapper` (unscaled big-endian bytes of scale 15), `TimestampMicrosWrapper`, ...;
    `ArrayWrapper` has `wrappedValues`, a list of these. A null or an int 0 stands for "no ordering value".
    """

    record_keys: StringColumn
    partition_paths: StringColumn
    ordering_values: Column

    def part(self, first: int, stop: int) -> DeleteRecords:
        """The rows from `first` up to `stop`."""
        return _records(*(slice_rows(column, first, stop) for column in self._columns))

    def keep(self, flags: Bools) -> DeleteRecords:
        """The rows whose flag is true."""
        return _records(*(filter_rows(column, flags) for column in self._columns))

    @property
    def _columns(self) -> tuple[Column, Column, Column]:
        return self.record_keys, self.partition_paths, self.ordering_values


def _records(keys: Column, paths: Column, ordering: Column) -> DeleteRecords:
    assert isinstance(keys, StringColumn)
    assert isinstance(paths, StringColumn)
    return DeleteRecords(keys, paths, ordering)


def join_deletes(parts: Sequence[DeleteRecords]) -> DeleteRecords:
    """The rows of all parts, in order; at least one part."""
    rows = sum(length(part.record_keys) for part in parts)
    return DeleteRecords(
        concat_strings([part.record_keys for part in parts]),
        concat_strings([part.partition_paths for part in parts]),
        concat_columns([part.ordering_values for part in parts], rows),
    )


def read_deletes(block: LogBlock) -> DeleteRecords:
    """The content of a DELETE block. UnsupportedError for versions before Avro, CorruptFileError for damage."""
    if block.kind is not BlockKind.DELETE:
        raise ValueError(f"{block.where} is {block.kind.name}, not DELETE")
    content = block.content()
    if len(content) < 8:
        raise CorruptFileError(block.where, expected="a version and a length", found=f"{len(content)} bytes")
    version, length = struct.unpack_from(">ii", content)
    if version != VERSION:
        raise UnsupportedError(block.where, expected=f"delete block version {VERSION}", found=str(version))
    if length != len(content) - 8:
        raise CorruptFileError(block.where, expected=f"{length} bytes of deletes", found=str(len(content) - 8))
    one = decode(_SCHEMA, content, np.array([8]), np.array([length]), block.where)
    assert isinstance(one, StructColumn)
    listed = one.fields["deleteRecordList"]
    assert isinstance(listed, ListColumn)
    assert isinstance(listed.items, StructColumn)
    keys, paths = listed.items.fields["recordKey"], listed.items.fields["partitionPath"]
    assert isinstance(keys, StringColumn)
    assert isinstance(paths, StringColumn)
    return DeleteRecords(keys, paths, listed.items.fields["orderingVal"])


def encode_deletes(deletes: DeleteRecords) -> bytes:
    """The content of a DELETE block. Rule LOG-10.

    Raises `SchemaError` for ordering values that are no such union, `UsageError` for columns of different lengths.
    """
    columns = (deletes.record_keys, deletes.partition_paths, deletes.ordering_values)
    rows = length(deletes.record_keys)
    if any(length(column) != rows for column in columns):
        raise UsageError("deletes", expected=f"{rows} rows", found=", ".join(str(length(column)) for column in columns))
    records = StructColumn(rows, dict(zip(_FIELDS, columns, strict=True)))
    one = StructColumn(1, {"deleteRecordList": ListColumn(np.array([0, rows], np.int64), records)})
    _, data = encode(_SCHEMA, one, "deletes")
    return struct.pack(">ii", VERSION, len(data)) + data.tobytes()


def wrap_values(wrapper: str, values: Column) -> UnionColumn:
    """Values as the union of `DeleteRecords.ordering_values` and of bounds of statistics: each in this wrapper, nulls as null.

    The values have the physical form of the wrapper: int32 of `IntWrapper` and `DateWrapper`, binary of `DecimalWrapper`, ...
    """
    branch = [name for name, _ in _WRAPPERS].index(wrapper)
    valid = validity_of(values)
    children = [StructColumn(0, {"value": _EMPTY[type_]}) for _, type_ in _WRAPPERS]
    live = without_nulls(values)
    children[branch] = StructColumn(length(live), {"value": live})
    nulls = NullColumn(int(np.count_nonzero(~valid)))
    branches = np.where(valid, branch + 1, 0).astype(np.int8)
    return UnionColumn(branches, ("null", *(name for name, _ in _WRAPPERS)), (nulls, *children))


def wrap_lists(fields: Sequence[tuple[str, Column]]) -> UnionColumn:
    """Values of several ordering fields, of each its wrapper and its column without nulls, as the union of
    `DeleteRecords.ordering_values`: a list of wrapped values in each row."""
    rows, names = length(fields[0][1]), ("null", *(name for name, _ in _WRAPPERS), LOCAL_DATE)
    branches = np.tile(np.array([names.index(wrapper) for wrapper, _ in fields], np.int8), rows)
    children: list[Column] = [NullColumn(0)]
    for name, type_ in (*_WRAPPERS, (LOCAL_DATE, "int")):
        parts = [column for wrapper, column in fields if wrapper == name]
        values = concat_columns(parts, rows * len(parts)) if parts else _EMPTY[type_]
        by_row = np.arange(length(values)).reshape(-1, rows).T.reshape(-1) if len(parts) > 1 else None
        children.append(
            StructColumn(length(values), {"value": values if by_row is None else take_values(values, by_row)})
        )
    items = UnionColumn(branches, names, tuple(children))
    lists = ListColumn(np.arange(rows + 1, dtype=np.int64) * len(fields), items)
    empty = [StructColumn(0, {"value": _EMPTY[type_]}) for _, type_ in _WRAPPERS]
    array = StructColumn(rows, {"wrappedValues": lists})
    outer = ("null", *(name for name, _ in _WRAPPERS), _ARRAY)
    return UnionColumn(np.full(rows, len(outer) - 1, np.int8), outer, (NullColumn(0), *empty, array))


def commit_time_deletes(record_keys: StringColumn, partition_path: str) -> DeleteRecords:
    """Deletes of these keys, which have no ordering value and so win over all that was written before them."""
    return deletes_of_keys(record_keys, partition_path, None)


def deletes_of_keys(record_keys: StringColumn, partition_path: str, ordering: UnionColumn | None) -> DeleteRecords:
    """Deletes of these keys of a partition, with their ordering values; None: without any."""
    rows = length(record_keys)
    paths = partition_path.encode()
    offsets = np.arange(rows + 1, dtype=np.int64) * len(paths)
    partitions = StringColumn(offsets, np.tile(np.frombuffer(paths, np.uint8), rows))
    zeros = PrimitiveColumn(np.zeros(rows, np.int32))
    return DeleteRecords(record_keys, partitions, wrap_values("IntWrapper", zeros) if ordering is None else ordering)


def _schema() -> str:
    """The Avro schema of the content, which no block carries: a record of a list of records of key, path and value.

    `ArrayWrapper` lists the wrappers before it, and `LocalDateWrapper` besides, as in the metadata table's schema.
    """
    wrappers = [_record(name, value=type_) for name, type_ in _WRAPPERS]
    named = ["null", *(name for name, _ in _WRAPPERS), _record(LOCAL_DATE, value="int")]
    array = _record(_ARRAY, wrappedValues=["null", {"type": "array", "items": named}])
    delete = _record(
        "HoodieDeleteRecord",
        recordKey=["null", "string"],
        partitionPath=["null", "string"],
        orderingVal=["null", *wrappers, array],
    )
    return json.dumps(_record("HoodieDeleteRecordList", deleteRecordList={"type": "array", "items": delete}))


def _record(name: str, **fields: object) -> dict[str, object]:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": type_} for key, type_ in fields.items()]}


_SCHEMA = _schema()
_FIELDS = ("recordKey", "partitionPath", "orderingVal")
_NO_OFFSETS, _NO_BYTES = np.zeros(1, np.int64), np.zeros(0, np.uint8)
_EMPTY: Mapping[str, Column] = {
    "boolean": PrimitiveColumn(np.zeros(0, np.bool_)),
    "int": PrimitiveColumn(np.zeros(0, np.int32)),
    "long": PrimitiveColumn(np.zeros(0, np.int64)),
    "float": PrimitiveColumn(np.zeros(0, np.float32)),
    "double": PrimitiveColumn(np.zeros(0, np.float64)),
    "bytes": BinaryColumn(_NO_OFFSETS, _NO_BYTES),
    "string": StringColumn(_NO_OFFSETS, _NO_BYTES),
}
"""Columns without rows by Avro type."""
