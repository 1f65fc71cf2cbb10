"""Our types and Spark's, both ways: one table, over the JSON of Spark's schemas; needs neither PySpark nor a JVM.

A struct's field carries its column id as `parquet.field.id` and its doc as `comment`, as Spark has them, `hudi_type` for
what Hudi's own Spark writer marks so, and all else under `hudi_core`, a JSON text. Elements, keys and values of a field have no
metadata in Spark; theirs stands inside that of the field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hudi_core.avro.extras import Plain, carry, imply_default, restore, type_shell
from hudi_core.errors import SchemaError
from hudi_core.json_texts import parse_json
from hudi_core.schema.ids import NO_ID, record_with_missing_ids
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.schema import MAX_DEPTH, Schema, schema_at_place
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, is_whole_variant, variant
from hudi_core.types.nodes import smallest_size
from hudi_core.types.text import text
from hudi_core.types.walk import same

FIELD_ID: Final = "parquet.field.id"
COMMENT: Final = "comment"
HUDI_TYPE: Final = "hudi_type"
EXTRAS: Final = "hudi_core"

GREATEST_PRECISION: Final = 38
"""Digits of Spark's widest decimal."""

_EXACT: Final[tuple[tuple[t.Type, str], ...]] = (
    (t.Boolean(), "boolean"),
    (t.Int(), "integer"),
    (t.Long(), "long"),
    (t.Float(), "float"),
    (t.Double(), "double"),
    (t.Date(), "date"),
    (t.Timestamp(t.Unit.MICROS, zoned=True), "timestamp"),
    (t.Timestamp(t.Unit.MICROS, zoned=False), "timestamp_ntz"),
    (t.String(), "string"),
    (t.Binary(), "binary"),
)
"""Types that mean the same on both sides."""

_PLAIN: Final[Mapping[t.Type, t.Type]] = {
    t.Time(t.Unit.MILLIS): t.Int(),
    t.Time(t.Unit.MICROS): t.Long(),
    t.Time(t.Unit.NANOS): t.Long(),
    t.Timestamp(t.Unit.MILLIS, zoned=True): t.Timestamp(t.Unit.MICROS, zoned=True),
    t.Timestamp(t.Unit.MILLIS, zoned=False): t.Timestamp(t.Unit.MICROS, zoned=False),
    t.Timestamp(t.Unit.NANOS, zoned=True): t.Long(),
    t.Timestamp(t.Unit.NANOS, zoned=False): t.Long(),
}
"""Types that Spark has no word for, and what it holds instead; the others are in `plain`."""

_WIDENED: Final[Mapping[str, t.Type]] = {"byte": t.Int(), "short": t.Int()}
"""Spark's types that we keep as the narrowest of ours that holds all their values."""

_ELEMENTS: Final[Mapping[t.VectorElement, t.Type]] = {
    t.VectorElement.FLOAT: t.Float(),
    t.VectorElement.DOUBLE: t.Double(),
    t.VectorElement.INT8: t.Int(),
}
_TO_SPARK: Final = dict(_EXACT)
_FROM_SPARK: Final = {name: logical for logical, name in _EXACT}
_DECIMAL: Final = re.compile(r"decimal\((\d{1,9}),(-?\d{1,9})\)")
_TEXT: Final = re.compile(r"(var)?char\(\d+\)|string collate \w+")
_VARIANT: Final = "variant"
_VECTOR: Final = re.compile(r"VECTOR\s*\(\s*(\d{1,9})\s*(?:,\s*(\w+)\s*)?\)", re.IGNORECASE)

_Path = tuple[str, ...]
_Json = Mapping[str, Any]


def schema_to_spark_json(schema: Schema, *, metadata: bool = True, variants: bool = False) -> Converted[str]:
    """The JSON of Spark's StructType, as `StructType.json()` gives it.

    Spark has no place for the version of a schema, for the ids of columns that are gone and for its record's own attributes.
    Without `metadata` only column ids and docs are kept of what Spark has no word for. With `variants` a variant that is not
    shredded is Spark's own, which Spark 4 has; else it is the struct of its parts.
    """
    outward = _Outward(keep=metadata, variants=variants)
    fields = [outward.field(field, (field.name,)) for field in schema.fields]
    losses = [ConversionLoss("", f"version {schema.version}")] if schema.version else []
    losses += (
        [ConversionLoss("", "ids of columns that are gone")]
        if schema.max_column_id > max(schema.places, default=-1)
        else []
    )
    shell = type_shell(schema.record)
    losses += [ConversionLoss("", f"{name} of the record {value!r}") for name, value in shell.items() if name != "is"]
    document = {"type": "struct", "fields": fields}
    return Converted(json.dumps(document, ensure_ascii=False, separators=(",", ":")), (*losses, *outward.losses))


def schema_from_spark_json(document: str | Mapping[str, Any], where: str = "schema") -> Converted[Schema]:
    """The schema of a StructType in JSON; fields without a column id get new ones, beyond all that are there.

    Raises `SchemaError` with the path for what is no such JSON, and for types that hold no values of ours (intervals, void).
    """
    loaded = _parse(document, where)
    inward = _Inward(where)
    record = inward.type(loaded, (), {})
    if not isinstance(record, t.Record):
        raise SchemaError(where, expected="a struct", found=text(record))
    return Converted(schema_at_place(where, record_with_missing_ids(record)), tuple(inward.losses))


def plain(logical: t.Type) -> t.Type:
    """The type that Spark's word for a type gives back, around the same fields."""
    match logical:
        case t.Decimal(precision, scale):
            return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))
        case t.Fixed() | t.Uuid(fixed=t.Fixed()):
            return t.Binary()
        case t.Uuid() | t.Enumeration():
            return t.String()
        case t.Vector(element=element):
            return t.Array(t.Field(NO_ID, "element", _ELEMENTS[element], optional=False))
        case t.Record(fields):
            return t.Record(fields)
        case t.Union(branches):
            return t.Record(tuple(replace(branch, optional=True, default=None) for branch in branches))
        case t.Array(element):
            return t.Array(element)
        case t.Map(key, value):
            return t.Map(key, value)
        case _:
            return _PLAIN.get(logical, logical)


def _plain_with_variants(type: t.Type) -> t.Type:
    """As `plain`, where Spark's word for a variant gives back a variant."""
    return replace(variant(), fields=t.children(type)) if is_whole_variant(type) else plain(type)


class _Outward:
    """One conversion to Spark, and its losses."""

    def __init__(self, *, keep: bool, variants: bool) -> None:
        self._keep, self._variants = keep, variants
        self._plain = _plain_with_variants if variants else plain
        self.losses: list[ConversionLoss] = []

    def field(self, field: t.Field, path: _Path) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        if field.doc is not None:
            metadata[COMMENT] = field.doc
        if field.id >= 0:
            metadata[FIELD_ID] = field.id
        marked = _find_mark(field.type)
        if marked is not None:
            metadata[HUDI_TYPE] = marked
        extras = self._extras(replace(field, doc=None), path)
        if extras:
            metadata[EXTRAS] = json.dumps(extras)
        word = self._type(field.type, path)
        return {"name": field.name, "type": word, "nullable": field.optional, "metadata": metadata}

    def _extras(self, field: t.Field, path: _Path, *, column: bool = True) -> dict[str, Any]:
        extras = carry(field, self._plain, ".".join(path), self.losses, keep=self._keep, column=column)
        if isinstance(field.type, t.Array | t.Map):
            for inner in t.children(field.type):
                below = self._extras(inner, (*path, inner.name), column=False)
                extras[inner.name] = {"id": inner.id, **below} if inner.id >= 0 else below
        return extras

    def _type(self, type: t.Type, path: _Path) -> object:
        match type:
            case t.Record() if self._variants and is_whole_variant(type):
                if [(f.name, f.doc) for f in type.fields] != [(f.name, f.doc) for f in variant().fields]:
                    self.losses.append(ConversionLoss(".".join(path), "the order and docs of the variant's parts"))
                return _VARIANT
            case t.Record(fields):
                return {"type": "struct", "fields": [self.field(field, (*path, field.name)) for field in fields]}
            case t.Union():
                return self._type(plain(type), path)
            case t.Array(element):
                inner = self._type(element.type, (*path, element.name))
                return {"type": "array", "elementType": inner, "containsNull": element.optional}
            case t.Vector():
                return self._type(plain(type), path)
            case t.Map(key, value):
                keys, values = self._type(key.type, (*path, "key")), self._type(value.type, (*path, "value"))
                return {"type": "map", "keyType": keys, "valueType": values, "valueContainsNull": value.optional}
            case t.Decimal(precision, scale):
                if precision > GREATEST_PRECISION:
                    expected = f"at most {GREATEST_PRECISION} digits for Spark"
                    raise SchemaError(".".join(path), expected=expected, found=text(type))
                return f"decimal({precision},{scale})"
            case _:
                return _TO_SPARK[plain(type)]


def _plain_as_read(word: t.Type) -> Plain:
    """What `plain` was when a type that is read as `word` was written."""
    return _plain_with_variants if is_whole_variant(word) else plain


class _Inward:
    """One conversion from Spark, and its losses. A field without a column id gets `NO_ID`."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.losses: list[ConversionLoss] = []

    def type(self, word: object, path: _Path, extras: _Json) -> t.Type:
        if isinstance(word, str):
            return self._primitive(word, path)
        if not isinstance(word, Mapping):
            raise self._error(path, "a type", word)
        if len(path) > MAX_DEPTH:
            raise self._error(path[:3], f"at most {MAX_DEPTH} levels", "deeper nesting")
        match word.get("type"):
            case "struct" if isinstance(word.get("fields"), list):
                return t.Record(tuple(self._field(field, path) for field in word["fields"]))
            case "array":
                return t.Array(self._inner("element", word, "elementType", "containsNull", path, extras))
            case "map":
                key = self._inner("key", word, "keyType", None, path, extras)
                return t.Map(key, self._inner("value", word, "valueType", "valueContainsNull", path, extras))
            case "udt":
                read = self.type(word.get("sqlType"), path, extras)
                self.losses.append(ConversionLoss(".".join(path), f"user-defined type {word.get('class')}", text(read)))
                return read
            case _:
                raise self._error(path, "a struct, an array or a map", word.get("type"))

    def _primitive(self, word: str, path: _Path) -> t.Type:
        exact = _FROM_SPARK.get(word)
        if exact is not None:
            return exact
        if word == _VARIANT:
            return variant()
        decimal = _DECIMAL.fullmatch(word)
        if decimal:
            precision, scale = int(decimal[1]), int(decimal[2])
            if not 0 <= scale <= precision or precision == 0:
                raise self._error(path, "a decimal with a scale from 0 to its precision", word)
            return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))
        read = _WIDENED.get(word) or (t.String() if _TEXT.fullmatch(word) else None)
        if read is None:
            raise self._error(path, "a Spark type whose values hudi-core knows", word)
        self.losses.append(ConversionLoss(".".join(path), word, text(read)))
        return read

    def _field(self, json_field: object, path: _Path) -> t.Field:
        if not isinstance(json_field, Mapping) or not isinstance(json_field.get("name"), str):
            raise self._error(path, "a field with a name", json_field)
        inner = (*path, json_field["name"])
        metadata = json_field.get("metadata") or {}
        nullable = json_field.get("nullable", True)
        if not isinstance(metadata, Mapping) or not isinstance(nullable, bool):
            raise self._error(inner, "true or false as nullable and an object as metadata", json_field)
        extras = self._load(metadata.get(EXTRAS), inner)
        logical = self.type(json_field.get("type"), inner, extras)
        column, comment = self._id(metadata.get(FIELD_ID), inner), metadata.get(COMMENT)
        field = t.Field(column, inner[-1], logical, nullable, comment, imply_default(nullable))
        restoration = restore(field, extras, _plain_as_read(logical), self._at(inner))
        return replace(restoration, type=_unmark(restoration.type, metadata.get(HUDI_TYPE)))

    def _inner(
        self, name: str, word: _Json, type_key: str, null_key: str | None, path: _Path, extras: _Json
    ) -> t.Field:
        inner, below = (*path, name), extras.get(name, {})
        if not isinstance(below, Mapping):
            raise self._error(inner, "an object as metadata of this library", below)
        nullable = word.get(null_key, True) if null_key else False
        if not isinstance(nullable, bool):
            raise self._error(inner, f"true or false as {null_key}", nullable)
        logical = self.type(word.get(type_key), inner, below)
        field = t.Field(self._id(below.get("id"), inner), name, logical, nullable)
        return restore(field, below, _plain_as_read(logical), self._at(inner))

    def _load(self, extras: object, path: _Path) -> _Json:
        if extras is None:
            return {}
        try:
            loaded = parse_json(extras) if isinstance(extras, str) else None
        except ValueError:
            loaded = None
        if not isinstance(loaded, dict):
            raise self._error(path, "a JSON object as metadata `hudi_core`", extras)
        return loaded

    def _id(self, stated: object, path: _Path) -> int:
        if stated is None:
            return NO_ID
        if not isinstance(stated, int) or isinstance(stated, bool) or stated < 0:
            raise self._error(path, f"a column id as {FIELD_ID}", stated)
        return stated

    def _at(self, path: _Path) -> str:
        return f"{self._where}: {'.'.join(path)}" if path else self._where

    def _error(self, path: _Path, expected: str, found: object) -> SchemaError:
        return SchemaError(self._at(path), expected=expected, found=repr(found)[:60])


def vector_of(mark: str) -> t.Vector | None:
    """The vector that Hudi's Spark writer marks so, None when it marks none.

    >>> vector_of("VECTOR(3)"), vector_of("VECTOR(2, DOUBLE)").element.name, vector_of("BLOB")
    (Vector(dimension=3, element=<VectorElement.FLOAT: 4>, backing='FIXED_BYTES', name='', aliases=(), doc=None), 'DOUBLE', None)
    """
    match = _VECTOR.fullmatch(mark.strip())
    if not match or int(match[1]) == 0:
        return None
    element = (match[2] or t.VectorElement.FLOAT.name).upper()
    return t.Vector(int(match[1]), t.VectorElement[element]) if element in t.VectorElement.__members__ else None


def _unmark(type: t.Type, mark: object) -> t.Type:
    """The type in Hudi's own metadata of a field, where the field has none of ours."""
    if isinstance(type, t.Array) and isinstance(mark, str):
        vector = vector_of(mark)
        if vector is not None and same(plain(vector), replace(type, element=replace(type.element, optional=False))):
            return vector
    if isinstance(type, t.Record) and type.kind is t.RecordKind.PLAIN and mark == t.RecordKind.BLOB.name:
        canonical = blob()
        if [field.name for field in type.fields] == [field.name for field in canonical.fields]:
            return canonical
    return type


def _find_mark(type: t.Type) -> str | None:
    match type:
        case t.Vector(dimension, t.VectorElement.FLOAT):
            return f"VECTOR({dimension})"
        case t.Vector(dimension, element):
            return f"VECTOR({dimension}, {element.name})"
        case t.Record(kind=t.RecordKind.BLOB):
            return t.RecordKind.BLOB.name
        case _:
            return None


def _parse(document: str | Mapping[str, Any], where: str) -> object:
    if not isinstance(document, str):
        return document
    try:
        parsed: object = json.loads(document)
    except RecursionError:
        raise SchemaError(where, message="nested too deeply") from None
    except ValueError as error:
        raise SchemaError(where, expected="the JSON of a Spark schema", found=str(error)) from None
    return parsed
