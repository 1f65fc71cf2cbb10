"""Avro schema to `Schema`: names resolved, logical types recognised, unions taken apart, nothing lost.

The normal form (what is not kept): the place of null in a union; a union of one type, which is the type; the spelling of
names (all are full); logical types that are invalid where they stand, which are ignored as the Avro specification requires.
A logical type that is not known stays as a property. `time-nanos` is ours: a long to everyone else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hudi_core.avro.defaults import default_from_avro
from hudi_core.avro.document import NAMED, PRIMITIVES, full_name, is_full_name, namespace, parse_document
from hudi_core.avro.logical import (
    PRIMITIVE_TYPES,
    branch_name,
    is_size,
    logical_attributes,
    logical_fixed,
    logical_primitive,
)
from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import MAX_DEPTH, Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import is_blob, missing_from_variant
from hudi_core.types.nodes import is_name

MAX_COLUMNS: Final = 1_000_000
"""Fields at all depths that are read. Records used by name in each other grow without bound from a small text."""

_ATTRIBUTES: Final[Mapping[str, frozenset[str]]] = {
    "record": frozenset({"type", "name", "namespace", "doc", "aliases", "fields"}),
    "enum": frozenset({"type", "name", "namespace", "doc", "aliases", "symbols", "default"}),
    "fixed": frozenset({"type", "name", "namespace", "doc", "aliases", "size"}),
    "array": frozenset({"type", "items"}),
    "map": frozenset({"type", "values"}),
}
_FIELD_ATTRIBUTES: Final = frozenset({"name", "type", "doc", "default", "aliases"})
_TYPE_ONLY: Final = frozenset({"type"})
_NOTHING: Final[Mapping[str, object]] = {}
_PLAIN: Final = {name: (logical, _NOTHING) for name, logical in PRIMITIVE_TYPES.items()}
_KEY: Final = t.Field(0, "key", t.String(), optional=False)

_Path = tuple[str, ...]
_Json = Mapping[str, object]
_TypeAndJson = tuple[t.Type, _Json]
"""A type, and the attributes that the type itself has no place for."""


def schema_from_avro(text: str | dict[str, Any] | list[Any], where: str = "schema") -> Schema:
    """The schema of an Avro record, given as text or as JSON; column ids are given afresh.

    A root that is a union of null and a record is that record. Raises `SchemaError` with the path when the text is no valid
    Avro schema, when a record contains itself, when a field can only be null, and when the root is no record.
    """
    kind = _Reader(where).place(parse_document(text, where), "", ())[0]
    if not isinstance(kind, t.Record):
        raise SchemaError(where, expected="a record", found=type(kind).__name__.lower())
    return Schema(record_with_ids(kind))


def field_from_avro(text: str | dict[str, Any] | list[Any], where: str = "schema") -> t.Field:
    """Any Avro schema, as the field `value` with id 0 that holds it: its type, and whether it is nullable."""
    kind, properties, optional, _ = _Reader(where).place(parse_document(text, where), "", ())
    return t.Field(0, "value", kind, optional=optional, type_properties=properties)


@dataclass(frozen=True, slots=True)
class _Definition:
    """A named type that is complete, and its size."""

    resolved: _TypeAndJson
    columns: int
    depth: int


class _Reader:
    """One reading of a schema text: the named types so far, and the measures that bound it."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._named: dict[str, _Definition | None] = {}
        self._columns = 0
        self._deepest = 0

    def place(self, json: object, space: str, path: _Path) -> tuple[t.Type, _Json, bool, bool]:
        """What is at a place: the type with its properties, whether null may be there, and whether null is first."""
        if not isinstance(json, list):
            if _is_null(json):
                raise self._error(path, "a type other than null", "null alone")
            return *self._type(json, space, path), False, False
        if len(json) == 2 and json[0] == "null" and not _is_null(json[1]):
            return *self._branch(json[1], space, path), True, True
        branches = [branch for branch in json if not _is_null(branch)]
        nulls = len(json) - len(branches)
        if not branches or nulls > 1:
            raise self._error(path, "a union of types, null at most once", f"a union of {len(json)} with {nulls} null")
        optional, null_first = nulls == 1, _is_null(json[0])
        if len(branches) == 1:
            return *self._branch(branches[0], space, path), optional, null_first
        members = []
        for position, branch in enumerate(branches):
            name = f"member{position}"
            kind, properties = self._branch(branch, space, (*path, name))
            members.append(t.Field(0, name, kind, optional=False, type_properties=properties))
        self._refuse_ambiguous(members, path)
        self._count(len(members))
        return t.Union(tuple(members)), _NOTHING, optional, null_first

    def _branch(self, json: object, space: str, path: _Path) -> _TypeAndJson:
        if isinstance(json, list):
            raise self._error(path, "a type in a union", "a union")
        return self._type(json, space, path)

    def _type(self, json: object, space: str, path: _Path) -> _TypeAndJson:
        self._deepest = max(self._deepest, len(path))
        if len(path) > MAX_DEPTH:
            raise self._error(path[:3], f"at most {MAX_DEPTH} levels", "deeper nesting")
        if isinstance(json, str):
            return _PLAIN.get(json) or self._reference(json, space, path)
        if not isinstance(json, dict):
            raise self._error(path, "a type", repr(json)[:40])
        kind = json.get("type")
        if isinstance(kind, dict):
            inner, properties = self._type(kind, space, path)
            more = _without(json, _TYPE_ONLY)
            if more and isinstance(inner, t.Record | t.Array | t.Map):
                return replace(inner, properties={**inner.properties, **more}), properties
            return inner, {**properties, **more}
        if not isinstance(kind, str):
            raise self._error(path, "a type", repr(kind)[:40])
        if kind in PRIMITIVE_TYPES:
            return logical_primitive(kind, json), _without(json, logical_attributes(json))
        if kind in NAMED:
            return self._define("record" if kind == "error" else kind, json, space, path)
        if kind == "array":
            return self._array(json, space, path), _NOTHING
        if kind == "map":
            return self._map(json, space, path), _NOTHING
        return self._reference(kind, space, path)

    def _array(self, json: _Json, space: str, path: _Path) -> t.Array:
        if "items" not in json:
            raise self._error(path, "an attribute items", "none")
        return t.Array(self._inside(json["items"], "element", space, path), _without(json, _ATTRIBUTES["array"]))

    def _map(self, json: _Json, space: str, path: _Path) -> t.Map:
        if "values" not in json:
            raise self._error(path, "an attribute values", "none")
        self._count(1)
        return t.Map(_KEY, self._inside(json["values"], "value", space, path), _without(json, _ATTRIBUTES["map"]))

    def _inside(self, json: object, name: str, space: str, path: _Path) -> t.Field:
        self._count(1)
        kind, properties, optional, _ = self.place(json, space, (*path, name))
        return t.Field(0, name, kind, optional=optional, type_properties=properties)

    def _reference(self, name: str, space: str, path: _Path) -> _TypeAndJson:
        for candidate in (full_name(name, space), name):
            if candidate in self._named:
                definition = self._named[candidate]
                if definition is None:
                    raise self._error(path, "a type that does not contain itself", f"the recursive record {candidate}")
                self._count(definition.columns)
                self._deepest = max(self._deepest, len(path) + definition.depth)
                if self._deepest > MAX_DEPTH:
                    raise self._error(path[:3], f"at most {MAX_DEPTH} levels", "deeper nesting")
                return definition.resolved
        raise self._error(path, "a type", f"the unknown name {name!r}")

    def _define(self, kind: str, json: _Json, space: str, path: _Path) -> _TypeAndJson:
        name = self._full_name(json, space, path)
        if name in self._named:
            raise self._error(path, "a name that is defined once", f"{name} a second time")
        self._named[name] = None
        columns, deepest = self._columns, self._deepest
        self._deepest = len(path)
        read: Callable[[str, _Json, _Path], _TypeAndJson]
        read = self._record if kind == "record" else self._enumeration if kind == "enum" else self._read_fixed
        resolved = read(name, json, path)
        self._named[name] = _Definition(resolved, self._columns - columns, self._deepest - len(path))
        self._deepest = max(deepest, self._deepest)
        return resolved

    def _full_name(self, json: _Json, space: str, path: _Path) -> str:
        name, own = json.get("name"), json.get("namespace")
        if not isinstance(name, str):
            raise self._error(path, "a name", repr(name)[:40])
        full = full_name(name, own if isinstance(own, str) else space)
        if not is_full_name(full) or full in PRIMITIVES:
            raise self._error(path, "a name of letters, digits and _", repr(full)[:60])
        return full

    def _record(self, name: str, json: _Json, path: _Path) -> _TypeAndJson:
        listed = json.get("fields")
        if not isinstance(listed, list):
            raise self._error(path, f"a list of fields of {name}", repr(listed)[:40])
        self._count(len(listed))
        space = namespace(name)
        fields = tuple(self._field(field, position, space, path) for position, field in enumerate(listed))
        if len({field.name for field in fields}) < len(fields):
            names = Counter(field.name for field in fields)
            twice = next(name for name, times in names.items() if times > 1)
            raise self._error((*path, twice), "each name once in a record", "two fields of this name")
        attributes = _ATTRIBUTES["record"]
        logical = json.get("logicalType")
        if logical in ("variant", "blob"):
            attributes = attributes | {"logicalType"}
        record = t.Record(
            fields, name, _text(json.get("doc")), self._aliases(json, space, path), _without(json, attributes)
        )
        return self._read_disguised(record, logical, path), _NOTHING

    def _read_disguised(self, record: t.Record, logical: object, path: _Path) -> t.Record:
        if logical == "variant":
            missing = missing_from_variant(record)
            if missing:
                raise self._error(path, f"{missing} in a variant", "a record without")
            return replace(record, kind=t.RecordKind.VARIANT)
        return replace(record, kind=t.RecordKind.BLOB) if logical == "blob" and is_blob(record) else record

    def _field(self, json: object, position: int, space: str, path: _Path) -> t.Field:
        if not isinstance(json, dict):
            raise self._error(path, "a field", repr(json)[:60])
        name = json.get("name")
        if not is_name(name):
            raise self._error(path, "a field with a name of letters, digits and _", repr(name)[:60])
        inner = (*path, name)
        if "type" not in json:
            raise self._error(inner, "a type", "none")
        kind, type_properties, optional, null_first = self.place(json["type"], space, inner)
        default: object = t.ABSENT
        if "default" in json:
            default = self._default(json["default"], kind, null_first, inner)
        # The position is the final id in the root record, where most fields are; giving the ids then copies none of them.
        return t.Field(
            position,
            name,
            kind,
            optional,
            _text(json.get("doc")),
            default,
            self._field_aliases(json["aliases"], inner) if "aliases" in json else (),
            _without(json, _FIELD_ATTRIBUTES),
            type_properties,
        )

    def _field_aliases(self, json: object, path: _Path) -> tuple[str, ...]:
        if not isinstance(json, list) or not all(isinstance(alias, str) for alias in json):
            raise self._error(path, "a list of aliases", repr(json)[:40])
        return tuple(json)

    def _default(self, json: object, kind: t.Type, null_first: bool, path: _Path) -> object:
        if null_first:
            if json is not None:
                raise self._error(path, "the default null, as null is first in the union", repr(json)[:40])
            return None
        return default_from_avro(json, kind, self._at(path))

    def _enumeration(self, name: str, json: _Json, path: _Path) -> _TypeAndJson:
        symbols, default = json.get("symbols"), json.get("default")
        if not isinstance(symbols, list) or not all(map(is_name, symbols)) or len(set(symbols)) < len(symbols):
            raise self._error(path, f"a list of distinct symbols of {name}", repr(symbols)[:60])
        if default is not None and (not isinstance(default, str) or default not in symbols):
            raise self._error(path, f"a default among the symbols of {name}", repr(default)[:40])
        aliases = self._aliases(json, namespace(name), path)
        enumeration = t.Enumeration(tuple(symbols), name, default, aliases, _text(json.get("doc")))
        return enumeration, _without(json, _ATTRIBUTES["enum"])

    def _read_fixed(self, name: str, json: _Json, path: _Path) -> _TypeAndJson:
        size = json.get("size")
        if not is_size(size):
            raise self._error(path, f"a size of {name}", repr(size)[:40])
        fixed = t.Fixed(size, name, self._aliases(json, namespace(name), path), _text(json.get("doc")))
        kind = logical_fixed(fixed, json, self._at(path))
        return kind, _without(json, _ATTRIBUTES["fixed"] | logical_attributes(json))

    def _aliases(self, json: _Json, space: str, path: _Path) -> tuple[str, ...]:
        aliases = json.get("aliases", [])
        if not isinstance(aliases, list) or not all(map(is_full_name, aliases)):
            raise self._error(path, "a list of aliases", repr(aliases)[:40])
        return tuple(full_name(alias, space) for alias in aliases)

    def _refuse_ambiguous(self, members: list[t.Field], path: _Path) -> None:
        seen: set[str] = set()
        for member in members:
            base = branch_name(member.type)
            if base in seen:
                raise self._error(path, "a union of distinct types", f"two of {base}")
            seen.add(base)

    def _count(self, columns: int) -> None:
        self._columns += columns
        if self._columns > MAX_COLUMNS:
            raise SchemaError(self._where, expected=f"at most {MAX_COLUMNS:,} columns", found="more")

    def _at(self, path: _Path) -> str:
        return f"{self._where}: {'.'.join(path)}" if path else self._where

    def _error(self, path: _Path, expected: str, found: str) -> SchemaError:
        return SchemaError(self._at(path), expected=expected, found=found)


def _is_null(json: object) -> bool:
    return json == "null" or (isinstance(json, dict) and json.get("type") == "null")


def _text(json: object) -> str | None:
    return json if isinstance(json, str) else None


def _without(json: _Json, attributes: frozenset[str]) -> _Json:
    if json.keys() <= attributes:
        return _NOTHING
    return {key: value for key, value in json.items() if key not in attributes}
