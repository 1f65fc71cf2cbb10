"""Default values: Avro's JSON form and the form of `hudi_core.values.domain`, both ways."""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Mapping
from typing import assert_never

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.values.domain import check, to_binary32

_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf"), "INF": float("inf")}


def default_from_avro(json: object, kind: t.Type, where: str) -> object:
    """The domain value of a default in Avro's JSON form.

    Bytes are text with one character per byte. A record takes missing fields from their own defaults. A union's default is
    one of its first branch. Raises `SchemaError` at `where` when the JSON does not fit the type.
    """
    match kind:
        case t.Boolean() | t.Int() | t.Long() | t.Date() | t.Time() | t.Timestamp():
            value: object = json
        case t.Float() | t.Double():
            value = _real(json, single=isinstance(kind, t.Float))
        case t.String() | t.Enumeration() | t.Uuid(fixed=None):
            value = json.lower() if isinstance(kind, t.Uuid) and isinstance(json, str) else json
        case t.Binary() | t.Fixed() | t.Vector():
            value = _bytes(json, where)
        case t.Uuid():
            data = _bytes(json, where)
            value = str(uuid.UUID(bytes=data)) if len(data) == 16 else json
        case t.Decimal(_, scale):
            unscaled = decimal.Decimal(int.from_bytes(_bytes(json, where), "big", signed=True)).as_tuple()
            value = decimal.Decimal((unscaled.sign, unscaled.digits, -scale))
        case t.Record(fields):
            return tuple(_member(json, field, where) for field in fields)
        case t.Array(element):
            if not isinstance(json, list):
                raise _mismatch(where, "a list", json)
            return tuple(place_default(item, element, f"{where}[]") for item in json)
        case t.Map(_, value_field):
            if not isinstance(json, Mapping):
                raise _mismatch(where, "an object", json)
            return tuple((name, place_default(item, value_field, f"{where}.{name}")) for name, item in json.items())
        case t.Union(branches):
            return 0, default_from_avro(json, branches[0].type, where)
        case _:
            assert_never(kind)
    if value is None:
        raise _mismatch(where, "a default that is not null", json)
    check(value, kind, where)
    return value


def place_default(json: object, field: t.Field, where: str) -> object:
    """`default_from_avro` inside a list, map or record, where null may stand for itself."""
    return None if json is None and field.optional else default_from_avro(json, field.type, where)


def default_to_avro(value: object, kind: t.Type, where: str) -> object:
    """The JSON form of a default in the form of the domain; undoes `default_from_avro`.

    Raises `SchemaError` for what Avro has no way to write: a default of a union's later branch, and a value in a nullable
    place inside a default.
    """
    if value is None:
        return None
    match kind:
        case t.Boolean() | t.Int() | t.Long() | t.Date() | t.Time() | t.Timestamp():
            return value
        case t.String() | t.Enumeration() | t.Uuid(fixed=None):
            return value
        case t.Float() | t.Double():
            assert isinstance(value, float)
            return value if value - value == 0 else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
        case t.Binary() | t.Fixed() | t.Vector():
            assert isinstance(value, bytes)
            return value.decode("latin-1")
        case t.Uuid():
            return uuid.UUID(str(value)).bytes.decode("latin-1")
        case t.Decimal(fixed=fixed):
            assert isinstance(value, decimal.Decimal)
            sign, digits, _ = value.as_tuple()
            unscaled = int(decimal.Decimal((sign, digits, 0)))
            size = fixed.size if fixed else (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1
            return unscaled.to_bytes(size, "big", signed=True).decode("latin-1")
        case t.Record(fields):
            assert isinstance(value, tuple)
            parts = zip(fields, value, strict=True)
            return {field.name: _inner_to_avro(part, field, f"{where}.{field.name}") for field, part in parts}
        case t.Array(element):
            assert isinstance(value, tuple)
            return [_inner_to_avro(part, element, f"{where}[]") for part in value]
        case t.Map(_, item):
            assert isinstance(value, tuple)
            return {name: _inner_to_avro(part, item, f"{where}.{name}") for name, part in value}
        case t.Union(branches):
            assert isinstance(value, tuple)
            position, inner = value
            if position != 0:
                raise SchemaError(where, expected="a default of the union's first branch", found=f"one of {position}")
            return default_to_avro(inner, branches[0].type, where)
        case _:
            assert_never(kind)


def _inner_to_avro(value: object, place: t.Field, where: str) -> object:
    # A nullable place inside a type is written with null first, and Avro takes a default for the first branch only.
    if value is not None and place.optional:
        raise SchemaError(where, expected="null only where the type allows it", found=repr(value)[:60])
    return default_to_avro(value, place.type, where)


def _member(json: object, field: t.Field, where: str) -> object:
    if not isinstance(json, Mapping):
        raise _mismatch(where, "an object", json)
    if field.name in json:
        return place_default(json[field.name], field, f"{where}.{field.name}")
    if field.default is t.ABSENT:
        raise SchemaError(where, expected=f"a value for {field.name}, which has no default", found="none")
    return field.default


def _real(json: object, *, single: bool) -> object:
    if isinstance(json, str):
        return _NOT_FINITE.get(json, json)
    if isinstance(json, int | float) and not isinstance(json, bool):
        try:
            return to_binary32(float(json)) if single else float(json)
        except OverflowError:
            return json
    return json


def _bytes(json: object, where: str) -> bytes:
    try:
        if isinstance(json, str):
            return json.encode("latin-1")
    except UnicodeEncodeError:
        pass
    raise _mismatch(where, "a text with one character per byte", json)


def _mismatch(where: str, expected: str, json: object) -> SchemaError:
    shown = repr(json)
    return SchemaError(where, expected=expected, found=shown if len(shown) <= 60 else f"{shown[:57]}...")
