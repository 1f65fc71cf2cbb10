"""The size of the data blocks of new log files. Rule WRITE-1020."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hudi_core.errors import UsageError

BLOCK_SIZE: Final = "hoodie.logfile.data.block.max.size"
"""The property of a write, else of a table, that states the bytes of a block at most."""
BLOCK_BYTES: Final = 16 << 20
"""Bytes of a block at most where nothing is stated: readers hold a block as a whole."""


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
