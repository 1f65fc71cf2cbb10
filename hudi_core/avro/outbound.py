"""`Schema` to Avro schema, in the order of attributes that Avro's Java library writes.

Null comes first in a union, last where the default is a value. Every named type is defined once and used by name
afterwards; where one full name stands for different types, the later ones are named after the path of their field, as types
without a name are (`<record>.<field>...`, for a fixed `.fixed` below it: what Apache Hudi does).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from hudi_core.avro.defaults import default_to_avro
from hudi_core.avro.document import is_full_name, namespace, simple_name
from hudi_core.errors import SchemaError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.nodes import is_name
from hudi_core.types.text import text
from hudi_core.types.walk import same

ROOT_NAME: Final = "topLevelRecord"
"""The name of a root record that has none; Spark's Avro converter uses the same."""

_WORDS: Final[Mapping[type, str]] = {
    t.Boolean: "boolean",
    t.Int: "int",
    t.Long: "long",
    t.Float: "float",
    t.Double: "double",
    t.String: "string",
    t.Binary: "bytes",
}
_BLOB_STORAGE: Final = "blob_storage_type"
_NO_PROPERTIES: Final[Mapping[str, object]] = {}


def schema_to_avro(schema: Schema | t.Record, name: str | None = None) -> dict[str, Any]:
    """The Avro record as JSON; `name` (a full name) in place of the record's own.

    Column ids are not written. Raises `SchemaError` with the path for names that Avro does not allow and defaults that it
    cannot express.
    """
    record = schema.record if isinstance(schema, Schema) else schema
    root = name or record.name or ROOT_NAME
    return _Writer().record(record, root, "", _Place((), root))


def type_to_avro(kind: t.Type, name: str = "value") -> object:
    """The Avro schema of any type; types in it that have no name are named below `name`."""
    return _Writer().type(kind, _NO_PROPERTIES, "", _Place((), name))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a type stands: its path, and the full name a type without a name gets here."""

    path: tuple[str, ...]
    name: str

    def field(self, name: str) -> _Place:
        return _Place((*self.path, name), f"{self.name}.{name}")

    def inside(self, name: str) -> _Place:
        return _Place((*self.path, name), self.name)

    @property
    def where(self) -> str:
        return ".".join(self.path) or self.name


class _Writer:
    """One writing of a schema: the named types that it has defined."""

    def __init__(self) -> None:
        self._named: dict[str, tuple[t.Type, Mapping[str, object]]] = {}

    def type(self, kind: t.Type, properties: Mapping[str, object], space: str, place: _Place) -> object:
        word = _WORDS.get(type(kind))
        if word is not None:
            return _primitive(word, None, properties)
        match kind:
            case t.Date():
                return _primitive("int", "date", properties)
            case t.Timestamp(unit, zoned):
                return _primitive("long", f"{'' if zoned else 'local-'}timestamp-{_unit(unit)}", properties)
            case t.Time(unit):
                return _primitive("int" if unit is t.Unit.MILLIS else "long", f"time-{_unit(unit)}", properties)
            case t.Uuid(fixed=None):
                return _primitive("string", "uuid", properties)
            case t.Decimal(precision, scale, fixed=None):
                parameters = {"precision": precision, "scale": scale}
                return {"type": "bytes", "logicalType": "decimal", **parameters, **properties}
            case t.Fixed() | t.Uuid() | t.Decimal() | t.Vector() | t.Enumeration() | t.Record():
                return self._write_named_type(kind, properties, space, place)
            case t.Array(element):
                items = self.place(element, space, place.inside(element.name))
                return {"type": "array", "items": items, **kind.properties, **properties}
            case t.Map(key, value):
                if not isinstance(key.type, t.String):
                    raise SchemaError(place.where, expected="string keys of a map", found=text(key.type))
                values = self.place(value, space, place.inside(value.name))
                return {"type": "map", "values": values, **kind.properties, **properties}
            case t.Union(branches):
                return [self.type(b.type, b.type_properties, space, place.inside(b.name)) for b in branches]
            case _:
                raise AssertionError(kind)

    def place(self, field: t.Field, space: str, place: _Place) -> object:
        """The type of a field, in a union with null when it is optional."""
        return self._nullable(field, self.type(field.type, field.type_properties, space, place))

    def _nullable(self, field: t.Field, written: object) -> object:
        if not field.optional:
            return written
        branches = written if isinstance(written, list) else [written]
        has_value = field.default is not t.ABSENT and field.default is not None
        return [*branches, "null"] if has_value else ["null", *branches]

    def record(self, record: t.Record, name: str, space: str, place: _Place) -> dict[str, Any]:
        self._named[name] = (record, _NO_PROPERTIES)
        own = namespace(name)
        written: dict[str, Any] = {"type": "record", **_name(name, space, place), **_doc(record.doc)}
        written["fields"] = [self._field(field, own, place) for field in record.fields]
        written.update(record.properties)
        if record.kind is not t.RecordKind.PLAIN:
            written["logicalType"] = record.kind.value
        written.update(_aliases(record.aliases, own))
        return written

    def _field(self, field: t.Field, space: str, place: _Place) -> dict[str, Any]:
        if not is_name(field.name):
            where = place.field(field.name).where
            raise SchemaError(where, expected="a name of letters, digits and _", found=repr(field.name))
        word = _WORDS.get(type(field.type)) if not field.type_properties else None
        written_type = (
            self.place(field, space, place.field(field.name)) if word is None else self._nullable(field, word)
        )
        written: dict[str, Any] = {"name": field.name, "type": written_type}
        if field.doc is not None:
            written["doc"] = field.doc
        if field.default is None and field.optional:
            written["default"] = None
        elif field.default is not t.ABSENT:
            where = place.field(field.name).where
            if field.default is None:
                raise SchemaError(where, expected="a default of the type", found="null for a required field")
            written["default"] = default_to_avro(field.default, field.type, where)
        written.update(field.properties)
        if field.aliases:
            written["aliases"] = list(field.aliases)
        return written

    def _write_named_type(
        self,
        type: t.Fixed | t.Uuid | t.Decimal | t.Vector | t.Enumeration | t.Record,
        properties: Mapping[str, object],
        space: str,
        place: _Place,
    ) -> object:
        name = ""
        for name in _candidates(type, place, _BLOB_STORAGE in self._named):
            definition = self._named.get(name)
            if definition is None:
                break
            # A name without namespace cannot be referred to inside one: readers would look for it in the enclosing namespace.
            sayable = bool(namespace(name)) or not space
            if sayable and definition[1] == properties and same(definition[0], type):
                return name if namespace(name) != space else simple_name(name)
        if isinstance(type, t.Record):
            return {**self.record(type, name, space, place), **properties}
        self._named[name] = (type, properties)
        match type:
            case t.Enumeration(symbols, _, default, aliases, doc):
                if not all(map(is_name, symbols)):
                    raise SchemaError(
                        place.where, expected="symbols of letters, digits and _", found=repr(symbols)[:60]
                    )
                body = {**_doc(doc), "symbols": list(symbols), **({} if default is None else {"default": default})}
                kind = "enum"
            case t.Vector(dimension, element, backing, _, aliases, doc):
                body = {**_doc(doc), "size": dimension * element.value, "logicalType": "vector", "dimension": dimension}
                body |= {"elementType": element.name, "storageBacking": backing}
                kind = "fixed"
            case _:
                fixed = type if isinstance(type, t.Fixed) else type.fixed
                assert fixed is not None
                aliases, kind, body = fixed.aliases, "fixed", {**_doc(fixed.doc), "size": fixed.size, **_logical(type)}
        return {"type": kind, **_name(name, space, place), **body, **properties, **_aliases(aliases, namespace(name))}


def _candidates(type: t.Type, place: _Place, after_blob: bool) -> Iterator[str]:
    """Full names to try in turn: its own, the one of its place, and that with numbers.

    Every blob uses the same named types, which have no namespace; after the first one, blobs have none either, so that they
    can refer to those names.
    """
    match type:
        case t.Record(name=name, kind=t.RecordKind.PLAIN):
            derived = place.name
        case t.Record(name=name, kind=kind):
            if kind is t.RecordKind.BLOB and after_blob and namespace(name):
                name = ""
            yield from filter(None, (name, kind.value))
            derived = "_".join((kind.value, *place.path))
            name = ""
        case t.Vector(dimension, element, name=name):
            yield from filter(None, (name, f"vector_{element.name.lower()}_{dimension}"))
            derived = f"{place.name}.vector"
            name = ""
        case t.Enumeration(name=name):
            derived = f"{place.name}.enum"
        case t.Fixed(name=name) | t.Uuid(fixed=t.Fixed(name=name)) | t.Decimal(fixed=t.Fixed(name=name)):
            derived = f"{place.name}.fixed"
        case _:
            raise AssertionError(type)
    yield from filter(None, (name, derived))
    for suffix in count(2):
        yield f"{derived}_{suffix}"


def _primitive(base: str, logical: str | None, properties: Mapping[str, object]) -> object:
    if logical is not None:
        return {"type": base, "logicalType": logical, **properties}
    return {"type": base, **properties} if properties else base


def _unit(unit: t.Unit) -> str:
    return "micros" if unit is t.Unit.MICROS else "millis" if unit is t.Unit.MILLIS else "nanos"


def _logical(kind: t.Type) -> dict[str, object]:
    match kind:
        case t.Decimal(precision, scale):
            return {"logicalType": "decimal", "precision": precision, "scale": scale}
        case t.Uuid():
            return {"logicalType": "uuid"}
        case _:
            return {}


def _name(name: str, space: str, place: _Place) -> dict[str, object]:
    if not is_full_name(name):
        raise SchemaError(place.where, expected="a type name of letters, digits and _", found=repr(name))
    own = namespace(name)
    return {"name": simple_name(name), **({} if own == space else {"namespace": own})}


def _doc(doc: str | None) -> dict[str, object]:
    return {} if doc is None else {"doc": doc}


def _aliases(aliases: tuple[str, ...], space: str) -> dict[str, object]:
    if not aliases:
        return {}
    return {"aliases": [simple_name(alias) if namespace(alias) == space else alias for alias in aliases]}
