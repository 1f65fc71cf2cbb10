"""Columns that indexes are made of by name: those that the name has meant all the time."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.schema.schema import ColumnPlace, Schema


def stable_column(name: str, wanted: Schema, versions: Sequence[Schema]) -> ColumnPlace | None:
    """The column of this name, outside lists and maps, if in every version the name was this column's, with one type.

    An index does not record the version of the schema under which it was made.
    """
    column = wanted.find(name)
    if column is None or column.repeated:
        return None
    for version in versions:
        named, own = version.find(name), version.places.get(column.field.id)
        if (named is None) != (own is None):
            return None
        if own is not None and (own is not named or own.field.type != column.field.type):
            return None
    return column
