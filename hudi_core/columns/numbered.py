"""Texts that end in the numbers of their rows, such as the sequence numbers of a commit."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Octets
from hudi_core.columns.nodes import StringColumn

_LOW: Final = 4
_BLOCK: Final = 10**_LOW
"""Numbers that differ in their last four digits alone are written together."""


def number_strings(prefix: str, first: int, count: int) -> StringColumn:
    """The prefix with `first`, `first + 1` and so on, for so many rows. `first` is not negative."""
    start = prefix.encode()
    offsets = np.zeros(count + 1, np.int64)
    data = np.empty(count * (len(start) + len(str(first + count))), np.uint8)
    number, row, size = first, 0, 0
    while row < count:
        digits = len(str(number))
        alike = min(count - row, 10**digits - number)  # as long as each other
        end = size + alike * (len(start) + digits)
        offsets[row : row + alike + 1] = np.arange(size, end + 1, len(start) + digits)
        _fill(data[size:end], start, number, digits)
        number, row, size = number + alike, row + alike, end
    return StringColumn(offsets, data[:size])


def _fill(data: Octets, prefix: bytes, first: int, digits: int) -> None:
    """Texts of one length: those that differ in their last digits alone are copies of one, with these digits put in."""
    width, low = len(prefix) + digits, min(digits, _LOW)
    last, number, place = _last_digits(low), first, 0
    while place < len(data):
        left = (len(data) - place) // width
        count = min(left, _BLOCK - number % _BLOCK)
        block = data[place : place + count * width]
        block[:] = np.frombuffer((prefix + str(number).encode()) * count, np.uint8)
        ends = np.ndarray((count,), last.dtype, block, width - low, (width,))
        ends[:] = last[number % _BLOCK : number % _BLOCK + count]
        number, place = number + count, place + count * width


@lru_cache
def _last_digits(digits: int) -> NDArray[Any]:
    """All numbers of so few digits; four are one word, which NumPy copies faster than a text."""
    texts = np.array([str(number).zfill(digits) for number in range(10**digits)], f"S{digits}")
    return texts.view(np.uint32) if digits == _LOW else texts
