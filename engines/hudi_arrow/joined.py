"""Texts put together of columns and constants, on all cores: a piece is copied for many rows at once, at one width.

Each row has a slot as wide as the widest row could be, and its pieces are put there in order: what a text leaves of its width
is overwritten by the next piece. Then the rows are moved together, where the next row overwrites what is left of a slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array, bitmap, is_coded, plain, texts
from hudi_core.columns.nodes import Bytes8
from hudi_core.columns.spans import WASTE, gather, items, opaque
from hudi_core.parallel.ordered import in_order

_NARROW_BYTES = 2**31 - 1
"""What the offsets of a narrow text array reach."""

_SHARE = 1 << 16
"""Rows that a thread makes before it takes others: enough to be worth a thread, few enough that all end at about one time."""

_CACHED = 1 << 20
"""Bytes worked on at a time, which stay in the processor's cache."""

_COPIED_AT_ONCE = (1, 2, 4, 8, 16)
"""Sizes of items that NumPy takes by number in one step each."""

Bounds = npt.NDArray[Any]
"""Where rows begin and end, in as many bits as the array has them."""

_Width = type[np.signedinteger[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    """A column: row i is `data[bounds[i] : bounds[i + 1]]`, of at most `widest` bytes; of just as many when all are `alike`."""

    bounds: Bounds
    data: Bytes8
    widest: int
    alike: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Coded:
    """A column of few texts: row i is `texts[codes[i]]` as far as its length `bounds[i + 1] - bounds[i]`."""

    bounds: Bounds
    codes: npt.NDArray[Any]
    texts: npt.NDArray[np.void]
    alike: bool

    @property
    def widest(self) -> int:
        return self.texts.itemsize


_Column = _Texts | _Coded
_Piece = bytes | _Column


def join(parts: Sequence[str | Array]) -> Array:
    """Texts one after another; null where a column is. At least one part is a column."""
    given = [part.encode() if isinstance(part, str) else _joinable(part) for part in parts]
    columns = [part for part in given if isinstance(part, pa.Array)]
    if len(given) == 1:
        return plain(columns[0])
    rows = len(columns[0])
    wide = any(_is_wide(column) for column in columns) or _most(given, rows) > _NARROW_BYTES
    kind = np.int64 if wide else np.int32
    pieces = [part if isinstance(part, bytes) else _taken_apart(part, kind) for part in given]
    bounds = _bounds(pieces, rows, kind)
    data = pa.allocate_buffer(int(bounds[-1]))  # of Arrow's pool, which need not ask the system for pages each time
    _write([piece for piece in pieces if _width(piece)], bounds, np.frombuffer(data, np.uint8))
    valid = [pc.is_valid(column) for column in columns if column.null_count]
    validity = bitmap(reduce(pc.and_, valid).to_numpy(zero_copy_only=False)) if valid else None
    return pa.Array.from_buffers(
        pa.large_string() if wide else pa.string(), rows, [validity, pa.py_buffer(bounds), data]
    )


def _joinable(column: Array) -> Array:
    """The column as texts; with its dictionary where that is small as a table of texts of one width."""
    if not is_coded(column):
        return plain(column)
    table = len(column.dictionary) * _widest(column.dictionary)
    return column if table <= max(WASTE * column.dictionary.nbytes, _CACHED) else plain(column)


def _widest(texts: Array) -> int:
    return int(pc.max(pc.binary_length(texts)).as_py() or 0)


def _is_wide(column: Array) -> bool:
    kind = column.type.value_type if isinstance(column, pa.DictionaryArray) else column.type
    return bool(pa.types.is_large_string(kind))


def _most(parts: Sequence[bytes | Array], rows: int) -> int:
    """No less than the bytes of the joined texts."""
    return sum(
        rows * len(part)
        if isinstance(part, bytes)
        else rows * _widest(part.dictionary)
        if isinstance(part, pa.DictionaryArray)
        else int(part.nbytes)
        for part in parts
    )


def _taken_apart(column: Array, kind: _Width) -> _Column:
    if isinstance(column, pa.DictionaryArray):
        return _coded(column, kind)
    bounds, data = texts(column)
    lengths = np.diff(bounds)
    widest = int(lengths.max(initial=0))
    return _Texts(bounds, data, widest, bool((lengths == widest).all()))


def _coded(column: Array, kind: _Width) -> _Coded:
    bounds, data = texts(column.dictionary)
    lengths = np.diff(bounds).astype(kind)
    widest = int(lengths.max())
    width = max(next((size for size in _COPIED_AT_ONCE if size >= widest), widest), 1)
    padded = np.concatenate([data[bounds[0] : bounds[-1]], np.zeros(width, np.uint8)])
    codes = (pc.fill_null(column.indices, 0) if column.null_count else column.indices).to_numpy()
    found = np.zeros(len(codes) + 1, kind)
    np.cumsum(lengths[codes], dtype=kind, out=found[1:])
    return _Coded(found, codes, items(padded, width)[bounds[:-1] - bounds[0]], bool((lengths == width).all()))


def _bounds(pieces: Sequence[_Piece], rows: int, kind: _Width) -> Bounds:
    """Where the joined rows begin and end: what lies before a row is the same row's beginning in each column, and constants."""
    found = np.arange(rows + 1, dtype=kind)
    found *= sum(len(piece) for piece in pieces if isinstance(piece, bytes))
    for piece in pieces:
        if not isinstance(piece, bytes):
            found += piece.bounds
            found -= piece.bounds[0]
    return found


def _width(piece: _Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.widest


def _write(pieces: Sequence[_Piece], bounds: Bounds, data: Bytes8) -> None:
    """Writes all rows to their places, a few at a time. Every piece has some width."""
    rows = len(bounds) - 1
    blank = b"".join(piece if isinstance(piece, bytes) else bytes(piece.widest) for piece in pieces)
    even = len(blank) * rows <= WASTE * len(data)
    step = max(_CACHED * rows // max(len(blank) * rows if even else len(data), 1), 1)

    def share(first: int) -> None:
        end = min(first + _SHARE, rows)
        slots = np.frombuffer(blank * min(step, end - first) if even else b"", np.uint8).copy()
        for begin in range(first, end, step):
            places = bounds[begin : min(begin + step, end) + 1]
            made = _by_slots(pieces, begin, places, slots) if even else _one_by_one(pieces, begin, len(places) - 1)
            data[places[0] : places[-1]] = made

    for _ in in_order(share, range(0, rows, _SHARE)):
        pass


def _by_slots(pieces: Sequence[_Piece], first: int, places: Bounds, slots: Bytes8) -> Bytes8:
    """Rows from `first` on. The slots hold the constants already, as far as these stand in one place of all slots."""
    rows, stride = len(places) - 1, sum(map(_width, pieces))
    slots = slots[: rows * stride]
    at, moved = 0, None
    for piece in pieces:
        width = _width(piece)
        held = np.frombuffer(piece, opaque(width)) if isinstance(piece, bytes) else _held(piece, first, rows)
        if moved is not None:
            items(slots[at:], width)[moved] = held
        elif not isinstance(piece, bytes):
            np.ndarray((rows,), opaque(width), slots, at, (stride,))[:] = held
        if isinstance(piece, bytes) or piece.alike:
            at += width
        elif piece is not pieces[-1]:
            begins = np.arange(0, rows * stride, stride) if moved is None else moved
            moved = begins + np.diff(piece.bounds[first : first + rows + 1])
    size = int(places[-1] - places[0])
    if size == len(slots):
        return slots
    together = np.empty(size + stride, np.uint8)
    items(together, stride)[places[:-1] - places[0]] = slots.view(opaque(stride))
    return together[:size]


def _held(column: _Column, first: int, rows: int) -> npt.NDArray[np.void]:
    """Texts as items of the widest one's bytes; behind a shorter one is anything."""
    if isinstance(column, _Coded):
        chosen: npt.NDArray[np.void] = column.texts[column.codes[first : first + rows]]
        return chosen
    bounds = column.bounds[first : first + rows + 1]
    low, high = int(bounds[0]), int(bounds[-1])
    if column.alike:
        return column.data[low:high].view(opaque(column.widest))
    near = np.empty(high - low + column.widest, np.uint8)  # so that the last one has so many bytes, too
    near[: high - low] = column.data[low:high]
    found: npt.NDArray[np.void] = items(near, column.widest)[bounds[:-1] - low]
    return found


def _one_by_one(pieces: Sequence[_Piece], first: int, rows: int) -> Bytes8:
    """Rows from `first` on whose texts are of so different lengths that slots would be mostly empty."""
    contents: list[Bytes8] = []
    starts, lengths = np.zeros((rows, len(pieces)), np.int64), np.zeros((rows, len(pieces)), np.int64)
    before = 0
    for number, piece in enumerate(pieces):
        if isinstance(piece, bytes):
            content = np.frombuffer(piece, np.uint8)
            lengths[:, number] = len(piece)
        else:
            bounds = piece.bounds[first : first + rows + 1]
            lengths[:, number] = np.diff(bounds)
            if isinstance(piece, _Coded):
                content = piece.texts.view(np.uint8)
                starts[:, number] = piece.codes[first : first + rows]
                starts[:, number] *= piece.widest
            else:
                content = piece.data[bounds[0] : bounds[-1]]
                starts[:, number] = bounds[:-1] - bounds[0]
        starts[:, number] += before
        before += len(content)
        contents.append(content)
    return gather(np.concatenate(contents), starts.reshape(-1), lengths.reshape(-1))[1]
