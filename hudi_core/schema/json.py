"""The persisted form of a schema (InternalSchema JSON) and documents of its history, byte for byte as Apache Hudi writes them.

Written: compact, keys in Hudi's order. Read: every spelling that any version wrote, hyphens for underscores in keys and
type names, any case, any white space. Variants and blobs, which Hudi stores as records under fixed negative ids, become
themselves again, with hidden ids of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from hudi_core.errors import SchemaError
from hudi_core.schema.ids import with_hidden_ids
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.schema import MAX_DEPTH, Schema, schema_at_place
from hudi_core.types import nodes as t
from hudi_core.types.disguised import METADATA, VALUE, blob, variant
from hudi_core.types.nodes import greatest_precision, smallest_size
from hudi_core.types.text import text as type_text
from hudi_core.types.walk import same_field

EMPTY: Final = Schema(t.Record(()), version=-1)
"""No schema at all: Hudi writes it as the empty text."""

_NAMES: Final[Mapping[str, t.Type]] = {
    "boolean": t.Boolean(),
    "int": t.Int(),
    "long": t.Long(),
    "float": t.Float(),
    "double": t.Double(),
    "date": t.Date(),
    "time": t.Time(t.Unit.MICROS),
    "time-millis": t.Time(t.Unit.MILLIS),
    "timestamp": t.Timestamp(t.Unit.MICROS),
    "timestamp-millis": t.Timestamp(t.Unit.MILLIS),
    "local-timestamp-micros": t.Timestamp(t.Unit.MICROS, zoned=False),
    "local-timestamp-millis": t.Timestamp(t.Unit.MILLIS, zoned=False),
    "string": t.String(),
    "binary": t.Binary(),
    "uuid": t.Uuid(),
}
_TEXTS: Final = {logical: name for name, logical in _NAMES.items()}


def _parse_fixed(size: str) -> t.Type:
    return t.Fixed(int(size))


def _decimal(precision: str, scale: str, size: str | None = None, *, fixed: bool = True) -> t.Type | None:
    """A decimal backed by bytes, by a fixed of a size, or by one whose size follows from the precision."""
    digits, after, implied = int(precision), int(scale), fixed and size is None
    if digits == 0 or after > digits or (size is not None and digits > greatest_precision(int(size))):
        return None
    width = smallest_size(digits) if implied else int(size or 0)
    return t.Decimal(digits, after, t.Fixed(width) if fixed else None, implied=implied)


def _vector(dimension: str, element: str, backing: str) -> t.Type | None:
    kind = t.VectorElement.__members__.get(element.upper())
    return t.Vector(int(dimension), kind, backing.replace("-", "_").upper()) if kind and int(dimension) else None


def _pattern(spaced: str) -> re.Pattern[str]:
    """A pattern in which a blank is any white space, `#` a number and `@` a word."""
    return re.compile(spaced.replace(" ", r"\s*").replace("#", r"(\d{1,9})").replace("@", r"([a-z0-9-]+)"))


_PARAMETERISED: Final[tuple[tuple[re.Pattern[str], Callable[..., t.Type | None]], ...]] = (
    (_pattern(r"fixed \[ # \]"), _parse_fixed),
    (_pattern(r"decimal \( # , # \)"), _decimal),
    (_pattern(r"decimal-bytes \( # , # \)"), partial(_decimal, fixed=False)),
    (_pattern(r"decimal-fixed \( # , # \) \[ # \]"), _decimal),
    (_pattern(r"vector \[ # , @ , @ \]"), _vector),
)

_VARIANT_IDS: Final = {METADATA: -2, VALUE: -1}
_BLOB_IDS: Final = {"type": -10, "data": -11, "reference": -12}
_BLOB_DOCS: Final = {
    "type": "Blob storage type (INLINE | OUT_OF_LINE)",
    "data": "Inline blob bytes",
    "reference": "Out-of-line blob reference",
}
"""The docs that Hudi adds to a blob's fields when it persists them; its Avro schema has no docs."""

_Path = tuple[str, ...]
_Json = Mapping[str, Any]


def schema_to_json(schema: Schema) -> str:
    """The persisted text of a schema, which `schema_from_json` reads. `write_persisted` also returns what it has no place for."""
    return write_persisted(schema).value


def write_persisted(schema: Schema) -> Converted[str]:
    """The persisted text of a schema, and what it has no place for.

    A union is kept as its first type, an enumeration as string, nanoseconds as long; names of types, aliases, docs of
    records and custom properties are not kept, nor defaults: an optional field of a record has the default null.
    """
    if schema == EMPTY:
        return Converted("")
    writer = _Writer()
    document = {"max_column_id": schema.max_column_id, "version_id": schema.version, **writer.record(schema.record, ())}
    return Converted(compact(document), tuple(writer.losses))


def schema_from_json(text: str, where: str = "schema") -> Schema:
    """The schema of a persisted text. The empty text is the empty schema; a missing version is 0.

    `max_column_id` is never below an id that is there. Raises `SchemaError` with the path.
    """
    if not text.strip():
        return EMPTY
    return _Reader(where).schema(_parse(text, where))


def history_from_json(text: str, where: str = "schema history") -> tuple[Schema, ...]:
    """The schemas of a history document in its order, which is newest first. Raises `SchemaError`."""
    document = _parse(text, where)
    listed = document.get("schemas")
    if not isinstance(listed, list):
        raise SchemaError(where, expected="a list `schemas`", found=repr(listed)[:40])
    return tuple(_Reader(f"{where}: {position}").schema(item) for position, item in enumerate(listed))


def history_to_json(schemas: Iterable[Schema]) -> Converted[str]:
    """The history document of schemas, which are put newest first."""
    ordered = sorted(schemas, key=lambda schema: schema.version, reverse=True)
    converted = [write_persisted(schema) for schema in ordered]
    losses = dict.fromkeys(loss for document in converted for loss in document.losses)
    return Converted(f'{{"schemas":[{",".join(document.value for document in converted)}]}}', tuple(losses))


def type_to_json_text(type: t.Type) -> str | None:
    """The persisted form of a type without fields; None for a type without one."""
    match type:
        case t.Decimal(precision, scale, fixed=None):
            return f"decimal_bytes({precision}, {scale})"
        case t.Decimal(precision, scale, fixed=t.Fixed(size), implied=implied):
            return f"decimal({precision}, {scale})" if implied else f"decimal_fixed({precision}, {scale})[{size}]"
        case t.Fixed(size):
            return f"fixed[{size}]"
        case t.Vector(dimension, element, backing):
            return f"vector[{dimension}, {element.name}, {backing}]"
        case t.Uuid():
            return "uuid"
        case _:
            return _TEXTS.get(type)


def type_from_json_text(text: str) -> t.Type | None:
    """The type of a persisted type name, in any spelling; None for an unknown name."""
    name = text.lower().replace("_", "-").strip()
    if name in _NAMES:
        return _NAMES[name]
    for pattern, make in _PARAMETERISED:
        match = pattern.fullmatch(name)
        if match:
            return make(*match.groups())
    return None


class _Writer:
    """One writing of a schema, and its losses so far."""

    def __init__(self) -> None:
        self.losses: list[ConversionLoss] = []

    def record(self, type: t.Record, path: _Path) -> dict[str, object]:
        self._lose(path, "name of the record", type.name)
        self._lose(path, "doc of the record", type.doc)
        self._lose(path, "aliases of the record", type.aliases)
        self._lose(path, "properties of the record", type.properties)
        return {"type": "record", "fields": [self._field(field, (*path, field.name)) for field in type.fields]}

    def _field(self, field: t.Field, path: _Path) -> dict[str, object]:
        document: dict[str, object] = {"id": field.id, "name": field.name, "optional": field.optional}
        document["type"] = self._type(field, path)
        if field.doc is not None:
            document["doc"] = field.doc
        implied = "default null" if field.optional else ""
        if field.default is t.ABSENT:
            self.losses += [ConversionLoss(".".join(path), "no default", implied)] if implied else []
        elif field.default is not None:
            self.losses.append(ConversionLoss(".".join(path), f"default {field.default!r}", implied))
        self._lose(path, "aliases", field.aliases)
        self._lose(path, "properties", field.properties)
        return document

    def _type(self, field: t.Field, path: _Path) -> object:
        self._lose(path, "properties of the type", field.type_properties)
        match field.type:
            case t.Record(kind=t.RecordKind.PLAIN):
                return self.record(field.type, path)
            case t.Record():
                return self._disguise(field.type, path)
            case t.Array(element):
                self._lose(path, "properties of the array", field.type.properties)
                inner = self._type(element, (*path, element.name))
                document = {"type": "array", "element_id": element.id, "element": inner}
                return {**document, "element_optional": element.optional}
            case t.Map(key, value):
                self._lose(path, "properties of the map", field.type.properties)
                keys, values = self._type(key, (*path, key.name)), self._type(value, (*path, value.name))
                document = {"type": "map", "key_id": key.id, "key": keys, "value_id": value.id, "value": values}
                return {**document, "value_optional": value.optional}
            case t.Union(branches):
                self.losses.append(ConversionLoss(".".join(path), type_text(field.type), type_text(branches[0].type)))
                return self._type(branches[0], path)
            case _:
                return self._primitive(field.type, path)

    def _primitive(self, type: t.Primitive, path: _Path) -> str:
        name = type_to_json_text(type)
        match type:
            case t.Enumeration():
                self.losses.append(ConversionLoss(".".join(path), type_text(type), "string"))
                return "string"
            case t.Uuid(fixed=t.Fixed()):
                self.losses.append(ConversionLoss(".".join(path), "16 bytes behind a uuid", "uuid"))
            case t.Decimal(fixed=t.Fixed() as named) | (t.Fixed() | t.Vector() as named):
                self._lose(path, "name of the type", named.name)
                self._lose(path, "doc of the type", named.doc)
                self._lose(path, "aliases of the type", named.aliases)
        if name is None:
            self.losses.append(ConversionLoss(".".join(path), type_text(type), "long"))
            return "long"
        return name

    def _disguise(self, type: t.Record, path: _Path) -> dict[str, object]:
        canonical = variant() if type.kind is t.RecordKind.VARIANT else blob()
        self._lose(path, "name of the record", "" if type.name == canonical.name else type.name)
        self._lose(path, "doc of the record", type.doc)
        self._lose(path, "aliases of the record", type.aliases)
        self._lose(path, "properties of the record", type.properties)
        if len(type.fields) != len(canonical.fields) or not all(map(same_field, type.fields, canonical.fields)):
            self.losses.append(
                ConversionLoss(".".join(path), f"fields of its own in a {type.kind.value}", type.kind.value)
            )
        return _CANONICAL[type.kind]

    def _lose(self, path: _Path, attribute: str, value: object) -> None:
        if value:
            self.losses.append(ConversionLoss(".".join(path), f"{attribute} {value!r}"))


class _Reader:
    """One reading of a persisted schema."""

    def __init__(self, where: str) -> None:
        self._where = where

    def schema(self, json: object) -> Schema:
        document = self._object(json, ())
        if document.get("type") != "record":
            raise self._error((), "a record", repr(document.get("type"))[:40])
        record = self._record(document, ())
        version, greatest = self._number(document, "version_id", 0), self._number(document, "max_column_id", -1)
        return schema_at_place(self._where, record, version, greatest)

    def _record(self, json: _Json, path: _Path) -> t.Record:
        listed = json.get("fields")
        if not isinstance(listed, list):
            raise self._error(path, "a list of fields", repr(listed)[:40])
        return t.Record(tuple(self._field(self._object(field, path), path) for field in listed))

    def _field(self, json: _Json, path: _Path) -> t.Field:
        name, doc = json.get("name"), json.get("doc")
        if not isinstance(name, str) or not (doc is None or isinstance(doc, str)):
            raise self._error(path, "fields with a name and a doc in text", repr(dict(json))[:60])
        inner = (*path, name)
        column = self._id(json, "id", inner)
        data_type, optional = self._type(_get(json, "type"), column, inner), self._flag(json, "optional", inner)
        return t.Field(column, name, data_type, optional, doc, None if optional else t.ABSENT)

    def _type(self, json: object, column: int, path: _Path) -> t.Type:
        if isinstance(json, str):
            primitive = type_from_json_text(json)
            if primitive is None:
                raise self._error(path, "a type", repr(json)[:60])
            return primitive
        if len(path) > MAX_DEPTH:
            raise self._error(path[:3], f"at most {MAX_DEPTH} levels", "deeper nesting")
        document = self._object(json, path)
        kind = document.get("type")
        match kind.lower() if isinstance(kind, str) else kind:
            case "record":
                return self._disguise(document, column) or self._record(document, path)
            case "array":
                inner = (*path, "element")
                element = self._id(document, "element_id", inner)
                data_type = self._type(_get(document, "element"), element, inner)
                return t.Array(t.Field(element, "element", data_type, self._flag(document, "element_optional", inner)))
            case "map":
                named, valued = (*path, "key"), (*path, "value")
                key, value = self._id(document, "key_id", named), self._id(document, "value_id", valued)
                return t.Map(
                    t.Field(key, "key", self._type(_get(document, "key"), key, named), optional=False),
                    t.Field(
                        value,
                        "value",
                        self._type(_get(document, "value"), value, valued),
                        self._flag(document, "value_optional", valued),
                    ),
                )
            case _:
                raise self._error(path, "a record, an array or a map", repr(kind)[:40])

    def _disguise(self, json: _Json, column: int) -> t.Record | None:
        """The variant or blob that a record stands for, known by the ids of its fields."""
        listed = json.get("fields")
        if not isinstance(listed, list) or not all(isinstance(field, Mapping) for field in listed):
            return None
        ids = {field.get("name"): field.get("id") for field in listed}
        canonical = variant() if ids == _VARIANT_IDS else blob() if ids == _BLOB_IDS else None
        if canonical is None:
            return None
        numbered = with_hidden_ids(canonical, column)
        assert isinstance(numbered, t.Record)
        return numbered

    def _object(self, json: object, path: _Path) -> _Json:
        if not isinstance(json, Mapping):
            raise self._error(path, "an object", repr(json)[:40])
        return json

    def _id(self, json: _Json, key: str, path: _Path) -> int:
        value = _get(json, key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._error(path, f"a column id as {key}", repr(value)[:40])
        return value

    def _number(self, json: _Json, key: str, absent: int) -> int:
        value = _get(json, key)
        if value is None:
            return absent
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._error((), f"a whole number as {key}", repr(value)[:40])
        return value

    def _flag(self, json: _Json, key: str, path: _Path) -> bool:
        value = _get(json, key)
        if not isinstance(value, bool):
            raise self._error(path, f"true or false as {key}", repr(value)[:40])
        return value

    def _error(self, path: _Path, expected: str, found: str) -> SchemaError:
        where = f"{self._where}: {'.'.join(path)}" if path else self._where
        return SchemaError(where, expected=expected, found=found)


def _get(json: _Json, key: str) -> object:
    """The value of a key in either spelling; None when it is not there."""
    return json[key] if key in json else json.get(key.replace("_", "-"))


def _parse(text: str, where: str) -> _Json:
    try:
        document = json.loads(text)
    except RecursionError:
        raise SchemaError(where, message="nested too deeply") from None
    except ValueError as error:
        raise SchemaError(where, expected="JSON", found=str(error)) from None
    if not isinstance(document, dict):
        raise SchemaError(where, expected="a JSON object", found=type(document).__name__)
    return document


def compact(document: object) -> str:
    """Compact JSON; control characters with upper-case digits, as Jackson writes them."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPE.sub(lambda match: match[0] if match[1] is None else f"\\u{match[1].upper()}", text)


_ESCAPE: Final = re.compile(r"\\\\|\\u([0-9a-f]{4})")


def _canonical(type: t.Record, ids: Mapping[str, int], docs: Mapping[str, str]) -> dict[str, object]:
    """A variant or blob as Hudi persists it: given ids and docs at the top, ids from 0 within its `reference`."""
    fields: list[dict[str, object]] = []
    for position, field in enumerate(type.fields):
        inner: object = "string" if isinstance(field.type, t.Enumeration) else type_to_json_text(field.type)
        if isinstance(field.type, t.Record):
            inner = _canonical(field.type, {}, {})
        document = {"id": ids.get(field.name, position), "name": field.name, "optional": field.optional, "type": inner}
        doc = docs.get(field.name, field.doc)
        fields.append(document if doc is None else {**document, "doc": doc})
    return {"type": "record", "fields": fields}


_CANONICAL: Final = {
    t.RecordKind.VARIANT: _canonical(variant(), _VARIANT_IDS, {}),
    t.RecordKind.BLOB: _canonical(blob(), _BLOB_IDS, _BLOB_DOCS),
}
