"""Which columns, and parts of structs, that a table states are in the rows of a file: the reader gives all of them, null where
no row has them. Rules ROWS-1320, WRITE-202."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from json import loads
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.incoming.json_types import Path
from hudi_arrow.numpy_arrays import to_numpy
from hudi_core.arrays import Numbers

Rows = Callable[[], Sequence[bytes]]
"""The texts of a piece's rows."""


class PresentParts:
    """The stated columns and parts that rows have: those with a value, and those that the first row with a struct names."""

    def __init__(self, types: Mapping[str, pa.DataType]) -> None:
        self._root = pa.struct(types.items())
        self._absent = set(_paths(self._root, ()))
        self._examined: set[Path] = set()

    def absent(self) -> set[Path]:
        """The parts that no row has, of structs that some row has."""
        return {path for path in self._absent if path[:-1] in self._examined}

    def note(self, table: pa.Table, rows: Rows) -> None:
        """Takes in a table of some rows, in the types of `read_form`, of which there is at least one."""
        if not self._absent:
            return
        self._examine((), 0, rows)
        for field in self._root:
            first = 0
            for column in table[field.name].chunks if field.name in table.column_names else ():
                self._note_part(column, field.type, (field.name,), np.arange(first, first + len(column)), rows)
                first += len(column)

    def _note_part(self, column: pa.Array, kind: pa.DataType, path: Path, numbers: Numbers, rows: Rows) -> None:
        if column.null_count == len(column):
            return
        self._absent.discard(path)
        if not pa.types.is_nested(kind) or not any(other[: len(path)] == path for other in self._absent):
            return
        if pa.types.is_struct(kind):
            if path not in self._examined:
                self._examine(path, int(numbers[pc.index(column.is_valid(), True).as_py()]), rows)
            parts = dict(zip([field.name for field in column.type], column.flatten(), strict=True))
            for field in kind:
                if field.name in parts:
                    self._note_part(parts[field.name], field.type, (*path, field.name), numbers, rows)
        else:
            inner, numbers = column.flatten(), numbers.repeat(to_numpy(column.value_lengths()))
            if pa.types.is_map(kind):
                self._note_part(inner.flatten()[1], kind.item_type, path, numbers, rows)
            else:
                self._note_part(inner, kind.value_type, path, numbers, rows)

    def _examine(self, path: Path, row: int, rows: Rows) -> None:
        if path in self._examined:
            return
        self._examined.add(path)
        for name in _names_at(loads(rows()[row]), self._root, path):
            self._absent.discard((*path, name))


def _paths(kind: pa.DataType, path: Path) -> Iterator[Path]:
    """The paths of all parts of structs in a type."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield (*path, field.name)
            yield from _paths(field.type, (*path, field.name))
    elif pa.types.is_nested(kind):
        yield from _paths(kind.item_type if pa.types.is_map(kind) else kind.value_type, path)


def _names_at(value: Any, kind: pa.DataType, path: Path) -> Iterator[str]:
    """The names that the structs of a path have in a value."""
    if pa.types.is_struct(kind):
        if isinstance(value, Mapping):
            if path:
                yield from _names_at(value.get(path[0]), kind.field(path[0]).type, path[1:])
            else:
                yield from value
    elif pa.types.is_map(kind):
        for item in value.values() if isinstance(value, Mapping) else [pair[1] for pair in value or ()]:
            yield from _names_at(item, kind.item_type, path)
    elif pa.types.is_nested(kind):
        for one in value or ():
            yield from _names_at(one, kind.value_type, path)
