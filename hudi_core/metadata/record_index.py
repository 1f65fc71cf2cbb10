"""`record_index`: in which file group each record key is. Rules META-30 to META-32."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hudi_core.errors import CorruptFileError
from hudi_core.formats.columns import Struct, at, to_list
from hudi_core.metadata.lookup import Found
from hudi_core.metadata.records import decoded_values

_PAYLOAD = "recordIndexMetadata"
_UUID, _TEXT = 0, 1
_FIELDS = ("partitionName", "fileIdHighBits", "fileIdLowBits", "fileIndex")
_LATER = (("fileId", None), ("fileIdEncoding", _UUID))
"""Fields that writers before table version 8 may not have, and what they mean then: file ids are UUIDs."""
_WANTED = frozenset(f"{_PAYLOAD}.{name}" for name in (*_FIELDS, *(name for name, _ in _LATER)))
_NO_INDEX = -1
_LOW_64 = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Location:
    """A file group. `partition` is its path, empty for a table without partitions."""

    partition: str
    file_id: str


def locations(found: Iterable[Found]) -> Iterator[tuple[int, Location]]:
    """Where the keys that were found are, each with its number. Raises `CorruptFileError` for a record that does not tell."""
    for each in found:
        column = decoded_values([each.batch], _WANTED)
        try:
            assert isinstance(column, Struct)
            payload = at(column, _PAYLOAD)
            assert isinstance(payload, Struct)
            fields = [to_list(at(payload, name)) for name in _FIELDS]
            for name, default in _LATER:
                fields.append(to_list(at(payload, name)) if name in payload.fields else [default] * len(fields[0]))
        except (AssertionError, KeyError):
            raise CorruptFileError(each.batch.where, expected="a schema of locations", found="another") from None
        for number, values in zip(each.keys.tolist(), zip(*fields, strict=True), strict=True):
            yield number, _location(each.batch.where, *values)


def _location(where: str, partition: Any, high: Any, low: Any, index: Any, text: Any, encoding: Any) -> Location:
    if partition is None or encoding not in (_UUID, _TEXT) or (text if encoding == _TEXT else high) is None:
        raise CorruptFileError(where, expected="a partition and a file id in a location", found=f"encoding {encoding}")
    if encoding == _TEXT:
        return Location(partition, text)
    file_id = str(uuid.UUID(int=(high & _LOW_64) << 64 | (low & _LOW_64)))
    return Location(partition, file_id if index == _NO_INDEX else f"{file_id}-{index}")
