"""Columns of decoded values: NumPy arrays in Arrow's memory layout, so that an engine wraps them without a copy.

Differences from Arrow's buffers, all cheap for an adapter: validity is one bool a row (Arrow packs bits; `None` means that
no row is null), booleans are one byte a row, and all offsets are int64 (Arrow's `large_` types; its map and dense union
want int32).

A row that is null still has a slot in each array: zero in `values`, no bytes in strings, no items in lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Numbers32, Octets, Offsets

Validity = Bools | None


@dataclass(frozen=True, slots=True, eq=False)
class NullColumn:
    """A column of `length` rows that are all null."""

    length: int


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveColumn:
    """Values of one fixed width: bool, int32, int64, float32 or float64."""

    values: NDArray[Any]
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class StringColumn:
    """UTF-8 strings, checked to be valid: row i is `data[offsets[i]:offsets[i + 1]]`."""

    offsets: Offsets
    data: Octets
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class BinaryColumn:
    """Byte strings, laid out as `StringColumn`."""

    offsets: Offsets
    data: Octets
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class FixedBinaryColumn:
    """Byte strings of `size` bytes each: row i is `data[i]` of an array of shape (rows, size)."""

    size: int
    data: Octets
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class EnumColumn:
    """An enum: row i is `symbols[codes[i]]`; codes are int32."""

    codes: Numbers32
    symbols: tuple[str, ...]
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class StructColumn:
    """Records: one column a field, all of `length` rows. What a field holds where the struct is null has no meaning."""

    length: int
    fields: Mapping[str, Column]
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class ListColumn:
    """Lists: row i holds the items from `offsets[i]` to `offsets[i + 1]`."""

    offsets: Offsets
    items: Column
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class MapColumn:
    """Maps: row i holds the entries from `offsets[i]` to `offsets[i + 1]`, in the order in which they were written."""

    offsets: Offsets
    keys: StringColumn
    values: Column
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class UnionColumn:
    """A dense union: row i is the next unread row of `children[branches[i]]`; `names` are the branches' Avro names.

    Unions of null and one other branch are not here: they are that other column with a validity.
    """

    branches: NDArray[np.int8]
    names: tuple[str, ...]
    children: tuple[Column, ...]

    def positions(self) -> Numbers32:
        """For each row, its row in its child: Arrow's offsets buffer of a dense union."""
        positions = np.empty(len(self.branches), np.int32)
        for branch, child in enumerate(self.children):
            if rows := length(child):
                positions[self.branches == branch] = np.arange(rows, dtype=np.int32)
        return positions


Column = (
    NullColumn
    | PrimitiveColumn
    | StringColumn
    | BinaryColumn
    | FixedBinaryColumn
    | EnumColumn
    | StructColumn
    | ListColumn
    | MapColumn
    | UnionColumn
)


def length(column: Column) -> int:
    """Number of rows."""
    match column:
        case NullColumn(rows) | StructColumn(rows):
            return rows
        case PrimitiveColumn(values):
            return len(values)
        case StringColumn(offsets) | BinaryColumn(offsets) | ListColumn(offsets) | MapColumn(offsets):
            return len(offsets) - 1
        case FixedBinaryColumn(data=data):
            return len(data)
        case EnumColumn(codes):
            return len(codes)
        case UnionColumn(branches):
            return len(branches)
    assert_never(column)


def kind_name(column: Column) -> str:
    """The kind of the column's values, for messages: `int32`, `string`, `list`."""
    match column:
        case PrimitiveColumn(values):
            return values.dtype.name
        case FixedBinaryColumn(size):
            return f"fixed[{size}]"
        case _:
            return type(column).__name__.removesuffix("Column").lower()


def validity_of(column: Column) -> Bools:
    """One bool a row: true where the row is not null."""
    if isinstance(column, NullColumn):
        return np.zeros(column.length, np.bool_)
    if isinstance(column, UnionColumn):
        empty = np.array([isinstance(child, NullColumn) for child in column.children], np.bool_)
        return ~empty[column.branches]
    return np.ones(length(column), np.bool_) if column.validity is None else column.validity


def mask_column(column: Column, validity: Validity) -> Column:
    """The column, null also where `validity` is false (unions keep their rows: they have no validity of their own)."""
    if validity is None or isinstance(column, NullColumn | UnionColumn):
        return column
    return replace(column, validity=validity if column.validity is None else column.validity & validity)


def select_nested_column(column: Column, *names: str) -> Column:
    """The column at a path of field names, null where any struct on the way is null. Raises KeyError when absent."""
    for name in names:
        if not isinstance(column, StructColumn):
            raise KeyError(name)
        column = mask_column(column.fields[name], column.validity)
    return column


def spread(column: Column, rows: Numbers, total: int) -> Column:
    """A column of `total` rows: the given rows (ascending row numbers) come from `column`, all others are null."""
    if isinstance(column, NullColumn):
        return NullColumn(total)
    if isinstance(column, UnionColumn):
        return _spread_union(column, rows, total)
    validity = np.zeros(total, np.bool_)
    validity[rows] = True if column.validity is None else column.validity
    match column:
        case PrimitiveColumn(values):
            return PrimitiveColumn(_spread_array(values, rows, total), validity)
        case StringColumn(offsets, data):
            return StringColumn(_spread_offsets(offsets, rows, total), data, validity)
        case BinaryColumn(offsets, data):
            return BinaryColumn(_spread_offsets(offsets, rows, total), data, validity)
        case FixedBinaryColumn(size, data):
            return FixedBinaryColumn(size, _spread_array(data, rows, total), validity)
        case EnumColumn(codes, symbols):
            return EnumColumn(_spread_array(codes, rows, total), symbols, validity)
        case StructColumn(fields=fields):
            return StructColumn(total, {name: spread(field, rows, total) for name, field in fields.items()}, validity)
        case ListColumn(offsets, items):
            return ListColumn(_spread_offsets(offsets, rows, total), items, validity)
        case MapColumn(offsets, keys, entries):
            return MapColumn(_spread_offsets(offsets, rows, total), keys, entries, validity)
    assert_never(column)


def _spread_array(values: NDArray[Any], rows: Numbers, total: int) -> NDArray[Any]:
    spread_values = np.zeros((total, *values.shape[1:]), values.dtype)
    spread_values[rows] = values
    return spread_values


def _spread_offsets(offsets: Offsets, rows: Numbers, total: int) -> Offsets:
    lengths = np.zeros(total + 1, np.int64)
    lengths[0] = offsets[0]
    lengths[rows + 1] = np.diff(offsets)
    return np.cumsum(lengths)


def _spread_union(column: UnionColumn, rows: Numbers, total: int) -> UnionColumn:
    """Rows that are not given go to the null branch; a union without one gets null rows in its first branch."""
    filler = next((i for i, child in enumerate(column.children) if isinstance(child, NullColumn)), 0)
    branches = np.full(total, filler, np.int8)
    branches[rows] = column.branches
    own = np.zeros(total, np.bool_)
    own[rows] = column.branches == filler
    among = np.flatnonzero(own[branches == filler])
    child = spread(column.children[filler], among, int(np.count_nonzero(branches == filler)))
    children = (*column.children[:filler], child, *column.children[filler + 1 :])
    return UnionColumn(branches, column.names, children)


def to_list(column: Column) -> list[Any]:
    """The rows as Python values (struct: dict, map: list of pairs): for messages, small results and tests."""
    match column:
        case NullColumn(row_count):
            return [None] * row_count
        case UnionColumn(branches, _, children):
            readers = [iter(to_list(child)) for child in children]
            return [next(readers[branch]) for branch in branches.tolist()]
        case PrimitiveColumn(values):
            rows: list[Any] = values.tolist()
        case StringColumn(offsets, data):
            rows = [piece.decode() for piece in _pieces(offsets, data)]
        case BinaryColumn(offsets, data):
            rows = _pieces(offsets, data)
        case FixedBinaryColumn(data=data):
            rows = [row.tobytes() for row in data]
        case EnumColumn(codes, symbols):
            rows = [symbols[code] if symbols else "" for code in codes.tolist()]
        case StructColumn(row_count, fields):
            lists = {name: to_list(field) for name, field in fields.items()}
            rows = [{name: values[row] for name, values in lists.items()} for row in range(row_count)]
        case ListColumn(offsets, items):
            rows = _slices(offsets, to_list(items))
        case MapColumn(offsets, keys, entries):
            rows = _slices(offsets, list(zip(to_list(keys), to_list(entries), strict=True)))
        case _:
            assert_never(column)
    if column.validity is None:
        return rows
    return [row if valid else None for row, valid in zip(rows, column.validity.tolist(), strict=True)]


def _pieces(offsets: Offsets, data: Octets) -> list[bytes]:
    content = data.tobytes()
    bounds = offsets.tolist()
    return [content[start:end] for start, end in pairwise(bounds)]


def _slices(offsets: Offsets, items: list[Any]) -> list[list[Any]]:
    bounds = offsets.tolist()
    return [items[start:end] for start, end in pairwise(bounds)]
