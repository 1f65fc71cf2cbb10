"""Positions in a binary log as strings that sort: the ordering values of MySQL's change records. Rule MERGE-19."""

from __future__ import annotations

import numpy as np

from hudi_core.columns.nodes import StringColumn, length, validity_of
from hudi_core.columns.spans import positions
from hudi_core.errors import CorruptFileError

_DIGITS = 19
"""The greatest number of digits of a 64-bit integer."""
_DOT, _ZERO, _NINE = b".09"


def sortable(places: StringColumn, where: str) -> StringColumn:
    """Strings `<file>.<position>`, two integers, as strings of one width that sort as the integers do; nulls stay.

    Raises `CorruptFileError` for any other string.
    """
    rows, valid = length(places), validity_of(places)
    begins, ends = places.offsets[:-1], places.offsets[1:]
    dots = np.flatnonzero(places.data == _DOT)
    row_of_dot = np.searchsorted(ends, dots, side="right")
    dot = begins.copy()
    dot[row_of_dot] = dots
    file, position = np.where(valid, dot - begins, 0), np.where(valid, ends - dot - 1, 0)
    digits = (places.data >= _ZERO) & (places.data <= _NINE)
    digits_before = np.concatenate([[0], np.cumsum(digits)])
    all_digits = digits_before[ends] - digits_before[begins] == ends - begins - 1
    fits = (np.minimum(file, position) > 0) & (np.maximum(file, position) <= _DIGITS) & all_digits
    if not (fits | ~valid).all():
        row = int(np.argmin(fits | ~valid))
        value = places.data[begins[row] : ends[row]].tobytes().decode()
        raise CorruptFileError(where, expected="a file and a position of a binary log, as 3.1234", found=repr(value))
    data = np.full(rows * 2 * _DIGITS, _ZERO, np.uint8)
    middle = np.arange(rows, dtype=np.int64) * 2 * _DIGITS + _DIGITS
    data[positions(middle - file, file)] = places.data[positions(begins, file)]
    data[positions(middle + _DIGITS - position, position)] = places.data[positions(dot + 1, position)]
    return StringColumn(np.arange(rows + 1, dtype=np.int64) * 2 * _DIGITS, data, places.validity)
