"""The text of an Avro schema: JSON, and the rules of Avro names."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from hudi_core.errors import SchemaError
from hudi_core.types.nodes import is_name

PRIMITIVES: Final = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
NAMED: Final = ("record", "error", "enum", "fixed")


def parse_document(text: str | dict[str, Any] | list[Any], where: str) -> object:
    """The JSON of a schema text; a schema that is JSON already is returned as it is.

    A bare type name (`int`) is taken as the JSON string. Raises `SchemaError` when the text is no JSON.
    """
    if not isinstance(text, str):
        return text
    if text.strip() in PRIMITIVES:
        return text.strip()
    try:
        document: object = json.loads(text)
    except RecursionError:
        raise SchemaError(where, message="nested too deeply") from None
    except ValueError as error:
        raise SchemaError(where, expected="an Avro schema in JSON", found=f"{_excerpt(text)} ({error})") from None
    return document


def full_name(name: str, space: str) -> str:
    """The full name of `name` in the namespace `space`; a name with a dot is full already."""
    return name if "." in name or not space else f"{space}.{name}"


def namespace(name: str) -> str:
    """The namespace of a full name, empty when it has none."""
    return name.rpartition(".")[0]


def simple_name(name: str) -> str:
    """A full name without its namespace."""
    return name.rpartition(".")[2]


def is_full_name(name: object) -> bool:
    """Names joined by dots."""
    return isinstance(name, str) and all(map(is_name, name.split(".")))


def sanitize(name: str, mask: str = "__") -> str:
    """The name with `mask` in place of each character that Avro does not allow (ASCII only, as Hudi does it).

    Different names can become the same one. Raises `SchemaError` when the name is empty.

    >>> sanitize("1 a-b"), sanitize("ä")
    ('____a__b', '__')
    """
    if not name:
        raise SchemaError("name", expected="at least one character", found="an empty text")
    first = name[0] if re.fullmatch("[A-Za-z_]", name[0]) else mask
    return first + "".join(c if re.fullmatch("[A-Za-z0-9_]", c) else mask for c in name[1:])


def record_name(table: str) -> str:
    """The full name Hudi gives the record of a table.

    >>> record_name("my-trips")
    'hoodie.my__trips.my__trips_record'
    """
    name = sanitize(table)
    return f"hoodie.{name}.{name}_record"


def _excerpt(text: str, length: int = 40) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= length else f"{one_line[:length]}...")
