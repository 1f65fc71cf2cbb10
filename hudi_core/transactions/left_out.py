"""Partition columns that files leave out: which tables can have them, and which paths give their values back. Rules WRITE-1651,
WRITE-1652."""

from __future__ import annotations

from collections.abc import Collection

from hudi_core.errors import UnsupportedError
from hudi_core.evolve.fields import brief
from hudi_core.keys.path_values import is_value_of_path, path_values
from hudi_core.options import TableConfig
from hudi_core.schema.schema import ColumnPlace, Schema


def refuse_left_out(config: TableConfig, schema: Schema, where: str) -> None:
    """Raises `UnsupportedError` for a table whose files leave out columns that a row cannot do without, or whose values its paths
    do not give. Rule WRITE-1651."""
    if not config.left_out_columns:
        return
    without = "where files leave partition columns out"
    if not config.populate_meta_fields:
        raise UnsupportedError(where, expected=f"stored record keys {without}", found="virtual keys")
    if ordering := config.left_out_columns.intersection(config.ordering_fields):
        raise UnsupportedError(where, expected=f"ordering columns that files have {without}", found=min(ordering))
    for position, place in enumerate(_places(config, schema, where)):
        if not is_value_of_path(config, position, place.field.type):
            expected = f"paths that give the value of {place.name}, which files leave out"
            raise UnsupportedError(where, expected=expected, found=_describe(config, place))


def refuse_lost_values(config: TableConfig, schema: Schema, partitions: Collection[str], where: str) -> None:
    """Raises `UnsupportedError` for a path that does not give the values of the columns that a table's files leave out. Rule
    WRITE-1652."""
    places = _places(config, schema, where)
    types = [place.field.type for place in places]
    for path in partitions:
        for place, value in zip(places, path_values(path, config, types), strict=True):
            if value is None or not value.is_exact:
                expected = f"a path that gives the value of {place.name}, which files leave out"
                raise UnsupportedError(where, expected=expected, found=repr(path))


def _places(config: TableConfig, schema: Schema, where: str) -> list[ColumnPlace]:
    places = []
    for name in config.partition_fields:
        place = schema.find((name,))
        if place is None:
            raise UnsupportedError(where, expected="top-level partition columns where files leave them out", found=name)
        places.append(place)
    return places


def _describe(config: TableConfig, place: ColumnPlace) -> str:
    generator = "dates with slashes" if config.slash_separated_dates else f"the {config.key_generator} key generator"
    return f"{generator} of {brief(place.field.type)}"
