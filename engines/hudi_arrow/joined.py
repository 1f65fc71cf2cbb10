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

from hudi_arrow.arrays import Array, bitmap, plain, texts
from hudi_core.formats.ahead import in_order
from hudi_core.formats.columns import Bytes8
from hudi_core.formats.spans import WASTE, gather, items, opaque

_NARROW_BYTES = 2**31 - 1
"""What the offsets of a narrow text array reach."""

_SHARE = 1 << 16
"""Rows that a thread makes before it takes others: enough to be worth a thread, few enough that all end at about one time."""

_CACHED = 1 << 20
"""Bytes worked on at a time, which stay in the processor's cache."""

Bounds = npt.NDArray[Any]
"""Where rows begin and end, in as many bits as the array has them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    """A column: row i is `data[bounds[i] : bounds[i + 1]]`, of at most `widest` bytes; of just as many when all are `alike`."""

    bounds: Bounds
    data: Bytes8
    widest: int
    alike: bool


_Piece = bytes | _Texts


def join(parts: Sequence[str | Array]) -> Array:
    """Texts one after another; null where a column is. At least one part is a column."""
    given = [part.encode() if isinstance(part, str) else plain(part) for part in parts]
    columns = [part for part in given if isinstance(part, pa.Array)]
    rows = len(columns[0])
    wide = any(pa.types.is_large_string(column.type) for column in columns) or _most(given, rows) > _NARROW_BYTES
    kind = pa.large_string() if wide else pa.string()
    pieces = [part if isinstance(part, bytes) else _taken_apart(part.cast(kind)) for part in given]
    bounds = _bounds(pieces, rows, np.int64 if wide else np.int32)
    data = pa.allocate_buffer(int(bounds[-1]))  # of Arrow's pool, which need not ask the system for pages each time
    _write([piece for piece in pieces if _width(piece)], bounds, np.frombuffer(data, np.uint8))
    valid = [pc.is_valid(column) for column in columns if column.null_count]
    validity = bitmap(reduce(pc.and_, valid).to_numpy(zero_copy_only=False)) if valid else None
    return pa.Array.from_buffers(kind, rows, [validity, pa.py_buffer(bounds), data])


def _most(parts: Sequence[bytes | Array], rows: int) -> int:
    """No less than the bytes of the joined texts."""
    return sum(len(part) * rows if isinstance(part, bytes) else int(part.nbytes) for part in parts)


def _taken_apart(array: Array) -> _Texts:
    bounds, data = texts(array)
    lengths = np.diff(bounds)
    widest = int(lengths.max(initial=0))
    return _Texts(bounds, data, widest, bool((lengths == widest).all()))


def _width(piece: _Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.widest


def _bounds(pieces: Sequence[_Piece], rows: int, kind: type[np.signedinteger[Any]]) -> Bounds:
    """Where the joined rows begin and end: what lies before a row is the same row's beginning in each column, and constants."""
    found = np.arange(rows + 1, dtype=kind)
    found *= sum(len(piece) for piece in pieces if isinstance(piece, bytes))
    for piece in pieces:
        if isinstance(piece, _Texts):
            found += piece.bounds
            found -= piece.bounds[0]
    return found


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
        elif isinstance(piece, _Texts):
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


def _held(column: _Texts, first: int, rows: int) -> npt.NDArray[np.void]:
    """Texts as items of the widest one's bytes; behind a shorter one is anything."""
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
            content = piece.data[bounds[0] : bounds[-1]]
            lengths[:, number] = np.diff(bounds)
            starts[:, number] = bounds[:-1] - bounds[0]
        starts[:, number] += before
        before += len(content)
        contents.append(content)
    return gather(np.concatenate(contents), starts.reshape(-1), lengths.reshape(-1))[1]
