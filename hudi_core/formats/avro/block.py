"""AVRO_DATA and CDC_DATA blocks of log files: the schema and where each record lies; and their content from columns.

The way in is `formats.avro.columns`; the way out encodes all rows of a field at a time. Rules AVC-16 to AVC-19.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hudi_core.arrays import Octets, Offsets
from hudi_core.columns.concat import GrowingArray
from hudi_core.columns.length_chain import length_chain
from hudi_core.columns.nodes import Column, StructColumn, length
from hudi_core.errors import CorruptFileError, SchemaError, UnsupportedError
from hudi_core.formats.avro.lanes import PADDING
from hudi_core.formats.avro.plan import Node, plan
from hudi_core.formats.avro.write import write
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock


def encode(schema_text: str, column: Column, where: str) -> tuple[Offsets, Octets]:
    """One record for each row, one after the other: record i is `data[offsets[i]:offsets[i + 1]]`.

    Fields are found by name; a record's column is a Struct. Raises SchemaError with `where` and the field's path when a
    column is missing, is of another physical type, or has nulls where the schema has no null.
    """
    ends, parts, total = [np.zeros(1, np.int64)], [np.zeros(0, np.uint8)], 0
    for offsets, data in write(_plan(schema_text, where), column, where):
        ends.append(offsets[1:] + total)
        parts.append(data)
        total += len(data)
    return np.concatenate(ends), np.concatenate(parts)


def encode_framed(schema_text: str, column: Column, where: str, header: bytes = b"") -> Octets:
    """As `encode`, each record behind its length in four bytes, and all behind a header: what log blocks hold.

    Parts are put together while others are made.
    """
    framed_records: GrowingArray | None = None
    for offsets, data in write(_plan(schema_text, where), column, where, framed=True):
        if framed_records is None:
            rows = len(offsets) - 1
            framed_records = GrowingArray(data, len(header) + len(data) * length(column) // rows * 33 // 32)
            framed_records.add(np.frombuffer(header, np.uint8))
        framed_records.add(data)
    return np.frombuffer(header, np.uint8) if framed_records is None else framed_records.array()


def _plan(schema_text: str, where: str) -> Node:
    try:
        return plan(schema_text)
    except (SchemaError, UnsupportedError) as error:
        raise type(error)(where, message=str(error)) from error


VERSIONS = (1, 2, 3)
"""All laid out alike; before them the record count was missing."""

_HEADER = struct.Struct(">ii")
_LENGTH = 4
"""Bytes before each record with its length."""


@dataclass(frozen=True, slots=True, eq=False)
class AvroContent:
    """What a block holds: `count` records in Avro binary that fill `data` from `start` on, each behind its length in four bytes.

    `decode_framed` turns them into columns.
    """

    schema_text: str
    data: bytes = field(repr=False)
    start: int
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class AvroRecords:
    """Records in Avro binary: record i is `data[starts[i]:starts[i] + lengths[i]]`, written with `schema_text`."""

    schema_text: str
    data: bytes = field(repr=False)
    starts: Offsets
    lengths: Offsets


def read_content(block: LogBlock) -> AvroContent:
    """The content of a block. CorruptFileError when it has no room for a count; UnsupportedError for old versions."""
    if block.kind not in (BlockKind.AVRO_DATA, BlockKind.CDC_DATA):
        raise ValueError(f"{block.where} is {block.kind.name}, not AVRO_DATA or CDC_DATA")
    schema_text = block.require(HeaderKey.SCHEMA)
    content = block.content()
    if len(content) < _HEADER.size:
        raise CorruptFileError(block.where, expected="a version and a record count", found=f"{len(content)} bytes")
    version, count = _HEADER.unpack_from(content)
    if version not in VERSIONS:
        raise UnsupportedError(
            block.where, expected=f"data block version {VERSIONS[0]} to {VERSIONS[-1]}", found=str(version)
        )
    return AvroContent(schema_text, content, _HEADER.size, count)


def avro_records(block: LogBlock) -> AvroRecords:
    """The records of a block: `read_content`, and where each lies. CorruptFileError unless they fill the content exactly."""
    content = read_content(block)
    starts, lengths = length_chain(content.data, content.start, content.count, block.where)
    return AvroRecords(content.schema_text, content.data, starts, lengths)


def join_records(blocks: Sequence[LogBlock]) -> tuple[Octets, Offsets, Offsets]:
    """The records of several blocks, one block's after the other's, found at once: bytes, and where each begins and its length.

    Raises as `avro_records`; but where records do not fill a content exactly, the error does not name the content.
    """
    contents = [read_content(block) for block in blocks]
    counts = np.cumsum([max(content.count, 0) for content in contents])
    ends = np.cumsum([len(content.data) - content.start for content in contents])
    data = np.zeros(int(ends[-1]) + PADDING, np.uint8)
    for content, end in zip(contents, ends.tolist(), strict=True):
        records = np.frombuffer(content.data, np.uint8)[content.start :]
        data[end - len(records) : end] = records
    where = f"{blocks[0].where}, or one of {len(blocks) - 1} more"
    starts, lengths = length_chain(data[: ends[-1]].data, 0, int(counts[-1]), where)
    if not np.array_equal(np.append(starts, ends[-1] + _LENGTH)[counts], ends + _LENGTH):
        raise CorruptFileError(where, expected="records that end with their block", found="one that does not")
    return data, starts, lengths


def record_content(records: Sequence[bytes]) -> bytes:
    """The content of a data block of records in Avro binary."""
    framed = [part for record in records for part in (struct.pack(">i", len(record)), record)]
    return b"".join([_HEADER.pack(VERSIONS[-1], len(records)), *framed])


def avro_content(schema_text: str, columns: StructColumn, where: str) -> memoryview:
    """The content of a block with one record for each row. Raises SchemaError as `avro_encode.encode` does."""
    return encode_framed(schema_text, columns, where, _HEADER.pack(VERSIONS[-1], columns.length)).data


def avro_contents(
    schema_text: str, columns: Iterable[StructColumn], where: str, max_bytes: int
) -> Iterator[tuple[int, bytes]]:
    """As `avro_content`, for rows that come in several columns: contents of at most so many bytes, or of one record where that
    has more. Gives the number of records and the bytes of each; none where there are no rows."""
    node = _plan(schema_text, where)
    parts: list[Octets] = []
    size = records = 0
    for offsets, data in (part for column in columns for part in write(node, column, where, framed=True)):
        first = 0
        while first < len(offsets) - 1:
            room = max_bytes - _HEADER.size - size
            end = int(np.searchsorted(offsets, offsets[first] + room, side="right")) - 1
            if end <= first:
                if parts:
                    yield records, _join_content(parts, records)
                    parts, size, records = [], 0, 0
                    continue
                end = first + 1
            part = data[offsets[first] : offsets[end]]
            parts.append(part)
            size, records, first = size + len(part), records + end - first, end
    if parts:
        yield records, _join_content(parts, records)


def _join_content(parts: Sequence[Octets], records: int) -> bytes:
    return b"".join([_HEADER.pack(VERSIONS[-1], records), *(part.data for part in parts)])
