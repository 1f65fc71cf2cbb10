"""Values of a column as a NumPy array whose items compare as the values do, so that whole columns can be ordered.

The order is that of `values.order`, NaN greatest and strings by their UTF-8 bytes, but -0.0 is below 0.0, as Java compares them.
Rule MERGE-5.

Positions in a binary log, the ordering values of MySQL's change records, are brought to strings that sort. Rule MERGE-19.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Octets, Offsets
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    length,
    validity_of,
)
from hudi_core.columns.spans import positions
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.types.nodes import Decimal, Type

Comparable = NDArray[Any]

LENGTH_BYTES = 4
"""Bytes of the length that follows each string, so that a string that ends in zeros is above one without them."""


def width_of(column: Column, type: Type) -> int:
    """The bytes that `comparable` needs for each item, 0 for numbers."""
    match column:
        case BinaryColumn() | FixedBinaryColumn() if isinstance(type, Decimal):
            return type.precision * 5 // 12 + 2  # log2(10) / 8 bytes a digit, and a sign
        case StringColumn(offsets) | BinaryColumn(offsets):
            return int(np.diff(offsets).max(initial=0))
        case FixedBinaryColumn(size=size):
            return size
        case _:
            return 0


def comparable(column: Column, type: Type, width: int, nulls_above: bool = False) -> Comparable:
    """Items that compare as the values of the type do. Nulls are as 0 in numbers, and below every other value; or, with
    `nulls_above`, above all.

    Arrays made with one `width` (of `width_of` for one of them) compare with each other, correctly where one of the two
    values is no longer than it. Raises `UnsupportedError` for a type without an order.
    """
    items = _comparable(column, type, width)
    if nulls_above:
        absent = np.ones(len(items), np.bool_) if isinstance(column, NullColumn) else ~validity_of(column)
        items[absent] = np.iinfo(np.int64).max if items.dtype.kind == "i" else b"\xff" * items.dtype.itemsize
    return items


def _comparable(column: Column, ordering_type: Type, width: int) -> Comparable:
    validity = None if isinstance(column, NullColumn) else validity_of(column)
    match column:
        case NullColumn(length):
            return np.zeros(length, np.int64) if width == 0 else np.zeros(length, f"S{width + LENGTH_BYTES}")
        case PrimitiveColumn(values):
            return _with_zero_nulls(
                _float_keys(values) if values.dtype.kind == "f" else values.astype(np.int64), validity
            )
        case EnumColumn(codes):
            return _with_zero_nulls(codes.astype(np.int64), validity)
        case BinaryColumn(offsets, data) if isinstance(ordering_type, Decimal):
            return _decimal_keys(offsets, data, width, validity)
        case FixedBinaryColumn(size, data) if isinstance(ordering_type, Decimal):
            return _decimal_keys(np.arange(len(data) + 1) * size, data.reshape(-1), width, validity)
        case StringColumn(offsets, data) | BinaryColumn(offsets, data):
            return _string_keys(offsets, data, width, validity)
        case FixedBinaryColumn(size, data):
            return _string_keys(np.arange(len(data) + 1) * size, data.reshape(-1), width, validity)
        case _:
            raise UnsupportedError(
                "ordering values", expected="a type with an order", found=type(ordering_type).__name__.lower()
            )


def _with_zero_nulls(values: Numbers, validity: Bools | None) -> Comparable:
    return values if validity is None or validity.all() else np.where(validity, values, 0)


def _float_keys(values: NDArray[Any]) -> Numbers:
    doubles = values.astype(np.float64)
    bits = doubles.view(np.int64)
    ordered = np.where(bits < 0, bits ^ np.int64(0x7FFF_FFFF_FFFF_FFFF), bits)
    return np.where(np.isnan(doubles), np.iinfo(np.int64).max, ordered)


def _string_keys(offsets: Offsets, data: Octets, width: int, validity: Bools | None) -> Comparable:
    lengths = np.diff(offsets)
    items = np.zeros((len(lengths), width + LENGTH_BYTES), np.uint8)
    _fill(items, offsets[:-1], np.minimum(lengths, width), data)
    items[:, width:] = (lengths + 1).astype(">u4").view(np.uint8).reshape(-1, LENGTH_BYTES)  # 0 is null
    if validity is not None:
        items[~validity] = 0
    return _items(items)


def _decimal_keys(offsets: Offsets, data: Octets, width: int, validity: Bools | None) -> Comparable:
    """Unscaled two's complement, right-aligned with its sign carried on; the sign's bit turned, it compares as bytes."""
    lengths = np.minimum(np.diff(offsets), width)
    ends = offsets[1:]
    negative = np.zeros(len(lengths), np.bool_)
    present = lengths > 0
    negative[present] = data[ends[present] - lengths[present]] >= 0x80
    items = np.repeat(np.where(negative, 0xFF, 0).astype(np.uint8), width).reshape(-1, width)
    _fill(items[:, ::-1], ends - 1, lengths, data, step=-1)
    items[:, 0] ^= 0x80
    if validity is not None:
        items[~validity] = np.array([0x80] + [0] * (width - 1), np.uint8)
    return _items(items)


def _fill(items: Octets, starts: Offsets, lengths: Offsets, data: Octets, step: int = 1) -> None:
    """The bytes of each row, one position of all rows at a time."""
    for index in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > index)
        items[rows, index] = data[starts[rows] + step * index]


def _items(rows: Octets) -> Comparable:
    """Rows of bytes as byte strings of NumPy, one per row. NumPy ignores zeros at the end, which are the same in all."""
    return np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").reshape(-1)


_DIGITS = 19
"""The greatest number of digits of a 64-bit integer."""
_DOT, _ZERO, _NINE = b".09"


def sortable(places: StringColumn, where: str) -> StringColumn:
    """Strings `<file>.<position>`, two integers, as strings of one width that sort as the integers do; nulls stay.

    Raises `CorruptFileError` for any other string.
    """
    rows, valid = length(places), validity_of(places)
    texts = places.data[: places.offsets[-1]]  # a part of a longer column has the bytes of other rows around its own
    begins, ends = places.offsets[:-1], places.offsets[1:]
    dots = places.offsets[0] + np.flatnonzero(texts[places.offsets[0] :] == _DOT)
    row_of_dot = np.searchsorted(ends, dots, side="right")
    dot = begins.copy()
    dot[row_of_dot] = dots
    file, position = np.where(valid, dot - begins, 0), np.where(valid, ends - dot - 1, 0)
    digits = (texts >= _ZERO) & (texts <= _NINE)
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
