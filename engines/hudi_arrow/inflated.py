"""Row groups whose pages are in gzip, as a file without compression whose pages are inflated when they are read.

Apache Hudi writes gzip unless told otherwise, and inflating is most of the work of reading it. pyarrow inflates by zlib; the
library behind `hudi_core.formats.inflate` takes less than half the time. Rules: `parquet.thrift` of the Parquet format.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_arrow import thrift
from hudi_arrow.thrift import Fields
from hudi_core.errors import CorruptFileError
from hudi_core.formats.inflate import LIBRARIES, inflate

_GZIP: Final = 2
_NO_CODEC: Final = 0
_DATA_PAGE, _, _DICTIONARY_PAGE, _DATA_PAGE_V2 = range(4)
_MAGIC: Final = b"PAR1"
_GAP: Final = 1 << 20
"""Bytes that are read along when they lie between two ranges: a request takes longer."""


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as it is stored. `header` is that of the same page without compression, in which it has `size` bytes."""

    header: bytes
    stored: memoryview
    size: int
    plain: int
    """So many bytes at the start are not compressed."""
    is_dictionary: bool


@dataclass(slots=True)
class _Chunk:
    """A column chunk: where each page starts when nothing is compressed, and the page that was asked for last."""

    pages: Sequence[_Page]
    starts: list[int]
    length: int
    where: str
    _last: tuple[int, bytes] = (-1, b"")

    def parts(self, start: int, count: int) -> Iterator[memoryview]:
        """The bytes from one place on."""
        number = bisect_right(self.starts, start) - 1
        while count and number < len(self.pages):
            if self._last[0] != number:
                self._last = number, _whole(self.pages[number], self.where)
            at = start - self.starts[number]
            found = memoryview(self._last[1])[at : at + count]
            yield found
            start, count, number = start + len(found), count - len(found), number + 1


class InflatedFile:
    """A file as `pyarrow.PythonFile` takes one: the chunks one after the other, pages inflated when they are read."""

    closed = False

    def __init__(self, chunks: Sequence[_Chunk]) -> None:
        self._chunks = chunks
        self._starts, self._at, self._size = [], 0, len(_MAGIC)
        for chunk in chunks:
            self._starts.append(self._size)
            self._size += chunk.length

    def size(self) -> int:
        return self._size

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def read(self, count: int = -1) -> bytes:
        end = self._size if count < 0 else min(self._at + count, self._size)
        parts: list[memoryview] = []
        while self._at < end:
            number = bisect_right(self._starts, self._at) - 1
            if number < 0:
                parts.append(memoryview(_MAGIC)[self._at : end])
            else:
                parts += self._chunks[number].parts(self._at - self._starts[number], end - self._at)
            self._at = min(end, self._starts[number + 1] if number + 1 < len(self._starts) else end)
        return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        self._chunks = ()


class GzipFile:
    """A Parquet file by the bytes of its footer, for row groups that are in gzip."""

    def __init__(self, footer: bytes, where: str) -> None:
        self._where = where
        self._raw = {number: (number, kind, value) for number, kind, value in thrift.raw_fields(footer)}
        file = thrift.structure(footer)[0]
        self._groups: list[Fields] = file[4]
        self._said = [entry for entry in file.get(5, ()) if entry.get(1) == b"ARROW:schema"]

    def inflated(
        self, source: pa.NativeFile, group: int, leaves: Sequence[int]
    ) -> tuple[InflatedFile, pq.FileMetaData] | None:
        """One row group's leaf columns by number, as a file and the metadata of one; None when they are not all in gzip."""
        columns = self._groups[group][1]
        asked = [columns[leaf] for leaf in leaves]
        if not asked or not self._groups[group][3] or any(_is_other(column) for column in asked):
            return None
        ranges = [_range(column[3], source.size(), self._where) for column in asked]
        chunks = [
            _chunk(stored, column[3][5], self._where)
            for stored, column in zip(_read(source, ranges), asked, strict=True)
        ]
        return InflatedFile(chunks), self._metadata(group, dict(zip(leaves, chunks, strict=True)))

    def _metadata(self, group: int, chunks: dict[int, _Chunk]) -> pq.FileMetaData:
        found, start = [], len(_MAGIC)
        for number, column in enumerate(self._groups[group][1]):
            chunk = chunks.get(number)
            found.append(_column(column[3], start, chunk))
            start += chunk.length if chunk else 0
        rows = self._groups[group][3]
        groups = thrift.encoded([thrift.structs(1, found), thrift.i64(2, start - len(_MAGIC)), thrift.i64(3, rows)])
        footer = thrift.encoded(
            [
                self._raw[1],
                self._raw[2],
                thrift.i64(3, rows),
                thrift.structs(4, [groups]),
                *([thrift.structs(5, [_entry(entry) for entry in self._said])] if self._said else []),
                *([self._raw[6]] if 6 in self._raw else []),
            ]
        )
        return pq.read_metadata(pa.BufferReader(_MAGIC + footer + len(footer).to_bytes(4, "little") + _MAGIC))


def _is_other(column: Fields) -> bool:
    """Whether a column chunk is not in gzip, or has no values, or is encrypted or in another file."""
    return column[3][4] != _GZIP or column[3][5] == 0 or not set(column).isdisjoint((1, 8, 9))


def _entry(entry: Fields) -> bytes:
    return thrift.encoded([thrift.binary(1, entry[1]), thrift.binary(2, entry[2])])


def _column(said: Fields, start: int, chunk: _Chunk | None) -> bytes:
    """A column's metadata for the file without compression; one that is not in it has no bytes there."""
    length = chunk.length if chunk else 0
    has_dictionary = chunk is not None and chunk.pages[0].is_dictionary
    data_page = start + (chunk.starts[1] if chunk and has_dictionary else 0)
    meta = thrift.encoded(
        [
            thrift.i32(1, said[1]),
            thrift.numbers(2, said[2]),
            thrift.texts(3, said[3]),
            thrift.i32(4, _NO_CODEC),
            thrift.i64(5, said[5]),
            thrift.i64(6, length),
            thrift.i64(7, length),
            thrift.i64(9, data_page),
            *([thrift.i64(11, start)] if has_dictionary else []),
        ]
    )
    return thrift.encoded([thrift.i64(2, start), thrift.struct(3, meta)])


def _range(said: Fields, size: int, where: str) -> tuple[int, int]:
    """Where a column chunk starts, and how long it is."""
    dictionary = said.get(11, 0)
    start = min(said[9], dictionary) if dictionary > 0 else said[9]
    length = said[7]
    if start < 0 or length < 0 or start + length > size:
        raise CorruptFileError(where, expected=f"a column chunk within {size} bytes", found=f"{length} from {start}")
    return start, length


def _read(source: pa.NativeFile, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
    """The bytes of ranges; those that lie close together in one read."""
    found: dict[int, memoryview] = {}
    order = sorted(range(len(ranges)), key=lambda number: ranges[number][0])
    while order:
        run = [order.pop(0)]
        first, end = ranges[run[0]][0], sum(ranges[run[0]])
        while order and ranges[order[0]][0] - end <= _GAP:
            end = max(end, sum(ranges[order[0]]))
            run.append(order.pop(0))
        read = memoryview(source.read_at(end - first, first))
        for number in run:
            start, length = ranges[number]
            found[number] = read[start - first : start - first + length]
    return [found[number] for number in range(len(ranges))]


def _chunk(stored: memoryview, values: int, where: str) -> _Chunk:
    """The pages of a column chunk that has so many values."""
    pages: list[_Page] = []
    starts: list[int] = []
    at = length = seen = 0
    while seen < values:
        try:
            page, at, more = _page(stored, at, where)
        except (IndexError, KeyError, ValueError, TypeError) as problem:
            raise CorruptFileError(where, expected="a Parquet page", found=str(problem) or "its end") from None
        if page is not None:
            pages.append(page)
            starts.append(length)
            length += len(page.header) + page.size
        seen += more
    return _Chunk(pages, starts, length, where)


def _page(stored: memoryview, at: int, where: str) -> tuple[_Page | None, int, int]:
    """The page at a place (None for one of an index), where it ends, and how many values it adds."""
    said, start = thrift.structure(stored, at)
    kind, size, length = said[1], said[2], said[3]
    body = stored[start : start + length]
    if length < 0 or size < 0 or len(body) != length:
        raise ValueError(f"a page of {length} bytes for {size} at {at} of {len(stored)}")
    if 4 in said and LIBRARIES[0].crc32(body) != said[4] & 0xFFFFFFFF:
        raise CorruptFileError(where, expected=f"a page with checksum {said[4] & 0xFFFFFFFF:08x}", found="another one")
    plain = values = 0
    match kind:
        case _ if kind == _DATA_PAGE:
            values = said[5][1]
            told = thrift.struct(5, thrift.encoded([thrift.i32(number, said[5][number]) for number in (1, 2, 3, 4)]))
        case _ if kind == _DATA_PAGE_V2:
            values, plain = said[8][1], said[8][5] + said[8][6]
            if not said[8].get(7, True):
                plain = length
            fields = [thrift.i32(number, said[8][number]) for number in range(1, 7)]
            told = thrift.struct(8, thrift.encoded([*fields, thrift.false(7)]))
        case _ if kind == _DICTIONARY_PAGE:
            told = thrift.struct(7, thrift.encoded([thrift.i32(number, said[7][number]) for number in (1, 2)]))
        case _:
            return None, start + length, 0
    if values < 0 or not 0 <= plain <= min(size, length):
        raise ValueError(f"a page of {values} values with {plain} of {length} bytes plain")
    header = thrift.encoded([thrift.i32(1, kind), thrift.i32(2, size), thrift.i32(3, size), told])
    return _Page(header, body, size, plain, kind == _DICTIONARY_PAGE), start + length, values


def _whole(page: _Page, where: str) -> bytes:
    """The page with its header, inflated."""
    start = page.header + bytes(page.stored[: page.plain])
    if page.size == page.plain:
        return start
    return start + inflate(page.stored[page.plain :], page.size - page.plain, where)
