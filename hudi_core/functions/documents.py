"""Values out of JSON texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Signature
from hudi_core.types import nodes as t
from hudi_core.values.text import to_text

_STEP = re.compile(r"\.([^.\[\]*]+)|\[\s*'([^'*]+)'\s*\]|\[\s*(\d+)\s*\]")


class _Number(str):
    """The text of a number: of one with a fraction or an exponent, Java's."""


@lru_cache(maxsize=256)
def json_path(path: str) -> tuple[str | int, ...] | None:
    """The steps of `$.name['name'][0]`; None for what is no such path. Wildcards are not known.

    >>> json_path("$.a[0]['b c']"), json_path("a.b")
    (('a', 0, 'b c'), None)
    """
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    offset = 1
    while offset < len(path):
        match = _STEP.match(path, offset)
        if match is None:
            return None
        offset = match.end()
        steps.append(int(match[3]) if match[3] is not None else (match[1] or match[2]))
    return tuple(steps)


def get_json_object(text: str, path: str) -> str | None:
    """The text of the value at a path; null where there is none, and of a text that is no JSON.

    >>> get_json_object('{"a": [1.50, {"b": "x"}]}', "$.a[1]"), get_json_object('{"a": [1.50]}', "$.a[0]")
    ('{"b":"x"}', '1.5')
    """
    steps = json_path(path)
    if steps is None:
        return None
    value = _of_text(text)
    for step in steps:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    if value is None:
        return None
    return str(value) if isinstance(value, str) else _write(value)


_READER = json.JSONDecoder(parse_float=lambda text: _Number(to_text(float(text), t.Double())), parse_int=_Number)


def _write(value: Any) -> str:
    match value:
        case _Number():
            return str(value)
        case dict():
            return "{" + ",".join(f"{_write(name)}:{_write(item)}" for name, item in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_write, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _sign(arguments: Sequence[Argument]) -> Signature | None:
    path = p.find_known_string(arguments[1])
    unknown = path is None or ("*" in path and json_path(path) is None)
    return None if unknown else Signature((t.String(), t.String()), t.String())


def _of_text(text: str) -> Any:
    try:
        return _READER.decode(text)
    except (ValueError, RecursionError):  # no JSON, or too deep for any reader
        return None


class _Object(list[tuple[str, Any]]):
    """The names and values of an object, of which a name may come twice."""


_FIRST_READER = json.JSONDecoder(object_pairs_hook=_Object)


def _first(text: str) -> Any:
    """The value that a text begins with; what follows it is not read."""
    try:
        return _FIRST_READER.raw_decode(text.lstrip(" \t\r\n"))[0]
    except (ValueError, RecursionError):
        return None


def _array_length(text: str) -> int | None:
    value = _first(text)
    return len(value) if isinstance(value, list) and not isinstance(value, _Object) else None


def _object_keys(text: str) -> tuple[str, ...] | None:
    value = _first(text)
    return tuple(name for name, _ in value) if isinstance(value, _Object) else None


_KEYS = t.Array(t.Field(0, "element", t.String()))
FUNCTIONS = (
    Function("get_json_object", range(2, 3), _sign, p.of_values(get_json_object)),
    Function("json_array_length", range(1, 2), p.signature(p.string, gives=t.Int()), p.of_values(_array_length)),
    Function("json_object_keys", range(1, 2), p.signature(p.string, gives=_KEYS), p.of_values(_object_keys)),
)
