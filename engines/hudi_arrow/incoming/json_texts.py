"""Texts of JSON in columns of lists, maps, structs and bytes, as CSV files have them, which the command line writes so. Rules
ROWS-1273, ROWS-1326.

A column is read as a whole, a line for each value. Only where that fails is each value looked at by itself, for the row of the
error.
"""

from __future__ import annotations

from json import loads
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.incoming.gaps import has_nulls_within, refuse_gaps
from hudi_arrow.incoming.json_forms import BYTES_EXPECTED, decode_base64, has_forms, rewrite_lines
from hudi_arrow.incoming.json_lines import read_json
from hudi_arrow.incoming.text_values import is_binary, read_form, refuse_beyond, write_values
from hudi_arrow.numpy_arrays import from_python
from hudi_core.errors import RowError

_VALUE: Final = "value"
_BYTES: Final = b'{"base64"'
_PYTHON: Final = (b"b'", b'b"')
"""How texts begin that Python, and so pandas, makes of bytes."""
_BEGIN, _END = f'{{"{_VALUE}": ', "}"


def text_type(kind: pa.DataType) -> pa.DataType:
    """The type that texts of a type are read as; a finer one for times of milliseconds and times of day, whose texts may have
    zeros behind their digits."""
    if pa.types.is_nested(kind):
        return pa.string()
    if pa.types.is_timestamp(kind) and kind.unit == "ms":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_time(kind):
        return pa.time64("ns")
    return pa.binary() if pa.types.is_fixed_size_binary(kind) else kind


def has_json_text(column: pa.Array, kind: pa.DataType) -> bool:
    """Whether a column that was read as `text_type` has another form than its type."""
    if pa.types.is_nested(kind) or pa.types.is_fixed_size_binary(kind):
        return True
    return is_binary(kind) and any(pc.any(pc.starts_with(column, start)).as_py() for start in (_BYTES, *_PYTHON))


def read_json_texts(
    column: pa.Array, kind: pa.DataType, first: int, source: str, name: str, *, whole: bool = False
) -> pa.Array:
    """The values of a type in a column of this name, of which the first is in the row of this number. Raises `RowError` for a
    text that is no JSON of the type and, if `whole`, for one that lacks a part of a struct."""
    where = f"{source}: {name}"
    if is_binary(kind):
        return _bytes(column, kind, first, where)
    if not len(column) or column.null_count == len(column):
        return pa.nulls(len(column), kind)
    lines = pc.binary_join_element_wise(_BEGIN, pc.fill_null(column, "null"), _END, "").cast(pa.binary())
    try:
        read = _read(lines, kind, first, where)
        made = write_values(read, kind, where, first)
        refuse_beyond(read, made, where, first)
    except RowError as error:
        raise RowError(error.row, expected=error.expected or "", found=error.found or "", path=where) from error
    made = pa.concat_arrays(made.chunks)
    if whole and has_nulls_within(made):
        values = (None if text is None else loads(text) for text in column.to_pylist())
        refuse_gaps(
            [(row, {name: value}) for row, value in enumerate(values, first)], {name: kind}, source, every_part=True
        )
    return made


def _read(lines: pa.Array, kind: pa.DataType, first: int, where: str) -> pa.ChunkedArray:
    """The values of lines in the type of `read_form`. A text may be of several objects, and then is no JSON."""
    try:
        made = _read_lines(lines, kind, first, where)
        if len(made) == len(lines):
            return made
    except pa.ArrowInvalid:
        pass  # one of them is looked for by itself
    for place, line in enumerate(lines.to_pylist()):
        text = line.decode().removeprefix(_BEGIN).removesuffix(_END)
        try:
            loads(text)
            _read_lines(lines.slice(place, 1), kind, first + place, where)
        except (ValueError, RecursionError):  # `ArrowInvalid` is a `ValueError`
            raise RowError(first + place, expected=f"JSON of {kind}", found=repr(text), path=where) from None
    raise RowError(first, expected=f"JSON of {kind}", found="texts that are none together", path=where)


def _read_lines(lines: pa.Array, kind: pa.DataType, first: int, where: str) -> pa.ChunkedArray:
    """The values of all objects of lines. A value may have line breaks, but not between two blocks of the reader."""
    together = pa.LargeListArray.from_arrays(from_python([0, len(lines)], pa.int64()), lines)
    content = pc.binary_join(together, b"\n")[0].as_py()
    if has_forms(content, {_VALUE: kind}):
        content = b"\n".join(rewrite_lines(lines.to_pylist(), {_VALUE: kind}, where, first))
    return read_json(content, {_VALUE: read_form(kind)}, "error", len(content))[_VALUE]


def _bytes(column: pa.Array, kind: pa.DataType, first: int, where: str) -> pa.Array:
    values = []
    for place, value in enumerate(column.to_pylist()):
        row = first + place
        made = _read_bytes(value, row, where) if value is not None and value.startswith((_BYTES, *_PYTHON)) else value
        if made is not None and pa.types.is_fixed_size_binary(kind) and len(made) != kind.byte_width:
            raise RowError(row, expected=f"a value of {kind}", found=repr(value.decode(errors="replace")), path=where)
        values.append(made)
    return from_python(values, kind)


def _read_bytes(text: bytes, row: int, where: str) -> bytes:
    if text.startswith(_PYTHON):
        if len(text) < 3 or text[-1:] != text[1:2]:
            return text
        raise RowError(row, expected=BYTES_EXPECTED, found=f"Python's text {text.decode(errors='replace')}", path=where)
    try:
        value = decode_base64(loads(text))
    except ValueError:
        value = None
    if value is None:
        raise RowError(row, expected=BYTES_EXPECTED, found=repr(text.decode(errors="replace")), path=where)
    return value
