"""Values of a column as a NumPy array whose items compare as the values do, so that whole columns can be ordered.

The order is that of `values.order`, NaN greatest and text by its UTF-8 bytes, but -0.0 is below 0.0, as Java compares them.
Rule MERGE-5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import (
    BinaryColumn,
    Bools,
    Bytes8,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    NullColumn,
    Offsets,
    PrimitiveColumn,
    StringColumn,
    validity_of,
)
from hudi_core.errors import UnsupportedError
from hudi_core.types.nodes import Decimal, Type

Comparable = NDArray[Any]

_LENGTH = 4
"""Bytes that stand behind a text for its length, so that one that ends in zeros is above one without."""


def width_of(column: Column, of: Type) -> int:
    """The bytes that `comparable` needs for each item, 0 for numbers."""
    match column:
        case BinaryColumn() | FixedBinaryColumn() if isinstance(of, Decimal):
            return of.precision * 5 // 12 + 2  # log2(10) / 8 bytes a digit, and a sign
        case StringColumn(offsets) | BinaryColumn(offsets):
            return int(np.diff(offsets).max(initial=0))
        case FixedBinaryColumn(size=size):
            return size
        case _:
            return 0


def comparable(column: Column, of: Type, width: int, nulls_above: bool = False) -> Comparable:
    """Items that compare as the values of the type do. Nulls are as 0 in numbers, and below every other value; or, with
    `nulls_above`, above all.

    Arrays made with one `width` (of `width_of` for one of them) compare with each other, and rightly where one of both
    values is no longer than it. Raises `UnsupportedError` for a type without an order.
    """
    found = _comparable(column, of, width)
    if nulls_above:
        absent = np.ones(len(found), np.bool_) if isinstance(column, NullColumn) else ~validity_of(column)
        found[absent] = np.iinfo(np.int64).max if found.dtype.kind == "i" else b"\xff" * found.dtype.itemsize
    return found


def _comparable(column: Column, of: Type, width: int) -> Comparable:
    validity = None if isinstance(column, NullColumn) else validity_of(column)
    match column:
        case NullColumn(length):
            return np.zeros(length, np.int64) if width == 0 else np.zeros(length, f"S{width + _LENGTH}")
        case PrimitiveColumn(values):
            return _blotted(_real(values) if values.dtype.kind == "f" else values.astype(np.int64), validity)
        case EnumColumn(codes):
            return _blotted(codes.astype(np.int64), validity)
        case BinaryColumn(offsets, data) if isinstance(of, Decimal):
            return _number(offsets, data, width, validity)
        case FixedBinaryColumn(size, data) if isinstance(of, Decimal):
            return _number(np.arange(len(data) + 1) * size, data.reshape(-1), width, validity)
        case StringColumn(offsets, data) | BinaryColumn(offsets, data):
            return _text(offsets, data, width, validity)
        case FixedBinaryColumn(size, data):
            return _text(np.arange(len(data) + 1) * size, data.reshape(-1), width, validity)
        case _:
            raise UnsupportedError("ordering values", expected="a type with an order", found=type(of).__name__.lower())


def _blotted(values: NDArray[np.int64], validity: Bools | None) -> Comparable:
    return values if validity is None or validity.all() else np.where(validity, values, 0)


def _real(values: NDArray[Any]) -> NDArray[np.int64]:
    doubles = values.astype(np.float64)
    bits = doubles.view(np.int64)
    ordered = np.where(bits < 0, bits ^ np.int64(0x7FFF_FFFF_FFFF_FFFF), bits)
    return np.where(np.isnan(doubles), np.iinfo(np.int64).max, ordered)


def _text(offsets: Offsets, data: Bytes8, width: int, validity: Bools | None) -> Comparable:
    lengths = np.diff(offsets)
    items = np.zeros((len(lengths), width + _LENGTH), np.uint8)
    _fill(items, offsets[:-1], np.minimum(lengths, width), data)
    items[:, width:] = (lengths + 1).astype(">u4").view(np.uint8).reshape(-1, _LENGTH)  # 0 is null
    if validity is not None:
        items[~validity] = 0
    return _items(items)


def _number(offsets: Offsets, data: Bytes8, width: int, validity: Bools | None) -> Comparable:
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


def _fill(items: NDArray[np.uint8], starts: Offsets, lengths: Offsets, data: Bytes8, step: int = 1) -> None:
    """The bytes of each row, one position of all rows at a time."""
    for at in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > at)
        items[rows, at] = data[starts[rows] + step * at]


def _items(rows: NDArray[np.uint8]) -> Comparable:
    """Rows of bytes as items of one text each. NumPy passes over zeros at the end, which all of them have room for."""
    return np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").reshape(-1)
