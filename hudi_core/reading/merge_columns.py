"""The columns that merging needs beside the wanted ones: the record key, ordering fields and delete markers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.arrays import Bools
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Column, PrimitiveColumn, StringColumn, StructColumn, length
from hudi_core.engine import Engine
from hudi_core.errors import CorruptFileError, SchemaError, UnsupportedError
from hudi_core.functions.casts import CAST
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import generator_of_table
from hudi_core.keys.generator import Generator
from hudi_core.merge.ordering_values import sortable
from hudi_core.merge.records import Precedence
from hudi_core.merge.rules import MergeRules, PartialUpdates
from hudi_core.options import TableConfig
from hudi_core.schema.meta import OPERATION, RECORD_KEY, is_meta
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.types import nodes as t

IS_DELETED = "_hoodie_is_deleted"
_OPERATIONS = ("I", "-U", "U", "D")
_DELETING = ("-U", "D")


@dataclass(frozen=True)
class MergeColumns:
    """Places of the columns that merging needs in `schema`, which has the wanted columns first and then these."""

    engine: Engine[Any, Any, Any]
    rules: MergeRules
    schema: Schema
    keys: tuple[ColumnPlace, ...]
    ordering: tuple[ColumnPlace, ...]
    is_deleted: ColumnPlace | None
    operation: ColumnPlace | None
    marker: ColumnPlace | None
    generator: KeyGenerator[Any, Any] | None = None
    """Makes the keys of rows with virtual keys."""

    @property
    def nulls_above(self) -> bool:
        """Rows without an ordering value lose to all others, also where the lower value wins."""
        return self.rules.precedence is Precedence.LOWER

    @cached_property
    def latest(self) -> Bools | None:
        """The columns that come from the newer row, whichever row wins. Rule MERGE-18."""
        if self.rules.partial is not PartialUpdates.IGNORE_NULLS:
            return None
        return np.array([is_meta(field.name) for field in self.schema.fields], np.bool_)

    @cached_property
    def keys_and_ordering(self) -> MergeColumns:
        """The record key and ordering fields alone: all that merging needs of rows of base files that are merged as a
        whole."""
        no_columns = replace(self.schema, record=replace(self.schema.record, fields=()))
        schema = with_columns(no_columns, self.schema, [*self.keys, *self.ordering])
        keys, ordering = (
            tuple(schema.place(place.field.id) for place in places) for places in (self.keys, self.ordering)
        )
        generator = self.generator and KeyGenerator(self.generator.generator, schema, self.engine.values)
        return MergeColumns(self.engine, self.rules, schema, keys, ordering, None, None, None, generator)

    def record_keys(self, root: Any, where: str) -> StringColumn:
        """The record keys of rows."""
        value = self._value(root, self.keys[0]) if self.generator is None else self.generator.keys(root).record_key
        column = self.engine.rows.to_column(value, t.String(), where)
        assert isinstance(column, StringColumn)
        if column.validity is not None and not column.validity.all():
            raise CorruptFileError(where, expected="a key in every record", found="null")
        return column

    def ordering_values(self, root: Any, where: str) -> tuple[Column, ...]:
        """The values of each ordering field, in the form in which they compare."""
        rows = self.engine.rows
        values = (rows.to_column(self._value(root, place), place.field.type, where) for place in self.ordering)
        return self.comparable_values(tuple(values), where)

    def comparable_values(self, ordering: tuple[Column, ...], where: str) -> tuple[Column, ...]:
        """Ordering values in the form in which they compare. Rule MERGE-19."""
        if not self.rules.binlog:
            return ordering
        return tuple(sortable(column, where) if isinstance(column, StringColumn) else column for column in ordering)

    @property
    def keeps_lone_rows(self) -> bool:
        """A row that meets no other with its key becomes the table's row as it is."""
        return self.rules.partial is None and not self.has_markers

    @property
    def has_markers(self) -> bool:
        """Whether rows have a column that can say that they are deleted. Rule MERGE-7."""
        return not (self.is_deleted is self.operation is self.marker is None)

    def find_deleted(self, root: Any, where: str) -> Bools:
        """Which rows of a log delete their key. Rule MERGE-7."""
        values, rows = self.engine.values, self.engine.rows
        deleted: Bools = np.zeros(rows.count(rows.batch(root)), np.bool_)
        if self.is_deleted is not None:
            deleted |= rows.flags(values.one_of(self._value(root, self.is_deleted), (True,), t.Boolean()))
        if self.operation is not None:
            operation = self._value(root, self.operation)
            is_known = values.some([values.is_null(operation), values.one_of(operation, _OPERATIONS, t.String())], root)
            if not (deleted | rows.flags(is_known)).all():
                raise CorruptFileError(
                    where, expected=f"one of {', '.join(_OPERATIONS)} in {OPERATION}", found="another operation"
                )
            deleted |= rows.flags(values.one_of(operation, _DELETING, t.String()))
        if self.marker is not None and self.rules.delete_marker is not None:
            marker_type, value = self.marker.field.type, self._value(root, self.marker)
            if not isinstance(marker_type, t.String | t.Enumeration):
                value, marker_type = values.apply(CAST, [value], [marker_type], t.String()), t.String()
            deleted |= rows.flags(values.one_of(value, (self.rules.delete_marker,), marker_type))
        return deleted

    def has_value(self, root: Any) -> Bools:
        """For each row and column whether the row has a value for it, by the rules of partial updates. Rule MERGE-10."""
        values, rows = self.engine.values, self.engine.rows
        has_value = np.ones((rows.count(rows.batch(root)), len(self.schema.fields)), np.bool_)
        for index, field in enumerate(self.schema.fields):
            if not is_meta(field.name) and (absent := self._absent(values.field(root, index), field)) is not None:
                has_value[:, index] = ~rows.flags(absent)
        return has_value

    def nulls(self, column_type: t.Type, rows: int) -> Column:
        """A column of the type that is null in all rows."""
        return self._compute(
            PrimitiveColumn(np.zeros(rows, np.int32)),
            t.Int(),
            lambda like: self.engine.values.literal(None, column_type, like),
            column_type,
        )

    def cast(self, column: Column, source: t.Type, to: t.Type) -> Column:
        """The values as SQL's CAST makes them."""
        apply = self.engine.values.apply
        return self._compute(column, source, lambda value: apply(CAST, [value], [source], to), to)

    def _compute(self, column: Column, source: t.Type, compute: Callable[[Any], Any], result_type: t.Type) -> Column:
        rows, values, where = self.engine.rows, self.engine.values, "ordering values"
        schema = Schema(t.Record((t.Field(0, "value", source),)))
        batches = rows.from_columns(StructColumn(length(column), {"value": column}), schema, where)
        parts = (rows.to_column(compute(values.field(rows.root(batch), 0)), result_type, where) for batch in batches)
        return concat_columns(parts, length(column))

    def _absent(self, value: Any, field: t.Field) -> Any:
        values = self.engine.values
        match self.rules.partial:
            case PartialUpdates.IGNORE_DEFAULTS if field.default is t.ABSENT or field.default is None:
                return values.is_null(value)
            case PartialUpdates.IGNORE_DEFAULTS:
                return values.one_of(value, (field.default,), field.type)
            case PartialUpdates.IGNORE_NULLS:
                return values.is_null(value)
            case PartialUpdates.FILL_UNAVAILABLE if self.rules.unavailable is not None:
                marker = self.rules.unavailable
                if isinstance(field.type, t.String):
                    return values.one_of(value, (marker,), field.type)
                return (
                    values.one_of(value, (marker.encode(),), field.type) if isinstance(field.type, t.Binary) else None
                )
            case _:
                return None

    def _value(self, root: Any, place: ColumnPlace) -> Any:
        for position in place.positions:
            root = self.engine.values.field(root, position)
        return root


def merge_columns(
    engine: Engine[Any, Any, Any],
    config: TableConfig,
    table: Schema,
    rules: MergeRules,
    wanted: Schema,
    where: str,
    with_keys: bool = True,
) -> MergeColumns:
    """The columns that merging needs, in a schema that begins with the wanted columns; no keys where it goes by position.

    An ordering field that the table lacks has no effect. Raises `SchemaError` for key or delete columns of a wrong
    type.
    """
    generator = None if config.populate_meta_fields or not with_keys else _generator(config, where)
    names = (RECORD_KEY,) if generator is None else generator.key.fields
    keys = [table.find(name) for name in names] if with_keys else []
    missing = [name for name, place in zip(names, keys, strict=False) if place is None]
    if with_keys and (missing or not keys):
        raise SchemaError(where, expected="columns that make record keys", found=f"no {', '.join(missing) or 'names'}")
    ordering = [place for name in rules.ordering_fields if (place := table.find(name)) is not None]
    is_deleted, operation = table.find(IS_DELETED), table.find(OPERATION)
    marker = table.find(rules.delete_field) if rules.delete_field else None
    if is_deleted is not None and not isinstance(is_deleted.field.type, t.Boolean):
        raise SchemaError(IS_DELETED, expected="a boolean", found=type(is_deleted.field.type).__name__.lower())
    merge_places = [place for place in (*keys, *ordering, is_deleted, operation, marker) if place is not None]
    schema = with_columns(wanted, table, merge_places)

    def within(place: ColumnPlace) -> ColumnPlace:
        return schema.place(place.field.id)

    return MergeColumns(
        engine,
        rules,
        schema,
        tuple(within(place) for place in keys if place is not None),
        tuple(map(within, ordering)),
        None if is_deleted is None else within(is_deleted),
        None if operation is None else within(operation),
        None if marker is None else within(marker),
        None if generator is None else KeyGenerator(generator, schema, engine.values),
    )


def _generator(config: TableConfig, where: str) -> Generator:
    """The generator of record keys of a table with virtual keys. It makes no partition paths."""
    generator = generator_of_table(config)
    if not isinstance(generator, Generator):
        raise UnsupportedError(
            where, expected="virtual keys made by one of Hudi's key generators", found="a key generator of your own"
        )
    return replace(generator, parts=())


def with_columns(wanted: Schema, table: Schema, places: list[ColumnPlace]) -> Schema:
    """The wanted columns, followed by the top-level columns of those places that are not among them."""
    fields = {field.id: field for field in wanted.fields}
    for place in places:
        if place.field.id not in wanted.places:
            top = table.fields[place.positions[0]]
            fields[top.id] = top
    return replace(wanted, record=replace(wanted.record, fields=tuple(fields.values())))
