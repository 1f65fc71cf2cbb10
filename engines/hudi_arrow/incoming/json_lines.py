"""Lines of JSON as a table: each row an object, however long. Rules ROWS-801, ROWS-1274 to ROWS-1276.

pyarrow ends the process at a row that is null, refuses one that is longer than a block of a size stated before, takes a text that
looks like a time for a local one, with its zone lost, and a whole number beyond 64 bits for a double.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from json import loads
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json

from hudi_arrow.incoming.json_pieces import split_rows
from hudi_arrow.numpy_arrays import to_scalar
from hudi_core.errors import RowError

_BLOCK: Final = 1 << 20
_LARGEST_BLOCK: Final = 1 << 30
_GROWTH: Final = 8
_TOO_LONG: Final = "straddl"
"""A word of pyarrow's message of a row that is longer than a block."""
_NULL: Final = b"null"
_NULL_ENDS: Final = (b"null\n", b"null\r", b"null ", b"null\t")
"""How a line ends that may be null: one with an object ends with its brace."""
_EXACT: Final = float(1 << 53)
"""Beyond it a double may be another number than the one that is written."""
_SHOWN: Final = 20
WHOLE_EXPECTED: Final = (
    "a whole number of 64 bits that a double has exactly, or a column of the table that has its type"
)

Types = Mapping[str, pa.DataType]


def read_json(content: bytes, types: Types, unexpected: str = "infer", least_block: int = _BLOCK) -> pa.Table:
    """The rows of bytes, with these types of columns. A row with line breaks is read within a block alone. Raises what pyarrow
    raises."""
    options = json.ParseOptions(
        explicit_schema=pa.schema(types.items()) if types else None, unexpected_field_behavior=unexpected
    )
    size = max(least_block, _BLOCK)
    while True:
        try:
            reading = json.ReadOptions(block_size=size)
            return json.read_json(pa.BufferReader(content), read_options=reading, parse_options=options)
        except pa.ArrowInvalid as problem:
            if _TOO_LONG not in str(problem) or size >= _LARGEST_BLOCK:
                raise
            size *= _GROWTH


def refuse_null_rows(piece: bytes, first: int, where: str) -> None:
    """Raises `RowError` for a row that is null; the first one of the piece has this number."""
    if piece[-len(_NULL) :] != _NULL and all(end not in piece for end in _NULL_ENDS):
        return
    for row, line in enumerate(split_rows(piece)):
        if line.strip() == _NULL:
            raise RowError(first + row, expected="an object", found="null", path=where)


def refuse_other_texts(piece: bytes, first: int, where: str) -> None:
    """Raises `RowError` for a row that is no text of UTF-8, which pyarrow takes."""
    if piece.isascii() or _is_text(piece):
        return
    for row, line in enumerate(split_rows(piece)):
        if not _is_text(line):
            raise RowError(first + row, expected="text in UTF-8", found=_cut_out_wrong_bytes(line), path=where)


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _cut_out_wrong_bytes(line: bytes) -> str:
    """The bytes of a line that are no text, with those before them."""
    try:
        line.decode()
    except UnicodeDecodeError as problem:
        return repr(line[max(0, problem.start - _SHOWN) : problem.end])
    return repr(line)


def refuse_wide_integers(
    table: pa.Table, types: Types, lines: Callable[[], Iterable[bytes]], where: str, first: int
) -> None:
    """Raises `RowError` for a whole number in a column, or a part of one, whose type is not stated, that would be another one as
    a double, beside numbers that are not whole or beyond 64 bits. The first row has this number."""
    names = {name for name in table.column_names if _has_wide(table[name], types.get(name))}
    if not names:
        return
    for row, line in enumerate(lines()):
        for name, value in loads(line).items():
            if name in names and (wide := _find_wide(value, types.get(name))) is not None:
                raise RowError(first + row, expected=WHOLE_EXPECTED, found=str(wide), path=f"{where}: {name}")


def refuse_rounded_integers(table: pa.Table, types: Types, where: str, first: int) -> None:
    """Raises `RowError` for an integer in a column, or a part of one, that is another number in these types: other rows of the
    file have numbers there that are not whole. The first row has this number."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        for integers, has_rows in _find_rounded(column, types.get(name, column.type), has_rows=True):
            again = integers.cast(pa.float64(), safe=False).cast(pa.int64(), safe=False)
            place = pc.index(pc.not_equal(again, integers), True).as_py()
            if place >= 0:
                row, found = (first + place if has_rows else None), str(integers[place].as_py())
                raise RowError(row, expected=WHOLE_EXPECTED, found=found, path=f"{where}: {name}")


def _find_rounded(
    column: pa.ChunkedArray, kind: pa.DataType, *, has_rows: bool
) -> Iterator[tuple[pa.ChunkedArray, bool]]:
    """The integers of a column, at each depth, that the type has as floats, and whether each has a row of its own."""
    if pa.types.is_integer(column.type):
        if pa.types.is_floating(kind):
            yield column, has_rows
    elif pa.types.is_struct(column.type) and pa.types.is_struct(kind):
        wanted = {field.name: field.type for field in kind}
        for field, part in zip(column.type, column.flatten(), strict=True):
            if field.name in wanted:  # else no row has it
                yield from _find_rounded(part, wanted[field.name], has_rows=has_rows)
    elif pa.types.is_list(column.type) and pa.types.is_list(kind):
        inner = pa.chunked_array([chunk.flatten() for chunk in column.chunks], column.type.value_type)
        yield from _find_rounded(inner, kind.value_type, has_rows=False)


def is_rounded(number: int) -> bool:
    """Whether a whole number is beyond 64 bits, or another one as a double."""
    return not -(1 << 63) <= number < 1 << 63 or int(float(number)) != number


def _has_wide(column: pa.ChunkedArray, kind: pa.DataType | None) -> bool:
    """Whether a double without a stated type, at any depth, may be a whole number that a double rounds."""
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
    return bool(
        pc.any(pc.and_(pc.is_finite(column), pc.greater_equal(pc.abs(column), to_scalar(_EXACT, column.type)))).as_py()
    )


def _find_wide(value: Any, kind: pa.DataType | None) -> int | None:
    """The first whole number in a value that a double rounds, or beyond 64 bits, where no type is stated."""
    if kind is not None and pa.types.is_map(kind):
        return None
    if isinstance(value, dict):
        stated = {field.name: field.type for field in kind} if kind is not None else {}
        inner = ((part, stated.get(name)) for name, part in value.items())
    elif isinstance(value, list):
        inner = ((part, None if kind is None else kind.value_type) for part in value)
    else:
        return value if kind is None and type(value) is int and is_rounded(value) else None
    return next((wide for part, stated_type in inner if (wide := _find_wide(part, stated_type)) is not None), None)
