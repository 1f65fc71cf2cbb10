"""The typed values of the vector files (their README) in the form of `hudi_core.values`."""

from __future__ import annotations

import decimal
from typing import Any

from hudi_core.types import nodes as t
from hudi_core.values.domain import to_binary32


def decode(typed: dict[str, Any] | None, of: t.Type) -> Any:
    """The value that a tagged value carries in a column of the type; what no such column holds comes back as it is."""
    if typed is None:
        return None
    (tag, value), *_ = ((tag, value) for tag, value in typed.items() if tag != "bits")
    match tag, of:
        case "record", t.Record(fields):
            return tuple(decode(value.get(field.name), field.type) for field in fields)
        case "array", t.Array(element):
            return tuple(decode(part, element.type) for part in value)
        case "map", t.Map(value=item):
            return tuple((key, decode(part, item.type)) for key, part in value.items())
        case _, t.Union(branches):
            position = next(i for i, branch in enumerate(branches) if _TAGS[type(branch.type)] == tag)
            return position, decode(typed, branches[position].type)
        case "bytes" | "fixed", t.Decimal(scale=scale):
            unscaled = int.from_bytes(bytes.fromhex(value), "big", signed=True)
            return decimal.Decimal((unscaled < 0, tuple(map(int, str(abs(unscaled)))), -scale))
        case "bytes" | "fixed", _:
            return bytes.fromhex(value)
        case "float", _:
            return to_binary32(float(value))
        case "double", _:
            return float(value)
        case _:
            return value


_TAGS: dict[type[t.Type], str] = {
    t.Int: "int",
    t.Long: "long",
    t.Float: "float",
    t.Double: "double",
    t.Boolean: "boolean",
    t.String: "string",
    t.Binary: "bytes",
}
