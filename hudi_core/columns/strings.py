"""Columns of strings: built from Python's, taken by row, concatenated, and made of the numbers of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers, Octets
from hudi_core.columns.nodes import StringColumn, validity_of
from hudi_core.columns.spans import gather


def string_column(strings: Sequence[str]) -> StringColumn:
    """The strings as a column without nulls. Where all are ASCII they are encoded at once."""
    whole = "".join(strings)
    if not whole.isascii():
        return utf8_column([string.encode("utf-8", "surrogatepass") for string in strings])
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    return StringColumn(np.append(0, lengths).cumsum(), np.frombuffer(whole.encode("ascii"), np.uint8))


def utf8_column(strings: Sequence[bytes]) -> StringColumn:
    """Strings in UTF-8 as a column without nulls."""
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    return StringColumn(np.append(0, lengths).cumsum(), np.frombuffer(b"".join(strings), np.uint8))


def take_strings(strings: StringColumn, rows: Numbers | slice) -> StringColumn:
    """The strings of these rows, in the order given."""
    if isinstance(rows, slice):
        validity = None if strings.validity is None else strings.validity[rows]
        return StringColumn(strings.offsets[rows.start : rows.stop + 1], strings.data, validity)
    starts = strings.offsets[rows]
    offsets, data = gather(strings.data, starts, strings.offsets[rows + 1] - starts)
    return StringColumn(offsets, data, None if strings.validity is None else strings.validity[rows])


def concat_strings(parts: Sequence[StringColumn]) -> StringColumn:
    """The strings of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
    validity = None
    if any(part.validity is not None for part in parts):
        validity = np.concatenate([validity_of(part) for part in parts])
    offsets = np.zeros(sum(len(part.offsets) - 1 for part in parts) + 1, np.int64)
    row = size = 0
    for part in parts:
        rows = len(part.offsets) - 1
        np.add(part.offsets[1:], size - part.offsets[0], out=offsets[row + 1 : row + rows + 1])
        row, size = row + rows, offsets[row + rows]
    return StringColumn(offsets, np.concatenate(data) if data else np.empty(0, np.uint8), validity)


def string_list(column: StringColumn) -> list[str]:
    """The strings of a column without nulls as Python's. Where all are ASCII they are decoded at once."""
    data, bounds = column.data.tobytes(), column.offsets.tolist()
    if data.isascii():
        whole = data.decode("ascii")
        return [whole[start:end] for start, end in pairwise(bounds)]
    return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(bounds)]


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
