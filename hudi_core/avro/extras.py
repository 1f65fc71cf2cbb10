"""What the schema languages of engines have no word for, as JSON that they carry in the metadata of a field.

An engine has a plain type for every type of ours. `carry` gives what a field has beyond the plain one, `restore` puts
it back. A reader that ignores the extras sees an ordinary schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from enum import Enum
from typing import Any, Final

from hudi_core.avro.defaults import default_from_avro, default_to_avro
from hudi_core.errors import SchemaError
from hudi_core.schema.loss import ConversionLoss
from hudi_core.types import nodes as t
from hudi_core.types.text import text
from hudi_core.types.walk import same

Extras = Mapping[str, Any]
"""The extras as JSON; empty when there are none."""

Plain = Callable[[t.Type], t.Type]
"""The type that an engine's own word for a type gives back, around the same fields; the very type when that is the same."""

_KINDS: Final[Mapping[str, type]] = {
    kind.__name__.lower(): kind
    for kind in (
        *(t.Boolean, t.Int, t.Long, t.Float, t.Double, t.Date, t.Time, t.Timestamp, t.String, t.Binary),
        *(t.Fixed, t.Uuid, t.Decimal, t.Enumeration, t.Vector, t.Record, t.Array, t.Map, t.Union),
    )
}
_INNER: Final[Mapping[type, frozenset[str]]] = {
    t.Record: frozenset({"fields"}),
    t.Array: frozenset({"element"}),
    t.Map: frozenset({"key", "value"}),
    t.Union: frozenset({"branches"}),
}


def _attributes(kind: type) -> tuple[tuple[str, object], ...]:
    attributes = []
    for attribute in fields(kind):
        if attribute.name not in _INNER.get(kind, ()):
            default = attribute.default_factory() if attribute.default_factory is not MISSING else attribute.default
            attributes.append((attribute.name, default))
    return tuple(attributes)


_ATTRIBUTES: Final[Mapping[type, tuple[tuple[str, object], ...]]] = {
    kind: _attributes(kind) for kind in _KINDS.values()
}
"""The attributes of each kind of type that are no fields, each with its default."""


def imply_default(optional: bool, *, column: bool = True) -> object:
    """The implied default of a field in an engine's schema: null for a record's optional field, as in Apache Hudi."""
    return None if optional and column else t.ABSENT


def is_plain(field: t.Field, *, column: bool = True) -> bool:
    """Whether a field has nothing besides its id, its name, its type, whether it is optional, and its implied default."""
    implied = field.default is None if field.optional and column else field.default is t.ABSENT
    return implied and field.doc is None and not (field.aliases or field.properties or field.type_properties)


def carry(
    field: t.Field, plain: Plain, path: str, losses: list[ConversionLoss], *, keep: bool = True, column: bool = True
) -> dict[str, Any]:
    """What a field has besides its id, its name, whether it is optional, its implied default, and the fields in its type.

    `column`: it is in a record. With `keep` all this is returned as extras, and only what JSON cannot express is added to
    `losses`; without, all of it is a loss and the extras are empty.
    """
    extras: dict[str, Any] = {}
    word = plain(field.type)
    if word is not field.type and not _same_shell(field.type, word):
        extras["type"] = type_shell(field.type)
    if field.doc is not None:
        extras["doc"] = field.doc
    implied = imply_default(field.optional, column=column)
    if field.default is t.ABSENT:
        extras.update({} if implied is t.ABSENT else {"no_default": True})
    elif field.default is not None or implied is not None:
        try:
            extras["default"] = default_to_avro(field.default, field.type, path)
        except SchemaError:
            losses.append(ConversionLoss(path, f"default {field.default!r}"))
    if field.aliases:
        extras["aliases"] = list(field.aliases)
    if field.properties:
        extras["properties"] = dict(field.properties)
    if field.type_properties:
        extras["type_properties"] = dict(field.type_properties)
    if keep:
        return extras
    for what, value in extras.items():
        match what:
            case "type":
                losses.append(ConversionLoss(path, _describe(field.type), _describe(word)))
            case "no_default":
                losses.append(ConversionLoss(path, "no default", "default null"))
            case _:
                losses.append(ConversionLoss(path, f"{what.replace('_', ' ')} {value!r}"))
    return {}


def restore(field: t.Field, extras: Extras, plain: Plain, path: str) -> t.Field:
    """The field that was `carry`, from the plain one with its implied default, and the extras.

    The type is put back when its plain form is the one that is there; else someone has changed that since, and it wins.
    Raises `SchemaError` for extras of another form.
    """
    if not extras:
        return field
    kind = field.type
    try:
        if "type" in extras:
            carried_type = type_from_shell(extras["type"], t.children(kind))
            word = plain(carried_type)
            kind = carried_type if (_same_shell(word, kind) if t.children(carried_type) else same(word, kind)) else kind
        default = t.ABSENT if extras.get("no_default") else field.default
        if "default" in extras:
            stated = extras["default"]
            default = None if stated is None else default_from_avro(stated, kind, path)
        return t.Field(
            field.id,
            field.name,
            kind,
            field.optional,
            extras.get("doc", field.doc),
            default,
            tuple(extras.get("aliases", ())),
            extras.get("properties", {}),
            extras.get("type_properties", {}),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise SchemaError(path, expected="metadata of this library", found=f"{extras!r:.60} ({error!r})") from None


def type_shell(kind: t.Type) -> dict[str, Any]:
    """A type without the fields in it, as JSON: its kind, and what differs from that kind's defaults."""
    shell: dict[str, Any] = {"is": type(kind).__name__.lower()}
    for name, default in _ATTRIBUTES[type(kind)]:
        value = getattr(kind, name)
        if value != default:
            shell[name] = _encode(value)
    return shell


def type_from_shell(shell: Mapping[str, Any], inner: tuple[t.Field, ...] = ()) -> t.Type:
    """Undoes `type_shell`; `inner` are the fields of the type. KeyError or TypeError when it is no shell."""
    kind = _KINDS[shell["is"]]
    stated = {name: _decode(kind, name, value) for name, value in shell.items() if name != "is"}
    if kind is t.Record:
        return t.Record(inner, **stated)
    if kind is t.Union:
        return t.Union(tuple(replace(branch, optional=False, default=t.ABSENT) for branch in inner), **stated)
    return kind(*(inner if kind in _INNER else ()), **stated)  # type: ignore[no-any-return]


def _same_shell(a: t.Type, b: t.Type) -> bool:
    if type(a) is not type(b):
        return False
    return all(getattr(a, name) == getattr(b, name) for name, _ in _ATTRIBUTES[type(a)])


def _encode(value: object) -> object:
    match value:
        case Enum():
            return value.name
        case t.Fixed():
            return type_shell(value)
        case tuple():
            return list(value)
        case _:
            return value


def _decode(kind: type, name: str, value: Any) -> Any:
    match kind, name:
        case _, "unit":
            return t.Unit[value]
        case _, "kind":
            return t.RecordKind[value]
        case t.Vector, "element":
            return t.VectorElement[value]
        case _, "fixed":
            return type_from_shell(value)
        case _, "symbols" | "aliases":
            return tuple(value)
        case _:
            return value


def _describe(kind: t.Type) -> str:
    """A type without the fields in it, for people."""
    shell = type_shell(kind)
    stated = ", ".join(f"{name} {value!r}" for name, value in shell.items() if name != "is")
    name = shell["is"] if isinstance(kind, t.Record | t.Array | t.Map | t.Union) else text(kind)
    return f"{name} with {stated}" if stated and isinstance(kind, t.Record | t.Array | t.Map | t.Union) else name
