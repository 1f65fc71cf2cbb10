"""Spans of bytes scattered in a buffer, copied into one array each after the other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hudi_core.formats.columns import Bytes8, Offsets

WASTE = 4
"""Spans are copied at one width as long as that makes at most so many times their bytes."""


def windows(data: Bytes8, positions: Offsets, size: int, shift: int = 0) -> Bytes8:
    """The `size` bytes from each position (0 or more) plus `shift`, in shape (positions, size). IndexError past the end.

    One gather of opaque items of that size, which NumPy copies wherever they lie: no index a byte.
    """
    if size == 0:
        return np.empty((len(positions), 0), np.uint8)
    return _items(data, size, shift)[positions].view(np.uint8).reshape(-1, size)


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
    width = widest = int(lengths.max())
    if width * len(starts) > WASTE * total:
        width = 2 * total // len(starts) + 8
    copied = np.empty(total + width, np.uint8)
    to, ends = offsets[:-1], starts + width
    if width < widest:
        long = np.flatnonzero(lengths > width)
        _copy_by_index(copied, to[long] + width, data, ends[long], lengths[long] - width)
    # in order: what a span shorter than the width spills behind it is overwritten by the spans that belong there
    if int(ends.max()) <= len(data):
        _items(copied, width, 0)[to] = _items(data, width, 0)[starts]
    else:
        fits = ends <= len(data)
        if fits.any():
            _items(copied, width, 0)[to[fits]] = _items(data, width, 0)[starts[fits]]
        _copy_by_index(copied, to[~fits], data, starts[~fits], np.minimum(lengths[~fits], width))
    return offsets, copied[:total]


def _copy_by_index(target: Bytes8, to: Offsets, data: Bytes8, starts: Offsets, lengths: Offsets) -> None:
    ends = np.cumsum(lengths)
    within = np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)
    target[np.repeat(to, lengths) + within] = data.take(np.repeat(starts, lengths) + within)


def _items(data: Bytes8, size: int, shift: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """The bytes seen as an item of `size` bytes at every place from `shift` on."""
    places = len(data) - shift - size + 1
    if places <= 0:
        raise IndexError(f"no {size} bytes at {shift} in a buffer of {len(data)}")
    return np.ndarray((places,), opaque(size), data, shift, (1,))


@lru_cache(maxsize=1024)
def opaque(size: int) -> np.dtype[np.void]:
    """Items of so many bytes that NumPy copies without looking at them."""
    return np.dtype((np.void, size))
