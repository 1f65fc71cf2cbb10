"""Blocks of log files, written: frames of any content; contents of data, delete and command blocks. Rules LOG-1 to LOG-13."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from hudi_core.columns.nodes import StructColumn
from hudi_core.errors import UsageError
from hudi_core.formats.avro.block import avro_content
from hudi_core.formats.deletes import DeleteRecords, encode_deletes
from hudi_core.formats.log import FORMAT_VERSION, MAGIC, BlockKind, HeaderKey


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


def encode_delete_block(header: Mapping[HeaderKey, str], deletes: DeleteRecords) -> bytes:
    """A DELETE block. Its header has a schema in all blocks but the first one of a file group of the metadata table."""
    return encode_block(BlockKind.DELETE, header, encode_deletes(deletes))
