"""Columns as values that compare: ranks of rows among each other, and places among a few values. Rule CLUSTER-3.

The order is that of `values.order`, nulls before all others, except that -0.0 comes before 0.0. Strings compare by all their
bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Octets
from hudi_core.columns.byte_strings import ByteStrings, concat_byte_strings
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    NullColumn,
    StringColumn,
    validity_of,
)
from hudi_core.engine import Engine
from hudi_core.errors import UsageError
from hudi_core.merge.ordering_values import comparable, width_of
from hudi_core.pruning.ranks import places, ranks
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

NULL_RANK: Final = 0
_TOO_MANY_CODES: Final = 1 << 63


@dataclass(frozen=True, slots=True, eq=False)
class SortKeys:
    """One column of some rows. What `items` hold where a row is not `present` has no meaning."""

    present: Bools
    items: Numbers | ByteStrings

    def __len__(self) -> int:
        return len(self.present)

    def take(self, rows: Numbers) -> SortKeys:
        """The keys of these rows."""
        items = self.items
        return SortKeys(self.present[rows], items.take(rows) if isinstance(items, ByteStrings) else items[rows])

    def ranks(self) -> Numbers:
        """The rank of each row among these, `NULL_RANK` for null; equal values share one."""
        result = np.zeros(len(self), np.int64)
        if isinstance(self.items, ByteStrings):
            live = self.items if self.present.all() else self.items.take(np.flatnonzero(self.present))
            result[self.present] = ranks(live)[0].astype(np.int64) + 1
        else:
            result[self.present] = np.unique(self.items[self.present], return_inverse=True)[1] + 1
        return result

    def codes(self) -> Numbers:
        """A number for each row, in the order of the values; equal values share one, and null has the least."""
        if isinstance(self.items, ByteStrings) or not self.present.all():
            return self.ranks()
        return self.items

    def places(self, values: KeyValues) -> Numbers:
        """The place of each row among values: 2 i + 2 when it is value i, 2 i + 1 with i of them below it, and
        `NULL_RANK` for null."""
        if isinstance(self.items, ByteStrings):
            assert not isinstance(values.items, np.ndarray)
            among = places(self.items, values.items).astype(np.int64)
        else:
            assert isinstance(values.items, np.ndarray)
            below = np.searchsorted(values.items, self.items)
            last = max(len(values.items) - 1, 0)
            equal = values.items[np.minimum(below, last)] == self.items if len(values.items) else False
            among = 2 * below.astype(np.int64) + equal
        return np.where(self.present, among + 1, NULL_RANK)

    def values(self, rows: Numbers) -> KeyValues:
        """The distinct values of these rows, ascending; nulls left out."""
        rows = rows[self.present[rows]]
        if isinstance(self.items, ByteStrings):
            return KeyValues(sorted({self.items[row] for row in rows.tolist()}))
        return KeyValues(np.unique(self.items[rows]))


@dataclass(frozen=True, slots=True, eq=False)
class KeyValues:
    """Distinct values of a column, ascending."""

    items: Numbers | list[bytes]

    def __len__(self) -> int:
        return len(self.items)


def concatenate(parts: Sequence[SortKeys]) -> SortKeys:
    """The rows of all parts, of which there is at least one, in order."""
    first = parts[0].items
    present = np.concatenate([part.present for part in parts])
    if isinstance(first, ByteStrings):
        return SortKeys(
            present, concat_byte_strings([part.items for part in parts if isinstance(part.items, ByteStrings)])
        )
    return SortKeys(present, np.concatenate([part.items for part in parts if isinstance(part.items, np.ndarray)]))


def row_order(columns: Sequence[NDArray[np.integer[Any]]]) -> Numbers:
    """The rows in the order of the first column, among equal ones of the second, and so on; equal rows stay in theirs.

    Columns that fit in one number are sorted as one: once, and quickly where rows come in sorted runs.
    """
    if len(columns[0]) == 0:
        return np.zeros(0, np.int64)
    spans = [int(column.max()) - int(column.min()) + 1 for column in columns]
    if math.prod(spans) >= _TOO_MANY_CODES:
        return np.lexsort(columns[::-1])
    joined = np.zeros(len(columns[0]), np.int64)
    for column, span in zip(columns, spans, strict=True):
        joined = joined * span + (column - column.min()).astype(np.int64)
    return np.argsort(joined, kind="stable")


def sort_keys(column: Column, type: t.Primitive) -> SortKeys:
    """The keys of a decoded column of the type."""
    present = validity_of(column)
    match column:
        case NullColumn(rows) if isinstance(_blank(type), ByteStrings):
            return SortKeys(present, ByteStrings(np.zeros(rows + 1, np.int64), np.zeros(0, np.uint8)))
        case StringColumn(offsets, data) | BinaryColumn(offsets, data) if not isinstance(type, t.Decimal):
            return SortKeys(present, ByteStrings(offsets, data))
        case FixedBinaryColumn(size, data) if not isinstance(type, t.Decimal):
            return SortKeys(present, _rows_of_bytes(data.reshape(-1), len(data), size))
        case EnumColumn(codes, symbols):
            rank_of = np.argsort(np.argsort(np.array(symbols, np.object_), kind="stable")).astype(np.int64)
            return SortKeys(present, rank_of[codes])
        case BinaryColumn() | FixedBinaryColumn():
            items = comparable(column, type, width_of(column, type))
            return SortKeys(present, _rows_of_bytes(items.view(np.uint8), len(items), items.dtype.itemsize))
        case _:
            return SortKeys(present, comparable(column, type, 0).astype(np.int64))


def sort_keys_of(
    engine: Engine[Any, Any, Any], schema: Schema, batch: Any, paths: Sequence[Sequence[str]]
) -> list[SortKeys]:
    """The keys of columns of a batch of the schema, by path of names."""
    root = engine.rows.root(batch)
    return [_of_path(engine, schema, root, tuple(path)) for path in paths]


def refuse_unsortable(schema: Schema, paths: Sequence[Sequence[str]]) -> None:
    """Raises `UsageError` for columns by which rows cannot be ordered: structs, arrays, maps."""
    for path in paths:
        place = schema.find(tuple(path))
        if place is None or place.repeated or isinstance(place.field.type, t.Nested):
            found = "no such column" if place is None else "a nested type" if not place.repeated else "part of a list"
            raise UsageError(".".join(path), expected="a column whose values can be sorted", found=found)


def _of_path(engine: Engine[Any, Any, Any], schema: Schema, root: Any, path: tuple[str, ...]) -> SortKeys:
    value, fields, type_ = root, schema.fields, None
    for name in path:
        position = next(number for number, field in enumerate(fields) if field.name == name)
        value, type_ = engine.values.field(value, position), fields[position].type
        fields = type_.fields if isinstance(type_, t.Record) else ()
    where = ".".join(path)
    assert type_ is not None
    if isinstance(type_, t.Nested):
        raise UsageError(where, expected="a column whose values can be sorted", found="a nested type")
    return sort_keys(engine.rows.to_column(value, type_, where), type_)


def _blank(type: t.Primitive) -> Numbers | ByteStrings:
    if isinstance(type, t.String | t.Binary | t.Fixed | t.Uuid | t.Decimal | t.Vector):
        return ByteStrings(np.zeros(1, np.int64), np.zeros(0, np.uint8))
    return np.zeros(0, np.int64)


def _rows_of_bytes(data: Octets, rows: int, size: int) -> ByteStrings:
    return ByteStrings(np.arange(rows + 1, dtype=np.int64) * size, np.ascontiguousarray(data))
