"""Rows in the types of a table's columns where only their form differs, exactly or not at all: times in other units, whole
numbers in floating-point columns, texts in columns of bytes. Rules: WRITE-31, WRITE-201, WRITE-501.

A frame of pandas has floating-point numbers where a column of integers misses a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hudi_core.columns.nodes import to_list
from hudi_core.engine import Engine
from hudi_core.errors import RowError, SchemaError
from hudi_core.functions.casts import CAST
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import rewrite, with_children

_Path = tuple[str, ...]

_EXACT: Final = {t.Float: 1 << 24, t.Double: 1 << 53}
"""Whole numbers from here on may stand for another one that was rounded."""
_NAN: Final = float("nan")


def written_units(schema: Schema) -> Schema:
    """The schema with microseconds in the place of nanoseconds, which readers of Apache Hudi's base files have no type for."""
    record = rewrite(schema.record, _in_micros)
    assert isinstance(record, t.Record)
    return replace(schema, record=record)


def aligned(rows: Schema, table: Schema, *, whole: bool = True) -> Schema:
    """The schema of rows with the table's type in columns that both have: its unit of times, its bytes for texts
    and, with `whole`, its integers for floating-point numbers. Other columns of times have no nanoseconds."""
    record = _aligned(written_units(rows).record, table.record, whole)
    assert isinstance(record, t.Record)
    return replace(rows, record=record)


def widens_integers(rows: Schema, table: Schema) -> bool:
    """Whether rows have floating-point numbers in a column of integers of the table."""
    return aligned(rows, table) != aligned(rows, table, whole=False)


@dataclass(frozen=True)
class ExactTypes:
    """Brings rows of one schema to that which `aligned` made of it."""

    engine: Engine[Any, Any, Any]
    given: Schema
    wanted: Schema

    def rows(self, root: Any, first_row: int) -> Any:
        """A column of structs, of which the first has this number among all rows.

        Raises `RowError` with row and column for a time that is finer than its column and for a number that is not whole or too
        large to be known exactly, `SchemaError` for a time beyond the range of its column.
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
        if isinstance(wanted, t.Binary):
            return values.convert(value, given, wanted)
        if isinstance(given, t.Float | t.Double):
            return self._whole(value, given, wanted, ".".join(path), first_row)
        return self._time(value, given, wanted, ".".join(path), first_row)

    def _whole(self, value: Any, given: t.Type, wanted: t.Type, column: str, first_row: int | None) -> Any:
        """Floating-point numbers as integers; NaN, by which pandas marks a missing value, as null."""
        values, flags = self.engine.values, self.engine.rows.flags
        value = values.replaced(value, values.one_of(value, (_NAN,), given), None, given)
        numbers = values.apply(CAST, [value], [given], wanted)
        again = values.apply(CAST, [numbers], [wanted], given)
        least, greatest = (
            values.literal(float(end), given, value) for end in (-_EXACT[type(given)], _EXACT[type(given)])
        )
        pairs = ((again, value, False), (value, again, False), (value, least, True), (greatest, value, True))
        others = np.logical_or.reduce([flags(values.less(low, high, equal, given)) for low, high, equal in pairs])
        if others.any():
            place = int(others.argmax())
            row = None if first_row is None else first_row + place
            found = to_list(self.engine.rows.to_column(value, given, column))[place]
            raise RowError(
                row, expected=f"a whole number, exact in {type_text(wanted)}", found=repr(found), path=column
            )
        return numbers

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


def _aligned(rows: t.Type, table: t.Type, whole: bool) -> t.Type:
    match rows, table:
        case (t.Float() | t.Double(), t.Int() | t.Long()) if whole:
            return table
        case (t.String(), t.Binary()):  # the other way round, bytes that are no text could not be read any more
            return table
        case (t.Timestamp(_, zoned), t.Timestamp(_, has_zone)) if zoned == has_zone:
            return table
        case (t.Time(), t.Time()):
            return table
        case (t.Record(), t.Record()):
            fields: Mapping[str, t.Field] = {field.name: field for field in table.fields}
            return with_children(
                rows, tuple(_aligned_field(field, fields.get(field.name), whole) for field in rows.fields)
            )
        case (t.Array(element), t.Array(has)):
            return with_children(rows, (_aligned_field(element, has, whole),))
        case (t.Map(key, value), t.Map(_, has)):
            return with_children(rows, (key, _aligned_field(value, has, whole)))
        case _:
            return rows


def _aligned_field(field: t.Field, other: t.Field | None, whole: bool) -> t.Field:
    data_type = field.type if other is None else _aligned(field.type, other.type, whole)
    return field if data_type is field.type else replace(field, type=data_type)


def _in_micros(field: t.Field) -> t.Field:
    match field.type:
        case t.Timestamp(t.Unit.NANOS) | t.Time(t.Unit.NANOS):
            return replace(field, type=replace(field.type, unit=t.Unit.MICROS))
        case _:
            return field
