"""Files put together of column chunks: those of an older file in which no row has another value are copied, and the others are
encoded, some columns at a time.

Rules: WRITE-1470, WRITE-1601; `parquet.thrift` of the Parquet format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.arrays import Array
from hudi_arrow.files.parquet import OpenedParquet
from hudi_arrow.files.written_statistics import file_types
from hudi_arrow.numpy_arrays import no_rows
from hudi_core.engine import OpenedFile
from hudi_core.formats.files import RewrittenRows
from hudi_core.formats.parquet.chunks import (
    MAGIC,
    ChunkedFooter,
    CopiedChunk,
    FileOfChunks,
    FooterFrame,
    StoredChunk,
    end_of_file,
)
from hudi_core.formats.parquet.statistics import leaf_numbers
from hudi_core.parallel.ordered import in_order
from hudi_core.schema.schema import Schema

_CODECS: Final = {"none": 0, "snappy": 1, "gzip": 2, "zstd": 6}
"""`CompressionCodec` by the names of the codecs that base files are written in."""
_END: Final = 8
"""Bytes behind a footer: its length and the magic."""
_READ_BYTES: Final = 1 << 23
"""Bytes of column chunks that are read together: less than a new file's rows take beside them."""


def chunk_copies(older: OpenedFile[Any], as_stored: Set[str], schema: Schema, codec: str) -> ChunkCopies | None:
    """What a new file of a schema may take from an older one, whose columns `as_stored` rows have as they are there.

    None where nothing may be: the files are of one schema and of one Parquet library, so that pages and bounds are what encoding
    again would give, and its bytes are at hand, for fetching them again takes longer than encoding.
    """
    if not isinstance(older, OpenedParquet) or (older.whole is None and older.storage.is_remote):
        return None
    if older.calendar is not None:  # values are other ones than the pages have
        return None
    if not _frame(schema).fits(older.footer_bytes):
        return None
    return ChunkCopies(older, schema, frozenset(as_stored), _CODECS[codec])


@dataclass(frozen=True)
class ChunkCopies:
    """The column chunks of an older file that may be copied: those of `columns` in the codec."""

    older: OpenedParquet
    schema: Schema
    columns: frozenset[str]
    codec: int

    @cached_property
    def group_starts(self) -> Mapping[int, int]:
        """The row groups that have rows, by the number of their first row."""
        starts = accumulate(self.older.groups, initial=0)
        return {
            start: number for number, (start, rows) in enumerate(zip(starts, self.older.groups, strict=False)) if rows
        }

    @cached_property
    def _footer(self) -> ChunkedFooter:
        return ChunkedFooter(self.older.footer_bytes, self.older.where)

    def choose(self, group: int, columns: Set[str]) -> dict[str, list[StoredChunk]]:
        """The chunks of some columns of a row group, less those that may not be copied."""
        stored = self._footer.chunks(group)
        return {
            name: chunks
            for name, leaves in _leaves_of_columns(self.schema).items()
            if name in columns and len(chunks := self._select(stored, leaves)) == len(leaves)
        }

    def read(self, chosen: Iterable[StoredChunk]) -> Iterator[CopiedChunk]:
        """Chunks with their bytes, of which some are in memory at a time."""
        for some in _portions(chosen):
            parts = iter(self.older.read_spans([span for chunk in some for span in CopiedChunk.spans(chunk)]))
            for chunk in some:
                yield _with_bytes(chunk, next(parts), next(parts), next(parts))

    def _select(self, stored: Sequence[StoredChunk | None], leaves: Sequence[int]) -> list[StoredChunk]:
        chosen = [chunk for leaf in leaves if (chunk := stored[leaf]) is not None and chunk.codec == self.codec]
        # Without an offset index it is another program's: encoded again it has one, and readers pass over pages.
        return [chunk for chunk in chosen if chunk.offset_index[1]]


class CopiedRows:
    """Tells of rows that come batch by batch which row group of an older file they are, and which columns stay as they are."""

    def __init__(self, copies: ChunkCopies) -> None:
        self._copies, self._begins = copies, True
        self._group: int | None = None
        self._next = self._left = 0
        self._same: list[str] = []

    def add(self, made: RewrittenRows[pa.RecordBatch]) -> bool:
        """Whether the rows that came since the last end are a whole row group, these as the last ones."""
        if self._begins:
            self._begins, self._next = False, made.first
            self._group = None if made.before is None else self._copies.group_starts.get(made.first)
            self._left = 0 if self._group is None else self._copies.older.groups[self._group]
            self._same = [name for name in made.rows.schema.names if name in self._copies.columns]
        if made.before is None or made.first != self._next:
            self._group = None
        if self._group is None:
            return False
        assert made.before is not None
        rows, before = made.rows, made.before
        self._next, self._left = self._next + rows.num_rows, self._left - rows.num_rows
        self._same = [name for name in self._same if _is_same(rows.column(name), before.column(name))]
        return self._left == 0

    @property
    def goes_on(self) -> bool:
        """Whether the rows that came since the last end are the first ones of a row group, but not all of it."""
        return not self._begins and self._group is not None and self._left > 0

    def end(self) -> tuple[int, frozenset[str]] | None:
        """The row group that the rows are, and its columns without another value; None where they are none. Others begin then."""
        self._begins = True
        if self._group is None or self._left:
            return None
        return self._group, frozenset(self._same)


def _is_same(values: Array, others: Array) -> bool:
    """Whether both have the same values to the bit. False is no harm: the column is encoded."""
    if values.type != others.type or len(values) != len(others):
        return False
    if pa.types.is_floating(values.type):  # 0.0 equals -0.0
        bits = pa.int64() if pa.types.is_float64(values.type) else pa.int32()
        values, others = values.view(bits), others.view(bits)
    elif _has_floats(values.type):
        return False
    return bool(values.equals(others))


def _has_floats(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or any(_has_floats(kind.field(number).type) for number in range(kind.num_fields))


class ChunkedFile:
    """Writes a file of column chunks: those that are copied, and the others as they are encoded, of each part that `split` makes
    of the columns of a row group. `encoder` gives for a row group what encodes a part of it."""

    def __init__(
        self,
        write: Callable[[bytes | memoryview], object],
        schema: Schema,
        encoder: Callable[[pa.Table], Callable[[pa.Table], pa.Buffer]],
        split: Callable[[pa.Table], Sequence[pa.Table]],
        copies: ChunkCopies | None = None,
    ) -> None:
        self._leaves, self._encoder, self._split, self._copies = _leaves_of_columns(schema), encoder, split, copies
        self._file = FileOfChunks(write, _frame(schema))

    def write(self, rows: pa.Table, copied: tuple[int, Set[str]] | None) -> None:
        """A row group; `copied` names the row group of the older file that it is, and the columns to copy."""
        copies: Mapping[str, Sequence[StoredChunk]] = {}
        stored: Iterator[CopiedChunk] = iter(())
        if copied is not None and self._copies is not None:
            copies = self._copies.choose(*copied)
            stored = self._copies.read(chunk for chunks in copies.values() for chunk in chunks)
        changed = rows.select([name for name in rows.column_names if name not in copies])
        parts = self._split(changed) if changed.num_columns else ()
        with closing(in_order(self._encoder(changed), parts)) as files:
            encoded = chain.from_iterable(map(_take_apart, files))
            order = ((stored if name in copies else encoded, leaves) for name, leaves in self._leaves.items())
            self._file.add(rows.num_rows, (next(source) for source, leaves in order for _ in leaves))

    def finish(self, pairs: Mapping[str, str]) -> pq.FileMetaData:
        """Ends the file with these key-value pairs, and gives what its footer has."""
        footer = self._file.finish(pairs)
        return pq.read_metadata(pa.BufferReader(MAGIC + end_of_file(footer)))


def _take_apart(file: pa.Buffer) -> Iterator[CopiedChunk]:
    """The column chunks of a file in memory, which has one row group."""
    content = memoryview(file)
    for chunk in ChunkedFooter(_footer_of(content), "a file in memory").chunks(0):
        assert chunk is not None
        yield _with_bytes(chunk, *(content[start : start + length] for start, length in CopiedChunk.spans(chunk)))


def _with_bytes(
    stored: StoredChunk, pages: memoryview, offset_index: memoryview, column_index: memoryview
) -> CopiedChunk:
    """A chunk with its bytes. Its indexes wait for the end of the file: they are copied, for else what they are parts of would
    wait too."""
    return CopiedChunk(stored, pages, bytes(offset_index), bytes(column_index))


def _portions(chunks: Iterable[StoredChunk]) -> Iterator[list[StoredChunk]]:
    """Chunks that are read together: some megabytes of them, or a single one."""
    some: list[StoredChunk] = []
    size = 0
    for chunk in chunks:
        if some and size + chunk.pages[1] > _READ_BYTES:
            yield some
            some, size = [], 0
        some.append(chunk)
        size += chunk.pages[1]
    if some:
        yield some


def _footer_of(content: memoryview) -> bytes:
    end = len(content) - _END
    length = int.from_bytes(content[end : end + 4], "little")
    return bytes(content[end - length : end])


@lru_cache(maxsize=64)
def _leaves_of_columns(schema: Schema) -> Mapping[str, Sequence[int]]:
    """The numbers of the leaf columns of each column, in the order of the schema."""
    record = schema.record
    return dict(zip([field.name for field in record.fields], leaf_numbers(record, record), strict=True))


@lru_cache(maxsize=64)
def _frame(schema: Schema) -> FooterFrame:
    """What all files of a schema have in their footers that the library writes."""
    output = pa.BufferOutputStream()
    types = file_types(schema)
    with pq.ParquetWriter(output, types, version="2.6", store_schema=False) as writer:
        writer.write_table(pa.Table.from_batches([no_rows(types)]))
    return FooterFrame.parse(_footer_of(memoryview(output.getvalue())))
