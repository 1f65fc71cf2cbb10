"""Spans of bytes scattered in a buffer, copied into one array each after the other."""

from __future__ import annotations

from functools import cache

import numpy as np

from hudi_core.formats.columns import Bytes8, Offsets

WIDEST_WINDOW = 255
"""Bytes; wider spans are copied by index. Places within a window are numbered in one byte."""


def windows(data: Bytes8, positions: Offsets, size: int, shift: int = 0) -> Bytes8:
    """The `size` bytes from each position plus `shift`, as an array of shape (positions, size). IndexError past the end.

    One gather of opaque items of that size, which NumPy copies wherever they lie: no index a byte.
    """
    if size == 0:
        return np.empty((len(positions), 0), np.uint8)
    spots = len(data) - shift - size + 1
    if spots <= 0:
        raise IndexError(f"no {size} bytes at {shift} in a buffer of {len(data)}")
    items = np.ndarray((spots,), _opaque(size), data, shift, (1,))
    return items[positions].view(np.uint8).reshape(-1, size)


@cache
def _opaque(size: int) -> np.dtype[np.void]:
    return np.dtype((np.void, size))


def gather(data: Bytes8, starts: Offsets, lengths: Offsets | int) -> tuple[Offsets, Bytes8]:
    """Offsets and bytes of all spans, in order; one length when all are equal. IndexError past the end of `data`."""
    if isinstance(lengths, int):
        offsets = np.arange(len(starts) + 1, dtype=np.int64) * lengths
        return offsets, windows(data, starts, lengths).reshape(-1)
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    total = int(offsets[-1])
    if total == 0:
        return offsets, np.empty(0, np.uint8)
    widest = int(lengths.max())
    roomy = int(starts.max()) + widest <= len(data)
    if roomy and widest <= WIDEST_WINDOW and widest * len(starts) <= 4 * total:
        return offsets, _cut(windows(data, starts, widest), lengths)
    index = np.repeat(starts - offsets[:-1], lengths)
    index += np.arange(total)
    return offsets, data.take(index)


def _cut(rows: Bytes8, lengths: Offsets) -> Bytes8:
    """The first `lengths[i]` bytes of each row i, joined."""
    places = np.arange(rows.shape[1], dtype=np.uint8)
    inside: Bytes8 = rows[places < lengths.astype(np.uint8)[:, np.newaxis]]
    return inside
