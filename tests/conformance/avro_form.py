"""The form in which Avro schemas are written, made from their JSON alone: what a schema read and written again must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LOGICAL: Mapping[str, tuple[str, ...]] = {
    "decimal": ("bytes", "fixed"),
    "uuid": ("string", "fixed"),
    "date": ("int",),
    "time-millis": ("int",),
    "time-micros": ("long",),
    **{f"{local}timestamp-{unit}": ("long",) for local in ("", "local-") for unit in ("millis", "micros", "nanos")},
}
"""What the Avro specification puts a logical type on; on anything else it does not count."""


def written(avro: Any, namespace: str = "") -> Any:
    """The schema with null first in unions (where the default is no other value), no union of one, no object for a name, a
    namespace where it is not the enclosing one, and no logical type that does not fit."""
    match avro:
        case [only]:
            return written(only, namespace)
        case list():
            branches = [written(branch, namespace) for branch in avro]
            return ["null", *(item for item in branches if item != "null")] if "null" in branches else branches
        case {"name": str(name), "type": "record" | "enum" | "fixed"}:
            full = name if "." in name else ".".join(filter(None, (avro.get("namespace", namespace), name)))
            return _named(avro, full, namespace)
        case {"type": "array", "items": items}:
            return {**avro, "items": written(items, namespace)}
        case {"type": "map", "values": values}:
            return {**avro, "values": written(values, namespace)}
        case {"type": dict() | list() as inner, **rest} if not rest:
            return written(inner, namespace)
        case {"type": str(name), **rest}:
            rest = _fitting(name, rest)
            return {"type": name, **rest} if rest else name
        case str() if namespace:
            return avro.removeprefix(f"{namespace}.")
        case _:
            return avro


def _named(avro: dict[str, Any], full: str, enclosing: str) -> dict[str, Any]:
    namespace, _, name = full.rpartition(".")
    made = {key: part for key, part in avro.items() if key not in ("name", "namespace")} | {"name": name}
    if namespace != enclosing:
        made["namespace"] = namespace
    if "fields" in made:
        made["fields"] = [_field(field, namespace) for field in made["fields"]]
    made = {"type": avro["type"], **_fitting(avro["type"], made)}
    if made.get("logicalType") == "vector":
        made = {"elementType": "FLOAT", "storageBacking": "FIXED_BYTES", **made}
    return made


def _fitting(base: str, parts: dict[str, Any]) -> dict[str, Any]:
    logical = parts.get("logicalType")
    fits = base in _LOGICAL.get(str(logical), (base,))
    if logical == "decimal" and base == "fixed":
        fits = parts["precision"] <= len(str(2 ** (8 * parts["size"] - 1) - 1)) - 1
    if fits:
        return parts
    return {key: part for key, part in parts.items() if key not in ("logicalType", "precision", "scale")}


def _field(field: dict[str, Any], namespace: str) -> dict[str, Any]:
    of = written(field["type"], namespace)
    if isinstance(of, list) and field.get("default") is not None and "null" in of:
        of = [*of[1:], "null"]
    return {**field, "type": of}
