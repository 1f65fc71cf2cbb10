"""Times of rows in the units of a table's columns, exactly or not at all. Rule WRITE-31."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hudi_core.engine import Engine
from hudi_core.errors import RowError, SchemaError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import rewrite, with_children

_Path = tuple[str, ...]


def written_units(schema: Schema) -> Schema:
    """The schema with microseconds in the place of nanoseconds, which readers of Apache Hudi's base files have no type for."""
    record = rewrite(schema.record, _in_micros)
    assert isinstance(record, t.Record)
    return replace(schema, record=record)


def in_units_of(rows: Schema, table: Schema) -> Schema:
    """The schema of rows, with the table's unit in each column of times that both have, and none of nanoseconds in the others."""
    aligned = _aligned(written_units(rows).record, table.record)
    assert isinstance(aligned, t.Record)
    return replace(rows, record=aligned)


@dataclass(frozen=True)
class TimeUnits:
    """Brings rows of one schema to another that differs in units of times alone."""

    engine: Engine[Any, Any, Any]
    given: Schema
    wanted: Schema

    def rows(self, root: Any, first_row: int) -> Any:
        """A column of structs, of which the first has this number among all rows.

        Raises `RowError` with row and column for a value that is finer than its column, `SchemaError` for one beyond its range.
        """
        return self._value(root, self.given.record, self.wanted.record, (), first_row)

    def _value(self, value: Any, given: t.Type, wanted: t.Type, path: _Path, first_row: int | None) -> Any:
        if given == wanted:
            return value
        values = self.engine.values
        match given, wanted:
            case t.Record(), t.Record():
                parts = [
                    (to, self._value(values.field(value, place), source.type, to.type, (*path, to.name), first_row))
                    for place, (source, to) in enumerate(zip(given.fields, wanted.fields, strict=True))
                ]
                return values.struct(parts, values.is_null(value), value)
            case t.Array(source), t.Array(to):
                return values.elements(value, to, lambda one: self._value(one, source.type, to.type, path, None))
            case t.Map(value=source), t.Map(value=to):
                return values.entries(value, wanted, lambda one: self._value(one, source.type, to.type, path, None))
        return self._time(value, given, wanted, ".".join(path), first_row)

    def _time(self, value: Any, given: t.Type, wanted: t.Type, column: str, first_row: int | None) -> Any:
        values = self.engine.values
        try:
            converted = values.convert(value, given, wanted)
            again = values.convert(converted, wanted, given)
        except SchemaError as error:
            raise SchemaError(column, expected=error.expected or "", found=error.found or "") from None
        differs = self.engine.rows.flags(values.less(again, value, False, given))
        if differs.any():
            row = None if first_row is None else first_row + int(differs.argmax())
            raise RowError(row, expected=f"a value of {type_text(wanted)}", found="a finer one", path=column)
        return converted


def _aligned(rows: t.Type, table: t.Type) -> t.Type:
    match rows, table:
        case (t.Timestamp(_, zoned), t.Timestamp(_, has_zone)) if zoned == has_zone:
            return table
        case (t.Time(), t.Time()):
            return table
        case (t.Record(), t.Record()):
            fields: Mapping[str, t.Field] = {field.name: field for field in table.fields}
            return with_children(rows, tuple(_aligned_field(field, fields.get(field.name)) for field in rows.fields))
        case (t.Array(element), t.Array(has)):
            return with_children(rows, (_aligned_field(element, has),))
        case (t.Map(key, value), t.Map(_, has)):
            return with_children(rows, (key, _aligned_field(value, has)))
        case _:
            return rows


def _aligned_field(field: t.Field, other: t.Field | None) -> t.Field:
    aligned = field.type if other is None else _aligned(field.type, other.type)
    return field if aligned is field.type else replace(field, type=aligned)


def _in_micros(field: t.Field) -> t.Field:
    match field.type:
        case t.Timestamp(t.Unit.NANOS) | t.Time(t.Unit.NANOS):
            return replace(field, type=replace(field.type, unit=t.Unit.MICROS))
        case _:
            return field
