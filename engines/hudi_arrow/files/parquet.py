"""Parquet base files: footers and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.files.fallback import or_by_arrow
from hudi_arrow.files.footers import (
    INT96,
    ChosenColumns,
    FileColumns,
    cast_batch,
    parquet_schemas,
    read_calendar,
    texts,
)
from hudi_arrow.files.inflated import FASTER_THAN_ARROW, AssembledFile, PagedFile
from hudi_arrow.files.pages import read_ranges
from hudi_arrow.files.releases import READS_NULL_LISTS_OF_FIXED_SIZE, has_lists_of_fixed_size, without_arrow_schema
from hudi_arrow.numpy_arrays import from_numpy
from hudi_arrow.stores.native_files import RandomAccessFile, copy_owned
from hudi_arrow.stores.storage import decoding, native_file
from hudi_core.arrays import Bools
from hudi_core.by_need import ModuleByNeed
from hudi_core.engine import FileInfo, Footer, RowGroup, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.parquet.chunks import MAGIC
from hudi_core.formats.parquet.statistics import FooterChunks, FooterStatistics
from hudi_core.schema.schema import Path

if TYPE_CHECKING:
    from hudi_arrow.files import calendars
    from hudi_core.formats.parquet.calendars import OldCalendar
else:
    calendars = ModuleByNeed("hudi_arrow.files.calendars")  # for files of Spark's own writer

_WHAT = "a Parquet file"
_FIRST_READ = 1 << 19
"""Enough for the footer of a file with Hudi's bloom filter in one go."""
_BATCH_ROWS, _LEAST_ROWS = 65_536, 1_024
_BATCH_BYTES = 1 << 24
"""Bytes of a batch, as its pages have them: rows of many columns come in batches of fewer rows."""
_BUFFER = 1 << 14
"""More than a page's header, less than its values: these are then copied once less."""


class ParquetReader:
    """`hudi_core.engine.FileReader` of Parquet. In memory are at most one row group's bytes and one batch at a time."""

    def open(self, storage: Storage, file: FileInfo) -> OpenedParquet:
        return _open_file(storage, file)


@dataclass(frozen=True, slots=True)
class OpenedParquet:
    """`hudi_core.engine.OpenedFile` of Parquet."""

    storage: Storage
    file: FileInfo
    where: str
    file_size: int
    footer_bytes: bytes
    metadata: pq.FileMetaData
    writer: str
    metadata_strings: dict[str, str]
    stored: pa.Schema
    """The types that pyarrow gives the columns."""
    columns: FileColumns
    groups: tuple[int, ...]
    """The rows of each row group."""
    pages: PagedFile
    in_gzip: bool
    """Compressed in gzip, and inflated here faster than by pyarrow."""
    whole: pa.Buffer | None
    """The file, where it was read with its footer."""
    reader: pq.ParquetReader | None
    """A file that was read whole, as pyarrow reads it."""
    calendar: OldCalendar | None
    """What counts days and instants otherwise than the proleptic Gregorian calendar. Rule FORMAT-1571."""

    @property
    def footer(self) -> Footer:
        rows, below = self.metadata.num_rows, self.columns.leaves
        chunks = FooterChunks(self.where, self.footer_bytes)
        groups = tuple(
            RowGroup(count, FooterStatistics(chunks, self.writer, count, below, number, self.calendar))
            for number, count in enumerate(self.groups)
        )
        statistics = FooterStatistics(chunks, self.writer, rows, below, calendar=self.calendar)
        return Footer(
            rows, self.columns.schema, self.metadata_strings, statistics, groups, self.file_size, chunks.release
        )

    def read_spans(self, spans: Sequence[tuple[int, int]]) -> list[memoryview]:
        """Bytes of the file (start, length) as they are stored."""
        with self._source() as source, decoding(self.where, _WHAT):
            return read_ranges(source, spans)

    def _source(self) -> AbstractContextManager[pa.NativeFile]:
        return native_file(self.storage, self.file) if self.whole is None else nullcontext(pa.BufferReader(self.whole))

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[pa.RecordBatch]:
        wanted = self.columns.select(columns, self.where)
        groups = range(len(self.groups)) if row_groups is None else row_groups
        begin = 0
        with self._source() as source, decoding(self.where, _WHAT):
            # One group at a time: all that one call requests is in memory together.
            for group in groups:
                rows = self.groups[group]
                if keep is None:
                    group_batches = _row_group(source, self, group, wanted)
                else:
                    group_batches = _some_rows(source, self, group, wanted, keep[begin : begin + rows])
                for batch in group_batches:
                    made = cast_batch(batch, wanted.types)
                    yield made if self.calendar is None else calendars.in_new_calendar(made, self.calendar, self.where)
                begin += rows


def _row_group(
    source: pa.NativeFile, file: OpenedParquet, group: int, wanted: ChosenColumns
) -> Iterator[pa.RecordBatch]:
    """Leaf columns of one row group by number, since a name with a dot in it may be that of two columns."""
    by_arrow = partial(_by_arrow, source, file, group, wanted)
    if not file.in_gzip:
        return by_arrow()
    return or_by_arrow(_own_row_group(source, file, group, wanted, by_arrow), by_arrow, file.where)


def _own_row_group(
    source: pa.NativeFile,
    file: OpenedParquet,
    group: int,
    wanted: ChosenColumns,
    by_arrow: Callable[[], Iterator[pa.RecordBatch]],
) -> Iterator[pa.RecordBatch]:
    """A row group by its pages, where all of them are in gzip."""
    chunks = file.pages.chunks(source, group, [leaf for field in wanted.leaves for leaf in field])
    if chunks is None:
        yield from by_arrow()
    else:
        yield from _make(file.pages.assemble(group, chunks, file.groups[group]), list(chunks), file.where)


def _by_arrow(
    source: pa.NativeFile, file: OpenedParquet, group: int, wanted: ChosenColumns
) -> Iterator[pa.RecordBatch]:
    """A row group as pyarrow reads it."""
    leaves = [leaf for field in wanted.leaves for leaf in field]
    is_native = not isinstance(source, RandomAccessFile)
    ahead = file.whole is None and is_native
    stored = source if is_native else file.pages.fetch(source, group, leaves)
    opened = file.reader or _open(stored, file.metadata, pre_buffer=ahead)
    rows = _rows_of_batch(file.metadata, group, leaves)
    read = opened.iter_batches(rows, row_groups=[group], column_indices=leaves, use_threads=ahead)
    yield from _count(read, file.groups[group], file.where)


def _rows_of_batch(metadata: pq.FileMetaData, group: int, leaves: Sequence[int]) -> int:
    """How many rows of a row group are decoded at once."""
    chunks = metadata.row_group(group)
    if chunks.num_rows <= _LEAST_ROWS:
        return _LEAST_ROWS
    size: int = sum(chunks.column(leaf).total_uncompressed_size for leaf in leaves)
    rows: int = chunks.num_rows
    return max(_LEAST_ROWS, min(_BATCH_ROWS, _BATCH_BYTES * rows // max(size, 1)))


def _open(
    source: pa.NativeFile, metadata: pq.FileMetaData | None, *, pre_buffer: bool, buffer: int = 0
) -> pq.ParquetReader:
    """The file as pyarrow reads it; without `metadata` its footer is parsed.

    Columns are chosen by number, so the list of their names that a `ParquetFile` makes is not needed.
    """
    reader = pq.ParquetReader()
    reader.open(
        source,
        metadata=metadata,
        buffer_size=buffer,
        pre_buffer=pre_buffer,
        page_checksum_verification=True,  # of writers that leave one, as Apache Hudi's does
        coerce_int96_timestamp_unit=INT96.unit,
    )
    return reader


def _some_rows(
    source: pa.NativeFile, file: OpenedParquet, group: int, wanted: ChosenColumns, keep: Bools
) -> Iterator[pa.RecordBatch]:
    """The rows to keep of one row group: of the pages that hold one, where it is known which do."""
    if not keep.any():
        return iter(())

    def whole() -> Iterator[pa.RecordBatch]:
        return _keep(_row_group(source, file, group, wanted), keep)

    return or_by_arrow(_own_some_rows(source, file, group, wanted, keep, whole), whole, file.where)


def _own_some_rows(
    source: pa.NativeFile,
    file: OpenedParquet,
    group: int,
    wanted: ChosenColumns,
    keep: Bools,
    whole: Callable[[], Iterator[pa.RecordBatch]],
) -> Iterator[pa.RecordBatch]:
    parts = file.pages.some(source, group, wanted.leaves, keep)
    if parts is None:
        yield from whole()
        return
    columns = [_keep(_make(part.made, part.leaves, file.where), part.kept) for part in parts]
    yield from _join_columns(columns) if len(columns) > 1 else columns[0]


def _make(made: AssembledFile, leaves: Sequence[int], where: str) -> Iterator[pa.RecordBatch]:
    # With a buffer ahead all pages were inflated before the first is decoded.
    opened = _open(pa.PythonFile(made.file, mode="r"), made.metadata, pre_buffer=False, buffer=_BUFFER)
    # Pages come through Python one at a time: threads would only wait for each other.
    rows = _rows_of_batch(made.metadata, 0, leaves)
    read = opened.iter_batches(rows, row_groups=[0], column_indices=list(leaves), use_threads=False)
    yield from _count(read, made.rows, where)


def _count(batches: Iterator[pa.RecordBatch], rows: int, where: str) -> Iterator[pa.RecordBatch]:
    left = rows
    for batch in batches:
        left -= batch.num_rows
        yield batch
    if left:
        raise CorruptFileError(where, expected=f"{rows} rows in a row group", found=str(rows - left))


def _keep(batches: Iterator[pa.RecordBatch], keep: Bools) -> Iterator[pa.RecordBatch]:
    """The rows to keep; no batch is without rows."""
    begin = 0
    for batch in batches:
        flags = keep[begin : begin + batch.num_rows]
        begin += batch.num_rows
        if flags.any():
            yield batch.filter(from_numpy(flags))


def _join_columns(parts: Sequence[Iterator[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    """Batches of all the parts' columns. The parts have the same rows, cut into batches in different places, none empty."""
    current: list[Any] = [next(part, None) for part in parts]
    while all(batch is not None for batch in current):
        rows = min(batch.num_rows for batch in current)
        fields = [field for batch in current for field in batch.schema]
        arrays = [column for batch in current for column in batch.slice(0, rows).columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
        current = [
            batch.slice(rows) if rows < batch.num_rows else next(part, None)
            for batch, part in zip(current, parts, strict=True)
        ]


def _open_file(storage: Storage, file: FileInfo) -> OpenedParquet:
    where = f"{storage.uri.rstrip('/')}/{file.path}"
    with native_file(storage, file) as source, decoding(where, _WHAT):
        file_size, (end, footer) = source.size(), _footer(source, where)
        whole = copy_owned(end) if end[:4] == MAGIC and len(end) == file_size else None
        reader = _open(pa.BufferReader(end if whole is None else whole), None, pre_buffer=False)
        if not READS_NULL_LISTS_OF_FIXED_SIZE and has_lists_of_fixed_size(reader.schema_arrow):
            end, footer = _with_lists_of_any_size(end, footer)
            whole = None if whole is None else copy_owned(end)
            reader = _open(pa.BufferReader(end), None, pre_buffer=False)
        metadata = reader.metadata
        noted = metadata.metadata or {}  # with a bloom filter, which is copied at each access
        writer, metadata_strings = metadata.created_by or "", texts(noted)
        stored, columns = parquet_schemas(footer, metadata, noted, where)
    groups = tuple(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
    if sum(groups) != metadata.num_rows:
        raise CorruptFileError(where, expected=f"{metadata.num_rows} rows", found=f"{sum(groups)} in all row groups")
    return OpenedParquet(
        storage,
        file,
        where,
        file_size,
        footer,
        metadata,
        writer,
        metadata_strings,
        stored,
        columns,
        groups,
        PagedFile(footer, metadata, where),
        FASTER_THAN_ARROW and _has_gzip(metadata),
        whole,
        None if whole is None else reader,
        read_calendar(metadata_strings, metadata),
    )


def _with_lists_of_any_size(end: bytes, footer: bytes) -> tuple[bytes, bytes]:
    """The end of a file and its footer, of which pyarrow makes other types."""
    plain = without_arrow_schema(footer)
    return end[: len(end) - 8 - len(footer)] + plain + end[-8:], plain


def _has_gzip(metadata: pq.FileMetaData) -> bool:
    """Whether the first column is in gzip: files have one codec as a rule, so this is a hint."""
    groups, columns = metadata.num_row_groups, metadata.num_columns
    return bool(groups and columns) and metadata.row_group(0).column(0).compression == "GZIP"


def _footer(source: pa.NativeFile, where: str) -> tuple[bytes, bytes]:
    """The end of the file, and the footer's bytes; usually in one read."""
    size = source.size()
    end: bytes = source.read_at(min(size, _FIRST_READ), max(size - _FIRST_READ, 0))
    length = int.from_bytes(end[-8:-4], "little")
    if end[-4:] != MAGIC or length > size - 12:
        ending = "an encrypted footer" if end[-4:] == b"PARE" else f"{size} bytes that end in {end[-8:]!r}"
        raise CorruptFileError(where, expected=_WHAT, found=ending)
    if length > len(end) - 8:
        end = source.read_at(length + 8, size - length - 8)
    return end, end[len(end) - 8 - length : -8]
