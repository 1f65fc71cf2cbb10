"""Our types and Arrow's, both ways: one table, and metadata for what Arrow has no word for.

A field carries its column id as `PARQUET:field_id` (as Parquet writers take it) and all else under `hudi_core`, as JSON; the
schema carries its version and its record's name there. Hidden column ids are not written, they follow from the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from hudi_core.avro.extras import carry, imply_default, is_plain, restore, type_shell
from hudi_core.errors import SchemaError
from hudi_core.json_texts import parse_json
from hudi_core.schema.ids import NO_ID, record_with_missing_ids, with_ids
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.schema import MAX_DEPTH, Schema, schema_at_place
from hudi_core.types import nodes as t
from hudi_core.types.nodes import smallest_size
from hudi_core.types.text import text

FIELD_ID: Final = b"PARQUET:field_id"
EXTRAS: Final = b"hudi_core"

GREATEST_PRECISION: Final = 76
"""Digits of Arrow's widest decimal."""

_NO_METADATA: Final[Mapping[bytes, bytes]] = {}
_UTC: Final = frozenset({None, "UTC"})
_UNITS: Final = {t.Unit.MILLIS: "ms", t.Unit.MICROS: "us", t.Unit.NANOS: "ns"}
_OF_UNIT: Final = {"s": t.Unit.MILLIS, **{name: unit for unit, name in _UNITS.items()}}

_SIMPLE: Final[Mapping[type, tuple[t.Type, pa.DataType]]] = {
    type(logical): (logical, arrow)
    for logical, arrow in (
        (t.Boolean(), pa.bool_()),
        (t.Int(), pa.int32()),
        (t.Long(), pa.int64()),
        (t.Float(), pa.float32()),
        (t.Double(), pa.float64()),
        (t.Date(), pa.date32()),
        (t.String(), pa.string()),
        (t.Binary(), pa.binary()),
    )
}
"""Types without parameters that mean the same on both sides, by our class."""

_TIMES: Final[Mapping[t.Type, pa.DataType]] = {
    t.Time(t.Unit.MILLIS): pa.time32("ms"),
    t.Time(t.Unit.MICROS): pa.time64("us"),
    t.Time(t.Unit.NANOS): pa.time64("ns"),
    **{t.Timestamp(unit, zoned=True): pa.timestamp(name, "UTC") for unit, name in _UNITS.items()},
    **{t.Timestamp(unit, zoned=False): pa.timestamp(name) for unit, name in _UNITS.items()},
}
"""Times and timestamps, which mean the same on both sides too."""

_INWARD: Final[tuple[tuple[pa.DataType, t.Type], ...]] = (
    (pa.int8(), t.Int()),
    (pa.int16(), t.Int()),
    (pa.uint8(), t.Int()),
    (pa.uint16(), t.Int()),
    (pa.uint32(), t.Long()),
    (pa.uint64(), t.Decimal(20, 0, t.Fixed(smallest_size(20)))),
    (pa.float16(), t.Float()),
    (pa.date64(), t.Date()),
    (pa.time32("s"), t.Time(t.Unit.MILLIS)),
    (pa.large_string(), t.String()),
    (pa.string_view(), t.String()),
    (pa.large_binary(), t.Binary()),
    (pa.binary_view(), t.Binary()),
)
"""Arrow's types that become the narrowest of ours that holds all their values; anything else of them is a conversion loss."""

_WORDS: Final = {kind: arrow for kind, (_, arrow) in _SIMPLE.items()}
_MEANINGS: Final = {arrow.id: logical for logical, arrow in _SIMPLE.values()}
_TIMES_READ: Final = {arrow: logical for logical, arrow in _TIMES.items()}
_OPAQUE: Final = frozenset(("pandas.period", "arrow.opaque"))
"""Names of extension types whose stored values are not what they mean."""
_WIDENED: Final = dict(_INWARD)
_EXACT_KINDS: Final = frozenset({*_SIMPLE, t.Time, t.Timestamp})

_Path = tuple[str, ...]


def to_arrow(type: t.Type) -> pa.DataType:
    """The Arrow type of a type, without metadata. Raises `SchemaError` for decimals of more digits than Arrow has."""
    return _Outward(keep=False, metadata=False).type(type, ())


def schema_to_arrow(schema: Schema, *, metadata: bool = True) -> Converted[pa.Schema]:
    """The Arrow schema of a schema. Without `metadata` all that Arrow has no word for is lost, but for the column ids."""
    outward = _Outward(keep=metadata, metadata=True)
    fields = [outward.field(field, (field.name,)) for field in schema.fields]
    shell = type_shell(schema.record)
    if metadata:
        extras = {"version": schema.version, "max_column_id": schema.max_column_id, "record": shell}
        return Converted(pa.schema(fields, {EXTRAS: json.dumps(extras)}), tuple(outward.losses))
    losses = [ConversionLoss("", f"{name} of the record {value!r}") for name, value in shell.items() if name != "is"]
    losses += [ConversionLoss("", f"version {schema.version}")] if schema.version else []
    losses += (
        [ConversionLoss("", "ids of columns that are gone")]
        if schema.max_column_id > max(schema.places, default=-1)
        else []
    )
    return Converted(pa.schema(fields), (*losses, *outward.losses))


def schema_from_arrow(schema: pa.Schema, where: str = "schema") -> Converted[Schema]:
    """The schema of an Arrow schema; fields without a column id get new ones, beyond all that are there.

    Raises `SchemaError` with the path for types that hold no values of ours: null, durations, intervals.
    """
    inward = _Inward(where)
    record = t.Record(tuple(inward.field(field, (field.name,)) for field in schema))
    metadata = schema.metadata or _NO_METADATA
    extras = _load(metadata[EXTRAS], where) if EXTRAS in metadata else {}
    version, greatest = extras.get("version", 0), extras.get("max_column_id", -1)
    if not isinstance(version, int) or not isinstance(greatest, int):
        raise SchemaError(where, expected="whole numbers as version and max_column_id", found=repr(extras)[:60])
    if "record" in extras:
        holder = restore(t.Field(NO_ID, "", record), {"type": extras["record"]}, plain, where).type
        record = holder if isinstance(holder, t.Record) else record
    read = schema_at_place(where, record_with_missing_ids(record, greatest), version, greatest)
    return Converted(read, tuple(inward.losses))


def from_arrow(type: pa.DataType, where: str = "type") -> Converted[t.Type]:
    """The type of an Arrow type, with column ids in it from 0."""
    inward = _Inward(where)
    return Converted(with_ids(inward.type(type, ())), tuple(inward.losses))


def plain(logical: t.Type) -> t.Type:
    """The type that Arrow's word for a type gives back, around the same fields."""
    if type(logical) in _EXACT_KINDS:
        return logical
    match logical:
        case t.Decimal(precision, scale):
            return t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))
        case t.Fixed(size) | t.Uuid(fixed=t.Fixed(size)):
            return t.Fixed(size)
        case t.Vector(dimension, element):
            return t.Fixed(dimension * element.value)
        case t.Uuid() | t.Enumeration():
            return t.String()
        case t.Record(fields):
            return t.Record(fields)
        case t.Array(element):
            return t.Array(element)
        case t.Map(key, value):
            return t.Map(key, value)
        case _:
            return logical


class _Outward:
    """One conversion to Arrow, and its losses."""

    def __init__(self, *, keep: bool, metadata: bool) -> None:
        self._keep = keep
        self._metadata = metadata
        self.losses: list[ConversionLoss] = []

    def field(self, field: t.Field, path: _Path, *, column: bool = True) -> pa.Field:
        arrow = self.type(field.type, path)
        if not self._metadata:
            return pa.field(field.name, arrow, field.optional)
        metadata = {FIELD_ID: b"%d" % field.id} if field.id >= 0 else {}
        if not is_plain(field, column=column) or type(field.type) not in _EXACT_KINDS:
            extras = carry(field, plain, ".".join(path), self.losses, keep=self._keep, column=column)
            if extras:
                metadata[EXTRAS] = json.dumps(extras).encode()
        return pa.field(field.name, arrow, field.optional, metadata or None)

    def type(self, logical: t.Type, path: _Path) -> pa.DataType:
        word = _WORDS.get(type(logical))
        if word is not None:
            return word
        match logical:
            case t.Time() | t.Timestamp():
                return _TIMES[logical]
            case t.Record(fields):
                return pa.struct([self.field(field, (*path, field.name)) for field in fields])
            case t.Array(element):
                return pa.list_(self.field(element, (*path, element.name), column=False))
            case t.Map(key, value):
                inner = [self.field(child, (*path, child.name), column=False) for child in (key, value)]
                return pa.map_(*inner)
            case t.Union(branches):
                return pa.dense_union([self.field(branch, (*path, branch.name), column=False) for branch in branches])
            case t.Decimal(precision, scale):
                if precision > GREATEST_PRECISION:
                    expected = f"at most {GREATEST_PRECISION} digits for Arrow"
                    raise SchemaError(".".join(path), expected=expected, found=text(logical))
                return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
            case t.Fixed(size) | t.Uuid(fixed=t.Fixed(size)):
                return pa.binary(size)
            case t.Vector(dimension, element):
                return pa.binary(dimension * element.value)
            case t.Uuid() | t.Enumeration():
                return pa.string()
            case _:
                raise AssertionError(logical)


class _Inward:
    """One conversion from Arrow, and its losses. A field without a column id gets `NO_ID`."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._extras: dict[bytes, Any] = {}
        self.losses: list[ConversionLoss] = []

    def field(self, arrow: pa.Field, path: _Path, *, column: bool = True) -> t.Field:
        metadata, optional = arrow.metadata or _NO_METADATA, arrow.nullable
        column_id = self._id(metadata[FIELD_ID], path) if FIELD_ID in metadata else NO_ID
        logical, default = self.type(arrow.type, path), imply_default(optional, column=column)
        field = t.Field(column_id, path[-1], logical, optional, None, default)
        if EXTRAS not in metadata:
            return field
        where, extras = self._at(path), metadata[EXTRAS]
        if extras not in self._extras:
            self._extras[extras] = _load(extras, where)
        return restore(field, self._extras[extras], plain, where)

    def type(self, arrow: pa.DataType, path: _Path) -> t.Type:
        exact = _MEANINGS.get(arrow.id) or _TIMES_READ.get(arrow)
        if exact is not None:
            return exact
        widened = _WIDENED.get(arrow)
        if widened is not None:
            return self._lossy(arrow, widened, path)
        if pa.types.is_decimal(arrow):
            return self._decimal(arrow, path)
        if pa.types.is_timestamp(arrow):
            timestamp = t.Timestamp(_OF_UNIT[arrow.unit], zoned=arrow.tz is not None)
            return timestamp if arrow.unit != "s" and arrow.tz in _UTC else self._lossy(arrow, timestamp, path)
        if pa.types.is_fixed_size_binary(arrow):
            return t.Fixed(arrow.byte_width)
        if pa.types.is_dictionary(arrow) or pa.types.is_run_end_encoded(arrow):
            return self._lossy(arrow, self.type(arrow.value_type, path), path)
        if isinstance(arrow, pa.BaseExtensionType) and arrow.extension_name not in _OPAQUE:
            storage = self.type(arrow.storage_type, path)
            logical = (
                t.Uuid(storage) if arrow.extension_name == "arrow.uuid" and isinstance(storage, t.Fixed) else storage
            )
            return logical if isinstance(logical, t.Uuid) else self._lossy(arrow, logical, path)
        return self._read_nested(arrow, path)

    def _read_nested(self, arrow: pa.DataType, path: _Path) -> t.Type:
        if len(path) > MAX_DEPTH:
            raise SchemaError(self._at(path[:3]), expected=f"at most {MAX_DEPTH} levels", found="deeper nesting")
        if pa.types.is_struct(arrow):
            return t.Record(tuple(self.field(inner, (*path, inner.name)) for inner in _fields(arrow)))
        if pa.types.is_map(arrow):
            key = self.field(arrow.key_field, (*path, "key"), column=False)
            return t.Map(replace(key, optional=False), self.field(arrow.item_field, (*path, "value"), column=False))
        if pa.types.is_union(arrow):
            inners = enumerate(_fields(arrow))
            branches = [self.field(inner, (*path, f"member{i}"), column=False) for i, inner in inners]
            return t.Union(tuple(replace(branch, optional=False) for branch in branches))
        if hasattr(arrow, "value_field"):
            array = t.Array(self.field(arrow.value_field, (*path, "element"), column=False))
            return array if pa.types.is_list(arrow) else self._lossy(arrow, array, path)
        raise SchemaError(self._at(path), expected="an Arrow type whose values hudi-core knows", found=str(arrow))

    def _decimal(self, arrow: pa.DataType, path: _Path) -> t.Type:
        """Our scale is from 0 to the precision; Arrow's may lie outside."""
        scale = max(arrow.scale, 0)
        precision = max(arrow.precision + scale - arrow.scale, scale)
        decimal = t.Decimal(precision, scale, t.Fixed(smallest_size(precision)))
        return decimal if (precision, scale) == (arrow.precision, arrow.scale) else self._lossy(arrow, decimal, path)

    def _lossy(self, arrow: pa.DataType, type: t.Type, path: _Path) -> t.Type:
        self.losses.append(ConversionLoss(".".join(path), _show(arrow), text(type)))
        return type

    def _id(self, stated: bytes, path: _Path) -> int:
        if not stated.isdigit():
            expected = f"a column id as {FIELD_ID.decode()}"
            raise SchemaError(self._at(path), expected=expected, found=repr(stated)[:40])
        return int(stated)

    def _at(self, path: _Path) -> str:
        return f"{self._where}: {'.'.join(path)}" if path else self._where


def with_inner_types(kind: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """A struct, map or list whose inner types are changed, in their order; any other type as it is."""
    if isinstance(kind, pa.BaseExtensionType):
        return kind
    inner = [field.with_type(change(field.type)) for field in _fields(kind)]
    if pa.types.is_struct(kind):
        return pa.struct(inner)
    if pa.types.is_map(kind):
        entries = inner[0].type
        return pa.map_(entries.field(0), entries.field(1), kind.keys_sorted)
    if pa.types.is_large_list(kind):
        return pa.large_list(inner[0])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(inner[0], kind.list_size)
    return pa.list_(inner[0]) if pa.types.is_list(kind) else kind


def has_parts(kind: pa.DataType) -> bool:
    """Whether the type has structs or maps, at any depth."""
    if pa.types.is_struct(kind) or pa.types.is_map(kind):
        return True
    return pa.types.is_nested(kind) and has_parts(kind.field(0).type)


def _fields(arrow: pa.DataType) -> list[pa.Field]:
    return [arrow.field(position) for position in range(arrow.num_fields)]


def _show(arrow: pa.DataType) -> str:
    """An Arrow type for people, without the types in it."""
    shown = str(arrow)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _load(extras: bytes, where: str) -> Any:
    try:
        document = parse_json(extras.decode())
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise SchemaError(where, expected="a JSON object as metadata `hudi_core`", found=repr(extras)[:60])
    return document
