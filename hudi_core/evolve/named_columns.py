"""Columns that a table's properties name: what a change of the schema makes of them. Rule CHANGE-10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hudi_core.schema.schema import Schema


def lost_names(before: Schema, after: Schema, named: Mapping[str, Sequence[str]]) -> list[str]:
    """A sentence for each column that properties name and that is dropped or renamed; `named` has columns by property.

    Ids tell which column is which, so that a column inside one that is renamed counts too.
    """
    lost = []
    for key, columns in named.items():
        for column in columns:
            place = before.find(column)
            if place is None:
                continue
            left = after.places.get(place.field.id)
            if left is None or left.name != place.name:
                became = "dropped" if left is None else f"renamed to {left.name}"
                lost.append(f"{column} is {became}, and {key} names it: the property has to change with the schema")
    return lost
