"""Rows of an HFile: cells found in the bytes of its data blocks, and rows found by key. Rules FORMAT-21 and FORMAT-22.

A cell starts with its lengths, so cells can be found one after the other only. What makes it fast: the ten bytes
after each row are always the same. Where they stand, a row ends; its length is before it, twice, so its start is
found by looking back. If the cells found like this follow each other without a gap from the first byte to the last, they
are the cells. If not (a value holds those ten bytes, say) they are walked one by one.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers, Octets
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import gather, windows
from hudi_core.errors import CorruptFileError, UnsupportedError

Padded = NDArray[np.bytes_]

_HEADER = struct.Struct(">IIH")  # key length, value length, row length
_BEFORE_ROW = _HEADER.size
_AFTER_ROW = 10  # family length 0, timestamp 2^63 - 1, type: a key is this and the row's length longer than its row
_KEY_EXTRA = 2 + _AFTER_ROW
_PUT = 4
_ALL_ONES = 0xFFFFFFFF

_WINDOW = 1 << 19  # bytes of cells examined together, so that they stay in the processor's cache
_WALKED = 1 << 14  # fewer bytes than this are walked faster than searched
_SPARE = 64  # bytes behind the last cell, so that who decodes values may look some bytes ahead without a copy
_LOOK_BACK = (64, 256)  # how far back a row's start is looked for; longer rows are walked

_MAX_ROW = 1 << 15  # no row is longer
FIRST_LATE = 0xEE
"""The leading byte of U+E000 to U+EFFF: the first whose place differs between the orders by bytes and by UTF-16 units."""
_PADDED_WORTH = 1 << 13  # bytes of rows padded at the cost of one binary search without
_PADDED_TOGETHER = 1 << 26  # bytes of rows, and of targets, padded at once


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Rows and their values, as places in one buffer: no object a row."""

    data: Octets
    key_offsets: Numbers
    key_lengths: Numbers
    value_offsets: Numbers
    value_lengths: Numbers

    def __len__(self) -> int:
        return len(self.key_offsets)

    def key(self, index: int) -> bytes:
        start = int(self.key_offsets[index])
        return self.data[start : start + int(self.key_lengths[index])].tobytes()

    def value(self, index: int) -> bytes:
        start = int(self.value_offsets[index])
        return self.data[start : start + int(self.value_lengths[index])].tobytes()

    def take(self, indexes: NDArray[np.intp] | Numbers | slice) -> Cells:
        """Some of the cells, in the order given, on the same buffer."""
        return Cells(
            self.data,
            self.key_offsets[indexes],
            self.key_lengths[indexes],
            self.value_offsets[indexes],
            self.value_lengths[indexes],
        )


class _CellSpans(NamedTuple):
    """Cells by their start, with the lengths of row and value."""

    starts: Numbers
    rows: Numbers
    values: Numbers


def decode_cells(blocks: Sequence[bytes | memoryview], places: Sequence[str], trailing: int) -> Cells:
    """All cells of the contents of data blocks, brought into one buffer.

    `places` name the blocks in errors; `trailing` is how many bytes follow each value (the memstore timestamp, 0).
    """
    bounds = list(accumulate(map(len, blocks), initial=0))
    if len(blocks) == 1:
        data = np.frombuffer(blocks[0], np.uint8)
    else:
        data = np.empty(bounds[-1] + _SPARE, np.uint8)
        data[bounds[-1] :] = 0
    parts: list[_CellSpans] = []
    first = 0
    while first < len(blocks):
        last = first + 1
        while last < len(blocks) and bounds[last] - bounds[first] < _WINDOW:
            last += 1
        for index in range(first, last) if len(blocks) > 1 else ():
            data[bounds[index] : bounds[index + 1]] = np.frombuffer(blocks[index], np.uint8)
        window_cells = _find_cells(data, bounds[first : last + 1], trailing)
        if window_cells is None:
            window = zip(bounds[first:last], bounds[first + 1 : last + 1], places[first:last], strict=True)
            window_cells = [_walk(data, start, stop, stop, trailing, place) for start, stop, place in window]
        parts += window_cells
        first = last
    starts, rows, values = _join(parts)
    value_offsets = starts + rows
    value_offsets += _BEFORE_ROW + _AFTER_ROW
    return Cells(data, starts + _BEFORE_ROW, rows, value_offsets, values)


def _join(parts: Sequence[_CellSpans]) -> _CellSpans:
    empty = np.zeros(0, np.int64)
    return _CellSpans(*(np.concatenate(arrays) for arrays in zip(_CellSpans(empty, empty, empty), *parts, strict=True)))


def _walk(data: Octets, start: int, until: int, stop: int, trailing: int, place: str) -> _CellSpans:
    """Cells one by one from `start` on, to the first that ends at or after `until`; they must fill the bytes to `stop`."""
    starts: list[int] = []
    rows: list[int] = []
    values: list[int] = []
    buffer = data.data
    read = _HEADER.unpack_from
    position = start
    while position < until:
        if stop - position < _BEFORE_ROW:
            raise CorruptFileError(
                place, expected=f"a cell at byte {position - start}", found=f"{stop - position} bytes"
            )
        key_length, value_length, row_length = read(buffer, position)
        end = position + 8 + key_length + value_length + trailing
        if key_length != row_length + _KEY_EXTRA or end > stop:
            raise CorruptFileError(
                place,
                expected=f"a cell of at most {stop - position} bytes at byte {position - start}",
                found=f"lengths {row_length} of the row, {key_length} of the key, {value_length} of the value",
            )
        if (kind := buffer[position + key_length + 7]) != _PUT:
            raise UnsupportedError(place, expected="cells that put a value", found=f"a cell of type {kind}")
        starts.append(position)
        rows.append(row_length)
        values.append(value_length)
        position = end
    return _CellSpans(np.array(starts, np.int64), np.array(rows, np.int64), np.array(values, np.int64))


def _find_cells(data: Octets, bounds: Sequence[int], trailing: int) -> list[_CellSpans] | None:
    """The cells of neighbouring blocks, all proved; None when they must be walked."""
    start, stop = bounds[0], bounds[-1]
    if stop - start < _WALKED:
        return None
    try:
        head = _walk(data, start, start + _LOOK_BACK[-1], stop, trailing, "")
    except (CorruptFileError, UnsupportedError):
        return None  # the walk raises the error with its place
    rest_start = int(head.starts[-1] + head.rows[-1] + head.values[-1]) + _BEFORE_ROW + _AFTER_ROW + trailing
    rest = _cells_before(data, _row_ends(data, rest_start, stop), rest_start, int(head.rows[-1]))
    ends = rest.rows + rest.values
    ends += rest.starts
    ends += _BEFORE_ROW + _AFTER_ROW + trailing
    if not len(ends) or rest.starts[0] != rest_start or ends[-1] != stop or (rest.starts[1:] != ends[:-1]).any():
        return None
    # A cell of one block must not reach into the next: where a block starts that is not empty, a cell does.
    first = set(head.starts.tolist())
    filled = np.array([bound for bound in bounds if bound < stop and bound not in first], np.int64)
    aligned = rest.starts[np.searchsorted(rest.starts, filled, "right") - 1] == filled
    return [head, rest] if aligned.all() else None


def _row_ends(data: Octets, start: int, stop: int) -> Numbers:
    """Where, after `start`, the bytes stand that follow each row: 00, 7F, seven times FF, 04.

    Seven FF in a row hold exactly one aligned word of four, so it is enough to compare words; the word before shows how
    many FF are before it.
    """
    first_word = -(-start // 4) * 4
    words = data[first_word : stop // 4 * 4].view("<u4")
    hits = np.flatnonzero(words == np.uint32(_ALL_ONES))
    if hits.size and hits[0] == 0:
        hits = hits[1:]
    before = words[hits - 1]
    marks = hits * 4 + (first_word - 1)
    for ones in (0xFF000000, 0xFFFF0000, 0xFFFFFF00):
        marks -= before >= np.uint32(ones)
    marks = marks[np.searchsorted(marks, start + _BEFORE_ROW + 1) : np.searchsorted(marks, stop - 8)]
    right = (data[marks] == 0x7F) & (data[marks + 8] == _PUT)
    ends: Numbers = marks - 1 if right.all() else marks[right] - 1
    return ends


def _cells_before(data: Octets, ends: Numbers, first: int, row_length: int) -> _CellSpans:
    """The cells whose rows end at `ends`, found by the lengths that are before the row; `row_length` is tried first."""
    rows = np.full(len(ends), row_length, np.int64)
    starts = ends - (_BEFORE_ROW + row_length)
    keys, values, lengths = _headers(data, np.maximum(starts, first))
    proved = (keys == row_length + _KEY_EXTRA) & (lengths == row_length) & (starts >= first)
    for width in _LOOK_BACK:
        if proved.all():
            break
        unknown = np.flatnonzero(~proved)
        # If a row of `r` bytes ends at `end`, the low byte of its length is at `end - r - 1`, and is `r`.
        before = np.lib.stride_tricks.sliding_window_view(data, width)[ends[unknown] - width]
        hits = np.flatnonzero(before == np.arange(width - 1, -1, -1).astype(np.uint8))
        which = unknown[hits // width]
        row = width - 1 - hits % width
        start = ends[which] - (_BEFORE_ROW + row)
        keys, value, lengths = _headers(data, np.maximum(start, first))
        right = np.flatnonzero((keys == row + _KEY_EXTRA) & (lengths == row) & (start >= first))
        which = which[right]
        rows[which], starts[which], values[which], proved[which] = row[right], start[right], value[right], True
    return (
        _CellSpans(starts, rows, values) if proved.all() else _CellSpans(starts[proved], rows[proved], values[proved])
    )


def _headers(data: Octets, starts: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Lengths of key, value and row as they are at the start of cells."""
    pairs: Numbers = np.ndarray((len(data) - 7,), ">i8", data, strides=(1,))[starts].astype(np.int64)
    rows = data[starts + 8].astype(np.int64) << 8
    rows |= data[starts + 9]
    return pairs >> 32 & _ALL_ONES, pairs & _ALL_ONES, rows


def find_rows(rows: Cells | list[bytes], targets: Sequence[bytes]) -> tuple[Numbers, Numbers]:
    """For each target how many rows are less than it, and how many less or equal: where rows equal to it start and stop.

    Rows ascend by their unsigned bytes. Targets may have any order; many of them are found faster in ascending order.
    """
    width = min(max(map(len, targets), default=0), _MAX_ROW)
    if len(rows) * (width + 2) > len(targets) * _PADDED_WORTH:
        return _bisect_rows(rows, targets, bisect_left), _bisect_rows(rows, targets, bisect_right)
    starts = np.zeros(len(targets), np.int64)
    stops = np.zeros(len(targets), np.int64)
    step = max(_PADDED_TOGETHER // (width + 2), 1)
    for first in range(0, len(rows), step):
        padded = _pad_rows(rows, slice(first, first + step), width)
        run_ends = np.append(np.flatnonzero(padded[1:] != padded[:-1]) + 1, len(padded))
        for first_target in range(0, len(targets), step):
            part = _pad(targets[first_target : first_target + step], width)
            less = np.searchsorted(padded, part)
            equal = padded[np.minimum(less, len(padded) - 1)] == part
            starts[first_target : first_target + step] += less
            less[equal] = run_ends[np.searchsorted(run_ends, less[equal], "right")]
            stops[first_target : first_target + step] += less
    return starts, stops


def find_strings(rows: Cells | list[bytes], strings: StringColumn) -> tuple[Numbers, Numbers]:
    """`find_rows` of many targets in one column, for few rows."""
    lengths = np.diff(strings.offsets)
    max_length = rows.key_lengths.max(initial=0) if isinstance(rows, Cells) else max(map(len, rows), default=0)
    width = min(int(max_length), _MAX_ROW)
    padded = _pad_rows(rows, slice(0, len(rows)), width)
    starts, stops = np.empty(len(lengths), np.int64), np.empty(len(lengths), np.int64)
    step = max(_PADDED_TOGETHER // (width + 2), 1)
    for first in range(0, len(lengths), step):
        chosen = slice(first, first + step)
        part = _pad_spans(strings.data, strings.offsets[:-1][chosen], lengths[chosen], width)
        starts[chosen] = np.searchsorted(padded, part, "left")
        stops[chosen] = np.searchsorted(padded, part, "right")
    return starts, stops


def keys_of(cells: Cells) -> StringColumn:
    """The rows of cells as a column."""
    return StringColumn(*gather(cells.data, cells.key_offsets, cells.key_lengths))


def in_byte_order(cells: Cells) -> Cells:
    """The cells in the order of their rows' bytes; the same where they are in it."""
    padded = _pad_cells(cells, int(cells.key_lengths.max(initial=0)))
    return cells if (padded[1:] >= padded[:-1]).all() else cells.take(np.argsort(padded, kind="stable"))


def ascend_apart(cells: Cells) -> bool:
    """Whether each row is greater than the one before it, by bytes."""
    padded = _pad_cells(cells, int(cells.key_lengths.max(initial=0)))
    return bool((padded[1:] > padded[:-1]).all())


def has_late_rows(cells: Cells) -> bool:
    """Whether a row has a character whose place differs between the orders by bytes and by UTF-16 units."""
    return bool(gather(cells.data, cells.key_offsets, cells.key_lengths)[1].max(initial=0) >= FIRST_LATE)


def _bisect_rows(rows: Cells | list[bytes], targets: Sequence[bytes], bisect: Callable[..., int]) -> Numbers:
    if isinstance(rows, Cells):
        positions = range(len(rows))
        return np.array([bisect(positions, target, key=rows.key) for target in targets], np.int64)
    return np.array([bisect(rows, target) for target in targets], np.int64)


def _pad_rows(rows: Cells | list[bytes], part: slice, width: int) -> Padded:
    return _pad_cells(rows.take(part), width) if isinstance(rows, Cells) else _pad(rows[part], width)


def _pad(values: Sequence[bytes], width: int) -> Padded:
    """Strings of one width that compare as the given ones do with any of at most `width` bytes.

    A string is cut or filled up with zero bytes, and then has in two bytes its length, or a mark that it was longer.
    """
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    filled = np.array(values, f"S{max(width, 1)}").view(np.uint8).reshape(len(values), max(width, 1))
    return _with_lengths(filled[:, :width], lengths)


def _pad_cells(cells: Cells, width: int) -> Padded:
    """`_pad` of the rows of cells."""
    return _pad_spans(cells.data, cells.key_offsets, cells.key_lengths, width)


def _pad_spans(data: Octets, offsets: Numbers, lengths: Numbers, width: int) -> Padded:
    """`_pad` of spans of bytes."""
    if width == 0 or not len(offsets):
        return _with_lengths(np.zeros((len(offsets), width), np.uint8), lengths)
    if int(offsets.max()) + width > len(data):
        data = np.concatenate([data, np.zeros(width, np.uint8)])
    filled = windows(data, offsets, width)
    if int(lengths.min()) < width:
        filled *= np.arange(width) < lengths[:, None]
    return _with_lengths(filled, lengths)


def _with_lengths(filled: Octets, lengths: Numbers) -> Padded:
    count, width = filled.shape
    marked = np.empty((count, width + 2), np.uint8)
    marked[:, :width] = filled
    marked[:, width:] = np.minimum(lengths, width + 1).astype(">u2").view(np.uint8).reshape(count, 2)
    return marked.view(f"S{width + 2}").reshape(count)
