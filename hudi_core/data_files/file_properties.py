"""Properties of new data files: the codec of base files, the size of the blocks of log files. Rules WRITE-640, WRITE-1020.

A property of a write counts before the table's.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hudi_core.errors import UsageError

CODEC: Final = "hoodie.parquet.compression.codec"
"""The property of a write, else of a table, that names the codec."""
CODECS: Final[Mapping[str, str]] = MappingProxyType(
    {"zstd": "zstd", "snappy": "snappy", "gzip": "gzip", "uncompressed": "none"}
)
"""What engines call the codecs, by Parquet's names."""
BLOCK_SIZE: Final = "hoodie.logfile.data.block.max.size"
"""The property of a write, else of a table, that states the bytes of a block at most."""
BLOCK_BYTES: Final = 16 << 20
"""Bytes of a block at most where nothing is stated: readers hold a block as a whole."""


def codec_of(*stated: Mapping[str, str]) -> str | None:
    """The codec that the first of these properties names which name one; None where none does. Raises `UsageError` for one that
    this library does not write."""
    named = next((properties[CODEC] for properties in stated if properties.get(CODEC)), None)
    if named is None:
        return None
    codec = CODECS.get(named.strip().lower())
    if codec is None:
        raise UsageError(CODEC, expected=f"one of {', '.join(CODECS)}", found=repr(named))
    return codec


def block_bytes(*stated: Mapping[str, str]) -> int:
    """Bytes of a block at most, by the first of these properties that state it. Raises `UsageError` for what is no number of
    bytes above 0."""
    text = next((properties[BLOCK_SIZE] for properties in stated if properties.get(BLOCK_SIZE, "").strip()), None)
    if text is None:
        return BLOCK_BYTES
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and int(digits)):
        raise UsageError(BLOCK_SIZE, expected="a number of bytes above 0", found=repr(text))
    return int(digits)
