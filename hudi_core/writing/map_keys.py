"""Maps that have a key twice, which readers disagree on: some take the first value, some the last one. Rule WRITE-1324."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import Column, ListColumn, MapColumn, StringColumn, StructColumn
from hudi_core.columns.string_index import equal_strings, hash_strings
from hudi_core.errors import RowError
from hudi_core.types import nodes as t

_MIX = np.uint64(0x9E3779B97F4A7C15)


def has_maps(data_type: t.Type) -> bool:
    """Whether a type is a map, or has one in it."""
    return isinstance(data_type, t.Map) or any(has_maps(field.type) for field in t.children(data_type))


def refuse_repeated_map_keys(column: Column, name: str, first_row: int) -> None:
    """Raises `RowError` for a map, at any depth, that has a key twice; the first row of the column has this number."""
    rows = np.arange(first_row, first_row + _length(column))
    for path, maps, numbers in _maps_in(column, name, rows):
        _refuse_repeated(maps, path, numbers)


def _length(column: Column) -> int:
    match column:
        case StructColumn(length):
            return length
        case ListColumn(offsets) | MapColumn(offsets):
            return len(offsets) - 1
    return 0


def _maps_in(column: Column, path: str, rows: Numbers) -> Iterator[tuple[str, MapColumn, Numbers]]:
    """The maps in a column, each with its path and the rows of its values."""
    match column:
        case StructColumn(fields=fields):
            for name, field in fields.items():
                yield from _maps_in(field, f"{path}.{name}", rows)
        case ListColumn(offsets, items):
            yield from _maps_in(items, path, _rows_of_items(offsets, rows, _length(items)))
        case MapColumn(offsets, _, values):
            yield path, column, rows
            yield from _maps_in(values, path, _rows_of_items(offsets, rows, _length(values)))


def _rows_of_items(offsets: Numbers, rows: Numbers, count: int) -> Numbers:
    """The row of each item, of which there are so many; none of items that no row has."""
    if not count:
        return rows[:0]
    lengths = np.diff(offsets)
    numbers = np.zeros(count, np.int64)
    numbers[int(offsets[0]) : int(offsets[-1])] = rows.repeat(lengths)
    return numbers


def _refuse_repeated(maps: MapColumn, path: str, rows: Numbers) -> None:
    """The maps of all entries and the hashes of their keys are compared as one number; only if two are the same, exactly."""
    begin, end = int(maps.offsets[0]), int(maps.offsets[-1])
    if end - begin < 2:
        return
    keys = StringColumn(maps.keys.offsets[begin : end + 1], maps.keys.data)
    owners = np.repeat(np.arange(len(maps.offsets) - 1), np.diff(maps.offsets))
    marks = hash_strings(keys) + owners.astype(np.uint64) * _MIX
    ordered = np.sort(marks)
    if (ordered[1:] != ordered[:-1]).all():
        return
    order = np.argsort(marks, kind="stable")
    ends = np.flatnonzero(marks[order[1:]] == marks[order[:-1]])
    left, right = order[ends], order[ends + 1]
    same = (owners[left] == owners[right]) & equal_strings(keys, left, keys, right)
    if not same.any():
        return
    entry = int(right[same].min())
    key = keys.data[keys.offsets[entry] : keys.offsets[entry + 1]].tobytes().decode()
    raise RowError(int(rows[owners[entry]]), expected="each key of a map once", found=f"{key!r} twice", path=path)
