"""Lines of JSON as a table: each row an object, however long. Rules ROWS-801, ROWS-1274 to ROWS-1276.

pyarrow ends the process at a row that is null, refuses one that is longer than a block of a size stated before, takes a text that
looks like a time for a local one, with its zone lost, and a whole number beyond 64 bits for a double.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from json import loads
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json

from hudi_arrow.text_values import read_form
from hudi_core.errors import RowError

_BLOCK: Final = 1 << 20
_LARGEST_BLOCK: Final = 1 << 30
_GROWTH: Final = 8
_TOO_LONG: Final = "straddl"
"""A word of pyarrow's message of a row that is longer than a block."""
_MARK: Final = b"\xef\xbb\xbf"
_NULL: Final = b"null"
_NULL_ENDS: Final = (b"null\n", b"null\r", b"null ", b"null\t")
"""How a line ends that may be null: one with an object ends with its brace."""
_BEYOND: Final = float(1 << 63)

Types = Mapping[str, pa.DataType]


def lines_with_rows(source: Path) -> Iterator[bytes]:
    """The lines that are not blank."""
    with source.open("rb") as file:
        yield from (line for line in file if line.strip())


def read_lines(source: Path, lines: list[bytes] | None, types: Types) -> pa.Table:
    """The rows of a file, or of lines that were made of it. Columns have the types that `read_form` makes of these; others those
    that their values look like, but texts are texts. Raises what pyarrow raises."""
    given: Any = source if lines is None else b"".join(lines)
    forms = {name: read_form(kind) for name, kind in types.items()}
    table = read_json(given, forms)
    settled = {field.name: _with_texts(field.type, forms.get(field.name)) for field in table.schema}
    if all(settled[field.name] == field.type for field in table.schema):
        return table
    return read_json(given, settled)


def read_json(given: Path | bytes, types: Types, unexpected: str = "infer") -> pa.Table:
    """The rows of a file or of bytes, with these types of columns."""
    options = json.ParseOptions(
        explicit_schema=pa.schema(types.items()) if types else None, unexpected_field_behavior=unexpected
    )
    size = _BLOCK
    while True:
        source = pa.BufferReader(given) if isinstance(given, bytes) else given
        try:
            return json.read_json(source, read_options=json.ReadOptions(block_size=size), parse_options=options)
        except pa.ArrowInvalid as problem:
            if _TOO_LONG not in str(problem) or size >= _LARGEST_BLOCK:
                raise
            size *= _GROWTH


def _with_texts(read: pa.DataType, form: pa.DataType | None) -> pa.DataType:
    """The type with texts in the place of times, where no type was stated."""
    if form is not None and not (pa.types.is_struct(read) or pa.types.is_list(read)):
        return form
    if pa.types.is_timestamp(read):
        return pa.string()
    if pa.types.is_struct(read):
        stated = {field.name: field.type for field in form} if form is not None else {}
        return pa.struct([field.with_type(_with_texts(field.type, stated.get(field.name))) for field in read])
    if pa.types.is_list(read):
        return pa.list_(
            read.value_field.with_type(_with_texts(read.value_type, None if form is None else form.value_type))
        )
    return read


def refuse_null_rows(source: Path) -> None:
    """Raises `RowError` for a row that is null."""
    with source.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        if content[-len(_NULL) :] != _NULL and all(content.find(end) < 0 for end in _NULL_ENDS):
            return
    for row, line in enumerate(lines_with_rows(source)):
        if line.strip().removeprefix(_MARK).strip() == _NULL:
            raise RowError(row, expected="an object", found="null", path=str(source))


def refuse_wide_integers(table: pa.Table, types: Types, lines: Iterable[bytes], where: str) -> None:
    """Raises `RowError` for a whole number beyond 64 bits in a column, or a part of one, whose type is not stated: as a double
    it would be another number."""
    names = {name for name in table.column_names if _has_wide(table[name], types.get(name))}
    if not names:
        return
    for row, line in enumerate(lines):
        for name, value in loads(line).items():
            if name in names and (wide := _find_wide(value, types.get(name))) is not None:
                expected = "a whole number of 64 bits, or a column of the table that has its type"
                raise RowError(row, expected=expected, found=str(wide), path=f"{where}: {name}")


def _has_wide(column: pa.ChunkedArray, kind: pa.DataType | None) -> bool:
    """Whether a double without a stated type, at any depth, may be a whole number beyond 64 bits."""
    read = column.type
    if kind is not None and pa.types.is_map(kind):
        return False
    if pa.types.is_struct(read):
        stated = {field.name: field.type for field in kind} if kind is not None else {}
        parts = zip(read, column.flatten(), strict=True)
        return any(_has_wide(part, stated.get(field.name)) for field, part in parts)
    if pa.types.is_list(read):
        inner = None if kind is None else kind.value_type
        return any(_has_wide(pa.chunked_array([chunk.flatten()]), inner) for chunk in column.chunks)
    if kind is not None or not pa.types.is_floating(read):
        return False
    return bool(pc.any(pc.and_(pc.is_finite(column), pc.greater_equal(pc.abs(column), _BEYOND))).as_py())


def _find_wide(value: Any, kind: pa.DataType | None) -> int | None:
    """The first whole number beyond 64 bits in a value, where no type is stated."""
    if kind is not None and pa.types.is_map(kind):
        return None
    if isinstance(value, dict):
        stated = {field.name: field.type for field in kind} if kind is not None else {}
        inner = ((part, stated.get(name)) for name, part in value.items())
    elif isinstance(value, list):
        inner = ((part, None if kind is None else kind.value_type) for part in value)
    else:
        is_wide = kind is None and type(value) is int and not -(1 << 63) <= value < 1 << 63
        return value if is_wide else None
    return next((wide for part, stated_type in inner if (wide := _find_wide(part, stated_type)) is not None), None)
