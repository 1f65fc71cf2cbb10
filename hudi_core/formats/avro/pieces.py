"""Rows of bytes put together from pieces: a piece gives each row some bytes, and a row is its pieces one after the other.

Each piece is copied for all rows at once, at one width: what it spills behind a row's own bytes is overwritten by the next
piece. Rows stand apart while they are filled, so that the last piece spills into nobody; then they are moved together, in the
same way where they are of similar lengths. Large rows are few: they are put together one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools, Numbers, Octets, Offsets, Words64
from hudi_core.columns.spans import WASTE, copy_spans, gather, items, opaque, typical_width

Sizes = int | Numbers
"""Bytes of each row; one number when all rows have as many."""

WORD = 8
MAX_WORDS_SIZE = 2 * WORD
_WORD_BITS = np.uint64(64)
_FRAME = 4
LARGE_ROW = 1 << 14
"""Rows of more bytes than this, on average, are put together one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Up to 16 bytes a row, in two little-endian words whose other bits are 0. `max_size` is the largest size there can be.

    Words of one item hold the same for all rows; `high` is None when no row has more than 8 bytes.
    """

    low: Words64
    high: Words64 | None
    sizes: Sizes
    max_size: int


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Bytes that lie elsewhere: `sizes[i]` of them at `data[starts[i]:]`."""

    data: Octets
    starts: Offsets
    sizes: Numbers


Piece = Words | Spans


def constant(value: int, size: int) -> Words:
    """The same bytes (at most 8) in every row, lowest first."""
    return Words(np.array([value], np.uint64), None, size, size)


def where_live(piece: Words, live: Bools | None) -> Words:
    """The piece, without bytes in rows that are not live (None: all are)."""
    if live is None:
        return piece
    mask = live.astype(np.uint64)
    high = None if piece.high is None else piece.high * mask
    return Words(piece.low * mask, high, piece.sizes * mask.view(np.int64), piece.max_size)


def assemble(pieces: Sequence[Piece], rows: int, framed: bool = False) -> tuple[Offsets, Octets]:
    """Offsets and bytes of all rows, in order. `framed` puts the size of each in front of it: four bytes, the highest first."""
    merged = list(_merge(pieces))
    lengths = np.zeros(rows, np.int64)
    for piece in merged:
        lengths += piece.sizes
    if framed:
        frame = Words(lengths.astype(">u4").view("<u4").astype(np.uint64), None, _FRAME, _FRAME)
        merged = [*_merge([frame, *merged[:1]]), *merged[1:]]
        lengths += _FRAME
    if int(lengths.sum()) > LARGE_ROW * rows:
        return _row_by_row(merged, lengths)
    widths = [typical_width(piece.sizes) if isinstance(piece, Spans) else MAX_WORDS_SIZE for piece in merged]
    widest = max(widths, default=0)
    stride = int(lengths.max(initial=0)) + widest
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    even = 0 < stride * rows <= WASTE * int(offsets[-1])
    begins = np.arange(rows) * stride if even else offsets[:-1] + np.arange(rows) * widest
    slots = np.empty(rows * stride if even else int(offsets[-1]) + rows * widest, np.uint8)
    _fill(slots, begins, merged, widths)
    if not even:
        return gather(slots, begins, lengths)
    together = np.empty(int(offsets[-1]) + stride, np.uint8)
    # in order: what a row shorter than the stride spills behind it is overwritten by the next
    items(together, stride)[offsets[:-1]] = slots.view(opaque(stride))
    return offsets, together[: offsets[-1]]


def _row_by_row(pieces: Sequence[Piece], lengths: Offsets) -> tuple[Offsets, Octets]:
    """As `assemble`, for rows so large that copying them once counts for more than the steps in between."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    together = np.empty(int(offsets[-1]), np.uint8)
    for row, begin in enumerate(offsets[:-1].tolist()):
        end = begin
        for piece in pieces:
            size = piece.sizes if isinstance(piece.sizes, int) else int(piece.sizes[row])
            if isinstance(piece, Spans):
                start = int(piece.starts[row])
                part = piece.data[start : start + size]
            else:
                high = 0 if piece.high is None else int(piece.high[row % len(piece.high)])
                part = np.array([piece.low[row % len(piece.low)], high], "<u8").view(np.uint8)[:size]
            together[end : end + size] = part
            end += size
    return offsets, together


def _fill(slots: Octets, begins: Offsets, pieces: Sequence[Piece], widths: Sequence[int]) -> None:
    """Copies the pieces of each row side by side, from where it begins."""
    cursor, shift = begins, 0
    for piece, width in zip(pieces, widths, strict=True):
        if isinstance(piece, Spans):
            copy_spans(slots[shift:], cursor, piece.data, piece.starts, piece.sizes, width)
        else:
            _place(slots[shift:], cursor, piece)
        if isinstance(piece.sizes, int):
            shift += piece.sizes
        else:
            cursor = cursor + piece.sizes


def _place(slots: Octets, cursor: Offsets, piece: Words) -> None:
    """Copies words to where each row stands."""
    if len(cursor) == 0 or piece.max_size == 0:
        return
    size = WORD if piece.high is None else MAX_WORDS_SIZE
    held = np.empty((len(cursor), size // WORD), "<u8")
    held[:, 0] = piece.low
    if piece.high is not None:
        held[:, 1] = piece.high
    places = np.ndarray((len(slots) - size + 1,), opaque(size), slots, 0, (1,))
    places[cursor] = held.view(opaque(size)).reshape(-1)


def _merge(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """Neighbouring words joined as long as they fit: putting two together costs less than placing both."""
    before: Words | None = None
    for piece in pieces:
        if isinstance(piece, Spans):
            if before is not None:
                yield before
            before = None
            yield piece
        elif before is None:
            before = piece
        elif before.max_size + piece.max_size <= MAX_WORDS_SIZE:
            before = _join(before, piece)
        else:
            yield before
            before = piece
    if before is not None:
        yield before


def _join(first: Words, second: Words) -> Words:
    """One piece of two that fit in one. NumPy gives 0 for a shift by all bits of a word or more, negative ones included."""
    max_size = first.max_size + second.max_size
    before = np.array([first.sizes]) if isinstance(first.sizes, int) else first.sizes
    bits = before.view(np.uint64) << np.uint64(3)
    low = _or(second.low << bits, first.low)
    if max_size <= WORD:
        return Words(low, None, first.sizes + second.sizes, max_size)
    high = second.low >> _WORD_BITS - bits
    if first.max_size > WORD:
        high = _or(high, second.low << bits - _WORD_BITS)
    if first.high is not None:
        high = _or(high, first.high)
    if second.high is not None:
        high = _or(second.high << bits, high)
    return Words(low, high, first.sizes + second.sizes, max_size)


def _or(target: Words64, other: Words64) -> Words64:
    """Bits of both; in place of the one that was just made where that has room."""
    return np.bitwise_or(target, other, out=target) if len(target) >= len(other) else target | other
