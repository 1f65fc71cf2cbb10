"""Avro's types without fields and the logical types on them: which of ours they are.

A logical type that is invalid where it stands is ignored, as the Avro specification requires; but a vector, which is Hudi's own,
is refused when its parts contradict each other, as Hudi does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeGuard, assert_never

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.nodes import greatest_precision

PRIMITIVE_TYPES: Final[Mapping[str, t.Type]] = {
    "boolean": t.Boolean(),
    "int": t.Int(),
    "long": t.Long(),
    "float": t.Float(),
    "double": t.Double(),
    "bytes": t.Binary(),
    "string": t.String(),
}

_ON_PRIMITIVES: Final[Mapping[tuple[str, str], t.Type]] = {
    ("int", "date"): t.Date(),
    ("int", "time-millis"): t.Time(t.Unit.MILLIS),
    ("long", "time-micros"): t.Time(t.Unit.MICROS),
    ("long", "time-nanos"): t.Time(t.Unit.NANOS),
    ("long", "timestamp-millis"): t.Timestamp(t.Unit.MILLIS),
    ("long", "timestamp-micros"): t.Timestamp(t.Unit.MICROS),
    ("long", "timestamp-nanos"): t.Timestamp(t.Unit.NANOS),
    ("long", "local-timestamp-millis"): t.Timestamp(t.Unit.MILLIS, zoned=False),
    ("long", "local-timestamp-micros"): t.Timestamp(t.Unit.MICROS, zoned=False),
    ("long", "local-timestamp-nanos"): t.Timestamp(t.Unit.NANOS, zoned=False),
    ("string", "uuid"): t.Uuid(),
}
_ATTRIBUTES: Final[Mapping[object, frozenset[str]]] = {
    **{name: frozenset({"type", "logicalType"}) for _, name in _ON_PRIMITIVES},
    "decimal": frozenset({"type", "logicalType", "precision", "scale"}),
    "vector": frozenset({"type", "logicalType", "dimension", "elementType", "storageBacking"}),
}
"""The logical types without fields that are known, with the attributes that they take."""

_NO_LOGICAL_TYPE: Final = frozenset({"type"})
_BACKING: Final = t.Vector(1).backing

Json = Mapping[str, object]


def logical_attributes(json: Json) -> frozenset[str]:
    """The attributes that a known logical type takes, valid or not; an unknown one and its attributes are properties."""
    logical = json.get("logicalType")
    return _ATTRIBUTES.get(logical, _NO_LOGICAL_TYPE) if isinstance(logical, str) else _NO_LOGICAL_TYPE


def logical_primitive(kind: str, json: Json) -> t.Type:
    """The type that a primitive Avro type stands for."""
    logical = json.get("logicalType")
    if logical == "decimal" and kind == "bytes":
        return _decimal(json, None) or PRIMITIVE_TYPES[kind]
    return _ON_PRIMITIVES.get((kind, str(logical)), PRIMITIVE_TYPES[kind])


def logical_fixed(fixed: t.Fixed, json: Json, where: str) -> t.Type:
    """The type that an Avro fixed stands for. Raises `SchemaError` at `where` for a vector that contradicts itself."""
    match json.get("logicalType"):
        case "decimal":
            return _decimal(json, fixed) or fixed
        case "uuid" if fixed.size == 16:
            return t.Uuid(fixed)
        case "vector":
            return _vector(json, fixed, where)
        case _:
            return fixed


def is_size(json: object) -> TypeGuard[int]:
    """A number that Avro's Java library takes for a size or a count of digits."""
    return isinstance(json, int) and not isinstance(json, bool) and 0 <= json < 1 << 31


def branch_name(kind: t.Type) -> str:
    """The name that distinguishes a union's branches: the full name of a named type, else the Avro type below any logical
    type."""
    match kind:
        case t.Record(name=name) | t.Enumeration(name=name) | t.Vector(name=name):
            return name or type(kind).__name__.lower()
        case t.Fixed(name=name) | t.Decimal(fixed=t.Fixed(name=name)) | t.Uuid(fixed=t.Fixed(name=name)):
            return name or "fixed"
        case t.Boolean():
            return "boolean"
        case t.Int() | t.Date() | t.Time(unit=t.Unit.MILLIS):
            return "int"
        case t.Long() | t.Time() | t.Timestamp():
            return "long"
        case t.Float():
            return "float"
        case t.Double():
            return "double"
        case t.Binary() | t.Decimal():
            return "bytes"
        case t.String() | t.Uuid():
            return "string"
        case t.Array():
            return "array"
        case t.Map():
            return "map"
        case t.Union():
            return "union"
        case _:
            assert_never(kind)


def _decimal(json: Json, fixed: t.Fixed | None) -> t.Decimal | None:
    """The decimal that the attributes describe, None when they are invalid."""
    precision, scale = json.get("precision"), json.get("scale", 0)
    if not is_size(precision) or not is_size(scale):
        return None
    if precision == 0 or scale > precision or (fixed and precision > greatest_precision(fixed.size)):
        return None
    return t.Decimal(precision, scale, fixed)


def _vector(json: Json, fixed: t.Fixed, where: str) -> t.Vector:
    dimension, element = json.get("dimension"), json.get("elementType", t.VectorElement.FLOAT.name)
    backing = json.get("storageBacking", _BACKING)
    if not is_size(dimension) or dimension == 0:
        raise SchemaError(where, expected="a dimension of the vector", found=repr(dimension)[:40])
    if not isinstance(element, str) or element not in t.VectorElement.__members__:
        raise SchemaError(where, expected=f"one of {', '.join(t.VectorElement.__members__)}", found=repr(element)[:40])
    if backing != _BACKING:
        raise SchemaError(where, expected=f"the storage {_BACKING} of a vector", found=repr(backing)[:40])
    kind = t.VectorElement[element]
    if dimension * kind.value != fixed.size:
        expected = f"{dimension * kind.value} bytes for a vector of {dimension}"
        raise SchemaError(where, expected=expected, found=str(fixed.size))
    return t.Vector(dimension, kind, _BACKING, fixed.name, fixed.aliases, fixed.doc)
