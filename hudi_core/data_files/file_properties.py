"""Properties of new data files: the codec of base files, the size of the blocks of log files. Rules WRITE-640, WRITE-1020.

A property of a write counts before the table's.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hudi_core.stated_properties import StatedProperties

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
    return StatedProperties.join(*stated).choice(CODEC, CODECS)


def block_bytes(*stated: Mapping[str, str]) -> int:
    """Bytes of a block at most, by the first of these properties that state it. Raises `UsageError` for what is no number of
    bytes above 0."""
    return StatedProperties.join(*stated).number(BLOCK_SIZE, default=BLOCK_BYTES, least=1)
