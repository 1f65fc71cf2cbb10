"""Ordering values of delete blocks as columns of the ordering fields' types, and the reverse. Rules MERGE-6, WRITE-1480."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import (
    Column,
    ListColumn,
    PrimitiveColumn,
    StructColumn,
    UnionColumn,
    length,
    spread,
    validity_of,
)
from hudi_core.columns.slicing import take_values
from hudi_core.errors import UnsupportedError
from hudi_core.formats.deletes import wrap_lists, wrap_values
from hudi_core.types import nodes as t

_INT, _LONG = "IntWrapper", "LongWrapper"
_ARRAY = "ArrayWrapper"

_KINDS: dict[type, tuple[str, ...]] = {
    t.Boolean: ("BooleanWrapper",),
    t.Int: (_INT,),
    t.Long: (_LONG,),
    t.Float: ("FloatWrapper",),
    t.Double: ("DoubleWrapper",),
    t.String: ("StringWrapper",),
    t.Binary: ("BytesWrapper",),
    t.Date: ("DateWrapper", "LocalDateWrapper", _INT),
    t.Time: ("TimeMicrosWrapper", _LONG, _INT),
    t.Timestamp: ("TimestampMicrosWrapper", _LONG),
    t.Decimal: ("DecimalWrapper",),
}
"""The kinds of value that a delete may have for a field of a type. Writers on Spark store dates and times as integers."""


LISTED_DECIMAL = t.Decimal(30, 15)
"""The type of decimals in delete blocks, whatever the ordering field's is."""


class OrderingColumns(Protocol):
    """Operations of an engine on columns of a type."""

    def nulls(self, type: t.Type, rows: int) -> Column:
        """A column of the type that is null in all rows."""
        ...

    def cast(self, column: Column, source: t.Type, to: t.Type) -> Column:
        """The values as SQL's CAST makes them."""
        ...


def delete_ordering(
    values: Column, types: Sequence[t.Type], engine: OrderingColumns
) -> tuple[tuple[Column, ...], Bools]:
    """For each ordering field its values in deletes, and which deletes are absolute: their ordering value is missing, is
    the int 0 that stands for none, or is of another type than the field's.

    Raises `UnsupportedError` for a type whose form in delete blocks is unknown.
    """
    rows = length(values)
    if not types or not isinstance(values, UnionColumn):
        return tuple(engine.nulls(column_type, rows) for column_type in types), np.ones(rows, np.bool_)
    parts = [values] if len(types) == 1 else _list(values, len(types))
    columns, has_value = [], np.ones(rows, np.bool_)
    for part, ordering_type in zip(parts, types, strict=True):
        column, valid = _values_of_type(part, rows, ordering_type, engine)
        columns.append(column)
        has_value &= valid
    if len(types) == 1:
        has_value &= ~_zero_ints(values)
    return tuple(columns), ~has_value


_WRITTEN: dict[type, str] = {
    t.Boolean: "BooleanWrapper",
    t.Int: _INT,
    t.Long: _LONG,
    t.Float: "FloatWrapper",
    t.Double: "DoubleWrapper",
    t.String: "StringWrapper",
    t.Binary: "BytesWrapper",
    t.Date: _INT,
    t.Timestamp: _LONG,
    t.Decimal: "DecimalWrapper",
}
"""The kind of value in which writers on Spark state a field of a type, which its readers compare with those of rows."""


def list_ordering(
    values: Sequence[Column], types: Sequence[t.Type], engine: OrderingColumns
) -> tuple[UnionColumn, Bools] | None:
    """The values of the ordering fields as delete blocks state them, of those deletes that the flags are true for: the others
    lack a value, or theirs would be read as none. None where a type of the fields has no form there."""
    if not types or not all(map(_has_form, types)):
        return None
    stated = np.ones(length(values[0]), np.bool_)
    columns = [_as_listed(column, ordering_type, engine) for column, ordering_type in zip(values, types, strict=True)]
    for column, ordering_type in zip(columns, types, strict=True):
        stated &= validity_of(column)
        if len(types) == 1 and _WRITTEN[type(ordering_type)] == _INT and isinstance(column, PrimitiveColumn):
            stated &= column.values != 0
    rows = np.flatnonzero(stated)
    fields = [
        (_WRITTEN[type(ordering_type)], take_values(column, rows))
        for column, ordering_type in zip(columns, types, strict=True)
    ]
    return (wrap_values(*fields[0]) if len(fields) == 1 else wrap_lists(fields)), stated


def _has_form(ordering_type: t.Type) -> bool:
    is_cut = isinstance(ordering_type, t.Decimal) and ordering_type.scale > LISTED_DECIMAL.scale
    return type(ordering_type) in _WRITTEN and not is_cut


def _as_listed(column: Column, ordering_type: t.Type, engine: OrderingColumns) -> Column:
    """The values in the type of delete blocks; null where they have too many digits for it."""
    return engine.cast(column, ordering_type, LISTED_DECIMAL) if isinstance(ordering_type, t.Decimal) else column


_Part = UnionColumn | tuple[UnionColumn, Numbers, Numbers]
"""Values, or of some deletes the row of each among others."""


def _list(values: UnionColumn, fields: int) -> list[_Part]:
    """The value of each field in those deletes that have as many; deletes of this library list none."""
    if _ARRAY not in values.names:
        none = np.zeros(0, np.int64)
        return [(values, none, none)] * fields
    number = values.names.index(_ARRAY)
    wrapped = values.children[number]
    lists = wrapped.fields["wrappedValues"] if isinstance(wrapped, StructColumn) else None
    if not isinstance(lists, ListColumn) or not isinstance(lists.items, UnionColumn):
        raise UnsupportedError("ordering values", expected="lists of values", found=type(lists).__name__)
    right = np.flatnonzero(np.diff(lists.offsets) == fields)
    deletes = np.flatnonzero(values.branches == number)[right]
    return [(lists.items, deletes, lists.offsets[right] + field) for field in range(fields)]


def _values_of_type(part: _Part, rows: int, ordering_type: t.Type, engine: OrderingColumns) -> tuple[Column, Bools]:
    """The values of a field, null where a delete has none of its type, and where it has one."""
    values, deletes, places = part if isinstance(part, tuple) else (part, np.arange(rows), np.arange(rows))
    branches, positions = values.branches[places], values.positions()[places]
    kinds = _KINDS.get(type(ordering_type), ())
    without_value = [number for number, name in enumerate(values.names) if name in ("null", _INT)]
    if not kinds and not np.isin(branches, without_value).all():
        raise UnsupportedError(
            "delete blocks",
            expected="an ordering field whose type is known there",
            found=type(ordering_type).__name__.lower(),
        )
    column: Column | None = None
    has_value = np.zeros(rows, np.bool_)
    for kind in kinds:
        if kind not in values.names:
            continue
        number = values.names.index(kind)
        chosen = np.flatnonzero(branches == number)
        child = values.children[number]
        if len(chosen) == 0 or not isinstance(child, StructColumn):
            continue
        of_kind = take_values(child.fields["value"], positions[chosen].astype(np.int64))
        if isinstance(ordering_type, t.Timestamp | t.Time) and kind.endswith("MicrosWrapper"):
            of_kind = _in_unit(of_kind, ordering_type.unit)
        elif isinstance(ordering_type, t.Decimal):
            of_kind = engine.cast(of_kind, LISTED_DECIMAL, ordering_type)
        part_rows = spread(of_kind, deletes[chosen], rows)
        column = part_rows if column is None else _sum_of_disjoint(column, part_rows)
        has_value[deletes[chosen]] = True
    return engine.nulls(ordering_type, rows) if column is None else column, has_value


def _in_unit(column: Column, unit: t.Unit) -> Column:
    assert isinstance(column, PrimitiveColumn)
    micros = column.values.astype(np.int64)
    match unit:
        case t.Unit.MILLIS:
            return PrimitiveColumn(micros // 1_000)
        case t.Unit.MICROS:
            return PrimitiveColumn(micros)
        case t.Unit.NANOS:
            return PrimitiveColumn(micros * 1_000)


def _sum_of_disjoint(first: Column, second: Column) -> Column:
    """Numbers of two columns of which each row has one at most."""
    assert isinstance(first, PrimitiveColumn)
    assert isinstance(second, PrimitiveColumn)
    assert first.validity is not None
    assert second.validity is not None
    return PrimitiveColumn(first.values.astype(np.int64) + second.values, first.validity | second.validity)


def _zero_ints(values: UnionColumn) -> Bools:
    zero = np.zeros(len(values.branches), np.bool_)
    if _INT in values.names:
        number = values.names.index(_INT)
        child = values.children[number]
        if isinstance(child, StructColumn) and isinstance(ints := child.fields["value"], PrimitiveColumn):
            zero[values.branches == number] = ints.values == 0
    return zero
