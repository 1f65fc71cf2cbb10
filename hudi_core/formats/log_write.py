"""Blocks of log files, written: frames of any content; contents of data, delete and command blocks. Rules LOG-1 to LOG-13."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping

from hudi_core.columns.nodes import StructColumn, length
from hudi_core.errors import UsageError
from hudi_core.formats.avro.block import avro_content, avro_contents
from hudi_core.formats.deletes import DeleteRecords, encode_deletes
from hudi_core.formats.log import FORMAT_VERSION, MAGIC, BlockKind, HeaderKey

_DELETE_BYTES = 8
"""Bytes of a deleted record beside its key and path, about."""


def encode_block(kind: BlockKind, header: Mapping[HeaderKey, str], content: bytes | memoryview) -> bytes:
    """A whole block. A log file is such blocks one after the other; a COMMAND block has no content."""
    if kind is BlockKind.CORRUPT:
        raise UsageError("log block", expected="a kind of block that is written", found=kind.name)
    entries = [(key, value.encode()) for key, value in sorted(header.items())]
    parts = [struct.pack(">iii", FORMAT_VERSION, kind, len(entries))]
    parts += [struct.pack(">ii", key, len(value)) + value for key, value in entries]
    parts += [struct.pack(">q", len(content)), bytes(content), struct.pack(">i", 0)]
    size = sum(map(len, parts)) + 8
    return b"".join([MAGIC, struct.pack(">q", size), *parts, struct.pack(">q", size + len(MAGIC))])


def encode_data_block(
    header: Mapping[HeaderKey, str], rows: StructColumn, where: str, kind: BlockKind = BlockKind.AVRO_DATA
) -> bytes:
    """An AVRO_DATA or CDC_DATA block of rows in the schema of its header.

    Raises `SchemaError` with `where` and the field's path for rows that the schema has no place for.
    """
    return encode_block(kind, header, avro_content(header[HeaderKey.SCHEMA], rows, where))


HeaderOf = Callable[[int, int], Mapping[HeaderKey, str]]
"""Gives the header of a block of the records from one number up to another."""


def encode_data_blocks(header: HeaderOf, rows: Iterable[StructColumn], where: str, max_bytes: int) -> Iterator[bytes]:
    """AVRO_DATA blocks of rows that come in columns, each with a content of at most so many bytes, or of one row. All have one
    schema. Raises as `encode_data_block`. Rule LOG-1020."""
    first = 0
    schema = header(0, 0)[HeaderKey.SCHEMA]
    for count, content in avro_contents(schema, rows, where, max_bytes):
        yield encode_block(BlockKind.AVRO_DATA, header(first, first + count), content)
        first += count


def encode_delete_block(header: Mapping[HeaderKey, str], deletes: DeleteRecords) -> bytes:
    """A DELETE block. Its header has a schema in all blocks but the first one of a file group of the metadata table."""
    return encode_block(BlockKind.DELETE, header, encode_deletes(deletes))


def encode_delete_blocks(header: HeaderOf, deletes: DeleteRecords, max_bytes: int) -> Iterator[bytes]:
    """DELETE blocks, each with about so many bytes of keys at most. Rule LOG-1020."""
    rows = length(deletes.record_keys)
    texts = sum(int(texts.offsets[-1] - texts.offsets[0]) for texts in (deletes.record_keys, deletes.partition_paths))
    step = max(1, max_bytes * rows // (texts + rows * _DELETE_BYTES)) if rows else 1
    for first in range(0, rows, step):
        stop = min(first + step, rows)
        yield encode_delete_block(header(first, stop), deletes.part(first, stop))
