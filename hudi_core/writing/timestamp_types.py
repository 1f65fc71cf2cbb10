"""Columns of times whose type a write corrects, by `hoodie.write.timestamp.logical.type.overrides`. Rules WRITE-830 to WRITE-832.

Writers of older releases left numbers without a type, or milliseconds under the type of microseconds. Their values say what
they count; the type that a batch has says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hudi_core.errors import SchemaError, UnknownColumnError, UnsupportedError, UsageError
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.table.column_summary import column_bounds
from hudi_core.table.table import Table
from hudi_core.types import nodes as t
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import rewrite

TIMESTAMP_TYPES: Final = "hoodie.write.timestamp.logical.type.overrides"
_BY_NAME: Final = {
    "timestamp-micros": t.Timestamp(t.Unit.MICROS),
    "timestamp-millis": t.Timestamp(t.Unit.MILLIS),
    "local-timestamp-micros": t.Timestamp(t.Unit.MICROS, zoned=False),
    "local-timestamp-millis": t.Timestamp(t.Unit.MILLIS, zoned=False),
}
_YEARS_OF: Final = {
    t.Unit.MILLIS: (631_152_000_000, 4_102_444_800_000),
    t.Unit.MICROS: (631_152_000_000_000, 4_102_444_800_000_000),
}
"""The numbers of the years 1990 to 2099, by what they count: no number is in both ranges."""
_WORDS: Final = {t.Unit.MILLIS: "milliseconds", t.Unit.MICROS: "microseconds"}


def timestamp_types(text: str) -> dict[str, t.Timestamp]:
    """The types by column that the value of the property states. Raises `UsageError` for another value.

    >>> timestamp_types("a.b: Timestamp-Millis, c:local-timestamp-micros")["a.b"]
    Timestamp(unit=<Unit.MILLIS: 1000>, zoned=True)
    """
    types: dict[str, t.Timestamp] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        column, _, name = (part.strip() for part in pair.rpartition(":"))
        if not column or name.lower() not in _BY_NAME:
            raise UsageError(
                TIMESTAMP_TYPES, expected=f"column:type with one of {', '.join(_BY_NAME)}", found=repr(pair)
            )
        types[column] = _BY_NAME[name.lower()]
    return types


def correct_types(table: Schema, rows: Schema, types: Mapping[str, t.Timestamp]) -> Schema:
    """The table's schema with the stated types where rows have times of another type than the table's column.

    Raises `UnknownColumnError` for a column that the table lacks, `SchemaError` for one that holds neither times of the same zone
    nor integers of 64 bits.
    """
    changes: dict[int, t.Timestamp] = {}
    for name, to in types.items():
        place = table.find(name)
        if place is None:
            expected = f"a column of the table, for {TIMESTAMP_TYPES}"
            raise UnknownColumnError(name, expected=expected, found=f"none{table.suggestion(name)}")
        had, comes = place.field.type, rows.find(name)
        if not isinstance(had, t.Long) and not (isinstance(had, t.Timestamp) and had.zoned == to.zoned):
            expected = (
                f"a column of long, or of times that is {'zoned' if to.zoned else 'local'}, to be {type_text(to)}"
            )
            raise SchemaError(name, expected=expected, found=type_text(had))
        if had != to and comes is not None and isinstance(comes.field.type, t.Timestamp) and comes.field.type != had:
            changes[place.field.id] = to
    record = rewrite(
        table.record, lambda field: replace(field, type=changes[field.id]) if field.id in changes else field
    )
    assert isinstance(record, t.Record)
    return replace(table, record=record)


def refuse_corrections(table: Table, after: Schema) -> None:
    """Raises `UnsupportedError` for a corrected column that is part of keys or partition paths, orders log records or has a
    default, and `SchemaError` for one whose stored numbers count something else."""
    for place, had, to in _corrections(table.schema, after):
        where = f"{TIMESTAMP_TYPES}: {place.name}"
        if place.field.default is not t.ABSENT and place.field.default is not None:
            raise UnsupportedError(where, expected="a column without a default", found=str(place.field.default))
        if use := _use(table, place.name):
            raise UnsupportedError(where, expected="a column whose type can be corrected", found=use)
        if not place.repeated:
            _refuse_contradicted(table, place, had, to)


def _corrections(before: Schema, after: Schema) -> Iterator[tuple[ColumnPlace, t.Long | t.Timestamp, t.Timestamp]]:
    """The columns whose type a correction changed: no other change makes times of another type."""
    for column_id, later in after.places.items():
        place = before.places.get(column_id)
        if place is None:
            continue
        had, has = place.field.type, later.field.type
        if isinstance(had, t.Long | t.Timestamp) and isinstance(has, t.Timestamp) and had != has:
            yield place, had, has


def _use(table: Table, name: str) -> str:
    config = table.config
    if name in config.record_key_fields:
        return "one of the record key"
    if name in {field.partition(":")[0] for field in config.partition_fields}:
        return "one of the partition path"
    if name in config.ordering_fields and any(file_slice.logs for file_slice in table.slices()):
        return "one that orders records of log files, which a compaction merges"
    return ""


def _refuse_contradicted(table: Table, place: ColumnPlace, had: t.Long | t.Timestamp, to: t.Timestamp) -> None:
    """Where bounds are known: stored times of another label count milliseconds, and stored integers what the type says."""
    counted = to.unit if isinstance(had, t.Long) else t.Unit.MILLIS
    other = t.Unit.MICROS if counted is t.Unit.MILLIS else t.Unit.MILLIS
    first, last = _YEARS_OF[other]
    for bound in column_bounds(table, place.name):
        if bound is not None and first <= bound < last:
            expected = f"stored numbers that count {_WORDS[counted]}, to be {type_text(to)}"
            raise SchemaError(place.name, expected=expected, found=f"{bound}, which counts {_WORDS[other]}")
