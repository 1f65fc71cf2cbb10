"""Nulls in required parts of columns: in fields of structs, elements of arrays and values of maps. Rule WRITE-1531."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Numbers, Offsets
from hudi_core.columns.nodes import Column, ListColumn, MapColumn, StructColumn, UnionColumn, length, validity_of
from hudi_core.columns.spans import positions
from hudi_core.errors import RowError
from hudi_core.types import nodes as t


def refuse_missing_parts(column: Column, data_type: t.Type, name: str, first_row: int) -> None:
    """Raises `RowError` for the first row with a null in a required part of the column, at any depth: what a null itself holds
    has no meaning. The first row of the column has this number."""
    rows = np.arange(length(column), dtype=np.int64)
    first = min(_find_missing(_Values(column, rows, rows), data_type, name), default=None)
    if first is not None:
        raise RowError(first_row + first[0], expected="a value", found="null", path=first[1])


@dataclass(frozen=True, slots=True)
class _Values:
    """Values of a column that are parts of something: their places, in order of their rows."""

    column: Column
    places: Numbers
    rows: Numbers

    def valid(self) -> _Values:
        """The ones that are not null."""
        flags = validity_of(self.column)[self.places]
        return self if flags.all() else _Values(self.column, self.places[flags], self.rows[flags])

    def items(self, offsets: Offsets, items: Column) -> _Values:
        """The items of these lists."""
        starts = offsets[self.places]
        lengths = offsets[self.places + 1] - starts
        return _Values(items, positions(starts, lengths), self.rows.repeat(lengths))


def _find_missing(values: _Values, data_type: t.Type, path: str) -> Iterator[tuple[int, str]]:
    """For each required part of a type the first row that has a null there, with the path of the part."""
    live = values.valid()
    match data_type, live.column:
        case t.Record(fields), StructColumn(fields=columns):
            for field in fields:
                part = _Values(columns[field.name], live.places, live.rows)
                yield from _find_missing_in(part, field, f"{path}.{field.name}")
        case t.Array(element), ListColumn(offsets, items):
            yield from _find_missing_in(live.items(offsets, items), element, f"{path}.element")
        case t.Map(_, value), MapColumn(offsets, _, items):
            yield from _find_missing_in(live.items(offsets, items), value, f"{path}.value")
        case t.Union(branches), UnionColumn(codes, _, children):
            own = live.column.positions()
            for number, branch in enumerate(branches):
                chosen = live.places[codes[live.places] == number]
                rows = live.rows[codes[live.places] == number]
                yield from _find_missing(
                    _Values(children[number], own[chosen].astype(np.int64), rows), branch.type, path
                )


def _find_missing_in(values: _Values, field: t.Field, path: str) -> Iterator[tuple[int, str]]:
    if not field.optional:
        missing = ~validity_of(values.column)[values.places]
        if missing.any():
            yield int(values.rows[missing.argmax()]), path
    yield from _find_missing(values, field.type, path)
