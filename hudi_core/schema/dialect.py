"""Column paths as column statistics and Parquet write them: `a.list.element.x`, `m.key_value.value`.

Evolution and the persisted schema write `a.element.x` and `m.value` (`Place.name`). Neither dialect escapes a dot in a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.types.nodes import Array, Map, Type, children


def parquet_names(schema: Schema) -> dict[str, int]:
    """Column id by the path that statistics write; where dots in names make two paths one, the first in schema order."""
    names: dict[str, int] = {}
    for name, column in _names(schema.record, ()):
        names.setdefault(name, column)
    return names


def place_of_parquet_name(schema: Schema, name: str) -> ColumnPlace | None:
    """The place of a column by the path that statistics write, None when there is none."""
    column = parquet_names(schema).get(name)
    return None if column is None else schema.place(column)


def _names(type: Type, path: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    between = ("list",) if isinstance(type, Array) else ("key_value",) if isinstance(type, Map) else ()
    for field in children(type):
        inner = (*path, *between, field.name)
        yield ".".join(inner), field.id
        yield from _names(field.type, inner)
