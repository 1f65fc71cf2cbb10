"""Values taken from plain pages all at once, without pyarrow: numbers and booleans as they lie there, texts of one length.

Rules: `Encodings.md` of the Parquet format. A text is four bytes of length, and its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hudi_arrow import thrift
from hudi_arrow.pages import DATA_PAGE, Chunk

_PLAIN, _RUNS = 0, 3
_LENGTH: Final = 4
_MOST_BYTES: Final = (1 << 31) - 1
"""What offsets of 32 bits can tell."""
_WIDTHS: Final = {"INT32": 4, "INT64": 8, "FLOAT": 4, "DOUBLE": 8}


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """A column outside of lists and records whose plain values are what Arrow holds. `width` is 0 for booleans and texts."""

    of: pa.DataType
    optional: bool
    width: int


def plain_column(column: Any, stored: pa.DataType, wanted: pa.DataType) -> PlainColumn | None:
    """How the values of a leaf column (as `pyarrow.parquet.ColumnSchema`) can be taken; None where they are to be decoded.

    `stored` is the type that pyarrow gives the column, `wanted` the one to give.
    """
    if stored != wanted or column.max_repetition_level or column.max_definition_level > 1:
        return None
    match column.physical_type:
        case "BYTE_ARRAY" if wanted in (pa.string(), pa.binary()):
            width = 0
        case "BOOLEAN" if pa.types.is_boolean(wanted):
            width = 0
        case ("INT32" | "INT64" | "FLOAT" | "DOUBLE") as physical if pa.types.is_primitive(wanted):
            width = _WIDTHS[physical]
            if wanted.bit_width != 8 * width:
                return None
        case _:
            return None
    return PlainColumn(wanted, column.max_definition_level == 1, width)


def plain_values(chunk: Chunk, number: int, column: PlainColumn) -> pa.Array | None:
    """The values in one page of a chunk; None where they are not plain, not all there, or texts of several lengths."""
    page = chunk.pages[number]
    if page.kind != DATA_PAGE or page.told[1] != _PLAIN or (column.optional and page.told[2] != _RUNS):
        return None
    body = chunk.body(number)
    if column.optional:
        levels = _all_there(page.values)
        if body[: len(levels)] != levels:
            return None
        body = body[len(levels) :]
    if column.width:
        return _numbers(body, page.values, column)
    if pa.types.is_boolean(column.of):
        whole = len(body) == (page.values + 7) // 8
        return pa.Array.from_buffers(column.of, page.values, [None, pa.py_buffer(body)]) if whole else None
    return _texts(body, page.values, column.of)


def after(chunk: Chunk, count: int, values: int) -> Chunk:
    """A chunk without its first pages, none of them a dictionary; so many values are left."""
    if count == 0:
        return chunk
    start = chunk.starts[count]
    return Chunk(
        chunk.pages[count:], [at - start for at in chunk.starts[count:]], chunk.length - start, values, chunk.where
    )


def _numbers(body: memoryview, count: int, column: PlainColumn) -> pa.Array | None:
    if len(body) != count * column.width:
        return None
    values = np.frombuffer(body, np.uint8)
    if values.ctypes.data % column.width:  # not all who take Arrow's buffers read numbers from any place
        values = values.copy()
    return pa.Array.from_buffers(column.of, count, [None, pa.py_buffer(values)])


def _texts(body: memoryview, count: int, of: pa.DataType) -> pa.Array | None:
    length = len(body) // max(count, 1) - _LENGTH
    if length < 1 or count * (_LENGTH + length) != len(body) or count * length > _MOST_BYTES:
        return None
    rows = np.frombuffer(body, _text_of(length), count)
    if (rows["length"] != length).any():
        return None
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(length)
    texts = rows["text"].copy()
    return pa.Array.from_buffers(of, count, [None, pa.py_buffer(offsets), pa.py_buffer(texts)])


@lru_cache(maxsize=256)
def _text_of(length: int) -> np.dtype[np.void]:
    """A text of so many bytes as it lies in a plain page."""
    return np.dtype([("length", "<u4"), ("text", np.void, length)])


def _all_there(count: int) -> bytes:
    """The definition levels of an optional column without nulls, as writers put them: one run of ones."""
    # A run says twice its length as a varint, which is Thrift's form of the length.
    run = thrift.i64(0, count)[2] + b"\1"
    return len(run).to_bytes(_LENGTH, "little") + run
