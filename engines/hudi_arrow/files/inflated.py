"""Row groups as files made of their pages: those in gzip inflated when they are read, those without a wanted row left out.

Apache Hudi writes gzip by default, and inflating is most of the work of reading it. pyarrow inflates by zlib; the
library behind `hudi_core.formats.inflate` takes less than half the time. It has no way to read some of the pages either.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow.files.pages import Chunk, PagesFile, chunk, read_ranges
from hudi_arrow.stores.native_files import RandomAccessFile
from hudi_core.arrays import Bools, Numbers
from hudi_core.errors import CorruptFileError
from hudi_core.formats.inflate import LIBRARIES
from hudi_core.formats.parquet import thrift
from hudi_core.formats.parquet.chunks import MAGIC, encode_pair, end_of_file
from hudi_core.formats.parquet.page_index import PageRows, page_rows, rows_between_cuts
from hudi_core.formats.parquet.thrift import Fields
from hudi_core.formats.random_access import RandomAccess

FASTER_THAN_ARROW: Final = LIBRARIES[0] is not zlib
MIN_COLUMN_BYTES: Final = 256 << 10
"""Inflated bytes of a column chunk, on average, below which pyarrow is faster: the headers of pages are parsed in Python."""
_GZIP: Final = 2
_NO_CODEC: Final = 0


@dataclass(frozen=True, slots=True)
class AssembledFile:
    """A file of one row group with some of the leaf columns, and the metadata that pyarrow reads it by."""

    file: PagesFile
    metadata: pq.FileMetaData
    rows: int


@dataclass(frozen=True, slots=True)
class PagePart:
    """Pages of some leaf columns, aligned: they hold the same rows. `kept` are flags of the wanted ones."""

    leaves: tuple[int, ...]
    made: AssembledFile
    kept: Bools


@dataclass(frozen=True, slots=True)
class FetchedRanges:
    """A file of which some ranges, by where they start, are in memory."""

    stored: RandomAccess
    contents: Mapping[int, memoryview]

    @property
    def where(self) -> str:
        return self.stored.where

    @property
    def size(self) -> int:
        return self.stored.size

    def read(self, offset: int, length: int) -> bytes:
        for start, content in self.contents.items():
            if start <= offset and offset + length <= start + len(content):
                return bytes(content[offset - start : offset - start + length])
        return self.stored.read(offset, length)


class PagedFile:
    """A Parquet file by its footer: the bytes, which are read when pages are put together, and what pyarrow reads in them.

    With `inflates`, pages in gzip are not left to pyarrow.
    """

    def __init__(
        self, footer: bytes, metadata: pq.FileMetaData, where: str, inflates: bool = FASTER_THAN_ARROW
    ) -> None:
        self._footer, self._metadata, self._where, self._inflates = footer, metadata, where, inflates

    def chunks(self, source: pa.NativeFile, group: int, leaves: Sequence[int]) -> dict[int, Chunk] | None:
        """One row group's column chunks of leaf columns by number; None when they are not all in gzip, or small."""
        row_group = self._metadata.row_group(group)
        columns = [row_group.column(leaf) for leaf in leaves]
        if not columns or any(
            column.compression != "GZIP" or not column.num_values or column.file_path for column in columns
        ):
            return None
        if sum(column.total_uncompressed_size for column in columns) < MIN_COLUMN_BYTES * len(columns):
            return None
        size, where = source.size(), self._where
        ranges = [
            _range(
                column.data_page_offset, column.dictionary_page_offset or 0, column.total_compressed_size, size, where
            )
            for column in columns
        ]
        return {
            leaf: chunk([stored], True, where, column.num_values)
            for leaf, stored, column in zip(leaves, read_ranges(source, ranges), columns, strict=True)
        }

    def fetch(self, source: RandomAccessFile, group: int, leaves: Sequence[int]) -> RandomAccessFile:
        """The file, with the column chunks of leaf columns of one row group in memory."""
        size, row_group = source.stored.size, self._metadata.row_group(group)
        columns = [row_group.column(leaf) for leaf in leaves]
        ranges = [
            _range(
                column.data_page_offset,
                column.dictionary_page_offset or 0,
                column.total_compressed_size,
                size,
                self._where,
            )
            for column in columns
        ]
        starts = [start for start, _ in ranges]
        return RandomAccessFile.over(
            FetchedRanges(source.stored, dict(zip(starts, read_ranges(source, ranges), strict=True)))
        )

    def some(
        self, source: pa.NativeFile, group: int, fields: Sequence[Sequence[int]], keep: Bools
    ) -> list[PagePart] | None:
        """The pages of one row group that hold rows to keep; None where it is not known what pages hold.

        `fields` are the numbers of the leaves below each wanted column, which stay together.
        """
        leaves = [leaf for field in fields for leaf in field]
        columns = self._column_chunks(group, leaves)
        if not columns or any(5 not in column or _is_apart(column) for column in columns):
            return None
        size, rows, where = source.size(), self._rows(group), self._where
        ranges = [_range(column[3][9], column[3].get(11, 0), column[3][7], size, where) for column in columns]
        stored = read_ranges(source, [(column[4], column[5]) for column in columns])
        index = {
            leaf: page_rows(data, chunk_range, rows, where)
            for leaf, data, chunk_range in zip(leaves, stored, ranges, strict=True)
        }
        together: dict[bytes, list[int]] = {}
        for field in fields:
            cuts = index[field[0]].firsts
            for leaf in field[1:]:
                cuts = np.intersect1d(cuts, index[leaf].firsts, assume_unique=True)
            together.setdefault(cuts.tobytes(), []).extend(field)
        return [
            self._part(source, group, sorted(members), index, np.frombuffer(cuts, np.int64), keep)
            for cuts, members in together.items()
        ]

    def _part(
        self,
        source: pa.NativeFile,
        group: int,
        leaves: Sequence[int],
        index: Mapping[int, PageRows],
        cuts: Numbers,
        keep: Bools,
    ) -> PagePart:
        """The pages of leaves between those of their common cuts that hold rows to keep."""
        taken = rows_between_cuts(cuts, keep)
        wanted = {leaf: index[leaf].ranges(taken) for leaf in leaves}
        stored = iter(read_ranges(source, [byte_range for ranges in wanted.values() for byte_range in ranges]))
        chunks = {
            leaf: chunk([next(stored) for _ in ranges], self._is_inflated(group, leaf), self._where)
            for leaf, ranges in wanted.items()
        }
        return PagePart(tuple(leaves), self.assemble(group, chunks, int(taken.sum())), keep[taken])

    def assemble(self, group: int, chunks: Mapping[int, Chunk], rows: int) -> AssembledFile:
        """The chunks by the numbers of their leaves, which have so many rows, as a file."""
        columns, start = [], len(MAGIC)
        for number, column in enumerate(self._groups[group][1]):
            part = chunks.get(number)
            codec = _NO_CODEC if self._is_inflated(group, number) else column[3][4]
            columns.append(_column(column[3], codec, start, part))
            start += part.length if part else 0
        groups = thrift.encode([thrift.structs(1, columns), thrift.i64(2, start - len(MAGIC)), thrift.i64(3, rows)])
        raw, schema_entries = self._raw, self._arrow_schema_entries
        footer = thrift.encode(
            [
                raw[1],
                raw[2],
                thrift.i64(3, rows),
                thrift.structs(4, [groups]),
                *(
                    [thrift.structs(5, [encode_pair(entry[1], entry[2]) for entry in schema_entries])]
                    if schema_entries
                    else []
                ),
                *([raw[6]] if 6 in raw else []),
            ]
        )
        framed = pa.BufferReader(MAGIC + end_of_file(footer))
        return AssembledFile(PagesFile(list(chunks.values())), pq.read_metadata(framed), rows)

    def _column_chunks(self, group: int, leaves: Sequence[int]) -> list[Fields]:
        columns = self._groups[group][1]
        return [columns[leaf] for leaf in leaves]

    def _rows(self, group: int) -> int:
        rows: int = self._groups[group][3]
        return rows

    def _is_inflated(self, group: int, leaf: int) -> bool:
        return self._inflates and self._groups[group][1][leaf][3][4] == _GZIP

    @cached_property
    def _raw(self) -> dict[int, tuple[int, int, bytes]]:
        return {number: (number, kind, value) for number, kind, value in thrift.raw_fields(self._footer)}

    @cached_property
    def _file(self) -> Fields:
        return thrift.structure(self._footer)[0]

    @property
    def _groups(self) -> list[Fields]:
        groups: list[Fields] = self._file[4]
        return groups

    @cached_property
    def _arrow_schema_entries(self) -> list[Fields]:
        return [entry for entry in self._file.get(5, ()) if entry.get(1) == b"ARROW:schema"]


def _is_apart(column: Fields) -> bool:
    """Whether a column chunk has no values, or is encrypted or in another file."""
    return column[3][5] == 0 or not set(column).isdisjoint((1, 8, 9))


def _column(stored: Fields, codec: int, start: int, chunk: Chunk | None) -> bytes:
    """A column's metadata for a file made of pages; one that is not in it has no bytes there."""
    length = chunk.length if chunk else 0
    has_dictionary = chunk is not None and bool(chunk.pages) and chunk.pages[0].is_dictionary
    data_page = start
    if chunk and has_dictionary:
        data_page += chunk.starts[1] if len(chunk.starts) > 1 else length
    meta = thrift.encode(
        [
            thrift.i32(1, stored[1]),
            thrift.numbers(2, stored[2]),
            thrift.binaries(3, stored[3]),
            thrift.i32(4, codec),
            thrift.i64(5, chunk.values if chunk else 0),
            thrift.i64(6, length),
            thrift.i64(7, length),
            thrift.i64(9, data_page),
            *([thrift.i64(11, start)] if has_dictionary else []),
        ]
    )
    return thrift.encode([thrift.i64(2, start), thrift.struct(3, meta)])


def _range(data_page: int, dictionary: int, length: int, size: int, where: str) -> tuple[int, int]:
    """The offset and length of a column chunk; the dictionary's offset is 0 or less in a file without one."""
    start = min(data_page, dictionary) if dictionary > 0 else data_page
    if start < 0 or length < 0 or start + length > size:
        raise CorruptFileError(where, expected=f"a column chunk within {size} bytes", found=f"{length} from {start}")
    return start, length
