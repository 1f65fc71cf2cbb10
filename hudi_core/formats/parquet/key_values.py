"""The key-value pairs of a Parquet file's footer, read from its bytes."""

from __future__ import annotations

from typing import Final

from hudi_core.errors import CorruptFileError
from hudi_core.formats.parquet.chunks import MAGIC
from hudi_core.formats.parquet.thrift import structure
from hudi_core.formats.random_access import RandomAccess, read_range

_END: Final = 8
"""Bytes behind the footer: its length and the magic."""
_TAIL: Final = 1 << 16
"""Bytes that are read at first: they hold most footers."""


def key_values(source: RandomAccess) -> dict[str, str]:
    """The pairs; a value that is missing is an empty text. Raises `CorruptFileError` for bytes that are no Parquet file."""

    def refuse(found: str) -> CorruptFileError:
        return CorruptFileError(source.where, expected="a Parquet file", found=found)

    start = max(source.size - _TAIL, 0)
    tail = read_range(source, start, source.size - start, "the end of a Parquet file")
    if len(tail) < len(MAGIC) + _END or tail[-len(MAGIC) :] != MAGIC:
        raise refuse(f"{len(tail)} bytes at the end without its magic")
    length = int.from_bytes(tail[-_END : -len(MAGIC)], "little")
    first = source.size - _END - length
    if first < len(MAGIC):
        raise refuse(f"a footer of {length} bytes in a file of {source.size}")
    footer = tail[first - start : -_END] if first >= start else read_range(source, first, length, "a Parquet footer")
    try:
        pairs = structure(footer)[0].get(5, [])
        return {pair[1].decode(): pair.get(2, b"").decode() for pair in pairs}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as problem:
        raise refuse(f"a footer that cannot be read: {str(problem) or type(problem).__name__}") from None
