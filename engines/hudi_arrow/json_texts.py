"""Texts of JSON in columns of lists, maps, structs and bytes, as CSV files have them, which the command line writes so. Rule
ROWS-1273."""

from __future__ import annotations

from json import loads
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.json_forms import BYTES_EXPECTED, decode_base64, rewrite_lines
from hudi_arrow.json_lines import read_json
from hudi_arrow.numpy_arrays import from_python
from hudi_arrow.text_values import is_binary, read_form, refuse_beyond, write_values
from hudi_core.errors import RowError

_VALUE: Final = "value"
_BYTES: Final = b'{"base64"'


def text_type(kind: pa.DataType) -> pa.DataType:
    """The type that texts of a type are read as."""
    if pa.types.is_nested(kind):
        return pa.string()
    return pa.binary() if pa.types.is_fixed_size_binary(kind) else kind


def has_json_text(column: pa.Array, kind: pa.DataType) -> bool:
    """Whether a column that was read as `text_type` has another form than its type."""
    if pa.types.is_nested(kind) or pa.types.is_fixed_size_binary(kind):
        return True
    return is_binary(kind) and bool(pc.any(pc.starts_with(column, _BYTES)).as_py())


def read_json_texts(column: pa.Array, kind: pa.DataType, first: int, where: str) -> pa.Array:
    """The values of a type. Raises `RowError` for a text that is no JSON of one; the first value is in the row of this number."""
    if is_binary(kind):
        return _bytes(column, kind, first, where)
    if not len(column) or column.null_count == len(column):
        return pa.nulls(len(column), kind)
    lines = [_line(text, kind, first + place, where) for place, text in enumerate(column.to_pylist())]
    try:
        rewritten = list(rewrite_lines(lines, {_VALUE: kind}, where))
        table = _read(rewritten, kind, where)
        made = write_values(table[_VALUE], kind, where)
        refuse_beyond(table[_VALUE], made, where)
    except RowError as error:
        row = None if error.row is None else first + error.row
        expected, found = error.expected or "", error.found or ""
        raise RowError(row, expected=expected, found=found, path=where) from error
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _line(text: str | None, kind: pa.DataType, row: int, where: str) -> bytes:
    if text is None:
        return b'{"value": null}'
    try:
        loads(text)
    except (ValueError, RecursionError):
        raise RowError(row, expected=f"JSON of {kind}", found=repr(text), path=where) from None
    one_line = text.replace("\n", " ").replace("\r", " ")
    return f'{{"{_VALUE}": {one_line}}}'.encode()


def _read(lines: list[bytes], kind: pa.DataType, where: str) -> pa.Table:
    forms = {_VALUE: read_form(kind)}
    try:
        return read_json(b"\n".join(lines), forms, "error")
    except pa.ArrowInvalid:
        for row, line in enumerate(lines):
            try:
                read_json(line, forms, "error")
            except pa.ArrowInvalid:
                found = line.decode().strip().removeprefix(f'{{"{_VALUE}": ').removesuffix("}")
                raise RowError(row, expected=f"JSON of {kind}", found=repr(found), path=where) from None
        raise


def _bytes(column: pa.Array, kind: pa.DataType, first: int, where: str) -> pa.Array:
    values = []
    for place, value in enumerate(column.to_pylist()):
        row = first + place
        made = _read_bytes(value, row, where) if value is not None and value.startswith(_BYTES) else value
        if made is not None and pa.types.is_fixed_size_binary(kind) and len(made) != kind.byte_width:
            raise RowError(row, expected=f"a value of {kind}", found=repr(value.decode(errors="replace")), path=where)
        values.append(made)
    return from_python(values, kind)


def _read_bytes(text: bytes, row: int, where: str) -> bytes:
    try:
        value = decode_base64(loads(text))
    except ValueError:
        value = None
    if value is None:
        raise RowError(row, expected=BYTES_EXPECTED, found=repr(text.decode(errors="replace")), path=where)
    return value
