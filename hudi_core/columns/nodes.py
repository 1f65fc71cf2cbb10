"""Columns of decoded values: NumPy arrays in Arrow's memory layout, so that an engine wraps them without a copy.

Differences from Arrow's buffers, all cheap for an adapter: validity is one bool a row (Arrow packs bits; `None` means that
no row is null), booleans are one byte a row, and all offsets are int64 (Arrow's `large_` types; its map and dense union
want int32).

A row that is null still has a slot in each array: zero in `values`, no bytes in texts, no items in lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Offsets = NDArray[np.int64]
Bytes8 = NDArray[np.uint8]
Validity = Bools | None


@dataclass(frozen=True, slots=True, eq=False)
class Nulls:
    """A column of `length` rows that are all null."""

    length: int


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """Values of one fixed width: bool, int32, int64, float32 or float64."""

    values: NDArray[Any]
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """UTF-8 texts, checked to be valid: row i is `data[offsets[i]:offsets[i + 1]]`."""

    offsets: Offsets
    data: Bytes8
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class Binary:
    """Byte strings, laid out as `Text`."""

    offsets: Offsets
    data: Bytes8
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class FixedBinary:
    """Byte strings of `size` bytes each: row i is `data[i]` of an array of shape (rows, size)."""

    size: int
    data: Bytes8
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """An enum: row i is `symbols[codes[i]]`; codes are int32."""

    codes: NDArray[np.int32]
    symbols: tuple[str, ...]
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """Records: one column a field, all of `length` rows. What a field holds where the struct is null has no meaning."""

    length: int
    fields: Mapping[str, Column]
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class ListOf:
    """Lists: row i holds the items from `offsets[i]` to `offsets[i + 1]`."""

    offsets: Offsets
    items: Column
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class MapOf:
    """Maps: row i holds the entries from `offsets[i]` to `offsets[i + 1]`, in the order in which they were written."""

    offsets: Offsets
    keys: Text
    values: Column
    validity: Validity = None


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """A dense union: row i is the next unread row of `children[branches[i]]`; `names` are the branches' Avro names.

    Unions of null and one other branch are not here: they are that other column with a validity.
    """

    branches: NDArray[np.int8]
    names: tuple[str, ...]
    children: tuple[Column, ...]

    def positions(self) -> NDArray[np.int32]:
        """For each row, its row in its child: Arrow's offsets buffer of a dense union."""
        found = np.empty(len(self.branches), np.int32)
        for branch, child in enumerate(self.children):
            if rows := length(child):
                found[self.branches == branch] = np.arange(rows, dtype=np.int32)
        return found


Column = Nulls | Primitive | Text | Binary | FixedBinary | Symbols | Struct | ListOf | MapOf | Union


def length(column: Column) -> int:
    """Number of rows."""
    match column:
        case Nulls(rows) | Struct(rows):
            return rows
        case Primitive(values):
            return len(values)
        case Text(offsets) | Binary(offsets) | ListOf(offsets) | MapOf(offsets):
            return len(offsets) - 1
        case FixedBinary(data=data):
            return len(data)
        case Symbols(codes):
            return len(codes)
        case Union(branches):
            return len(branches)
    assert_never(column)


def validity_of(column: Column) -> Bools:
    """One bool a row: true where the row is not null."""
    if isinstance(column, Nulls):
        return np.zeros(column.length, np.bool_)
    if isinstance(column, Union):
        empty = np.array([isinstance(child, Nulls) for child in column.children], np.bool_)
        return ~empty[column.branches]
    return np.ones(length(column), np.bool_) if column.validity is None else column.validity


def masked(column: Column, validity: Validity) -> Column:
    """The column, null also where `validity` is false (unions keep their rows: they have no validity of their own)."""
    if validity is None or isinstance(column, Nulls | Union):
        return column
    return replace(column, validity=validity if column.validity is None else column.validity & validity)


def at(column: Column, *names: str) -> Column:
    """The column at a path of field names, null where any struct on the way is null. Raises KeyError when absent."""
    for name in names:
        if not isinstance(column, Struct):
            raise KeyError(name)
        column = masked(column.fields[name], column.validity)
    return column


def spread(column: Column, rows: NDArray[np.int64], total: int) -> Column:
    """A column of `total` rows: the given rows (ascending row numbers) come from `column`, all others are null."""
    if isinstance(column, Nulls):
        return Nulls(total)
    if isinstance(column, Union):
        return _spread_union(column, rows, total)
    validity = np.zeros(total, np.bool_)
    validity[rows] = True if column.validity is None else column.validity
    match column:
        case Primitive(values):
            return Primitive(_spread_array(values, rows, total), validity)
        case Text(offsets, data):
            return Text(_spread_offsets(offsets, rows, total), data, validity)
        case Binary(offsets, data):
            return Binary(_spread_offsets(offsets, rows, total), data, validity)
        case FixedBinary(size, data):
            return FixedBinary(size, _spread_array(data, rows, total), validity)
        case Symbols(codes, symbols):
            return Symbols(_spread_array(codes, rows, total), symbols, validity)
        case Struct(fields=fields):
            return Struct(total, {name: spread(field, rows, total) for name, field in fields.items()}, validity)
        case ListOf(offsets, items):
            return ListOf(_spread_offsets(offsets, rows, total), items, validity)
        case MapOf(offsets, keys, entries):
            return MapOf(_spread_offsets(offsets, rows, total), keys, entries, validity)
    assert_never(column)


def _spread_array(values: NDArray[Any], rows: NDArray[np.int64], total: int) -> NDArray[Any]:
    found = np.zeros((total, *values.shape[1:]), values.dtype)
    found[rows] = values
    return found


def _spread_offsets(offsets: Offsets, rows: NDArray[np.int64], total: int) -> Offsets:
    found = np.zeros(total + 1, np.int64)
    found[0] = offsets[0]
    found[rows + 1] = np.diff(offsets)
    return np.cumsum(found)


def _spread_union(column: Union, rows: NDArray[np.int64], total: int) -> Union:
    """Rows that are not given go to the null branch; a union without one gets null rows in its first branch."""
    filler = next((i for i, child in enumerate(column.children) if isinstance(child, Nulls)), 0)
    branches = np.full(total, filler, np.int8)
    branches[rows] = column.branches
    own = np.zeros(total, np.bool_)
    own[rows] = column.branches == filler
    among = np.flatnonzero(own[branches == filler])
    child = spread(column.children[filler], among, int(np.count_nonzero(branches == filler)))
    children = (*column.children[:filler], child, *column.children[filler + 1 :])
    return Union(branches, column.names, children)


def to_list(column: Column) -> list[Any]:
    """The rows as Python values (struct: dict, map: list of pairs): for messages, small results and tests."""
    match column:
        case Nulls(rows):
            return [None] * rows
        case Union(branches, _, children):
            readers = [iter(to_list(child)) for child in children]
            return [next(readers[branch]) for branch in branches.tolist()]
        case Primitive(values):
            found: list[Any] = values.tolist()
        case Text(offsets, data):
            found = [piece.decode() for piece in _pieces(offsets, data)]
        case Binary(offsets, data):
            found = _pieces(offsets, data)
        case FixedBinary(data=data):
            found = [row.tobytes() for row in data]
        case Symbols(codes, symbols):
            found = [symbols[code] if symbols else "" for code in codes.tolist()]
        case Struct(rows, fields):
            lists = {name: to_list(field) for name, field in fields.items()}
            found = [{name: values[row] for name, values in lists.items()} for row in range(rows)]
        case ListOf(offsets, items):
            found = _slices(offsets, to_list(items))
        case MapOf(offsets, keys, entries):
            found = _slices(offsets, list(zip(to_list(keys), to_list(entries), strict=True)))
        case _:
            assert_never(column)
    if column.validity is None:
        return found
    return [row if known else None for row, known in zip(found, column.validity.tolist(), strict=True)]


def _pieces(offsets: Offsets, data: Bytes8) -> list[bytes]:
    whole = data.tobytes()
    bounds = offsets.tolist()
    return [whole[low:high] for low, high in pairwise(bounds)]


def _slices(offsets: Offsets, items: list[Any]) -> list[list[Any]]:
    bounds = offsets.tolist()
    return [items[low:high] for low, high in pairwise(bounds)]
