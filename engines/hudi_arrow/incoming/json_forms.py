"""Values that JSON has no form for, in the forms of the command line's output: a map as a list of pairs (an object is read too),
bytes as `{"base64": "…"}` (a text stands for its UTF-8), and numbers that are not finite as `{"float": "NaN"}`. Rule ROWS-1240.

pyarrow reads none of them. So lines with such columns are parsed, and written anew in forms that it does read: a map as a list
of structs, bytes as texts of base64, `NaN` and `Infinity` by their names.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from json import JSONDecoder, dumps
from math import isinf
from typing import Any, Final

import pyarrow as pa

from hudi_arrow.incoming.text_values import is_binary
from hudi_core.errors import RowError, describe

_Rewrite = Callable[[Any], Any]

_NOT_FINITE: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_NO_KEY: Final = object()
BYTES_EXPECTED: Final = 'bytes: a text, or {"base64": "…"}'


def has_forms(texts: bytes, types: Mapping[str, pa.DataType]) -> bool:
    """Whether texts of JSON have to be written anew before pyarrow reads them."""
    if any(_holds(kind, _has_own_form) for kind in types.values()):
        return True
    if not any(_holds(kind, pa.types.is_floating) for kind in types.values()):
        return False
    return b'"float"' in texts


def rewrite_lines(
    lines: Iterable[bytes], types: Mapping[str, pa.DataType], where: str, first: int = 0
) -> Iterator[bytes]:
    """The lines in forms that pyarrow reads as `read_form` of the types. A line that is no object of JSON stays as it is: the
    reader refuses it. Raises `RowError` for a value that has none of a type's forms; the first line has this number."""
    rewrites = {name: rewrite for name, kind in types.items() if (rewrite := _rewrite_of(kind)) is not None}
    decoder = JSONDecoder(parse_float=_Number, object_pairs_hook=_distinct)
    for number, line in enumerate(lines, first):
        name = None
        try:
            row = decoder.decode(line.decode())
            if isinstance(row, dict):
                for name in row.keys() & rewrites.keys():
                    row[name] = rewrites[name](row[name])
                line = dumps(row).encode()
        except _WrongValue as wrong:
            path = where if name is None else f"{where}: {name}"
            raise RowError(number, expected=wrong.expected, found=wrong.found, path=path) from None
        except (ValueError, RecursionError):
            pass  # the reader refuses the line, with its reason
        yield line


class _Number(float):
    """A number with a point or an exponent, and its text: a decimal has more digits than a double."""

    text: str

    def __new__(cls, text: str) -> _Number:
        number = super().__new__(cls, text)
        if isinf(number):
            raise ValueError(f"{text} is beyond the range of double")
        number.text = text
        return number


class _WrongValue(Exception):
    def __init__(self, expected: str, found: Any) -> None:
        super().__init__(expected)
        self.expected, self.found = expected, describe(found)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _WrongValue("each name once in an object", next(name for name in names if names.count(name) > 1))
    return made


def _has_own_form(kind: pa.DataType) -> bool:
    return bool(pa.types.is_map(kind)) or is_binary(kind)


def _holds(kind: pa.DataType, matches: Callable[[pa.DataType], bool]) -> bool:
    """Whether the type, or one within it, matches."""
    if matches(kind):
        return True
    return any(_holds(kind.field(place).type, matches) for place in range(kind.num_fields))


def _rewrite_of(kind: pa.DataType) -> _Rewrite | None:
    """What writes a value of a type anew; None where nothing has to be."""
    if pa.types.is_map(kind):
        return _map_rewrite(_rewrite_of(kind.item_type))
    if pa.types.is_struct(kind):
        parts = {field.name: rewrite for field in kind if (rewrite := _rewrite_of(field.type)) is not None}
        return _struct_rewrite(parts) if parts else None
    if pa.types.is_list(kind):
        rewrite = _rewrite_of(kind.value_type)
        return None if rewrite is None else _list_rewrite(rewrite)
    if is_binary(kind):
        return _rewrite_bytes
    if pa.types.is_decimal(kind):
        return _rewrite_decimal
    return _rewrite_float if pa.types.is_floating(kind) else None


def _map_rewrite(rewrite: _Rewrite | None) -> _Rewrite:
    def entries(value: Any) -> Any:
        if value is None:
            return None
        pairs = list(value.items()) if isinstance(value, dict) else value
        if not isinstance(pairs, list) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
            raise _WrongValue("a map: an object, or a list of pairs", value)
        wrong = next((key for key, _ in pairs if not isinstance(key, str)), _NO_KEY)
        if wrong is not _NO_KEY:
            raise _WrongValue("keys of a map that are texts", wrong)
        return [{"key": key, "value": item if rewrite is None else rewrite(item)} for key, item in pairs]

    return entries


def _struct_rewrite(parts: Mapping[str, _Rewrite]) -> _Rewrite:
    def struct(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: parts[name](part) if name in parts else part for name, part in value.items()}

    return struct


def _list_rewrite(rewrite: _Rewrite) -> _Rewrite:
    return lambda value: [rewrite(one) for one in value] if isinstance(value, list) else value


def _rewrite_bytes(value: Any) -> Any:
    if isinstance(value, str):
        return b64encode(value.encode()).decode()
    if not isinstance(value, dict):
        return value
    if decode_base64(value) is None:
        raise _WrongValue(BYTES_EXPECTED, value)
    return value["base64"]


def decode_base64(value: Any) -> bytes | None:
    """The bytes of `{"base64": "…"}`; None for another value."""
    text = value.get("base64") if isinstance(value, dict) and len(value) == 1 else None
    try:
        return b64decode(text, validate=True) if isinstance(text, str) else None
    except ValueError:
        return None


def _rewrite_decimal(value: Any) -> Any:
    return value.text if isinstance(value, _Number) else value


def _rewrite_float(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    text = value.get("float")
    if len(value) != 1 or text not in _NOT_FINITE:
        raise _WrongValue('a number, or {"float": "NaN"}, "Infinity" or "-Infinity"', value)
    return _NOT_FINITE[text]
