"""Bytes in a gzip frame, inflated and deflated. By ISA-L where its binding is there, by zlib elsewhere.

ISA-L takes half of zlib's time to inflate, and a tenth to deflate what hardly gets smaller, as bloom filters do.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any, Final

from hudi_core.errors import CorruptFileError

LIBRARIES: tuple[Any, ...] = (zlib,)
"""The libraries that are there, alike but for their speed, the fastest first."""
with suppress(ImportError):  # there is no wheel of it for some processors
    from isal import isal_zlib

    LIBRARIES = (isal_zlib, zlib)

_GZIP: Final = 31  # zlib's number for deflate in a gzip frame
LEVEL: Final = 1
"""How hard bytes are compressed: a fraction of the time of zlib's default, for a tenth of size."""
_SIZE_BYTES: Final = 4
"""Bytes at the end of a member with its inflated size, modulo `_SIZES`."""
_SIZES: Final = 1 << 8 * _SIZE_BYTES
_MAX_INFLATION: Final = 1032  # deflate cannot make more bytes than this from one


def inflate(stored: memoryview, size: int, where: str) -> bytes:
    """The `size` bytes that a gzip member stands for. Other threads run meanwhile.

    Raises CorruptFileError, with `where`, when it is not whole, has another size, or something follows it. Memory used is
    bounded by the bytes stored, whatever size is claimed.
    """
    if size > _MAX_INFLATION * len(stored):
        raise CorruptFileError(where, expected=f"a size {len(stored)} bytes can inflate to", found=f"{size} bytes")
    recorded_size = int.from_bytes(stored[-_SIZE_BYTES:], "little")
    if recorded_size != size % _SIZES:
        raise CorruptFileError(
            where, expected=f"gzip data of {size} bytes", found=f"data that ends with the size {recorded_size}"
        )
    library = LIBRARIES[0]
    try:
        # room for one byte more: a buffer that is full at the end would be grown, and so copied, to see that it is the end
        data: bytes = library.decompress(stored, _GZIP, size + 1)
    except library.error as error:
        raise CorruptFileError(where, expected="gzip data", found=str(error)) from None
    if len(data) != size:
        raise CorruptFileError(where, expected=f"{size} bytes", found=f"{len(data)} bytes")
    return data


def deflate(content: bytes) -> bytes:
    """The content as a gzip member, in little time rather than few bytes. Other threads run meanwhile."""
    member: bytes = LIBRARIES[0].compress(content, LEVEL, _GZIP)
    return member
