"""Avro object-container files, read whole: the form of instants' contents and plans. Not for data: one object a record.

Also records without such a file around them, as logs of archived instants hold them.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from lzma import LZMAError
from typing import Any, Final

import fastavro
import numpy as np
from fastavro.schema import SchemaParseException, UnknownType

from hudi_core.columns.nodes import MapColumn, StringColumn, StructColumn
from hudi_core.columns.strings import string_list
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.formats.avro.columns import decode

MAGIC = b"Obj\x01"

_DAMAGE = (
    ArithmeticError,
    EOFError,
    LookupError,
    LZMAError,
    MemoryError,
    OSError,  # of bzip2
    RecursionError,
    SchemaParseException,
    TypeError,
    UnknownType,
    ValueError,
    zlib.error,
)
"""What fastavro raises when bytes are not what they claim; it has no error of its own for that."""
_NO_CODEC: Final = re.compile(r"codec.*(?:install|import)|Unrecognized codec", re.IGNORECASE)
"""What fastavro says of a codec that it does not know, or whose library is missing."""


def read_container(content: bytes, where: str) -> list[Any]:
    """All records of a container file. `CorruptFileError` names `where` when the bytes are no such file, or damaged,
    `UnsupportedError` when its codec is not there."""
    if not content.startswith(MAGIC):
        raise CorruptFileError(where, expected="an Avro container file", found=f"a file that starts {content[:4]!r}")
    with reading(where):
        return list(fastavro.reader(io.BytesIO(content)))


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Raises fastavro's errors about damage as `CorruptFileError` with `where`, and about codecs as `UnsupportedError`."""
    try:
        yield
    except _DAMAGE as error:
        if _NO_CODEC.search(str(error)):
            raise UnsupportedError(where, expected="a codec whose library is installed", found=_show(error)) from None
        raise CorruptFileError(where, expected="a whole Avro container file", found=_show(error)) from None


def one_block(content: bytes, where: str) -> tuple[Mapping[str, Any], bytes]:
    """The writer's schema and the bytes of the file's one record. Raises as `read_container`, and when there is not one."""
    with reading(where):
        reader = fastavro.block_reader(io.BytesIO(content))
        blocks = list(reader)
        schema, record_counts = json.loads(reader.metadata["avro.schema"]), [block.num_records for block in blocks]
    if record_counts != [1]:
        raise CorruptFileError(where, expected="an Avro file of one record", found=f"{sum(record_counts)} records")
    data: bytes = blocks[0].bytes_.getvalue()  # type: ignore[attr-defined]  # not in its hints
    return schema, data


def read_string_map(content: bytes, name: str, where: str) -> dict[str, str] | None:
    """A field of the file's one record that maps strings to strings, without making objects of the others, which may be long.

    None when there is no such field. Raises as `read_container`, and when there is not one record.
    """
    schema, data = one_block(content, where)
    record = decode(json.dumps(schema), data, np.zeros(1, np.int64), np.array([len(data)], np.int64), where, {name})
    mapping = record.fields.get(name) if isinstance(record, StructColumn) else None
    if not isinstance(mapping, MapColumn) or not isinstance(mapping.values, StringColumn):
        return None
    return dict(zip(string_list(mapping.keys), string_list(mapping.values), strict=True))


def read_records(
    schema_text: str,
    data: bytes,
    starts: Sequence[int],
    lengths: Sequence[int],
    where: str,
    names: Sequence[str] | None = None,
) -> list[Any]:
    """The records at `data[starts[i]:starts[i] + lengths[i]]`; of their fields only those named, None for all.

    Raises `CorruptFileError` with `where`, also when a name is not in the schema.
    """
    try:
        document = json.loads(schema_text)
        writer = fastavro.parse_schema(document)
        reader = None
        if names is not None:
            chosen = [field for field in document["fields"] if field["name"] in names]
            if len(chosen) != len(names):
                raise CorruptFileError(where, expected=f"fields {', '.join(names)}", found=f"{len(chosen)} of them")
            reader = fastavro.parse_schema({**document, "fields": chosen})
        places = zip(starts, lengths, strict=True)
        pieces = (io.BytesIO(data[start : start + length]) for start, length in places)
        return [fastavro.schemaless_reader(piece, writer, reader) for piece in pieces]
    except CorruptFileError:
        raise
    except _DAMAGE as error:
        raise CorruptFileError(where, expected="whole Avro records", found=_show(error)) from None


def _show(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__} {error}".split())[:120]


def write_records(schema_text: str, records: Sequence[Mapping[str, Any]], where: str) -> list[bytes]:
    """Records in Avro binary, each by itself. What the schema has no place for is left out, missing fields take their defaults.

    Raises `CorruptFileError` with `where` for a record that has other types.
    """
    parsed = _parse(schema_text)
    encoded: list[bytes] = []
    for record in records:
        out = io.BytesIO()
        try:
            fastavro.schemaless_writer(out, parsed, record)
        except _DAMAGE as error:
            raise CorruptFileError(where, expected="records of the schema", found=_show(error)) from None
        encoded.append(out.getvalue())
    return encoded


@lru_cache(maxsize=4)
def _parse(schema_text: str) -> Any:
    return fastavro.parse_schema(json.loads(schema_text))


def write_container(schema: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> bytes:
    """A container file of these records, uncompressed, as instants' files are. Missing fields take their defaults."""
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(dict(schema)), records, codec="null")
    return out.getvalue()
