"""Schema + changes → schema. Changes are applied one after the other, each to what the earlier ones left.

All changes of a call work on one draft, in which only the records that are touched are taken apart: the cost is one pass
over the schema and not one for each change.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, assert_never

from hudi_core.errors import SchemaError, UnknownColumnError
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
    dotted,
    names,
)
from hudi_core.schema.ids import with_ids
from hudi_core.schema.meta import META_COLUMNS, OPERATION
from hudi_core.schema.schema import Path, Schema
from hudi_core.types.nodes import (
    ABSENT,
    Array,
    Field,
    Map,
    Nested,
    Primitive,
    Record,
    RecordKind,
    Type,
    Union,
    children,
)
from hudi_core.types.promote import Purpose, promotion
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import walk, with_children
from hudi_core.values.cast import cast
from hudi_core.values.domain import check

RESERVED: Final = frozenset({*META_COLUMNS, OPERATION})
"""Names at the top of a schema that are Hudi's own; no change touches them, in any case of letters."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def evolve(schema: Schema, changes: Iterable[Change], *, case_sensitive: bool = False, version: int = 0) -> Schema:
    """The schema after the changes; its version is `version`, unknown unless given, as its commit is still to come.

    A call that changes nothing gives the schema itself. Columns are found by their exact names. New names have to be Avro
    names, and to differ from the other names of their record in more than the case of letters, unless `case_sensitive`:
    other readers of the table may not tell them apart. Raises `SchemaError` with the column and the reason.
    """
    draft = _Draft(schema, case_sensitive)
    for change in changes:
        draft.apply(change)
    return draft.close(version)


class _Open:
    """A nested type taken apart, so that its fields can be changed in place."""

    def __init__(self, of: Type) -> None:
        self.type = of
        fields = children(of)
        self.order = [field.id for field in fields]
        self.fields = {field.id: field for field in fields}
        self.ids = {field.name: field.id for field in fields}
        self.folded = Counter(field.name.lower() for field in fields)
        self.inner: dict[int, _Open] = {}

    def open(self, column_id: int) -> _Open:
        found = self.inner.get(column_id)
        if found is None:
            found = self.inner[column_id] = _Open(self.fields[column_id].type)
        return found

    def add(self, field: Field, index: int) -> None:
        self.order.insert(index, field.id)
        self.fields[field.id] = field
        self.ids[field.name] = field.id
        self.folded[field.name.lower()] += 1

    def remove(self, field: Field) -> None:
        self.order.remove(field.id)
        del self.fields[field.id], self.ids[field.name]
        self.folded[field.name.lower()] -= 1
        self.inner.pop(field.id, None)

    def rename(self, field: Field, name: str) -> None:
        del self.ids[field.name]
        self.folded[field.name.lower()] -= 1
        self.fields[field.id] = replace(field, name=name)
        self.ids[name] = field.id
        self.folded[name.lower()] += 1

    def close(self) -> Type:
        for column_id, opened in self.inner.items():
            field = self.fields[column_id]
            closed = opened.close()
            if closed is not field.type:
                self.fields[column_id] = replace(field, type=closed)
        return with_children(self.type, tuple(map(self.fields.__getitem__, self.order)))


class _Draft:
    """A schema under change."""

    def __init__(self, schema: Schema, case_sensitive: bool) -> None:
        self._schema = schema
        self._case_sensitive = case_sensitive
        self._root = _Open(schema.record)
        self._max_column_id = schema.max_column_id

    def close(self, version: int) -> Schema:
        record = self._root.close()
        assert isinstance(record, Record)
        if record is self._schema.record and self._max_column_id == self._schema.max_column_id:
            return self._schema
        return Schema(record, version, self._max_column_id)

    def apply(self, change: Change) -> None:
        path = names(change.column)
        where = dotted(change.column)
        if path[0].lower() in RESERVED:
            raise SchemaError(where, expected="a column of the table", found="a column that Hudi itself keeps")
        parent = self._parent(path, where)
        if isinstance(change, AddColumn):
            self._add(change, parent, path, where)
            return
        field = parent.fields[_id(parent, path, where)]
        match change:
            case DropColumn():
                _require_record(parent, where)
                if len(parent.order) == 1:
                    raise SchemaError(
                        where, expected="another field in its record", found="the only one, which must stay"
                    )
                parent.remove(field)
            case RenameColumn(to=name):
                _require_record(parent, where)
                if name == field.name:
                    raise SchemaError(where, expected="another name", found=f"its own, {name!r}")
                self._check_name(name, parent, len(path) == 1, where)
                parent.rename(field, name)
            case MoveColumn(position=position):
                _require_record(parent, where)
                if isinstance(position, Before | After) and names(position.column) == path:
                    return
                parent.order.remove(field.id)
                parent.order.insert(_index(position, parent, path, where), field.id)
            case AlterType(type=to):
                parent.fields[field.id] = _retyped(field, to, parent, where)
            case SetOptional(optional=optional, force=force):
                parent.fields[field.id] = _with_optional(field, optional, force, parent, where)
            case SetDoc(doc=doc):
                parent.fields[field.id] = replace(field, doc=doc)
            case SetDefault(default=default):
                _require_record(parent, where)
                of = parent.open(field.id).close() if isinstance(field.type, Nested) else field.type
                _check_default(default, of, field.optional, where)
                parent.fields[field.id] = replace(field, default=default)
            case _:
                assert_never(change)

    def _parent(self, path: Path, where: str) -> _Open:
        """What the column's field stands in, taken apart."""
        opened = self._root
        for depth in range(1, len(path)):
            column_id = _id(opened, path[:depth], where)
            opened = opened.open(column_id)
            if isinstance(opened.type, Record) and opened.type.kind is not RecordKind.PLAIN:
                found = f"a part of {dotted(path[:depth])}, a {opened.type.kind.value}"
                raise SchemaError(where, expected="a column that can change", found=found)
        return opened

    def _add(self, change: AddColumn, parent: _Open, path: Path, where: str) -> None:
        _require_record(parent, where)
        name = path[-1]
        self._check_name(name, parent, len(path) == 1, where)
        for inner, field in walk(change.type, path):
            if not _NAME.fullmatch(field.name):
                raise SchemaError(dotted(inner), expected="a name of letters, digits and _", found=repr(field.name))
        if not change.optional and (change.default is ABSENT or change.default is None):
            raise SchemaError(
                where, expected="a default, as rows of earlier files need a value", found="NOT NULL without"
            )
        index = _index(change.position, parent, path, where)
        column_id = self._max_column_id + 1
        of = with_ids(change.type, column_id + 1)
        _check_default(change.default, of, change.optional, where)
        self._max_column_id = max(column_id, *(field.id for _, field in walk(of)), -1)
        added = Field(column_id, name, of, optional=change.optional, doc=change.doc, default=change.default)
        parent.add(added, index)

    def _check_name(self, name: str, parent: _Open, top: bool, where: str) -> None:
        if not _NAME.fullmatch(name):
            raise SchemaError(
                where, expected="a name of letters, digits and _ that does not begin with a digit", found=repr(name)
            )
        if top and name.lower() in RESERVED:
            raise SchemaError(where, expected="a name of its own", found=f"{name}, which Hudi itself keeps")
        taken = name in parent.ids if self._case_sensitive else parent.folded[name.lower()] > 0
        if taken:
            held = name if name in parent.ids else next(n for n in parent.ids if n.lower() == name.lower())
            raise SchemaError(where, expected="a name that is not taken", found=f"{name!r} beside the column {held!r}")


def _id(parent: _Open, path: Path, where: str) -> int:
    found = parent.ids.get(path[-1])
    if found is None:
        close = difflib.get_close_matches(path[-1].lower(), [name.lower() for name in parent.ids], n=3, cutoff=0.6)
        near = [name for name in parent.ids if name.lower() in close][:3]
        hint = f"; did you mean {' or '.join(dotted((*path[:-1], name)) for name in near)}?" if near else ""
        inside = f" {dotted(path)}" if dotted(path) != where else ""
        raise UnknownColumnError(where, message=f"no such column{inside}{hint}")
    return found


def _require_record(parent: _Open, where: str) -> None:
    match parent.type:
        case Record():
            return
        case Array():
            found = "the element of an array"
        case Map():
            found = "the key or value of a map"
        case Union():
            found = "a branch of a union"
        case other:
            found = f"a place in a {type_text(other)}"
    raise SchemaError(where, expected="a field of a record", found=found)


def _index(position: Position, parent: _Open, path: Path, where: str) -> int:
    """Where in the record a field comes to stand; the field itself is not in the order."""
    own = (
        sum(parent.fields[column_id].name in RESERVED for column_id in parent.order[: len(RESERVED)])
        if len(path) == 1
        else 0
    )
    match position:
        case Last():
            return len(parent.order)
        case First():
            return own
        case Before(column) | After(column):
            other = names(column)
            if other[:-1] != path[:-1]:
                raise SchemaError(where, expected="a neighbour in the same record", found=dotted(column))
            index = parent.order.index(_id(parent, other, where)) + isinstance(position, After)
            if index < own:
                raise SchemaError(
                    where, expected="a place behind the columns that Hudi itself keeps", found=f"beside {other[-1]}"
                )
            return index
        case _:
            assert_never(position)


def _retyped(field: Field, to: Type, parent: _Open, where: str) -> Field:
    if isinstance(parent.type, Union) or (isinstance(parent.type, Map) and field.id == parent.type.key.id):
        found = "a branch of a union or the key of a map"
        raise SchemaError(where, expected="a column whose type can change", found=found)
    if isinstance(field.type, Nested) or isinstance(to, Nested):
        found = f"{type_text(field.type)} to {type_text(to)}"
        raise SchemaError(
            where, expected="a change between primitive types; change the fields inside one by one", found=found
        )
    if promotion(field.type, to, Purpose.ALTER) is None:
        raise SchemaError(where, expected=f"a type that {type_text(field.type)} can change to", found=type_text(to))
    return replace(field, type=to, default=_default_as(field, to))


def _default_as(field: Field, to: Primitive) -> object:
    return field.default if field.default is ABSENT else cast(field.type, to)(field.default)


def _with_optional(field: Field, optional: bool, force: bool, parent: _Open, where: str) -> Field:
    if isinstance(parent.type, Union) or (isinstance(parent.type, Map) and field.id == parent.type.key.id):
        raise SchemaError(where, expected="a place that can hold null", found="a branch of a union or the key of a map")
    if field.optional and not optional and not force:
        raise SchemaError(
            where, expected="a column without nulls", found="an optional one, whose stored rows may hold nulls"
        )
    dropped = not optional and field.default is None
    return replace(field, optional=optional, default=ABSENT if dropped else field.default)


def _check_default(default: object, of: Type, optional: bool, where: str) -> None:
    if default is ABSENT:
        return
    if default is None and not optional:
        raise SchemaError(where, expected="a default that is not null", found="null")
    check(default, of, where)
