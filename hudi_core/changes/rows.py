"""The form of changes: their columns and operations, and batches of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings
from hudi_core.engine import Engine
from hudi_core.errors import CorruptFileError
from hudi_core.schema.ids import NO_ID, record_with_missing_ids
from hudi_core.schema.meta import RECORD_KEY, is_meta
from hudi_core.schema.project import with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Field, Record, String, Type, children
from hudi_core.types.walk import with_children

OPERATION, TIME, BEFORE, AFTER = "op", "ts_ms", "before", "after"
INSERT, UPDATE, DELETE = "i", "u", "d"


def changes_schema(table: Schema, *, meta: bool) -> Schema:
    """The schema of changes: `op` (`i`, `u`, `d`), `ts_ms` (the commit's requested time), and `before` and `after`, rows of the
    table, with `meta` with the meta columns; null where there was none."""
    image = Record(tuple(field for field in with_all_optional(table).fields if meta or not is_meta(field.name)))
    fields = (
        Field(NO_ID, OPERATION, String(), optional=False),
        Field(NO_ID, TIME, String(), optional=False),
        Field(NO_ID, BEFORE, _without_ids(image)),
        Field(NO_ID, AFTER, _without_ids(image)),
    )
    return Schema(record_with_missing_ids(Record(fields)))


def _without_ids(column_type: Type) -> Type:
    inner = tuple(replace(field, id=NO_ID, type=_without_ids(field.type)) for field in children(column_type))
    return with_children(column_type, inner)


@dataclass(frozen=True)
class ChangeRows:
    """Makes batches of changes (schema `changes`) from the rows before and after a commit (schema `images`)."""

    engine: Engine[Any, Any, Any]
    changes: Schema
    images: Schema
    time: str
    """The commit's requested time."""

    def from_images(self, operation: str, before: Any, after: Any) -> Any:
        """A batch of changes. An update whose row before is null throughout is an insert."""
        values, rows = self.engine.values, self.engine.rows
        like = rows.root(after if after is not None else before)
        operations = values.literal(operation, String(), like)
        if operation == UPDATE:
            new = values.is_null(values.field(rows.root(before), self._key_position))
            inserted = values.literal(INSERT, String(), like)
            operations = values.choose(new, inserted, operations, String())
        return self.batch(operations, before, after, like)

    def batch(self, operations: Any, before: Any, after: Any, like: Any) -> Any:
        """A batch of changes with these operations. A row without a key is missing; None is no rows at all."""
        values, rows = self.engine.values, self.engine.rows
        op_, time_, before_, after_ = self.changes.fields
        no_row_is_null = values.is_null(operations)
        images = []
        for field, batch in ((before_, before), (after_, after)):
            if batch is None:
                images.append((field, values.literal(None, field.type, like)))
                continue
            root = rows.root(batch)
            parts = [(inner, values.field(root, self._positions[inner.name])) for inner in _fields(field)]
            images.append((field, values.struct(parts, values.is_null(values.field(root, self._key_position)), root)))
        time = values.literal(self.time, String(), like)
        return rows.batch(values.struct([(op_, operations), (time_, time), *images], no_row_is_null, like))

    def keys_of(self, batches: Sequence[Any], position: int | None = None) -> StringColumn:
        """The record keys of batches of rows, one after the other."""
        return concat_strings([self.keys(batch, position) for batch in batches])

    def keys(self, batch: Any, position: int | None = None) -> StringColumn:
        """The record keys of rows; `position` is that of the key where they have other columns than `images`."""
        where = f"changes of {self.time}"
        value = self.engine.values.field(
            self.engine.rows.root(batch), self._key_position if position is None else position
        )
        keys = self.engine.rows.to_column(value, String(), where)
        if not isinstance(keys, StringColumn) or (keys.validity is not None and not keys.validity.all()):
            raise CorruptFileError(where, expected="a key in every row", found="null")
        return keys

    @cached_property
    def _key_position(self) -> int:
        return self._positions[RECORD_KEY]

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {field.name: position for position, field in enumerate(self.images.fields)}


def _fields(image: Field) -> Sequence[Field]:
    assert isinstance(image.type, Record)
    return image.type.fields
