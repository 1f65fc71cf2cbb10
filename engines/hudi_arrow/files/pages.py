"""Pages of Parquet's column chunks, as a file that pyarrow reads: some of them, those in gzip inflated when they are read.

Rules: `parquet.thrift` of the Parquet format.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import pyarrow as pa

from hudi_arrow.stores.native_files import RandomAccessFile
from hudi_core.errors import CorruptFileError
from hudi_core.formats.inflate import LIBRARIES, inflate
from hudi_core.formats.parquet import thrift
from hudi_core.formats.parquet.chunks import MAGIC
from hudi_core.formats.random_access import RangesAtOnce

_DATA_PAGE, _, _DICTIONARY_PAGE, _DATA_PAGE_V2 = range(4)
_VALUE_COUNT_FIELDS: Final = {_DATA_PAGE: (5, 4), _DICTIONARY_PAGE: (7, 2), _DATA_PAGE_V2: (8, 6)}
"""By kind of page: the header's field about its values, and the number of required fields in it."""
_GAP: Final = 1 << 20
"""Bytes that are read along when they lie between two ranges: a request takes longer."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is stored. `header` is that of the page as readers get it, in which it has `size` bytes."""

    header: bytes
    stored: memoryview
    size: int
    plain: int
    """So many bytes at the start are not compressed."""
    is_dictionary: bool
    values: int
    """Nulls too; none in a dictionary."""


@dataclass(slots=True)
class Chunk:
    """A column chunk or some of its pages: the offset of each as readers get it, and the page that was read last."""

    pages: Sequence[Page]
    starts: list[int]
    length: int
    values: int
    """Nulls too."""
    where: str
    _last: tuple[int, memoryview] = (-1, memoryview(b""))

    def parts(self, start: int, count: int) -> Iterator[memoryview]:
        """The bytes from one place on."""
        number = bisect_right(self.starts, start) - 1
        while count and number < len(self.pages):
            header, position = self.pages[number].header, start - self.starts[number]
            if position < len(header):
                part = memoryview(header)[position : position + count]
            else:
                position -= len(header)
                part = self.body(number)[position : position + count]
                number += 1
            yield part
            start, count = start + len(part), count - len(part)

    def body(self, number: int) -> memoryview:
        """The content of a page, after its header."""
        if self._last[0] != number:
            self._last = number, memoryview(_inflate(self.pages[number], self.where))
        return self._last[1]


class PagesFile:
    """A file as `pyarrow.PythonFile` takes one: the chunks one after the other."""

    closed = False

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._starts, self._at, self._size = [], 0, len(MAGIC)
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

    def read(self, count: int = -1) -> bytes | memoryview:
        end = self._size if count < 0 else min(self._at + count, self._size)
        parts: list[memoryview] = []
        while self._at < end:
            number = bisect_right(self._starts, self._at) - 1
            if number < 0:
                parts.append(memoryview(MAGIC)[self._at : end])
            else:
                parts += self._chunks[number].parts(self._at - self._starts[number], end - self._at)
            self._at = min(end, self._starts[number + 1] if number + 1 < len(self._starts) else end)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        self._chunks = ()


def read_ranges(source: pa.NativeFile, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
    """The bytes of ranges (start, length); those that lie close together in one read."""
    runs: list[list[int]] = []
    spans: list[tuple[int, int]] = []
    order = deque(sorted(range(len(ranges)), key=lambda number: ranges[number][0]))
    while order:
        run = [order.popleft()]
        first, end = ranges[run[0]][0], sum(ranges[run[0]])
        while order and ranges[order[0]][0] - end <= _GAP:
            end = max(end, sum(ranges[order[0]]))
            run.append(order.popleft())
        runs.append(run)
        spans.append((first, end - first))
    contents: dict[int, memoryview] = {}
    for run, (first, _), read in zip(runs, spans, _reads(source, spans), strict=True):
        for number in run:
            start, length = ranges[number]
            contents[number] = memoryview(read)[start - first : start - first + length]
    return [contents[number] for number in range(len(ranges))]


def _reads(source: pa.NativeFile, spans: Sequence[tuple[int, int]]) -> Iterable[bytes]:
    """The bytes of spans (start, length): of remote files fetched side by side, of others read as they are taken."""
    if isinstance(source, RandomAccessFile) and isinstance(source.stored, RangesAtOnce):
        return source.stored.ranges(spans)
    return (source.read_at(length, start) for start, length in spans)


def chunk(parts: Sequence[memoryview], inflates: bool, where: str, values: int | None = None) -> Chunk:
    """The pages that are in parts of a column chunk, up to so many values; None for all."""
    pages: list[Page] = []
    starts: list[int] = []
    length = seen = 0
    for stored in parts:
        position = 0
        while position < len(stored) if values is None else seen < values:
            try:
                page, position = _page(stored, position, inflates, where)
            except CorruptFileError:
                raise
            except (IndexError, KeyError, ValueError, TypeError) as problem:
                raise CorruptFileError(where, expected="a Parquet page", found=str(problem) or "its end") from None
            if page is not None:
                pages.append(page)
                starts.append(length)
                length += len(page.header) + page.size
                seen += page.values
    return Chunk(pages, starts, length, seen if values is None else values, where)


def _page(stored: memoryview, position: int, inflates: bool, where: str) -> tuple[Page | None, int]:
    """The page at a place (None for one of an index), and where it ends.

    One that is not to be inflated stays as it is.
    """
    header, start = thrift.structure(stored, position)
    kind, size, length = header[1], header[2], header[3]
    body = stored[start : start + length]
    if length < 0 or size < 0 or len(body) != length:
        raise ValueError(f"a page of {length} bytes for {size} at {position} of {len(stored)}")
    if kind not in _VALUE_COUNT_FIELDS:
        return None, start + length
    number, fields = _VALUE_COUNT_FIELDS[kind]
    values = tuple(header[number][field] for field in range(1, fields + 1))
    plain = 0
    if kind == _DATA_PAGE_V2:
        plain = values[4] + values[5] if header[number].get(7, True) else length
    if values[0] < 0 or not 0 <= plain <= min(size, length):
        raise ValueError(f"a page of {values[0]} values with {plain} of {length} bytes plain")
    is_checked = inflates and plain == 0  # when it is inflated: gzip has a checksum of its own
    if 4 in header and not is_checked and LIBRARIES[0].crc32(body) != header[4] & 0xFFFFFFFF:
        raise CorruptFileError(
            where, expected=f"a page with checksum {header[4] & 0xFFFFFFFF:08x}", found="another one"
        )
    is_dictionary = kind == _DICTIONARY_PAGE
    count = 0 if is_dictionary else values[0]
    if not inflates:
        return Page(bytes(stored[position:start]), body, length, length, is_dictionary, count), start + length
    return Page(_header(kind, size, values), body, size, plain, is_dictionary, count), start + length


@lru_cache(maxsize=256)
def _header(kind: int, size: int, values: tuple[int, ...]) -> bytes:
    """The header of a page that is not compressed; those of a column chunk are alike, as a rule."""
    inner = [thrift.i32(number, value) for number, value in enumerate(values, 1)]
    if kind == _DATA_PAGE_V2:
        inner.append(thrift.false(7))
    nested = thrift.struct(_VALUE_COUNT_FIELDS[kind][0], thrift.encode(inner))
    return thrift.encode([thrift.i32(1, kind), thrift.i32(2, size), thrift.i32(3, size), nested])


def _inflate(page: Page, where: str) -> bytes | memoryview:
    """What is behind the page's header."""
    if page.size == page.plain:
        return page.stored[: page.plain]
    inflated = inflate(page.stored[page.plain :], page.size - page.plain, where)
    return bytes(page.stored[: page.plain]) + inflated if page.plain else inflated
