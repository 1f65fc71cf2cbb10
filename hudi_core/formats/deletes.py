"""DELETE blocks of log files: which keys are deleted, as columns."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass

import numpy as np

from hudi_core.columns.nodes import Column, ListColumn, StringColumn, StructColumn
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.log import BlockKind, LogBlock

VERSION = 3
"""Earlier versions are Java objects, serialised by Kryo or Java itself."""

_WRAPPERS = (
    ("BooleanWrapper", "boolean"),
    ("IntWrapper", "int"),
    ("LongWrapper", "long"),
    ("FloatWrapper", "float"),
    ("DoubleWrapper", "double"),
    ("BytesWrapper", "bytes"),
    ("StringWrapper", "string"),
    ("DateWrapper", "int"),
    ("DecimalWrapper", "bytes"),
    ("TimeMicrosWrapper", "long"),
    ("TimestampMicrosWrapper", "long"),
)


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


def _schema() -> str:
    """The Avro schema of the content, which no block carries: a record of a list of records of key, path and value.

    `ArrayWrapper` lists the wrappers before it, and `LocalDateWrapper` besides, as the class of that name does in the
    metadata table's schema.
    """
    wrappers = [_record(name, value=type_) for name, type_ in _WRAPPERS]
    named = ["null", *(name for name, _ in _WRAPPERS), _record("LocalDateWrapper", value="int")]
    array = _record("ArrayWrapper", wrappedValues=["null", {"type": "array", "items": named}])
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
