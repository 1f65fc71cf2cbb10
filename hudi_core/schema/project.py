"""Schemas made of a schema: columns chosen, ordered, made optional. Ids stay, and so does the greatest id ever given."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from hudi_core.schema.names import refuse_repeated
from hudi_core.schema.schema import ColumnPlace, Path, Schema
from hudi_core.types import nodes as t
from hudi_core.types.nodes import children
from hudi_core.types.walk import with_children


def project(
    schema: Schema, columns: Iterable[Path | str], *, case_sensitive: bool = True, requested_order: bool = False
) -> Schema:
    """The schema with these columns, all that is in them and the records, arrays and maps around them, in schema order.

    With `requested_order` top-level columns come in the order of `columns`. A key goes with its map, and a union, a variant
    or a blob is taken whole. Raises `UnknownColumnError`.
    """
    requested = [schema.get(column, case_sensitive=case_sensitive) for column in columns]
    wanted: _Wanted = {}
    for place in requested:
        _add(wanted, schema, place)
    fields = [_choose(field, wanted[field.id]) for field in schema.fields if field.id in wanted]
    if requested_order:
        order = {column_id: position for position, column_id in enumerate(wanted)}
        fields.sort(key=lambda field: order[field.id])
    return replace(schema, record=replace(schema.record, fields=tuple(fields)))


def choose_columns(schema: Schema, columns: Iterable[str], *, case_sensitive: bool) -> Schema:
    """The schema with the columns that a query names, in the order of these names. Rule QUERY-1472.

    Raises `UnknownColumnError`, and `UsageError` for a column that is named twice: the answer would have it once.
    """
    named = tuple(columns)
    refuse_repeated("columns", named, (schema.get(name, case_sensitive=case_sensitive).field.id for name in named))
    return project(schema, named, case_sensitive=case_sensitive, requested_order=True)


def leave_out(schema: Schema, names: Collection[str]) -> Schema:
    """The schema without its top-level columns of these names; the same object where it has none."""
    kept = tuple(column for column in schema.fields if column.name not in names)
    if len(kept) == len(schema.fields):
        return schema
    return replace(schema, record=replace(schema.record, fields=kept))


def with_all_optional(schema: Schema) -> Schema:
    """The schema with every top-level column optional, and null its default."""
    fields = tuple(replace(field, optional=True, default=None) for field in schema.fields)
    return replace(schema, record=replace(schema.record, fields=fields))


def optional_inside(type: t.Type) -> t.Type:
    """The type with every field in it optional, at all depths: below a null record a required field has no value."""
    inner = [
        # A default of a nested type may not be one any more: Avro's optional fields are null in it.
        replace(
            child,
            type=optional_inside(child.type),
            optional=True,
            default=t.ABSENT if children(child.type) else child.default,
        )
        for child in children(type)
    ]
    if isinstance(type, t.Map):
        inner[0] = type.key
    return with_children(type, tuple(inner))


def in_order(schema: Schema, positions: Mapping[Path, int]) -> Schema:
    """The schema with the fields of each record sorted by the positions of their paths, those without a position last."""
    return replace(schema, record=_order(schema.record, positions, ()))


def _order(type: t.Record, positions: Mapping[Path, int], path: Path) -> t.Record:
    inner = [_with_order_inside(field, positions, (*path, field.name)) for field in type.fields]
    inner.sort(key=lambda field: positions.get((*path, field.name), math.inf))
    return replace(type, fields=tuple(inner))


def _with_order_inside(field: t.Field, positions: Mapping[Path, int], path: Path) -> t.Field:
    if isinstance(field.type, t.Record):
        data_type: t.Type = _order(field.type, positions, path)
    else:
        inner = (_with_order_inside(child, positions, (*path, child.name)) for child in children(field.type))
        data_type = with_children(field.type, tuple(inner))
    return (
        field
        if data_type is field.type
        else replace(field, type=data_type, default=_default(field.default, field.type, data_type))
    )


_Wanted = dict[int, "_Wanted | None"]
"""The wanted parts below each field, by its id; None is all."""


def _add(wanted: _Wanted, schema: Schema, place: ColumnPlace) -> None:
    inside: t.Type = schema.record
    for position in place.positions:
        field = children(inside)[position]
        is_whole = field.id == place.field.id or _whole(field.type)
        below = wanted.setdefault(field.id, None if is_whole else {})
        if is_whole or below is None:
            wanted[field.id] = None
            return
        wanted, inside = below, field.type


def _whole(type: t.Type) -> bool:
    return isinstance(type, t.Union) or (isinstance(type, t.Record) and type.kind is not t.RecordKind.PLAIN)


def _choose(field: t.Field, below: _Wanted | None) -> t.Field:
    if below is None:
        return field
    inner = children(field.type)
    if isinstance(field.type, t.Map):
        below = {field.type.key.id: None, field.type.value.id: None, **below}
    chosen = tuple(_choose(child, below[child.id]) for child in inner if child.id in below)
    data_type = with_children(field.type, chosen)
    return replace(field, type=data_type, default=_default(field.default, field.type, data_type))


def _default(value: object, before: t.Type, after: t.Type) -> object:
    """The default in the form of the chosen type."""
    if not isinstance(value, tuple) or before is after:
        return value
    match before, after:
        case t.Record(fields=old), t.Record(fields=new):
            parts = {field.id: (part, field.type) for field, part in zip(old, value, strict=True)}
            return tuple(_default(*parts[field.id], field.type) for field in new)
        case t.Array(element=old), t.Array(element=new):
            return tuple(_default(part, old.type, new.type) for part in value)
        case t.Map(value=old), t.Map(value=new):
            return tuple((name, _default(part, old.type, new.type)) for name, part in value)
        case _:
            return value
