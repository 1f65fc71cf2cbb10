"""Parquet base files: footers and batches."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.footers import arrow_types, chosen, file_schema, texts, typed
from hudi_arrow.inflated import GzipFile
from hudi_arrow.leaves import FooterChunks, FooterStatistics, leaf_numbers, leaves
from hudi_arrow.storage import decoding, native_file
from hudi_core.engine import FileInfo, Footer, RowGroup, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.inflate import LIBRARIES
from hudi_core.schema.schema import Path, Schema

_WHAT = "a Parquet file"
_MAGIC = b"PAR1"
_FIRST_READ = 1 << 19
"""Enough for the footer of a file with Hudi's bloom filter in one go."""
_BATCH_ROWS = 65_536
_BUFFER = 1 << 14
"""More than a page's header, less than its values: these are then copied once less."""
_FASTER_THAN_ARROW = LIBRARIES[0] is not zlib
_INT96 = pa.timestamp("us", "UTC")
"""What INT96 stands for: Spark and Hive write instants there."""


class ParquetReader:
    """`hudi_core.engine.FileReader` of Parquet. In memory are at most one row group's bytes and one batch at a time."""

    def footer(self, storage: Storage, file: FileInfo) -> Footer:
        tail = _tail(storage, file)  # type: ignore[arg-type]  # hashed by identity
        rows, below = tail.metadata.num_rows, leaves(tail.schema.record)
        chunks = FooterChunks(tail.where, tail.footer)
        groups = tuple(
            RowGroup(count, FooterStatistics(chunks, tail.writer, count, below, number))
            for number, count in enumerate(tail.groups)
        )
        return Footer(rows, tail.schema, tail.said, FooterStatistics(chunks, tail.writer, rows, below), groups)

    def batches(
        self,
        storage: Storage,
        file: FileInfo,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        tail = _tail(storage, file)  # type: ignore[arg-type]  # hashed by identity
        schema = chosen(tail.schema, columns, tail.where)
        types, numbers = arrow_types(schema), leaf_numbers(tail.schema.record, schema.record)
        groups = range(len(tail.groups)) if row_groups is None else row_groups
        with native_file(storage, file) as source, decoding(tail.where, _WHAT):
            # One group at a time: what is asked for at once is fetched at once.
            for group in groups:
                rows = 0
                for batch in _row_group(source, tail, group, numbers):
                    rows += batch.num_rows
                    yield typed(batch, types)
                if rows != tail.groups[group]:
                    said = f"{tail.groups[group]} rows in row group {group}"
                    raise CorruptFileError(tail.where, expected=said, found=str(rows))


def _row_group(source: pa.NativeFile, tail: _Tail, group: int, leaves: list[int]) -> Iterator[pa.RecordBatch]:
    """Leaf columns of one row group by number, since a name with a dot in it may be that of two columns."""
    found = tail.in_gzip.inflated(source, group, leaves) if tail.in_gzip else None
    if found is not None:
        opened = pq.ParquetFile(
            pa.PythonFile(found[0], mode="r"),
            metadata=found[1],
            buffer_size=_BUFFER,
            coerce_int96_timestamp_unit=_INT96.unit,
        )
        group = 0
    else:
        opened = pq.ParquetFile(
            source,
            metadata=tail.metadata,
            pre_buffer=True,
            page_checksum_verification=True,  # of writers that leave one, as Apache Hudi's does
            coerce_int96_timestamp_unit=_INT96.unit,
        )
    # Inflated pages come through Python one at a time: threads would only wait for each other.
    yield from opened.reader.iter_batches(
        _BATCH_ROWS, row_groups=[group], column_indices=leaves, use_threads=found is None
    )


@dataclass(frozen=True, slots=True)
class _Tail:
    where: str
    footer: bytes
    metadata: pq.FileMetaData
    writer: str
    said: dict[str, str]
    schema: Schema
    groups: tuple[int, ...]
    """The rows of each row group."""
    in_gzip: GzipFile | None


@lru_cache(maxsize=16)
def _tail(storage: Any, file: FileInfo) -> _Tail:
    """The end of a file, kept for the next question about it: files of a table never change. A bloom filter makes it large."""
    where = f"{storage.uri.rstrip('/')}/{file.path}"
    with native_file(storage, file) as source, decoding(where, _WHAT):
        footer = _footer(source, where)
        metadata = pq.read_metadata(pa.BufferReader(_MAGIC + footer + len(footer).to_bytes(4, "little") + _MAGIC))
        writer, said = metadata.created_by or "", texts(metadata.metadata)
        arrow = metadata.schema.to_arrow_schema()
        physical = iter([metadata.schema.column(number).physical_type for number in range(metadata.num_columns)])
        fields = [field.with_type(_without_int96(field.type, physical)) for field in arrow]
        schema = file_schema(pa.schema(fields, arrow.metadata), said, where)
    groups = tuple(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    if sum(groups) != metadata.num_rows:
        raise CorruptFileError(where, expected=f"{metadata.num_rows} rows", found=f"{sum(groups)} in all row groups")
    in_gzip = GzipFile(footer, where) if _FASTER_THAN_ARROW and _has_gzip(metadata) else None
    return _Tail(where, footer, metadata, writer, said, schema, groups, in_gzip)


def _has_gzip(metadata: pq.FileMetaData) -> bool:
    """Files are written with one codec, as a rule; what the first column says is a hint."""
    groups, columns = metadata.num_row_groups, metadata.num_columns
    return bool(groups and columns) and metadata.row_group(0).column(0).compression == "GZIP"


def _footer(source: pa.NativeFile, where: str) -> bytes:
    """The footer's bytes, usually in one read."""
    size = source.size()
    end: bytes = source.read_at(min(size, _FIRST_READ), max(size - _FIRST_READ, 0))
    length = int.from_bytes(end[-8:-4], "little")
    if end[-4:] != _MAGIC or length > size - 12:
        found = "an encrypted footer" if end[-4:] == b"PARE" else f"{size} bytes that end in {end[-8:]!r}"
        raise CorruptFileError(where, expected=_WHAT, found=found)
    if length > len(end) - 8:
        end = source.read_at(length + 8, size - length - 8)
    return end[len(end) - 8 - length : -8]


def _without_int96(of: pa.DataType, physical: Iterator[str]) -> pa.DataType:
    """The type with instants where the file has INT96; `physical` gives the types of its leaves in order."""
    if isinstance(of, pa.BaseExtensionType) or of.num_fields == 0:
        return _INT96 if next(physical, "") == "INT96" else of
    inner = [
        of.field(number).with_type(_without_int96(of.field(number).type, physical)) for number in range(of.num_fields)
    ]
    if pa.types.is_struct(of):
        return pa.struct(inner)
    if pa.types.is_map(of):
        entries = inner[0].type
        return pa.map_(entries.field(0), entries.field(1), of.keys_sorted)
    if pa.types.is_large_list(of):
        return pa.large_list(inner[0])
    return pa.list_(inner[0], of.list_size) if pa.types.is_fixed_size_list(of) else pa.list_(inner[0])
