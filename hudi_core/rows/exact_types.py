"""Rows in the types of a table's columns where only their form differs, exactly or not at all: times in other units, numbers in
columns of other numbers, texts and bytes. Rules: WRITE-31, WRITE-201, WRITE-501, WRITE-800, WRITE-801, WRITE-1579.

A frame of pandas has floating-point numbers where a column of integers or decimals misses a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hudi_core.arrays import Bools
from hudi_core.columns.nodes import to_list
from hudi_core.engine import Engine, InputRows
from hudi_core.errors import RowError, SchemaError
from hudi_core.functions.casts import CAST
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import rewrite, with_children

_Path = tuple[str, ...]

_EXACT: Final = {t.Float: 1 << 24, t.Double: 1 << 53}
"""Whole numbers from here on may stand for another one that was rounded."""
BEYOND: Final = {t.Int: float(1 << 31), t.Long: float(1 << 63)}
"""The least number above all integers of a type: a cast to one stops at the greatest."""
_NAN: Final = float("nan")
_TEXTS_EXPECTED: Final = "a text, or an integer, as frame.astype({...: 'Int64'}) makes it of a number beside a gap"


def choose_written_units(schema: Schema) -> Schema:
    """The schema with microseconds in the place of nanoseconds, which readers of Apache Hudi's base files have no type for."""
    record = rewrite(schema.record, _in_micros)
    assert isinstance(record, t.Record)
    return replace(schema, record=record)


def align_schema(rows: Schema, table: Schema, *, whole: bool = True) -> Schema:
    """The schema of rows with the table's type in columns that both have: its unit of times, its bytes for texts and texts for
    bytes, its floating-point numbers for integers, its decimals and, with `whole`, its integers for floating-point numbers.
    Other columns of times have no nanoseconds."""
    record = _align(choose_written_units(rows).record, table.record, whole)
    assert isinstance(record, t.Record)
    return replace(rows, record=record)


def widens_integers(rows: Schema, table: Schema) -> bool:
    """Whether rows have floating-point numbers in a column of integers of the table."""
    return align_schema(rows, table) != align_schema(rows, table, whole=False)


def without_floats_for_texts(engine: Engine[Any, Any, Any], given: InputRows[Any], table: Schema) -> InputRows[Any]:
    """The rows, which raise `RowError` for a floating-point number of a frame of pandas in a column of texts of the table.

    Where a value is missing its integers are such numbers, and `7.0` would be another text than `7`, and another key. Rule
    WRITE-1579.
    """
    positions = [
        position
        for position, field in enumerate(given.schema.fields)
        if isinstance(field.type, t.Float | t.Double) and _has_texts(table.find(field.name, case_sensitive=False))
    ]
    if not given.inferred or not positions:
        return given
    return replace(given, batches=_refuse_numbers(engine, given, positions))


def _has_texts(place: ColumnPlace | None) -> bool:
    return place is not None and isinstance(place.field.type, t.String)


def _refuse_numbers(engine: Engine[Any, Any, Any], given: InputRows[Any], positions: Sequence[int]) -> Iterator[Any]:
    first, values = 0, engine.values
    for batch in given.batches:
        root = engine.rows.root(batch)
        for position in positions:
            is_number = ~engine.rows.flags(values.is_null(values.field(root, position)))
            if is_number.any():
                field, row = given.schema.fields[position], first + int(is_number.argmax())
                found = f"a {type_text(field.type)} in a frame of pandas"
                raise RowError(row, expected=_TEXTS_EXPECTED, found=found, path=field.name)
        first += engine.rows.count(batch)
        yield batch


@dataclass(frozen=True, slots=True)
class _Place:
    """A column, and the number of its first value's row; None where values are no rows: of a list."""

    column: str
    first_row: int | None

    def row(self, offset: int) -> int | None:
        return None if self.first_row is None else self.first_row + offset


@dataclass(frozen=True)
class ExactTypes:
    """Brings rows of one schema to that which `align_schema` made of it."""

    engine: Engine[Any, Any, Any]
    given: Schema
    wanted: Schema

    def rows(self, root: Any, first_row: int) -> Any:
        """A column of structs, of which the first has this number among all rows.

        Raises `RowError` with row and column for a time that is finer than its column, for a number that its column would round
        and for bytes that are no text, `SchemaError` for a time beyond the range of its column.
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
        place = _Place(".".join(path), first_row)
        match given, wanted:
            case _, t.Binary():
                return values.convert(value, given, wanted)
            case t.Binary(), _:
                return self._text(value, given, wanted, place)
            case t.Float() | t.Double(), t.Int() | t.Long():
                return self._whole(value, given, wanted, place)
            case t.Float() | t.Double(), _:
                return self._digits(value, given, wanted, place)
            case t.Int() | t.Long(), _:
                return self._float(value, given, wanted, place)
        return self._time(value, given, wanted, place)

    def _whole(self, value: Any, given: t.Type, wanted: t.Type, place: _Place) -> Any:
        """Floating-point numbers as integers; NaN, by which pandas marks a missing value, as null."""
        values, flags = self.engine.values, self.engine.rows.flags
        value = self._without_nan(value, given)
        numbers, others = self._there_and_back(value, given, wanted)
        ends = (values.literal(float(end), given, value) for end in (-_EXACT[type(given)], _EXACT[type(given)]))
        least, greatest = ends
        others |= flags(values.less(value, least, True, given)) | flags(values.less(greatest, value, True, given))
        self._refuse_first(others, value, given, f"a whole number, exact in {type_text(wanted)}", place)
        return numbers

    def _digits(self, value: Any, given: t.Type, wanted: t.Type, place: _Place) -> Any:
        """Floating-point numbers as decimals, by their shortest decimal form; NaN as null."""
        # SQL's cast takes a float for the double that it is, not for its shortest form.
        value = self._without_nan(self.engine.values.convert(value, given, t.Double()), t.Double())
        numbers, others = self._there_and_back(value, t.Double(), wanted)
        self._refuse_first(others, value, t.Double(), f"a number whose shortest form is a {type_text(wanted)}", place)
        return numbers

    def _float(self, value: Any, given: t.Type, wanted: t.Type, place: _Place) -> Any:
        """Integers as floating-point numbers."""
        values = self.engine.values
        numbers, others = self._there_and_back(value, given, wanted)
        beyond = values.literal(BEYOND[type(given)], wanted, value)
        others |= self.engine.rows.flags(values.less(beyond, numbers, True, wanted))
        self._refuse_first(others, value, given, f"an integer that {type_text(wanted)} has exactly", place)
        return numbers

    def _without_nan(self, value: Any, given: t.Type) -> Any:
        values = self.engine.values
        return values.replace(value, values.one_of(value, (_NAN,), given), None, given)

    def _there_and_back(self, value: Any, given: t.Type, wanted: t.Type) -> tuple[Any, Bools]:
        """The numbers in the wanted type, and flags of those that are others, or none, in it."""
        values, flags = self.engine.values, self.engine.rows.flags
        numbers = values.apply(CAST, [value], [given], wanted)
        again = values.apply(CAST, [numbers], [wanted], given)
        lost = flags(values.is_null(numbers)) & ~flags(values.is_null(value))
        differs = flags(values.less(again, value, False, given)) | flags(values.less(value, again, False, given))
        return numbers, lost | differs

    def _refuse_first(self, others: Bools, value: Any, given: t.Type, expected: str, place: _Place) -> None:
        if others.any():
            first = int(others.argmax())
            found = to_list(self.engine.rows.to_column(value, given, place.column))[first]
            raise RowError(place.row(first), expected=expected, found=repr(found), path=place.column)

    def _text(self, value: Any, given: t.Type, wanted: t.Type, place: _Place) -> Any:
        """Bytes as the texts that they are in UTF-8."""
        try:
            return self.engine.values.convert(value, given, wanted)
        except SchemaError as error:
            parts = to_list(self.engine.rows.to_column(value, given, place.column))
            first = next(number for number, one in enumerate(parts) if one is not None and not _is_text(one))
            found = repr(parts[first])
            raise RowError(place.row(first), expected="bytes that are UTF-8", found=found, path=place.column) from error

    def _time(self, value: Any, given: t.Type, wanted: t.Type, place: _Place) -> Any:
        values = self.engine.values
        try:
            converted = values.convert(value, given, wanted)
            again = values.convert(converted, wanted, given)
        except SchemaError as error:
            raise SchemaError(place.column, expected=error.expected or "", found=error.found or "") from None
        differs = self.engine.rows.flags(values.less(again, value, False, given))
        if differs.any():
            row = place.row(int(differs.argmax()))
            raise RowError(row, expected=f"a value of {type_text(wanted)}", found="a finer one", path=place.column)
        return converted


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _align(rows: t.Type, table: t.Type, whole: bool) -> t.Type:
    match rows, table:
        case (t.Float() | t.Double(), t.Int() | t.Long()) if whole:
            return table
        case (t.Int() | t.Long(), t.Float()) | (t.Long(), t.Double()) | (t.Float() | t.Double(), t.Decimal()):
            return table
        case (t.String(), t.Binary()) | (t.Binary(), t.String()):
            return table
        case (t.Timestamp(_, zoned), t.Timestamp(_, has_zone)) if zoned == has_zone:
            return table
        case (t.Time(), t.Time()):
            return table
        case (t.Record(), t.Record()):
            fields: Mapping[str, t.Field] = {field.name: field for field in table.fields}
            return with_children(
                rows, tuple(_align_field(field, fields.get(field.name), whole) for field in rows.fields)
            )
        case (t.Array(element), t.Array(has)):
            return with_children(rows, (_align_field(element, has, whole),))
        case (t.Map(key, value), t.Map(_, has)):
            return with_children(rows, (key, _align_field(value, has, whole)))
        case _:
            return rows


def _align_field(field: t.Field, other: t.Field | None, whole: bool) -> t.Field:
    data_type = field.type if other is None else _align(field.type, other.type, whole)
    return field if data_type is field.type else replace(field, type=data_type)


def _in_micros(field: t.Field) -> t.Field:
    match field.type:
        case t.Timestamp(t.Unit.NANOS) | t.Time(t.Unit.NANOS):
            return replace(field, type=replace(field.type, unit=t.Unit.MICROS))
        case _:
            return field
