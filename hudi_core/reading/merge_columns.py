"""The columns that merging looks at: the record key, ordering fields and marks of deletes, beside those that are wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import Bools, Column, PrimitiveColumn, StringColumn, StructColumn, length
from hudi_core.engine import Engine
from hudi_core.errors import CorruptFileError, SchemaError, UnsupportedError
from hudi_core.functions.casts import CAST
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import generator_of_table
from hudi_core.keys.generator import Generator
from hudi_core.merge.binlog import sortable
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
    """Where the columns that merging looks at stand in `schema`, which has the wanted columns and these."""

    engine: Engine[Any, Any, Any]
    rules: MergeRules
    schema: Schema
    keys: tuple[ColumnPlace, ...]
    ordering: tuple[ColumnPlace, ...]
    is_deleted: ColumnPlace | None
    operation: ColumnPlace | None
    marker: ColumnPlace | None
    generator: KeyGenerator[Any, Any] | None = None
    """What makes the keys of rows that do not have them."""

    @property
    def nulls_above(self) -> bool:
        """Rows without an ordering value lose to others, whatever theirs is: also where the lower one wins."""
        return self.rules.precedence is Precedence.LOWER

    @cached_property
    def latest(self) -> Bools | None:
        """Which columns are the newer row's, whichever wins. Rule MERGE-18."""
        if self.rules.partial is not PartialUpdates.IGNORE_NULLS:
            return None
        return np.array([is_meta(field.name) for field in self.schema.fields], np.bool_)

    @cached_property
    def bare(self) -> MergeColumns:
        """These columns without those that are wanted: the record key and ordering fields, all that is looked at in rows of
        base files that are taken whole."""
        none = replace(self.schema, record=replace(self.schema.record, fields=()))
        schema = widened(none, self.schema, [*self.keys, *self.ordering])
        keys, ordering = (
            tuple(schema.place(each.field.id) for each in places) for places in (self.keys, self.ordering)
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
        """The values of each ordering field, as they are compared."""
        rows = self.engine.rows
        found = (rows.to_column(self._value(root, each), each.field.type, where) for each in self.ordering)
        return self.compared(tuple(found), where)

    def compared(self, ordering: tuple[Column, ...], where: str) -> tuple[Column, ...]:
        """Ordering values as they are compared. Rule MERGE-19."""
        if not self.rules.binlog:
            return ordering
        return tuple(sortable(each, where) if isinstance(each, StringColumn) else each for each in ordering)

    def deleted(self, root: Any, where: str) -> Bools:
        """Which rows of a log delete their key. Rule MERGE-7."""
        values, rows = self.engine.values, self.engine.rows
        found: Bools = np.zeros(rows.count(rows.batch(root)), np.bool_)
        if self.is_deleted is not None:
            found |= rows.flags(values.one_of(self._value(root, self.is_deleted), (True,), t.Boolean()))
        if self.operation is not None:
            operation = self._value(root, self.operation)
            known = values.some([values.is_null(operation), values.one_of(operation, _OPERATIONS, t.String())], root)
            if not (found | rows.flags(known)).all():
                raise CorruptFileError(
                    where, expected=f"one of {', '.join(_OPERATIONS)} in {OPERATION}", found="another"
                )
            found |= rows.flags(values.one_of(operation, _DELETING, t.String()))
        if self.marker is not None and self.rules.delete_marker is not None:
            of, marked = self.marker.field.type, self._value(root, self.marker)
            if not isinstance(of, t.String | t.Enumeration):
                marked, of = values.apply(CAST, [marked], [of], t.String()), t.String()
            found |= rows.flags(values.one_of(marked, (self.rules.delete_marker,), of))
        return found

    def given(self, root: Any) -> Bools:
        """For each row and column whether the row has a value for it, by the rules of partial updates. Rule MERGE-10."""
        values, rows = self.engine.values, self.engine.rows
        found = np.ones((rows.count(rows.batch(root)), len(self.schema.fields)), np.bool_)
        for number, field in enumerate(self.schema.fields):
            if not is_meta(field.name) and (absent := self._absent(values.field(root, number), field)) is not None:
                found[:, number] = ~rows.flags(absent)
        return found

    def nulls(self, of: t.Type, rows: int) -> Column:
        """A column of the type that is null in all rows."""
        return self._made(
            PrimitiveColumn(np.zeros(rows, np.int32)),
            t.Int(),
            lambda like: self.engine.values.literal(None, of, like),
            of,
        )

    def cast(self, column: Column, source: t.Type, to: t.Type) -> Column:
        """The values as SQL's CAST makes them."""
        apply = self.engine.values.apply
        return self._made(column, source, lambda value: apply(CAST, [value], [source], to), to)

    def _made(self, column: Column, source: t.Type, make: Callable[[Any], Any], of: t.Type) -> Column:
        rows, values, where = self.engine.rows, self.engine.values, "ordering values"
        schema = Schema(t.Record((t.Field(0, "value", source),)))
        batches = rows.from_columns(StructColumn(length(column), {"value": column}), schema, where)
        parts = (rows.to_column(make(values.field(rows.root(batch), 0)), of, where) for batch in batches)
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
    """What merging looks at, in a schema that begins with the wanted columns; no keys where rows are found by position.

    An ordering field that the table does not have orders nothing. Raises `SchemaError` for key or delete columns of a type
    they cannot have.
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
    looked_at = [place for place in (*keys, *ordering, is_deleted, operation, marker) if place is not None]
    whole = widened(wanted, table, looked_at)

    def within(place: ColumnPlace) -> ColumnPlace:
        return whole.place(place.field.id)

    return MergeColumns(
        engine,
        rules,
        whole,
        tuple(within(place) for place in keys if place is not None),
        tuple(map(within, ordering)),
        None if is_deleted is None else within(is_deleted),
        None if operation is None else within(operation),
        None if marker is None else within(marker),
        None if generator is None else KeyGenerator(generator, whole, engine.values),
    )


def _generator(config: TableConfig, where: str) -> Generator:
    """What makes record keys of rows without Hudi's own columns. Partition paths are not asked for."""
    found = generator_of_table(config)
    if not isinstance(found, Generator):
        raise UnsupportedError(
            where, expected="virtual keys made by a generator of Hudi's", found="one of a user's own"
        )
    return replace(found, parts=())


def widened(wanted: Schema, table: Schema, places: list[ColumnPlace]) -> Schema:
    """The wanted columns, and behind them those of the places that are not among them, whole at the top."""
    chosen = {field.id: field for field in wanted.fields}
    for place in places:
        if place.field.id not in wanted.places:
            top = table.fields[place.positions[0]]
            chosen[top.id] = top
    return replace(wanted, record=replace(wanted.record, fields=tuple(chosen.values())))
