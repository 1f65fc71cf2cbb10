"""The write side: what a table's schema becomes by a batch, and what a batch's schema becomes for a table.

Columns are matched by name, at every depth, in one walk over both schemas. A batch never means that a column was dropped or
renamed: what it lacks is missing from it, no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from hudi_core.errors import SchemaError
from hudi_core.evolve.fields import (
    as_optional,
    brief,
    is_reserved,
    number_field,
    require_name,
    require_names_inside,
    retype,
)
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import Array, Field, Map, Nested, Record, Type, Union
from hudi_core.types.promote import CastKind, Promotion, Purpose, promotion
from hudi_core.types.walk import same, with_children


class Narrower(Enum):
    """The treatment of a column of a batch whose type the table's column cannot change to."""

    REFUSE = "raise"
    KEEP = "keep the table's type when the batch's values can be stored as it, else raise"


def merge(
    table: Schema,
    incoming: Schema | Record,
    *,
    missing_optional: bool = False,
    narrower: Narrower = Narrower.REFUSE,
    case_sensitive: bool = False,
    version: int = 0,
) -> Schema:
    """The table's schema after a batch of the schema `incoming`; the table's schema itself when the batch changes nothing.

    Columns that only the batch has are added behind the others of their record, optional and without a doc. A column that
    the batch has with a type that the table's column can change to takes it. Nullability, docs
    and defaults of the batch do not count, nor does the order of its columns but for new ones. `missing_optional` makes
    columns that the batch lacks optional. Raises `SchemaError` with the path: for a type that does not fit, and for a new
    name that differs from another of its record by case only, unless `case_sensitive`.
    """
    merger = _Merger(table.max_column_id, missing_optional, narrower, case_sensitive)
    record = merger.record(table.record, incoming.record if isinstance(incoming, Schema) else incoming, ())
    if record is table.record:
        return table
    return replace(table, record=record, version=version, max_column_id=merger.max_column_id)


class _Merger:
    """One merge, and the ids it has given."""

    def __init__(self, max_column_id: int, missing_optional: bool, narrower: Narrower, case_sensitive: bool) -> None:
        self.max_column_id = max_column_id
        self._missing_optional = missing_optional
        self._narrower = narrower
        self._case_sensitive = case_sensitive

    def record(self, table: Record, incoming: Record, path: Path) -> Record:
        """New fields get their ids before any field that both have is descended: the order of ids in the batch."""
        if not incoming.fields:
            return table
        offered = {field.name: field for field in incoming.fields}
        names = {field.name for field in table.fields}
        added = self._add([field for field in incoming.fields if field.name not in names], table, path)
        fields = [self._keep(field, offered.get(field.name), (*path, field.name)) for field in table.fields]
        merged = with_children(table, (*fields, *added))
        assert isinstance(merged, Record)
        return merged

    def _add(self, new: Sequence[Field], table: Record, path: Path) -> list[Field]:
        held = {field.name.lower(): field.name for field in table.fields} if new and not self._case_sensitive else {}
        added: list[Field] = []
        for field in new:
            inner = (*path, field.name)
            where = ".".join(inner)
            require_name(field.name, where)
            require_names_inside(field.type, inner, case_sensitive=self._case_sensitive)
            if is_reserved(inner):
                raise SchemaError(where, expected="a column of the table", found="one of Hudi's own columns")
            if not self._case_sensitive and held.setdefault(field.name.lower(), field.name) != field.name:
                raise SchemaError(
                    where, expected="a name of its own", found=f"{held[field.name.lower()]} in other case"
                )
            fresh, self.max_column_id = number_field(as_optional(replace(field, doc=None)), self.max_column_id + 1)
            added.append(fresh)
        return added

    def _keep(self, table: Field, incoming: Field | None, path: Path) -> Field:
        if incoming is None:
            return (
                as_optional(table) if self._missing_optional and not table.optional and not is_reserved(path) else table
            )
        data_type = self._type(table, incoming.type, path)
        if data_type is table.type:
            return table
        return replace(table, type=data_type) if isinstance(data_type, Nested) else retype(table, data_type)

    def _type(self, table: Field, incoming: Type, path: Path) -> Type:
        match table.type, incoming:
            case (Record(), Record()) if table.type.kind is incoming.kind:
                return self.record(table.type, incoming, path)
            case (Array(element=had), Array(element=comes)):
                return with_children(table.type, (self._keep(had, comes, (*path, had.name)),))
            case (Map(value=had), Map(value=comes)):
                return with_children(table.type, (table.type.key, self._keep(had, comes, (*path, had.name))))
            case (Union(branches), _):
                if same(table.type, incoming) or any(same(branch.type, incoming) for branch in branches):
                    return table.type
            case _:
                merged = self._primitive(table.type, incoming)
                if merged is not None:
                    return merged
        raise SchemaError(
            ".".join(path),
            expected=f"a type that {brief(table.type)} can change to",
            found=brief(incoming),
        )

    def _primitive(self, table: Type, incoming: Type) -> Type | None:
        """The type of the column from here on: the batch's if the column can change to it, the table's if it can stay."""
        if type(table) is type(incoming) and table == incoming:
            return table
        change, back = promotion(table, incoming, Purpose.ALTER), promotion(incoming, table, Purpose.ALTER)
        if _is_same(back):
            return table if change is None or _is_same(change) else incoming
        if change is not None:
            return incoming
        return table if back is not None and self._narrower is Narrower.KEEP else None


def _is_same(rule: Promotion | None) -> bool:
    return rule is not None and rule.cast is CastKind.SAME


def requirements(incoming: Record, table: Record, *, reorder: bool = False) -> Record:
    """The batch's schema with what the table requires of it, so that a merge has nothing left to refuse.

    A field gets the table's type when its own values can change to it, and is optional when table and batch do not agree
    about null. Fields that only one of them has stay out of it. `reorder` brings the fields into the table's order, those
    the table lacks last. A batch without fields has the table's schema.
    """
    if not incoming.fields:
        return table
    required = {field.name: field for field in table.fields}
    fields = [_require(field, required.get(field.name), reorder) for field in incoming.fields]
    if reorder:
        place = {field.name: position for position, field in enumerate(table.fields)}
        fields.sort(key=lambda field: place.get(field.name, len(place)))
    result = with_children(incoming, tuple(fields))
    assert isinstance(result, Record)
    return result


def _require(incoming: Field, table: Field | None, reorder: bool) -> Field:
    if table is None:
        return incoming
    data_type = _require_type(incoming.type, table.type, reorder)
    if data_type is not incoming.type:
        incoming = replace(incoming, type=data_type) if isinstance(data_type, Nested) else retype(incoming, data_type)
    return incoming if incoming.optional == table.optional else as_optional(incoming)


def _require_type(incoming: Type, table: Type, reorder: bool) -> Type:
    match incoming, table:
        case Record(), Record():
            return requirements(incoming, table, reorder=reorder)
        case Array(element=has), Array(element=wants):
            return with_children(incoming, (_require_item(has, wants, reorder),))
        case Map(value=has), Map(value=wants):
            return with_children(incoming, (incoming.key, _require_item(has, wants, reorder)))
        case _:
            if incoming == table or promotion(incoming, table, Purpose.ALTER) is None:
                return incoming
            return table


def _require_item(incoming: Field, table: Field, reorder: bool) -> Field:
    data_type = _require_type(incoming.type, table.type, reorder)
    optional = incoming.optional or table.optional
    if data_type is incoming.type and optional == incoming.optional:
        return incoming
    return replace(incoming, type=data_type, optional=optional)
