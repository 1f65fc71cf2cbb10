"""`record_index`: in which file group each record key is. Rules META-30 to META-32."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import (
    Column,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    select_nested_column,
    to_list,
    validity_of,
)
from hudi_core.errors import CorruptFileError
from hudi_core.metadata.lookup import LookupResult
from hudi_core.metadata.records import decode_values

_PAYLOAD = "recordIndexMetadata"
_UUID, _TEXT = 0, 1
_FIELDS = ("partitionName", "fileIdHighBits", "fileIdLowBits", "fileIndex")
_LATER = (("fileId", None), ("fileIdEncoding", _UUID))
"""Fields that writers before table version 8 may not have, and what they mean then: file ids are UUIDs."""
_WANTED = frozenset(f"{_PAYLOAD}.{name}" for name in (*_FIELDS, *(name for name, _ in _LATER)))
_NO_INDEX = -1
_UUID_SIZE = 36
_LOW_64 = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Location:
    """A file group. `partition` is its path, empty for a table without partitions."""

    partition: str
    file_id: str


@dataclass(frozen=True, slots=True, eq=False)
class LocationColumns:
    """Where keys are: partition paths, and file ids either as a UUID with a number (-1: none) or, where `as_text`, as texts."""

    partitions: StringColumn
    high: Numbers
    low: Numbers
    file_indexes: Numbers
    as_text: Bools
    file_ids: StringColumn | None


def location_columns(result: LookupResult) -> LocationColumns:
    """The locations of the records that were found, as columns. Raises `CorruptFileError` for one without a location."""
    where = result.batch.where
    column = decode_values([result.batch], _WANTED)
    try:
        payload = select_nested_column(column, _PAYLOAD)
        assert isinstance(payload, StructColumn)
        count = payload.length
        partitions = select_nested_column(payload, "partitionName")
        high, low, numbers = (_numbers(select_nested_column(payload, name), count) for name in _FIELDS[1:])
        encodings = np.full(count, _UUID)
        if "fileIdEncoding" in payload.fields:
            encodings = _numbers(select_nested_column(payload, "fileIdEncoding"), count)[0]
        texts = select_nested_column(payload, "fileId") if "fileId" in payload.fields else None
    except (AssertionError, KeyError):
        raise CorruptFileError(where, expected="a schema of locations", found="another") from None
    as_text = encodings == _TEXT
    is_given = np.where(as_text, isinstance(texts, StringColumn) and validity_of(texts), high[1])
    if (
        not isinstance(partitions, StringColumn)
        or not (validity_of(partitions) & is_given & (as_text | (encodings == _UUID))).all()
    ):
        raise CorruptFileError(where, expected="a partition and a file id in a location", found="one without")
    return LocationColumns(
        partitions, high[0], low[0], numbers[0], as_text, texts if isinstance(texts, StringColumn) else None
    )


def _numbers(column: Column, count: int) -> tuple[Numbers, Bools]:
    """Integers, and flags of those that are not null."""
    if isinstance(column, NullColumn):
        return np.zeros(count, np.int64), np.zeros(count, np.bool_)
    assert isinstance(column, PrimitiveColumn)
    return column.values.astype(np.int64), validity_of(column)


def uuid_halves(file_id: str) -> tuple[int, int, int] | None:
    """A file id as the record index has it when it is a UUID with a number or without one (-1); None for others."""
    head, tail = file_id[:_UUID_SIZE], file_id[_UUID_SIZE:]
    if tail and not (tail[0] == "-" and tail[1:].isascii() and tail[1:].isdigit()):
        return None
    try:
        value = uuid.UUID(head)
    except ValueError:
        return None
    number = int(tail[1:]) if tail else _NO_INDEX
    halves = (_read_signed(value.int >> 64), _read_signed(value.int & _LOW_64))
    return (*halves, number) if str(value) == head and (not tail or tail == f"-{number}") else None


def _read_signed(half: int) -> int:
    return half - (1 << 64) if half >> 63 else half


def locations(results: Iterable[LookupResult]) -> Iterator[tuple[int, Location]]:
    """Where the keys that were found are, each with its number. Raises `CorruptFileError` for a record without a location."""
    for result in results:
        column = decode_values([result.batch], _WANTED)
        try:
            assert isinstance(column, StructColumn)
            payload = select_nested_column(column, _PAYLOAD)
            assert isinstance(payload, StructColumn)
            fields = [to_list(select_nested_column(payload, name)) for name in _FIELDS]
            for name, default in _LATER:
                fields.append(
                    to_list(select_nested_column(payload, name))
                    if name in payload.fields
                    else [default] * len(fields[0])
                )
        except (AssertionError, KeyError):
            raise CorruptFileError(result.batch.where, expected="a schema of locations", found="another") from None
        for number, values in zip(result.keys.tolist(), zip(*fields, strict=True), strict=True):
            yield number, _location(result.batch.where, *values)


def _location(where: str, partition: Any, high: Any, low: Any, index: Any, text: Any, encoding: Any) -> Location:
    if partition is None or encoding not in (_UUID, _TEXT) or (text if encoding == _TEXT else high) is None:
        raise CorruptFileError(where, expected="a partition and a file id in a location", found=f"encoding {encoding}")
    if encoding == _TEXT:
        return Location(partition, text)
    file_id = str(uuid.UUID(int=(high & _LOW_64) << 64 | (low & _LOW_64)))
    return Location(partition, file_id if index == _NO_INDEX else f"{file_id}-{index}")
