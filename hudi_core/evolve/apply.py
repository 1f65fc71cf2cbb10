"""Schema + changes → schema. Changes are applied one after the other, each to what the earlier ones left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, assert_never

from hudi_core.errors import SchemaError, UsageError, describe
from hudi_core.evolve.changes import (
    AddColumn,
    After,
    AlterType,
    Before,
    Change,
    DropColumn,
    First,
    Last,
    MoveColumn,
    Position,
    RenameColumn,
    SetDefault,
    SetDoc,
    SetOptional,
    path_of,
    write_dotted,
)
from hudi_core.evolve.draft import Draft
from hudi_core.evolve.fields import (
    RESERVED,
    as_optional,
    brief,
    default_value,
    is_reserved,
    number_field,
    require_name,
    require_names_inside,
    retype,
)
from hudi_core.evolve.sql import parse_changes
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import ABSENT, Array, Field, Map, Nested, Record, RecordKind, Type, Union
from hudi_core.types.promote import Purpose, promotable_kinds, promotion

_CHANGES: Final = "changes as SQL, as 'ADD COLUMN tip double', or as hudi_core.evolve.changes has them"


def evolve(
    schema: Schema, changes: str | Change | Iterable[str | Change], *, case_sensitive: bool = False, version: int = 0
) -> Schema:
    """The schema after the changes: SQL (`evolve.sql`), a change (`evolve.changes`), or a list of these.

    Its version is `version`, unknown unless given, as its commit is still to come.
    A call that changes nothing gives the schema itself. Columns are found by their exact names. New names have to be Avro
    names, and to differ from the other names of their record in more than the case of letters, unless `case_sensitive`:
    other readers of the table may not distinguish them. Raises `SchemaError` with the column and the reason, `UsageError` for
    SQL that is no change and for what is none at all.
    """
    if not isinstance(schema, Schema):
        raise UsageError("schema", expected="a schema, as hudi_core.schema_of makes it", found=describe(schema))
    evolution = _Evolution(schema, case_sensitive)
    for change in _list(changes):
        evolution.apply(change)
    record, max_column_id = evolution.result()
    if record is schema.record and max_column_id == schema.max_column_id:
        return schema
    return replace(schema, record=record, version=version, max_column_id=max_column_id)


def _list(changes: str | Change | Iterable[str | Change]) -> Iterator[Change]:
    if isinstance(changes, str):
        yield from parse_changes(changes)
    elif isinstance(changes, Change):
        yield changes
    elif isinstance(changes, Iterable):
        for change in changes:
            if not isinstance(change, str | Change):
                raise UsageError("evolve", expected=_CHANGES, found=describe(change))
            yield from _list(change)
    else:
        raise UsageError("evolve", expected=_CHANGES, found=describe(changes))


class _Evolution:
    """A schema under change."""

    def __init__(self, schema: Schema, case_sensitive: bool) -> None:
        self._root = Draft(schema.record)
        self._max_column_id = schema.max_column_id
        self._case_sensitive = case_sensitive

    def result(self) -> tuple[Record, int]:
        record = self._root.close()
        assert isinstance(record, Record)
        return record, self._max_column_id

    def apply(self, change: Change) -> None:
        path, where = path_of(change.column), write_dotted(change.column)
        if is_reserved(path):
            raise SchemaError(where, expected="a column of the table", found="one of Hudi's own columns")
        parent = self._parent(path, where)
        if isinstance(change, AddColumn):
            self._add(change, parent, path, where)
            return
        field = parent.get(path, where)
        match change:
            case DropColumn():
                _require_record(parent, where)
                if len(parent.order) == 1:
                    raise SchemaError(where, expected="a record that keeps at least one field", found="its only field")
                parent.remove(field)
            case RenameColumn(to=name):
                _require_record(parent, where)
                self._require_free(name, parent, path, where)
                parent.put(replace(field, name=name))
            case MoveColumn(position=position):
                _require_record(parent, where)
                _move(field, position, parent, path, where)
            case AlterType(type=to):
                _require_alterable(field, to, parent, where)
                parent.put(retype(field, to))
            case SetOptional(optional=optional, force=force):
                parent.put(_with_optional(field, optional, force, parent, where))
            case SetDoc(doc=doc):
                parent.put(replace(field, doc=doc))
            case SetDefault(default=default):
                _require_record(parent, where)
                data_type = parent.inside(field).close() if isinstance(field.type, Nested) else field.type
                parent.put(_with_default(field, default, data_type, where))
            case _:
                assert_never(change)

    def _parent(self, path: Path, where: str) -> Draft:
        """The draft of the struct around the column's field."""
        parent = self._root
        for depth in range(1, len(path)):
            parent = parent.inside(parent.get(path[:depth], where))
            if isinstance(parent.type, Record) and parent.type.kind is not RecordKind.PLAIN:
                place = f"a part of {write_dotted(path[:depth])}, a {parent.type.kind.value}"
                raise SchemaError(where, expected="a column that can change", found=place)
        return parent

    def _add(self, change: AddColumn, parent: Draft, path: Path, where: str) -> None:
        _require_record(parent, where)
        self._require_free(path[-1], parent, path, where)
        require_names_inside(change.type, path, case_sensitive=self._case_sensitive)
        if not change.optional and change.default is ABSENT:
            raise SchemaError(
                where, expected="a default for the existing rows", found="a required column without a default"
            )
        field = Field(0, path[-1], change.type, optional=change.optional, doc=change.doc, default=change.default)
        field, greatest = number_field(as_optional(field) if change.optional else field, self._max_column_id + 1)
        field = _with_default(field, field.default, field.type, where)
        parent.add(field, _index(change.position, parent, path, where))
        self._max_column_id = greatest

    def _require_free(self, name: str, parent: Draft, path: Path, where: str) -> None:
        require_name(name, where)
        if is_reserved((*path[:-1], name)):
            raise SchemaError(where, expected="a name that Hudi does not use itself", found=name)
        held = parent.holder(name, case_sensitive=self._case_sensitive)
        if held is not None:
            raise SchemaError(where, expected="a new name", found=f"{name}, which is the column {held}")


def _require_record(parent: Draft, where: str) -> None:
    match parent.type:
        case Record():
            return
        case Array():
            place = "the element of an array"
        case Map():
            place = "the key or value of a map"
        case Union():
            place = "a branch of a union"
        case other:
            place = f"a name inside {brief(other)}"
    raise SchemaError(where, expected="a field of a record", found=place)


def _move(field: Field, position: Position, parent: Draft, path: Path, where: str) -> None:
    if isinstance(position, Before | After) and path_of(position.column) == path:
        return
    parent.order.remove(field.id)
    parent.order.insert(_index(position, parent, path, where), field.id)


def _index(position: Position, parent: Draft, path: Path, where: str) -> int:
    """Where in the record a field comes to stand that is not in its order."""
    first = _own_columns(parent) if len(path) == 1 else 0
    match position:
        case Last():
            return len(parent.order)
        case First():
            return first
        case Before(column) | After(column):
            other = path_of(column)
            if other[:-1] != path[:-1]:
                raise SchemaError(where, expected="a neighbour in the same record", found=write_dotted(column))
            index = parent.order.index(parent.get(other, where).id) + isinstance(position, After)
            if index < first:
                place = f"a place beside {other[-1]}"
                raise SchemaError(where, expected="a place after Hudi's own columns", found=place)
            return index
        case _:
            assert_never(position)


def _own_columns(root: Draft) -> int:
    """How many of the meta columns are first."""
    return sum(root.fields[column_id].name in RESERVED for column_id in root.order[: len(RESERVED)])


def _require_alterable(field: Field, to: Type, parent: Draft, where: str) -> None:
    if _is_branch_or_key(field, parent):
        place = "a branch of a union or the key of a map"
        raise SchemaError(where, expected="a column whose type can change", found=place)
    if isinstance(field.type, Nested) or isinstance(to, Nested):
        place = f"{brief(field.type)} to {brief(to)}; the fields inside change one by one"
        raise SchemaError(where, expected="a change between primitive types", found=place)
    if promotion(field.type, to, Purpose.ALTER) is None:
        kinds = ", ".join(promotable_kinds(field.type, Purpose.ALTER)) or "none"
        raise SchemaError(where, expected=f"a type that {brief(field.type)} can change to ({kinds})", found=brief(to))


def _with_optional(field: Field, optional: bool, force: bool, parent: Draft, where: str) -> Field:
    if optional == field.optional:
        return field
    if _is_branch_or_key(field, parent):
        place = "a branch of a union or the key of a map"
        raise SchemaError(where, expected="a place that can hold null", found=place)
    if optional:
        return as_optional(field) if isinstance(parent.type, Record) else replace(field, optional=True)
    if not force:
        place = "an optional one, whose stored rows may hold nulls"
        raise SchemaError(where, expected="a column without nulls", found=place)
    return replace(field, optional=False, default=ABSENT if field.default is None else field.default)


def _is_branch_or_key(field: Field, parent: Draft) -> bool:
    return isinstance(parent.type, Union) or (isinstance(parent.type, Map) and field.id == parent.type.key.id)


def _with_default(field: Field, default: object, type: Type, where: str) -> Field:
    if default is None and not field.optional:
        raise SchemaError(where, expected="a default that is not null", found="null")
    return replace(field, default=default if default is ABSENT else default_value(default, type, where))
