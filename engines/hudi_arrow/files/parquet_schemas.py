"""Schemas of Parquet files: the types that pyarrow gives their columns, and what is worked out of these, once for files alike."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.files.footers import AVRO_SCHEMA_KEYS, FileColumns, file_columns, texts
from hudi_arrow.types import EXTRAS, with_inner_types
from hudi_core.formats.parquet.thrift import LIST, raw_fields

Schemas = tuple[pa.Schema, FileColumns]
"""The types that pyarrow gives the columns of a file, and what is worked out of them."""

INT96: Final = pa.timestamp("us", "UTC")
"""The type of INT96: Spark and Hive write instants there."""
_NOTES: Final = (b"ARROW:schema", EXTRAS, *(key.encode() for key in AVRO_SCHEMA_KEYS))
"""The keys of a file's metadata that determine its schema."""
_KNOWN: Final = deque[tuple[bytes, Sequence[bytes | None], Schemas]](maxlen=8)
"""The schemas of the files that were opened last, each with how their footers begin: files of a table share a few."""


def parquet_schemas(footer: bytes, metadata: pq.FileMetaData, noted: Mapping[bytes, bytes], where: str) -> Schemas:
    """The schemas of a file by the bytes of its footer; `noted` are its key-value pairs. Raises as `file_columns`. Safe in
    threads."""
    notes = [noted.get(key) for key in _NOTES]
    for beginning, known_notes, known in tuple(_KNOWN):
        if footer.startswith(beginning) and known_notes == notes:
            return known
    made = _schemas(metadata, noted, where)
    beginning = _schema_bytes(footer)
    if beginning:
        _KNOWN.append((beginning, notes, made))
    return made


def _schema_bytes(footer: bytes) -> bytes:
    """The footer as far as its list of columns reaches: nothing where that is not its second field, as all writers have it.

    Schemas of pyarrow are equal where the names above the leaves differ.
    """
    try:
        (first, _, version), (second, kind, columns) = islice(raw_fields(footer), 2)
    except (IndexError, KeyError, ValueError):  # damage, which readers of the damaged part report
        return b""
    if (first, second, kind) != (1, 2, LIST):
        return b""
    return footer[: 2 + len(version) + len(columns)]


def _schemas(metadata: pq.FileMetaData, noted: Mapping[bytes, bytes], where: str) -> Schemas:
    arrow = metadata.schema.to_arrow_schema()
    if any(map(_has_nanos, arrow.types)):
        arrow = without_int96(arrow, metadata.schema)
    stored = arrow.with_metadata({EXTRAS: noted[EXTRAS]} if EXTRAS in noted else None)
    return stored, file_columns(stored, texts(noted), where)


def without_int96(arrow: pa.Schema, stored: pq.ParquetSchema) -> pa.Schema:
    """The types of columns with instants where the file has INT96."""
    physical = iter([stored.column(number).physical_type for number in range(len(stored))])
    return pa.schema([field.with_type(_without_int96(field.type, physical)) for field in arrow])


def _has_nanos(type: pa.DataType) -> bool:
    """Whether there are timestamps of nanoseconds in the type, which pyarrow makes of INT96 by default."""
    if pa.types.is_timestamp(type):
        return bool(type.unit == "ns")
    return any(_has_nanos(type.field(number).type) for number in range(type.num_fields))


def _without_int96(type: pa.DataType, physical: Iterator[str]) -> pa.DataType:
    """The type with instants where the file has INT96; `physical` gives the types of its leaves in order."""
    if isinstance(type, pa.BaseExtensionType) or type.num_fields == 0:
        return INT96 if next(physical, "") == "INT96" else type
    return with_inner_types(type, lambda inner: _without_int96(inner, physical))
