"""HFiles written: data blocks as their rows come, then indexes, file info and trailer. Rules FORMAT-14 to FORMAT-31."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import BinaryIO, Final

import numpy as np

from hudi_core.arrays import Bools, Offsets
from hudi_core.columns.byte_strings import WORD, ByteStrings, WordReader
from hudi_core.columns.nodes import BinaryColumn, StringColumn
from hudi_core.errors import UsageError
from hudi_core.formats.avro.pieces import Piece, Spans, Words, assemble
from hudi_core.formats.hfile.block import (
    DATA,
    FILE_INFO,
    HEADER,
    HEADER_SIZE,
    INTERMEDIATE_INDEX,
    LEAF_INDEX,
    META,
    ROOT_INDEX,
)
from hudi_core.formats.hfile.trailer import TRAILER_SIZE, Codec, Trailer, encode_file_info, encode_trailer
from hudi_core.formats.inflate import deflate
from hudi_core.parallel.ordered import in_order

BLOCK_SIZE: Final = 1 << 20
"""Bytes of cells in a data block, as Apache Hudi has them."""
INDEX_SIZE: Final = 1 << 17
"""Bytes of entries in an index block: more of them get a further level."""
MAX_ROW: Final = (1 << 15) - 1
"""Bytes of the longest row."""

_COMPARATOR = "org.apache.hudi.io.storage.HoodieHBaseKVComparator"
_AFTER_ROW = b"\0\x7f" + b"\xff" * 7 + b"\x04"
_ROW_ENDS = np.frombuffer(_AFTER_ROW, "<u8", 1), np.frombuffer(_AFTER_ROW, "<u2", 1, 8).astype(np.uint64)
_CELL_EXTRA = 10 + len(_AFTER_ROW) + 1
"""Bytes of a cell besides row and value: three lengths before the row, what follows it, and the memstore timestamp."""
_ROWS_TOGETHER = 1 << 14
_CRC32 = 1
_SUMMED_TOGETHER = 1 << 30
"""Bytes that one checksum covers: those of a whole block. Rule FORMAT-30."""
_ENTRY = struct.Struct(">qi")

Strings = StringColumn | BinaryColumn | ByteStrings


@dataclass(frozen=True, slots=True)
class _Placed:
    """A block that was written, with the key of its index entry."""

    key: bytes
    offset: int
    size: int

    @property
    def head(self) -> bytes:
        return _ENTRY.pack(self.offset, self.size)


class HFileWriter:
    """An HFile that is written to a stream, which holds nothing before it.

    Rows ascend by their bytes and differ, also from one call of `add` to the next. Memory holds the rows of one call and the
    index. `block_size` counts bytes of cells, `index_size` bytes of an index block's entries.
    """

    def __init__(
        self, sink: BinaryIO, *, codec: Codec = Codec.GZ, block_size: int = BLOCK_SIZE, index_size: int = INDEX_SIZE
    ) -> None:
        if codec not in (Codec.GZ, Codec.NONE):
            raise UsageError("codec", expected="GZ or NONE", found=codec.name)
        self._sink, self._codec = sink, codec
        self._block_size, self._index_size = block_size, index_size
        self._position = 0
        self._data: list[_Placed] = []
        self._last_row = b""
        self._rows = self._row_bytes = self._value_bytes = 0

    def add(self, rows: Strings, values: Strings) -> None:
        """Further cells. Raises `UsageError` for rows that are out of order, repeated, or longer than `MAX_ROW`."""
        row_sizes, value_sizes = np.diff(rows.offsets), np.diff(values.offsets)
        if not len(row_sizes):
            return
        self._check(ByteStrings(rows.offsets, rows.data), int(row_sizes.max()))
        blocks = _blocks(row_sizes + value_sizes + _CELL_EXTRA, self._block_size)
        contents = in_order(partial(self._data_content, rows, values), blocks)
        for (start, _), (size, content) in zip(blocks, contents, strict=True):
            previous = self._data[-1].offset if self._data else -1
            self._data.append(self._put(DATA, content, size, _whole_key(_string(rows, start)), previous))
        self._last_row = _string(rows, len(row_sizes) - 1)
        self._rows += len(row_sizes)
        self._row_bytes += int(row_sizes.sum())
        self._value_bytes += int(value_sizes.sum())

    def finish(self, info: Mapping[str, bytes], metas: Mapping[str, bytes] | None = None) -> int:
        """The rest of the file, with these entries of the file info besides those of every file, and these meta blocks.

        Gives the size of the file in bytes.
        """
        root, levels = self._index()
        placed = [self._place(META, content, name.encode()) for name, content in (metas or {}).items()]
        load_on_open = self._position
        self._place(ROOT_INDEX, _root_body(root))
        self._place(ROOT_INDEX, _root_body(placed))
        info_offset = self._position
        self._place(FILE_INFO, encode_file_info(self._own_info() | {key.encode(): info[key] for key in info}))
        trailer = Trailer(
            minor_version=0,
            file_info_offset=info_offset,
            load_on_open_offset=load_on_open,
            data_index_count=len(root),
            meta_index_count=len(placed),
            entry_count=self._rows,
            data_index_levels=levels,
            first_data_block_offset=self._data[0].offset if self._data else -1,
            last_data_block_offset=self._data[-1].offset if self._data else 0,
            comparator=_COMPARATOR,
            codec=self._codec,
        )
        self._sink.write(encode_trailer(trailer, self._row_bytes + self._value_bytes + self._rows * _CELL_EXTRA))
        return self._position + TRAILER_SIZE

    def _check(self, rows: ByteStrings, longest: int) -> None:
        if longest > MAX_ROW:
            raise UsageError("rows of an HFile", expected=f"at most {MAX_ROW} bytes", found=f"{longest}")
        descending = np.flatnonzero(~_less(rows))
        first = _string(rows, 0)
        if len(descending) or (self._rows and first <= self._last_row):
            before = _string(rows, int(descending[0])) if len(descending) else self._last_row
            after = _string(rows, int(descending[0]) + 1) if len(descending) else first
            raise UsageError("rows of an HFile", expected=f"a row greater than {before[:80]!r}", found=repr(after[:80]))

    def _data_content(self, rows: Strings, values: Strings, block: tuple[int, int]) -> tuple[int, bytes]:
        content = _cells(rows, values, *block)
        return len(content), self._compress(content)

    def _compress(self, content: bytes) -> bytes:
        return content if self._codec is Codec.NONE else deflate(content)

    def _place(self, kind: bytes, content: bytes, key: bytes = b"") -> _Placed:
        return self._put(kind, self._compress(content), len(content), key)

    def _put(self, kind: bytes, stored: bytes, size: int, key: bytes, previous: int = -1) -> _Placed:
        """Writes a block; `size` is that of its content before compression."""
        checked = HEADER_SIZE + len(stored)
        sums = -(-checked // _SUMMED_TOGETHER)
        header = HEADER.pack(kind, len(stored) + 4 * sums, size, previous, _CRC32, _SUMMED_TOGETHER, checked)
        block = memoryview(header + stored)
        self._sink.write(block)
        for start in range(0, checked, _SUMMED_TOGETHER):
            self._sink.write(zlib.crc32(block[start : start + _SUMMED_TOGETHER]).to_bytes(4, "big"))
        placed = _Placed(key, self._position, checked + 4 * sums)
        self._position += placed.size
        return placed

    def _index(self) -> tuple[list[_Placed], int]:
        """The entries of the root, and the number of levels; index blocks below the root are written."""
        entries, levels, kind = self._data, 1, LEAF_INDEX
        while len(groups := _index_blocks(entries, self._index_size)) > 1:
            entries = [self._place(kind, _inner_body(group), group[0].key) for group in groups]
            levels, kind = levels + 1, INTERMEDIATE_INDEX
        return entries, levels

    def _own_info(self) -> dict[bytes, bytes]:
        """The file info of every file. It has no creation time, so that equal rows make equal files."""
        rows = max(self._rows, 1)
        return {
            b"hfile.LASTKEY": _whole_key(self._last_row) if self._rows else b"",
            b"hfile.AVG_KEY_LEN": struct.pack(">i", self._row_bytes // rows),
            b"hfile.AVG_VALUE_LEN": struct.pack(">i", self._value_bytes // rows),
            b"hfile.CREATE_TIME_TS": bytes(8),
            b"KEY_VALUE_VERSION": struct.pack(">i", 1),
            b"MAX_MEMSTORE_TS_KEY": bytes(8),
        }


def write_hfile(
    rows: Strings,
    values: Strings,
    info: Mapping[str, bytes],
    metas: Mapping[str, bytes] | None = None,
    *,
    codec: Codec = Codec.GZ,
) -> bytes:
    """An HFile of few rows, as a log block holds it. Raises as `HFileWriter.add`."""
    sink = io.BytesIO()
    writer = HFileWriter(sink, codec=codec)
    writer.add(rows, values)
    writer.finish(info, metas)
    return sink.getvalue()


def _blocks(sizes: Offsets, most: int) -> list[tuple[int, int]]:
    """Runs of cells with at most so many bytes, or of one larger cell."""
    ends = np.cumsum(sizes)
    blocks: list[tuple[int, int]] = []
    start = begun = 0
    while start < len(sizes):
        stop = max(int(np.searchsorted(ends, begun + most, "right")), start + 1)
        blocks.append((start, stop))
        start, begun = stop, int(ends[stop - 1])
    return blocks


def _cells(rows: Strings, values: Strings, start: int, stop: int) -> bytes:
    """The content of a data block: these cells."""
    parts = [
        _cell_bytes(rows, values, first, min(first + _ROWS_TOGETHER, stop))
        for first in range(start, stop, _ROWS_TOGETHER)
    ]
    return b"".join(parts)


def _cell_bytes(rows: Strings, values: Strings, start: int, stop: int) -> bytes:
    row_starts, value_starts = rows.offsets[start:stop], values.offsets[start:stop]
    row_sizes, value_sizes = rows.offsets[start + 1 : stop + 1] - row_starts, np.diff(values.offsets[start : stop + 1])
    lengths = np.empty((stop - start, 2), ">u4")
    lengths[:, 0], lengths[:, 1] = row_sizes + 2 + len(_AFTER_ROW), value_sizes
    row_lengths = row_sizes.astype(">u2").view("<u2").astype(np.uint64)
    heads = Words(lengths.view("<u8").reshape(-1).astype(np.uint64), row_lengths, 10, 10)
    low, high = (np.repeat(half, stop - start) for half in _ROW_ENDS)
    after = Words(low, high, len(_AFTER_ROW), len(_AFTER_ROW))
    timestamps = Words(np.zeros(stop - start, np.uint64), None, 1, 1)
    pieces: list[Piece] = [
        heads,
        Spans(rows.data, row_starts, row_sizes),
        after,
        Spans(values.data, value_starts, value_sizes),
    ]
    return assemble([*pieces, timestamps], stop - start)[1].tobytes()


def _index_blocks(entries: list[_Placed], most: int) -> list[list[_Placed]]:
    """Runs of entries with at most so many bytes, but two at least: each level has half of the one below or less."""
    ends = list(accumulate(_ENTRY.size + 4 + len(entry.key) for entry in entries))
    blocks: list[list[_Placed]] = [[]]
    begun = 0
    for entry, end in zip(entries, ends, strict=True):
        if end - begun > most and len(blocks[-1]) >= 2:
            blocks.append([])
            begun = end - (_ENTRY.size + 4 + len(entry.key))
        blocks[-1].append(entry)
    return blocks


def _root_body(entries: Sequence[_Placed]) -> bytes:
    return b"".join(entry.head + _hadoop_length(len(entry.key)) + entry.key for entry in entries)


def _inner_body(entries: Sequence[_Placed]) -> bytes:
    """A leaf or an intermediate index block: where each entry starts and the last one ends, then the entries."""
    parts = [entry.head + entry.key for entry in entries]
    bounds = accumulate(map(len, parts), initial=0)
    return struct.pack(f">{len(parts) + 2}i", len(parts), *bounds) + b"".join(parts)


def _whole_key(row: bytes) -> bytes:
    """A row as the key of a cell, which HBase requires in an index too; Apache Hudi looks at the row alone."""
    return struct.pack(">H", len(row)) + row + _AFTER_ROW


def _hadoop_length(length: int) -> bytes:
    """A length as Hadoop's variable integer."""
    if length < 0x80:
        return bytes([length])
    magnitude = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([0x90 - len(magnitude)]) + magnitude


def _string(strings: Strings, index: int) -> bytes:
    return strings.data[strings.offsets[index] : strings.offsets[index + 1]].tobytes()


def _less(rows: ByteStrings) -> Bools:
    """For each row but the last whether it is less than the next one."""
    reader = WordReader(rows)
    less = np.zeros(len(rows) - 1, np.bool_)
    pairs = np.arange(len(rows) - 1)
    word = 0
    while len(pairs):
        left, left_sizes = reader.read(word, pairs)
        right, right_sizes = reader.read(word, pairs + 1)
        same = left == right
        less[pairs] = np.where(same, left_sizes < right_sizes, left < right)
        pairs = pairs[same & (left_sizes == WORD) & (right_sizes == WORD)]
        word += 1
    return less
