"""Column ids for schemas that carry none: given over the table's life, by name.

Without schema evolution on read a table stores Avro schemas only, and its files are read by name. A column then is its path of
names, and whether it is a record, an array, a map, a union or a primitive value at that path: one that comes back under its
name is the one it was, as Apache Hudi reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hudi_core.schema.ids import make_hidden_ids, with_hidden_ids
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import Array, Field, Map, Nested, Record, RecordKind, Type, Union, children
from hudi_core.types.walk import with_children

_Key = tuple[Path, type[Type] | None]


def identify(versions: Iterable[Schema]) -> tuple[Schema, ...]:
    """The schemas of one table, oldest first, with ids by which their columns can be distinguished and reconciled.

    The first keeps the ids of Hudi's block rule; later ones have the ids of earlier columns with the same path, and new ids
    for the others, in the same order. `max_column_id` never decreases.
    """
    identity = _Identity()
    return tuple(identity.schema(version) for version in versions)


class _Identity:
    """The columns seen so far."""

    def __init__(self) -> None:
        self._known: dict[_Key, int] = {}
        self._max_column_id = -1

    def schema(self, version: Schema) -> Schema:
        record = self._number(version.record, ())
        assert isinstance(record, Record)
        return Schema(record, version.version, self._max_column_id)

    def _number(self, type: Type, path: Path) -> Type:
        """All fields of a record get their ids before any of them is descended."""
        fields = children(type)
        ids = [self._id(field, (*path, field.name)) for field in fields]
        pairs = zip(fields, ids, strict=True)
        return with_children(type, tuple(self._field(field, column, (*path, field.name)) for field, column in pairs))

    def _field(self, field: Field, column: int, path: Path) -> Field:
        data_type = field.type
        match data_type:
            case Record(kind=kind) if kind is not RecordKind.PLAIN:
                data_type = with_hidden_ids(data_type, column)
            case Union(branches):
                numbers = zip(branches, make_hidden_ids(column), strict=False)
                data_type = with_children(
                    data_type,
                    tuple(self._field(branch, branch_id, (*path, branch.name)) for branch, branch_id in numbers),
                )
            case Record() | Array() | Map():
                data_type = self._number(data_type, path)
        return field if field.id == column and data_type is field.type else replace(field, id=column, type=data_type)

    def _id(self, field: Field, path: Path) -> int:
        key = (path, type(field.type) if isinstance(field.type, Nested) else None)
        known_id = self._known.get(key)
        if known_id is None:
            self._max_column_id += 1
            known_id = self._known[key] = self._max_column_id
        return known_id
