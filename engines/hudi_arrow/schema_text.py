"""Arrow's schemas as text: the JSON form of Arrow's own integration tests, which its implementations have in common.

Source: Arrow's format documents, "Integration Testing", JSON test data format, the `schema` part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import pyarrow as pa

from hudi_arrow.types import schema_from_arrow, schema_to_arrow
from hudi_core.errors import SchemaError, UsageError, describe
from hudi_core.json_texts import parse_json
from hudi_core.schema.loss import Converted
from hudi_core.schema.schema import MAX_DEPTH, Schema

_Json = Mapping[str, Any]

_WORDS: Final[Mapping[str, pa.DataType]] = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "utf8": pa.string(),
    "largeutf8": pa.large_string(),
    "utf8view": pa.string_view(),
    "binary": pa.binary(),
    "largebinary": pa.large_binary(),
    "binaryview": pa.binary_view(),
}
_INTEGERS: Final = {
    (arrow.bit_width, signed): arrow
    for signed, types in ((True, (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
                          (False, (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())))
    for arrow in types
}  # fmt: skip
_FLOATS: Final = {"HALF": pa.float16(), "SINGLE": pa.float32(), "DOUBLE": pa.float64()}
_DATES: Final = {"DAY": pa.date32(), "MILLISECOND": pa.date64()}
_UNITS: Final = {"SECOND": "s", "MILLISECOND": "ms", "MICROSECOND": "us", "NANOSECOND": "ns"}
_LISTS: Final[Mapping[str, Callable[[pa.Field], pa.DataType]]] = {
    "list": pa.list_,
    "largelist": pa.large_list,
    "listview": pa.list_view,
    "largelistview": pa.large_list_view,
}

_TO_JSON: Final[Mapping[pa.DataType, _Json]] = {
    **{arrow: {"name": name} for name, arrow in _WORDS.items()},
    **{arrow: {"name": "int", "bitWidth": width, "isSigned": signed} for (width, signed), arrow in _INTEGERS.items()},
    **{arrow: {"name": "floatingpoint", "precision": precision} for precision, arrow in _FLOATS.items()},
    **{arrow: {"name": "date", "unit": unit} for unit, arrow in _DATES.items()},
    **{
        arrow: {"name": "time", "unit": unit, "bitWidth": arrow.bit_width}
        for unit, arrow in zip(_UNITS, (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")), strict=True)
    },
}
_FROM_JSON: Final = {json.dumps(document, sort_keys=True): arrow for arrow, document in _TO_JSON.items()}


class ArrowText:
    """The form `arrow`."""

    def parse(self, text: str, where: str) -> Converted[Schema]:
        try:
            document = parse_json(text)
        except ValueError as problem:
            raise SchemaError(
                where, expected="the JSON of an Arrow schema", found=" ".join(str(problem).split())
            ) from problem
        return schema_from_arrow(from_json(document, where), where)

    def write(self, schema: Schema) -> Converted[str]:
        converted = schema_to_arrow(schema)
        return Converted(json.dumps(to_json(converted.value), ensure_ascii=False), converted.losses)

    def from_object(self, schema: pa.Schema, where: str) -> Converted[Schema]:
        if not hasattr(schema, "__arrow_c_schema__"):
            raise UsageError(where, expected="a schema of pyarrow", found=describe(schema))
        return schema_from_arrow(pa.schema(schema), where)

    def to_object(self, schema: Schema) -> Converted[pa.Schema]:
        return schema_to_arrow(schema)


ARROW: Final = ArrowText()


def to_json(schema: pa.Schema) -> dict[str, Any]:
    """The JSON of a schema without dictionaries and run-end encoding, which none of ours has."""
    return {"fields": [_field_to_json(field) for field in schema], **_metadata_to_json(schema.metadata)}


def from_json(document: object, where: str) -> pa.Schema:
    """The schema of a JSON document; one that holds it as `schema` will do. Raises `SchemaError` with the path."""
    if isinstance(document, dict) and isinstance(document.get("schema"), dict):
        document = document["schema"]
    if not isinstance(document, dict) or not isinstance(document.get("fields"), list):
        raise SchemaError(where, expected="the JSON of an Arrow schema, with a list `fields`", found=_excerpt(document))
    fields = [_field(field, where, 0) for field in document["fields"]]
    return pa.schema(fields, _metadata(document, where))


def _field_to_json(field: pa.Field) -> dict[str, Any]:
    arrow = field.type
    inner = [arrow.field(position) for position in range(arrow.num_fields)]
    if pa.types.is_map(arrow):
        inner = [pa.field("entries", pa.struct([arrow.key_field, arrow.item_field]), nullable=False)]
    return {
        "name": field.name,
        "nullable": field.nullable,
        "type": _type_to_json(arrow),
        "children": [_field_to_json(child) for child in inner],
        **_metadata_to_json(field.metadata),
    }


def _type_to_json(arrow: pa.DataType) -> _Json:
    if arrow in _TO_JSON:
        return _TO_JSON[arrow]
    if pa.types.is_timestamp(arrow):
        unit = next(name for name, short in _UNITS.items() if short == arrow.unit)
        return {"name": "timestamp", "unit": unit, **({"timezone": arrow.tz} if arrow.tz else {})}
    if pa.types.is_decimal(arrow):
        return {"name": "decimal", "precision": arrow.precision, "scale": arrow.scale, "bitWidth": arrow.bit_width}
    if pa.types.is_fixed_size_binary(arrow):
        return {"name": "fixedsizebinary", "byteWidth": arrow.byte_width}
    if pa.types.is_map(arrow):
        return {"name": "map", "keysSorted": arrow.keys_sorted}
    if pa.types.is_union(arrow):
        return {"name": "union", "mode": arrow.mode.upper(), "typeIds": list(arrow.type_codes)}
    if pa.types.is_list(arrow):
        return {"name": "list"}
    assert pa.types.is_struct(arrow), arrow
    return {"name": "struct"}


def _metadata_to_json(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    entries = [
        {"key": key.decode("utf-8", "replace"), "value": value.decode("utf-8", "replace")}
        for key, value in (metadata or {}).items()
    ]
    return {"metadata": entries} if entries else {}


def _field(document: object, where: str, depth: int) -> pa.Field:
    if not isinstance(document, dict) or not isinstance(document.get("type"), dict):
        raise SchemaError(where, expected="a field with an object `type`", found=_excerpt(document))
    name, nullable, children = document.get("name"), document.get("nullable", True), document.get("children") or []
    where = f"{where}: {name}" if not depth else f"{where}.{name}"
    if not isinstance(name, str) or not isinstance(nullable, bool) or not isinstance(children, list):
        raise SchemaError(
            where, expected="a text `name`, a boolean `nullable`, a list `children`", found=_excerpt(document)
        )
    if depth > MAX_DEPTH:
        raise SchemaError(where[:100], expected=f"at most {MAX_DEPTH} levels", found="deeper nesting")
    inner = [_field(child, where, depth + 1) for child in children]
    try:
        arrow = _type(document["type"], inner)
    except (pa.ArrowException, ValueError, TypeError, KeyError, OverflowError, IndexError) as problem:
        raise SchemaError(where, expected="an Arrow type", found=_excerpt(document["type"])) from problem
    return pa.field(name, arrow, nullable, _metadata(document, where))


def _type(document: _Json, inner: list[pa.Field]) -> pa.DataType:
    """Raises what pyarrow raises for what does not make sense, `KeyError` for names that are not known."""
    simple = _FROM_JSON.get(json.dumps(document, sort_keys=True))
    if simple is not None:
        return simple
    name = document["name"]
    match name:
        case "time":
            return _FROM_JSON[
                json.dumps(
                    {**document, "bitWidth": 32 if document["unit"] in ("SECOND", "MILLISECOND") else 64},
                    sort_keys=True,
                )
            ]
        case "timestamp":
            return pa.timestamp(_UNITS[document["unit"]], document.get("timezone"))
        case "duration":
            return pa.duration(_UNITS[document["unit"]])
        case "decimal":
            make = {32: pa.decimal128, 64: pa.decimal128, 128: pa.decimal128, 256: pa.decimal256}[
                document.get("bitWidth", 128)
            ]
            return make(document["precision"], document["scale"])
        case "fixedsizebinary":
            return pa.binary(document["byteWidth"])
        case "fixedsizelist":
            return pa.list_(inner[0], document["listSize"])
        case "struct":
            return pa.struct(inner)
        case "map":
            (entries,) = inner
            return pa.map_(entries.type.field(0), entries.type.field(1), document.get("keysSorted", False))
        case "union":
            make_union = {"SPARSE": pa.sparse_union, "DENSE": pa.dense_union}[document["mode"]]
            return make_union(inner, document.get("typeIds"))
        case _:
            (element,) = inner
            return _LISTS[name](element)


def _metadata(document: _Json, where: str) -> dict[str, str] | None:
    entries = document.get("metadata") or []
    try:
        metadata = {entry["key"]: entry["value"] for entry in entries}
    except (TypeError, KeyError) as problem:
        raise SchemaError(
            where, expected="metadata as a list of `key` and `value`", found=_excerpt(entries)
        ) from problem
    if not all(isinstance(text, str) for entry in metadata.items() for text in entry):
        raise SchemaError(where, expected="texts as metadata", found=_excerpt(entries))
    return metadata or None


def _excerpt(document: object) -> str:
    shown = json.dumps(document, ensure_ascii=False)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
