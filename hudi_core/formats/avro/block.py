"""AVRO_DATA and CDC_DATA blocks of log files: the schema and where each record lies; and their content from columns."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.encode import encode_framed
from hudi_core.formats.columns import Offsets, Struct
from hudi_core.formats.length_chain import length_chain
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock

VERSIONS = (1, 2, 3)
"""All laid out alike; before them the record count was missing."""


@dataclass(frozen=True, slots=True, eq=False)
class AvroRecords:
    """Records in Avro binary: record i is `data[starts[i]:starts[i] + lengths[i]]`, written with `schema_text`."""

    schema_text: str
    data: bytes = field(repr=False)
    starts: Offsets
    lengths: Offsets


def avro_records(block: LogBlock) -> AvroRecords:
    """The records of a block. CorruptFileError unless they fill the content exactly; UnsupportedError for old versions."""
    if block.kind not in (BlockKind.AVRO_DATA, BlockKind.CDC_DATA):
        raise ValueError(f"{block.where} is {block.kind.name}, not AVRO_DATA or CDC_DATA")
    schema_text = block.require(HeaderKey.SCHEMA)
    content = block.content()
    if len(content) < 8:
        raise CorruptFileError(block.where, expected="a version and a record count", found=f"{len(content)} bytes")
    version, count = struct.unpack_from(">ii", content)
    if version not in VERSIONS:
        raise UnsupportedError(
            block.where, expected=f"data block version {VERSIONS[0]} to {VERSIONS[-1]}", found=str(version)
        )
    starts, lengths = length_chain(content, 8, count, block.where)
    return AvroRecords(schema_text, content, starts, lengths)


def avro_content(schema_text: str, columns: Struct, where: str) -> bytes:
    """The content of a block with one record for each row. Raises SchemaError as `avro_encode.encode` does."""
    header = struct.pack(">ii", VERSIONS[-1], columns.length)
    return b"".join([header, *(part.data for part in encode_framed(schema_text, columns, where))])
