"""Columns that indexes are made of by name: those that the name has meant all the time."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.schema.schema import ColumnPlace, Schema


def steady_column(name: str, wanted: Schema, versions: Sequence[Schema]) -> ColumnPlace | None:
    """The column of this name, outside lists and maps, if in every version the name was this column's, with one type.

    An index does not tell under which version of the schema it was made.
    """
    place = wanted.find(name)
    if place is None or place.repeated:
        return None
    for version in versions:
        named, known = version.find(name), version.places.get(place.field.id)
        if (named is None) != (known is None):
            return None
        if known is not None and (known is not named or known.field.type != place.field.type):
            return None
    return place
