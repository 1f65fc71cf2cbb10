"""Values taken from plain pages, several at once, without pyarrow: numbers, booleans, and texts of one length.

Rules: `Encodings.md` of the Parquet format. A text is four bytes of length, and its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hudi_arrow.pages import DATA_PAGE, Chunk
from hudi_core.columns.concat import GrowingArray
from hudi_core.formats.parquet import thrift

_PLAIN, _RUNS = 0, 3
_LENGTH: Final = 4
_MAX_BYTES: Final = (1 << 31) - 1
"""The greatest offset of 32 bits."""
_WIDTHS: Final = {"INT32": 4, "INT64": 8, "FLOAT": 4, "DOUBLE": 8}


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """A column outside of lists and records whose plain values are what Arrow holds. `width` is 0 for booleans and texts."""

    type: pa.DataType
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


def plain_values(chunk: Chunk, first: int, most: int, column: PlainColumn) -> tuple[pa.Array, int] | None:
    """The values in pages of a chunk from one on, and how many pages these are: as many as have no more than `most` values.

    They end before a page that is not plain, does not have all its values, or has texts of another length. None where the
    first is such a page; by itself it may have more values.
    """
    last, rows = first + 1, chunk.pages[first].values
    while last < len(chunk.pages) and rows + chunk.pages[last].values <= most:
        last, rows = last + 1, rows + chunk.pages[last].values
    joined, pages = None, 0
    while first + pages < last:
        part = _items(chunk, first + pages, column)
        if part is None or not (joined is None or _goes_on(joined, part)):
            break
        if joined is None:
            joined = GrowingArray(part, min(rows, _MAX_BYTES // part.itemsize))
        joined.add(part)
        pages += 1
    return None if joined is None else (_array(joined.array(), column), pages)


def _goes_on(joined: GrowingArray, part: NDArray[Any]) -> bool:
    """Whether items are like those before them, and offsets reach to their end."""
    return part.dtype == joined.data.dtype and (joined.size + len(part)) * part.itemsize <= _MAX_BYTES


def after(chunk: Chunk, count: int, values: int) -> Chunk:
    """A chunk without its first pages, none of them a dictionary; so many values are left."""
    if count == 0:
        return chunk
    start = chunk.starts[count]
    return Chunk(
        chunk.pages[count:],
        [position - start for position in chunk.starts[count:]],
        chunk.length - start,
        values,
        chunk.where,
    )


def _items(chunk: Chunk, number: int, column: PlainColumn) -> NDArray[Any] | None:
    """The values in one page: numbers and texts as they lie there, a byte for each boolean."""
    page = chunk.pages[number]
    if (
        page.kind != DATA_PAGE
        or page.header_values[1] != _PLAIN
        or (column.optional and page.header_values[2] != _RUNS)
    ):
        return None
    body, count = chunk.body(number), page.values
    if column.optional:
        levels = _all_there(count)
        if body[: len(levels)] != levels:
            return None
        body = body[len(levels) :]
    if column.width:
        return np.frombuffer(body, f"<u{column.width}") if len(body) == count * column.width else None
    if pa.types.is_boolean(column.type):
        bits = np.frombuffer(body, np.uint8)
        return np.unpackbits(bits, count=count, bitorder="little") if len(bits) == (count + 7) // 8 else None
    length = len(body) // max(count, 1) - _LENGTH
    if length < 1 or count * (_LENGTH + length) != len(body) or count * length > _MAX_BYTES:
        return None
    rows = np.frombuffer(body, _text_of(length), count)
    return None if (rows["length"] != length).any() else rows["text"]


def _array(values: NDArray[Any], column: PlainColumn) -> pa.Array:
    if column.width:
        return pa.Array.from_buffers(column.type, len(values), [None, pa.py_buffer(values)])
    if pa.types.is_boolean(column.type):
        bits = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(column.type, len(values), [None, pa.py_buffer(bits)])
    offsets = np.arange(len(values) + 1, dtype=np.int32) * np.int32(values.itemsize)
    return pa.Array.from_buffers(column.type, len(values), [None, pa.py_buffer(offsets), pa.py_buffer(values)])


@lru_cache(maxsize=256)
def _text_of(length: int) -> np.dtype[np.void]:
    """A text of so many bytes as it lies in a plain page."""
    return np.dtype([("length", "<u4"), ("text", np.void, length)])


@lru_cache(maxsize=256)
def _all_there(count: int) -> bytes:
    """The definition levels of an optional column without nulls, as writers put them: one run of ones."""
    # A run begins with twice its length as a varint, which is Thrift's form of the length.
    run = thrift.i64(0, count)[2] + b"\1"
    return len(run).to_bytes(_LENGTH, "little") + run
