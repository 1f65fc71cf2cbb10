"""Texts of one length in plain pages, as record keys often are: taken from a page all at once, not one after the other.

Rules: `Encodings.md` of the Parquet format. A text is four bytes of length, and its bytes.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from hudi_arrow import thrift
from hudi_arrow.pages import Chunk

_DATA_PAGE: Final = 0
_PLAIN, _RUNS = 0, 3
_LENGTH: Final = 4
_MOST_BYTES: Final = (1 << 31) - 1
"""What offsets of 32 bits can tell."""


def plain_texts(chunk: Chunk, number: int, of: pa.DataType, optional: bool) -> pa.Array | None:
    """The texts or bytes in one page of a chunk outside of lists; None where they are not plain, of one length and all there."""
    page = chunk.pages[number]
    said = thrift.structure(page.header)[0]
    if said[1] != _DATA_PAGE or said[5][2] != _PLAIN or (optional and said[5][3] != _RUNS):
        return None
    count: int = said[5][1]
    body = next(chunk.parts(chunk.starts[number] + len(page.header), page.size), memoryview(b""))
    if optional:
        levels = _all_there(count)
        if body[: len(levels)] != levels:
            return None
        body = body[len(levels) :]
    length = len(body) // max(count, 1) - _LENGTH
    if length < 1 or count * (_LENGTH + length) != len(body) or count * length > _MOST_BYTES:
        return None
    rows = np.frombuffer(body, np.uint8).reshape(count, _LENGTH + length)
    if (rows[:, :_LENGTH].view("<u4") != length).any():
        return None
    offsets = np.arange(count + 1, dtype=np.int32) * np.int32(length)
    texts = np.ascontiguousarray(rows[:, _LENGTH:])
    return pa.Array.from_buffers(of, count, [None, pa.py_buffer(offsets), pa.py_buffer(texts)])


def after(chunk: Chunk, count: int, values: int) -> Chunk:
    """A chunk without its first pages, none of them a dictionary; so many values are left."""
    if count == 0:
        return chunk
    start = chunk.starts[count]
    return Chunk(
        chunk.pages[count:], [at - start for at in chunk.starts[count:]], chunk.length - start, values, chunk.where
    )


def _all_there(count: int) -> bytes:
    """The definition levels of an optional column without nulls, as writers put them: one run of ones."""
    run = (
        thrift.i64(0, count)[2] + b"\1"
    )  # a run says twice its length as a varint, which is Thrift's form of the length
    return len(run).to_bytes(_LENGTH, "little") + run
