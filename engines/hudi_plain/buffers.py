"""Decoded columns and Python values, both ways. A column of the core holds many rows, a batch one."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Offsets
from hudi_core.avro.logical import branch_name
from hudi_core.columns.decimals import from_words, to_words, words_of
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
    mask_column,
    to_list,
    validity_of,
)
from hudi_core.columns.unions import only_branch, with_null_branch, without_null_branch
from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.text import text

_DTYPES = {t.Boolean: "?", t.Int: "i4", t.Date: "i4", t.Float: "f4", t.Double: "f8", t.Long: "i8", t.Timestamp: "i8"}
"""The formats of types whose values have one width, whatever the unit."""


def to_values(column: Column, logical: t.Type, where: str) -> list[Any]:
    """The rows in the form of `hudi_core.values.domain`."""
    if not isinstance(logical, t.Union):
        column = only_branch(column)
    match logical, column:
        case t.Record(fields), StructColumn(rows):
            parts = [
                to_values(mask_column(column.fields[inner.name], column.validity), inner.type, f"{where}.{inner.name}")
                for inner in fields
            ]
            built: list[Any] = list(zip(*parts, strict=True)) if parts else [()] * rows
        case t.Array(element), ListColumn(offsets, items):
            built = _runs(offsets, to_values(items, element.type, where))
        case t.Map(_, value), MapColumn(offsets, keys, items):
            built = _runs(offsets, list(zip(to_list(keys), to_values(items, value.type, where), strict=True)))
        case t.Union(branches), UnionColumn():
            return _of_union(without_null_branch(column), branches, where)
        case t.Decimal(scale=scale), BinaryColumn() | FixedBinaryColumn():
            built = [_decimal(row.tobytes(), scale) for row in to_words(column, logical, where).astype("<u8")]
        case t.Uuid(fixed=t.Fixed()), FixedBinaryColumn(data=data):
            built = [str(uuid.UUID(bytes=row.tobytes())) for row in data]
        case (
            (_, NullColumn())
            | (t.Enumeration(), EnumColumn())
            | (t.String() | t.Uuid(), StringColumn())
            | (t.Binary(), BinaryColumn())
            | (t.Fixed() | t.Vector(), FixedBinaryColumn())
        ):
            return to_list(column)
        case _, PrimitiveColumn(values) if values.dtype == _dtype(logical):
            return to_list(column)
        case _:
            raise SchemaError(where, expected=f"a column of {text(logical)}", found=type(column).__name__)
    return [row if valid else None for row, valid in zip(built, validity_of(column).tolist(), strict=True)]


def from_values(values: Sequence[Any], type: t.Type, where: str) -> Column:
    """The column of values in the form of `hudi_core.values.domain`, in the physical type that Avro gives theirs."""
    valid = _valid(values)
    match type:
        case t.Boolean() | t.Int() | t.Long() | t.Float() | t.Double() | t.Date() | t.Time() | t.Timestamp():
            return PrimitiveColumn(np.array([0 if value is None else value for value in values], _dtype(type)), valid)
        case t.String() | t.Uuid(fixed=None):
            return StringColumn(*_join([(value or "").encode() for value in values]), valid)
        case t.Binary():
            return BinaryColumn(*_join([value or b"" for value in values]), valid)
        case t.Enumeration(symbols):
            return EnumColumn(_codes(values, type, where), symbols, valid)
        case t.Fixed() | t.Vector() | t.Uuid():
            size = (
                type.size
                if isinstance(type, t.Fixed)
                else type.dimension * type.element.value
                if isinstance(type, t.Vector)
                else 16
            )
            rows = [_bytes(value, size) for value in values]
            return FixedBinaryColumn(size, np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), size), valid)
        case t.Decimal(precision):
            size = 8 * words_of(precision)
            rows = [_unscale(value).to_bytes(size, "little", signed=True) for value in values]
            words = np.frombuffer(b"".join(rows), "<u8").reshape(len(rows), size // 8).astype(np.uint64)
            return from_words(words, type, valid, where)
        case t.Record(fields):
            columns = {
                inner.name: from_values(
                    [None if value is None else value[position] for value in values],
                    inner.type,
                    f"{where}.{inner.name}",
                )
                for position, inner in enumerate(fields)
            }
            return StructColumn(len(values), columns, valid)
        case t.Array(element):
            return ListColumn(_offsets(values), from_values(_items(values), element.type, where), valid)
        case t.Map(key, item):
            entries = _items(values)
            keys = from_values([pair[0] for pair in entries], key.type, where)
            assert isinstance(keys, StringColumn)
            return MapColumn(
                _offsets(values), keys, from_values([pair[1] for pair in entries], item.type, where), valid
            )
        case t.Union(branches):
            return _to_union(values, branches, where)


def _of_union(column: UnionColumn, branches: Sequence[t.Field], where: str) -> list[Any]:
    parts = [
        iter(to_values(child, branch.type, where)) for child, branch in zip(column.children, branches, strict=True)
    ]
    values = ((branch, next(parts[branch])) for branch in column.branches.tolist())
    return [None if value is None else (branch, value) for branch, value in values]


def _to_union(values: Sequence[Any], branches: Sequence[t.Field], where: str) -> Column:
    """Nulls are null rows of the first branch until there is a branch for them."""
    chosen = np.array([0 if value is None else value[0] for value in values], np.int8)
    parts: list[list[Any]] = [[] for _ in branches]
    for value, branch in zip(values, chosen.tolist(), strict=True):
        parts[branch].append(None if value is None else value[1])
    children = [from_values(part, branch.type, where) for part, branch in zip(parts, branches, strict=True)]
    return with_null_branch(chosen, [branch_name(branch.type) for branch in branches], children)


def _dtype(logical: t.Type) -> str | None:
    """The numbers that stand for values of a type; None when they are no numbers."""
    if isinstance(logical, t.Time):
        return "i4" if logical.unit is t.Unit.MILLIS else "i8"
    return _DTYPES.get(type(logical))


def _valid(values: Sequence[Any]) -> Bools | None:
    valid = np.array([value is not None for value in values], np.bool_)
    return None if valid.all() else valid


def _codes(values: Sequence[Any], type: t.Enumeration, where: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    known = {symbol: code for code, symbol in enumerate(type.symbols)}
    strange = next((value for value in values if value is not None and value not in known), None)
    if strange is not None:
        raise SchemaError(where, expected=f"a value of {text(type)}", found=repr(strange)[:60])
    return np.array([0 if value is None else known[value] for value in values], np.int32)


def _bytes(value: bytes | str | None, size: int) -> bytes:
    if value is None:
        return bytes(size)
    return uuid.UUID(value).bytes if isinstance(value, str) else value


def _decimal(words: bytes, scale: int) -> Decimal:
    unscaled = int.from_bytes(words, "little", signed=True)
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def _unscale(value: Decimal | None) -> int:
    """The digits of a decimal that has its type's scale."""
    if value is None:
        return 0
    sign, digits, _ = value.as_tuple()
    return (-1 if sign else 1) * int("".join(map(str, digits)))


def _join(rows: list[bytes]) -> tuple[Offsets, np.ndarray[Any, np.dtype[np.uint8]]]:
    return _offsets(rows), np.frombuffer(b"".join(rows), np.uint8)


def _offsets(values: Sequence[Any]) -> Offsets:
    return np.cumsum([0, *(len(value or ()) for value in values)], dtype=np.int64)


def _items(values: Sequence[Any]) -> list[Any]:
    return [item for value in values for item in value or ()]


def _runs(offsets: Offsets, items: list[Any]) -> list[tuple[Any, ...]]:
    return [tuple(items[low:high]) for low, high in pairwise(offsets.tolist())]
