"""Parsing canonical form and fingerprints of an Avro schema, as the Avro specification defines them.

They work on the schema's JSON, not on `Schema`: what a fingerprint stands for is the text that data was written with, and
the place of null in a union counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from hudi_core.avro.document import NAMED, PRIMITIVES, full_name, namespace, parse_document
from hudi_core.errors import SchemaError

_EMPTY: Final = 0xC15D213AA4D7A795
_ORDER: Final = ("name", "type", "fields", "symbols", "items", "values", "size")


def canonical_form(text: str | dict[str, Any] | list[Any], where: str = "schema") -> str:
    """The parsing canonical form: attributes that do not matter to readers gone, names full, no white space.

    Recursive schemas are as good as any. Raises `SchemaError` for what is no Avro schema.
    """
    try:
        return _Canonical(where).write(parse_document(text, where), "")
    except RecursionError:
        raise SchemaError(where, message="nested too deeply") from None


def fingerprint_rabin(canonical: str) -> int:
    """CRC-64-AVRO of a canonical form, as an unsigned number; Avro's single-object encoding has its bytes little-endian.

    >>> format(fingerprint_rabin('"int"'), "016x")
    '7275d51a3f395c8f'
    """
    crc = _EMPTY
    for byte in canonical.encode():
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc


def fingerprint_md5(canonical: str) -> bytes:
    """MD5 of a canonical form."""
    return hashlib.md5(canonical.encode(), usedforsecurity=False).digest()


def fingerprint_sha256(canonical: str) -> bytes:
    """SHA-256 of a canonical form."""
    return hashlib.sha256(canonical.encode()).digest()


class _Canonical:
    """One writing: the names defined so far."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._defined: set[str] = set()

    def write(self, schema: object, space: str) -> str:
        match schema:
            case str():
                return _quote(self._name(schema, space))
            case list():
                return f"[{','.join(self.write(branch, space) for branch in schema)}]"
            case Mapping():
                kind = schema.get("type")
                if isinstance(kind, str) and kind in (*NAMED, "array", "map"):
                    return self._complex(schema, "record" if kind == "error" else kind, space)
                # A primitive type, a name, or one more layer around a type.
                return self.write(kind, space)
            case _:
                raise self._error("an Avro type", schema)

    def _name(self, name: str, space: str) -> str:
        full = full_name(name, space)
        return name if name in PRIMITIVES or (full not in self._defined and name in self._defined) else full

    def _complex(self, schema: Mapping[str, object], kind: str, space: str) -> str:
        attributes = {"type": _quote(kind)}
        if kind in NAMED:
            name, own = schema.get("name"), schema.get("namespace")
            if not isinstance(name, str):
                raise self._error("a name", name)
            full = full_name(name, own if isinstance(own, str) else space)
            self._defined.add(full)
            attributes["name"], space = _quote(full), namespace(full)
        match kind:
            case "enum":
                attributes["symbols"] = ",".join(_quote(str(symbol)) for symbol in self._list(schema, "symbols"))
                attributes["symbols"] = f"[{attributes['symbols']}]"
            case "fixed":
                attributes["size"] = str(schema.get("size"))
            case "array":
                attributes["items"] = self.write(schema.get("items"), space)
            case "map":
                attributes["values"] = self.write(schema.get("values"), space)
            case _:
                fields = ",".join(self._field(field, space) for field in self._list(schema, "fields"))
                attributes["fields"] = f"[{fields}]"
        return "{" + ",".join(f'"{key}":{attributes[key]}' for key in _ORDER if key in attributes) + "}"

    def _field(self, field: object, space: str) -> str:
        name = field.get("name") if isinstance(field, Mapping) else None
        if not isinstance(field, Mapping) or not isinstance(name, str):
            raise self._error("a field with a name", field)
        return f'{{"name":{_quote(name)},"type":{self.write(field.get("type"), space)}}}'

    def _list(self, schema: Mapping[str, object], key: str) -> list[object]:
        listed = schema.get(key)
        if not isinstance(listed, list):
            raise self._error(f"a list of {key}", listed)
        return listed

    def _error(self, expected: str, found: object) -> SchemaError:
        return SchemaError(self._where, expected=expected, found=repr(found)[:40])


def _quote(string: str) -> str:
    return json.dumps(string, ensure_ascii=False)


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (_EMPTY if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


_TABLE: Final = _table()
