"""Records of the metadata table for people: a line for each value, bounds as values of their type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from hudi_core.cli.output import cell, value_text
from hudi_core.cli.words import size
from hudi_core.types import nodes as t
from hudi_core.values.json import from_json
from hudi_core.values.text import to_text

_FILES: Final = "filesystemMetadata"
_LOCATION: Final = "recordIndexMetadata"
_BITS: Final = 1 << 64


def describe_record(record: Mapping[str, Any]) -> dict[str, str]:
    """The record by names: those of its payload beside its key and type."""
    return dict(_entries(record))


def _entries(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, payload in record.items():
        if name == _FILES:
            yield "files", ", ".join(_file(file, of_file) for file, of_file in payload) or "-"
        elif isinstance(payload, dict):
            if name == _LOCATION and not payload.get("fileId"):
                yield "file_id", _file_id(payload)
            for inner, value in payload.items():
                yield inner, format_bound(value)
        else:
            yield name, cell(payload)


def _file(name: str, of_file: Mapping[str, Any]) -> str:
    return f"{name} (deleted)" if of_file.get("isDeleted") else f"{name} ({size(of_file.get('size') or 0)})"


def _file_id(location: Mapping[str, Any]) -> str:
    """The file id whose bits a location of a record holds."""
    high, low = (int(location[name]) % _BITS for name in ("fileIdHighBits", "fileIdLowBits"))
    return f"{UUID(int=high * _BITS + low)}-{location['fileIndex']}"


def format_bound(value: Any) -> str:
    """A value of a payload; of a bound, which is wrapped in its type, the bound.

    >>> format_bound({"$type": "org.apache.hudi.avro.model.BytesWrapper", "value": "5.02"}), format_bound({"base64": "AP8="})
    ('5.02', "x'00ff'")
    """
    if isinstance(value, dict) and set(value) == {"$type", "value"}:
        return format_bound(value["value"])
    if isinstance(value, dict) and set(value) == {"base64"}:
        return f"x'{to_text(from_json(value, t.Binary(), 'bound'), t.Binary())}'"
    return value_text(value) if isinstance(value, bool | int | str) else cell(value)
