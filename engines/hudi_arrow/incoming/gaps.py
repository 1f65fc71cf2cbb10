"""Rows of Python that lack a part which other rows of them have: an Arrow column would have a null for both. Rule ROWS-800."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from hudi_arrow.incoming.python_values import values_of_map
from hudi_core.errors import RowError

_Numbered = Sequence[tuple[int, Any]]


def refuse_gaps(rows: _Numbered, columns: Mapping[str, pa.DataType], where: str, *, every_part: bool = False) -> None:
    """Raises `RowError` for a row that lacks one of the columns, or that has a struct without a part which that column has in
    another of these rows or, for `every_part`, which its type has. Rows are dictionaries with their numbers."""
    for name, kind in columns.items():
        lacking = next((number for number, row in rows if name not in row), None)
        if lacking is not None:
            _refuse(lacking, where, name)
        if pa.types.is_nested(kind):
            _refuse_in([(number, row[name]) for number, row in rows], kind, where, name, every_part)


def has_nulls_within(column: pa.Array) -> bool:
    """Whether a part of a column, at any depth, is null somewhere: where none is, no struct lacks a part."""
    return any(part.null_count for part in _parts(column))


def _parts(column: pa.Array) -> Iterator[pa.Array]:
    if pa.types.is_struct(column.type):
        children = column.flatten()
    elif pa.types.is_map(column.type):
        children = [column.items]
    else:
        children = [column.flatten()] if pa.types.is_nested(column.type) else []
    for child in children:
        yield child
        yield from _parts(child)


def _refuse_in(values: _Numbered, kind: pa.DataType, where: str, path: str, every_part: bool) -> None:
    if pa.types.is_struct(kind):
        structs = [(number, value) for number, value in values if isinstance(value, Mapping)]
        stated = [field.name for field in kind] if every_part else []
        for name in dict.fromkeys([*stated, *(name for _, value in structs for name in value)]):
            lacking = next((number for number, value in structs if name not in value), None)
            if lacking is not None:
                _refuse(lacking, where, f"{path}.{name}")
            place = kind.get_field_index(name)
            if place >= 0 and pa.types.is_nested(kind.field(place).type):
                parts = [(number, value[name]) for number, value in structs]
                _refuse_in(parts, kind.field(place).type, where, f"{path}.{name}", every_part)
    elif pa.types.is_map(kind):
        if pa.types.is_nested(kind.item_type):
            entries = ((number, value) for number, value in values if value is not None)
            items = [(number, one) for number, value in entries for one in values_of_map(value)]
            _refuse_in(items, kind.item_type, where, path, every_part)
    elif pa.types.is_nested(kind.value_type):
        lists = ((number, value) for number, value in values if isinstance(value, Sequence))
        _refuse_in(
            [(number, one) for number, value in lists for one in value], kind.value_type, where, path, every_part
        )


def _refuse(row: int, where: str, path: str) -> None:
    raise RowError(
        row,
        expected="a value or null in each row, or missing_columns: null",
        found="none",
        path=f"{where}: {path}",
    )
