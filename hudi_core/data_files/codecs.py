"""The codec of new base files. Rule WRITE-640."""

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
