"""Parts of a column joined one after the other, so that each part's memory is free again when the next one is made.

Where the rows are not known beforehand, arrays grow, with room at their end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Offsets
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    ListColumn,
    MapColumn,
    NullColumn,
    PrimitiveColumn,
    StringColumn,
    StructColumn,
    UnionColumn,
    Validity,
    length,
)
from hudi_core.columns.slicing import trim


class GrowingArray:
    """An array like another, with room for so many rows at first."""

    def __init__(self, like: NDArray[Any], capacity: int) -> None:
        self.data = np.empty((capacity, *like.shape[1:]), like.dtype)
        self.size = 0

    def add(self, part: NDArray[Any], plus: int = 0) -> None:
        """Appends the rows of a part, `plus` a number."""
        end = self.size + len(part)
        if end > len(self.data):
            grown = np.empty((end + end // 2, *self.data.shape[1:]), self.data.dtype)
            grown[: self.size] = self.data[: self.size]
            self.data = grown
        if plus:
            np.add(part, plus, out=self.data[self.size : end])
        else:
            self.data[self.size : end] = part
        self.size = end

    def last(self) -> Any:
        """The last row."""
        return self.data[self.size - 1]

    def array(self) -> NDArray[Any]:
        """The column so far; a view when the room was guessed well."""
        return self.data[: self.size] if 2 * self.size >= len(self.data) else self.data[: self.size].copy()


MAX_ROOM = 1 << 26
"""Bytes or items for which room is made on the strength of the first part alone."""


def concat_columns(parts: Iterable[Column], rows: int) -> Column:
    """The rows of all parts, in order; about `rows` of them. The parts come from one schema; there is at least one."""
    builder: ColumnBuilder | None = None
    first: Column | None = None
    for part in parts:
        if first is None:
            first = part
            continue
        if builder is None:
            builder = ColumnBuilder(first, rows)
            builder.add(first)
        builder.add(part)
    if first is None:
        raise ValueError("no parts")
    return first if builder is None else builder.column()


class ColumnBuilder:
    """A column that grows: `like` is a column of the same kind, `rows` how many rows to make room for at first."""

    def __init__(self, like: Column, rows: int) -> None:
        self.like, self.rows, self.length = like, rows, 0
        self.values: GrowingArray | None = None
        self.validity: GrowingArray | None = None
        self.offsets: GrowingArray | None = None
        self.children: dict[Any, ColumnBuilder] = {}

    def add(self, part: Column) -> None:
        """Appends the rows of a part."""
        before, rows = self.length, length(part)
        self.length += rows
        match part:
            case NullColumn():
                return
            case PrimitiveColumn(values) | EnumColumn(values) | FixedBinaryColumn(data=values):
                self._values(values, self.rows)
            case StringColumn(offsets, data) | BinaryColumn(offsets, data):
                self._offsets(offsets)
                self._values(data[offsets[0] : offsets[-1]], self._room_for(int(offsets[-1] - offsets[0]), rows))
            case StructColumn(fields=fields):
                for name, field in fields.items():
                    self._child(name, field, self.rows)
            case ListColumn() | MapColumn():
                own = trim(part)
                self._offsets(own.offsets)
                inner = (
                    {"items": own.items} if isinstance(own, ListColumn) else {"keys": own.keys, "values": own.values}
                )
                for name, child in inner.items():
                    self._child(name, child, self._room_for(length(child), rows))
            case UnionColumn(branches, _, children):
                self._values(branches, self.rows)
                for branch, child in enumerate(children):
                    if length(child) or branch not in self.children:
                        self._child(branch, child, self._room_for(length(child), rows))
                return
            case _:
                assert_never(part)
        self._validity(part.validity, before, rows)

    def column(self) -> Column:
        """All rows so far."""
        like = self.like
        validity = None if self.validity is None else self.validity.array()
        match like:
            case NullColumn():
                return NullColumn(self.length)
            case PrimitiveColumn():
                return PrimitiveColumn(self._array(), validity)
            case EnumColumn():
                return EnumColumn(self._array(), like.symbols, validity)
            case FixedBinaryColumn():
                return FixedBinaryColumn(like.size, self._array(), validity)
            case StringColumn():
                return StringColumn(self._offset_array(), self._array(), validity)
            case BinaryColumn():
                return BinaryColumn(self._offset_array(), self._array(), validity)
            case StructColumn():
                return StructColumn(
                    self.length, {name: child.column() for name, child in self.children.items()}, validity
                )
            case ListColumn():
                return ListColumn(self._offset_array(), self.children["items"].column(), validity)
            case MapColumn():
                keys = self.children["keys"].column()
                assert isinstance(keys, StringColumn)
                return MapColumn(self._offset_array(), keys, self.children["values"].column(), validity)
            case UnionColumn():
                children = tuple(self.children[branch].column() for branch in range(len(like.children)))
                return UnionColumn(self._array(), like.names, children)
        assert_never(like)

    def _room_for(self, size: int, rows: int) -> int:
        """Room for what has `size` in a part of `rows` rows, and a quarter more: room that stays unused costs no memory."""
        return min(size * self.rows // max(rows, 1) * 5 // 4 + 64, size + MAX_ROOM)

    def _child(self, name: Any, part: Column, rows: int) -> None:
        if name not in self.children:
            self.children[name] = ColumnBuilder(part, rows)
        self.children[name].add(part)

    def _values(self, part: NDArray[Any], room: int) -> None:
        if self.values is None:
            self.values = GrowingArray(part, room)
        self.values.add(part)

    def _offsets(self, part: Offsets) -> None:
        if self.offsets is None:
            self.offsets = GrowingArray(part, self.rows + 1)
            self.offsets.add(np.zeros(1, np.int64))
        self.offsets.add(part[1:], plus=int(self.offsets.last()) - int(part[0]))

    def _validity(self, part: Validity, before: int, rows: int) -> None:
        if part is None and self.validity is None:
            return
        if self.validity is None:
            self.validity = GrowingArray(np.ones(0, np.bool_), max(self.rows, before + rows))
            self.validity.add(np.ones(before, np.bool_))
        self.validity.add(np.ones(rows, np.bool_) if part is None else part)

    def _array(self) -> NDArray[Any]:
        assert self.values is not None
        return self.values.array()

    def _offset_array(self) -> Offsets:
        assert self.offsets is not None
        return self.offsets.array()
