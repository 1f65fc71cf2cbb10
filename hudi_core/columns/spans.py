"""Spans of bytes scattered in a buffer, copied into one array each after the other."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hudi_core.arrays import Octets, Offsets

WASTE = 4
"""Spans are copied at one width as long as that makes at most so many times their bytes."""


def windows(data: Octets, positions: Offsets, size: int, shift: int = 0) -> Octets:
    """The `size` bytes from each position (0 or more) plus `shift`, in shape (positions, size). IndexError past the end.

    One gather of opaque items of that size, which NumPy copies wherever they lie: no index a byte.
    """
    if size == 0 or len(positions) == 0:
        return np.empty((len(positions), size), np.uint8)
    return items(data, size, shift)[positions].view(np.uint8).reshape(-1, size)


def gather(data: Octets, starts: Offsets, lengths: Offsets | int) -> tuple[Offsets, Octets]:
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
    if widest * np.count_nonzero(lengths) == total:  # those that are not empty are alike
        return offsets, windows(data, starts[lengths > 0], widest).reshape(-1)
    width = typical_width(lengths)
    copied = np.empty(total + width, np.uint8)
    # in order: what a span shorter than the width spills behind it is overwritten by the spans that belong there
    copy_spans(copied, offsets[:-1], data, starts, lengths, width)
    return offsets, copied[:total]


def positions(starts: Offsets, lengths: Offsets) -> Offsets:
    """All positions from each start on, as many as its length, one run after the other."""
    ends = np.cumsum(lengths)
    positions_of_runs: Offsets = np.repeat(starts - ends + lengths, lengths)
    positions_of_runs += np.arange(len(positions_of_runs))
    return positions_of_runs


def typical_width(lengths: Offsets) -> int:
    """A width at which copying these spans wastes little: the widest one's, or less where few are that wide."""
    if len(lengths) == 0:
        return 0
    widest, total = int(lengths.max()), int(lengths.sum())
    return widest if widest * len(lengths) <= WASTE * total else 2 * total // len(lengths) + 8


def copy_spans(target: Octets, targets: Offsets, data: Octets, starts: Offsets, lengths: Offsets, width: int) -> None:
    """Copies spans to the places `targets`, in order, each in a stretch of at least `width` bytes whose rest may be overwritten.

    `target` has `width` bytes behind each place. IndexError where a span passes the end of `data`.
    """
    if len(starts) == 0 or width == 0:
        return
    widest = int(lengths.max())
    equal = widest == width == int(lengths.min())
    if equal and (starts[1:] - starts[:-1] == width).all() and int(starts[-1]) + width <= len(data):  # side by side
        start = int(starts[0])
        items(target, width)[targets] = data[start : start + width * len(starts)].view(opaque(width))
        return
    if int(starts.max()) + width <= len(data):
        items(target, width)[targets] = items(data, width)[starts]
    else:
        ends = starts + width
        fits = ends <= len(data)
        if fits.any():
            items(target, width)[targets[fits]] = items(data, width)[starts[fits]]
        rest = np.flatnonzero(~fits)
        _copy_by_index(target, targets[rest], data, starts[rest], np.minimum(lengths[rest], width))
    if widest > width:
        longer = np.flatnonzero(lengths > width)
        _copy_by_index(target, targets[longer] + width, data, starts[longer] + width, lengths[longer] - width)


def _copy_by_index(target: Octets, targets: Offsets, data: Octets, starts: Offsets, lengths: Offsets) -> None:
    target[positions(targets, lengths)] = data.take(positions(starts, lengths))


def items(data: Octets, size: int, shift: int = 0) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """The bytes seen as an item of `size` bytes at every place from `shift` on."""
    places = len(data) - shift - size + 1
    if places <= 0:
        raise IndexError(f"no {size} bytes at {shift} in a buffer of {len(data)}")
    return np.ndarray((places,), opaque(size), data, shift, (1,))


@lru_cache(maxsize=1024)
def opaque(size: int) -> np.dtype[np.void]:
    """Items of so many bytes that NumPy copies without looking at them."""
    return np.dtype((np.void, size))
