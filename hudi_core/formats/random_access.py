"""What the formats read from: random access to the bytes of one file, wherever it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hudi_core.errors import CorruptFileError


class RandomAccess(Protocol):
    """One immutable file. `where` names it in errors; `read` gives exactly `length` bytes from `offset` or raises."""

    @property
    def where(self) -> str: ...

    @property
    def size(self) -> int:
        """Bytes in the file."""
        ...

    def read(self, offset: int, length: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class InMemoryFile:
    """A file that is in memory: a log block's content, a small file read whole."""

    data: bytes
    where: str

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def read_range(source: RandomAccess, offset: int, length: int, what: str) -> bytes:
    """The bytes of a range that the file itself names; `CorruptFileError` when they are not all there."""
    if offset < 0 or length < 0 or offset + length > source.size:
        raise CorruptFileError(
            source.where,
            expected=f"{what} of {length} bytes at offset {offset}",
            found=f"a file of {source.size} bytes",
        )
    data = source.read(offset, length)
    if len(data) != length:
        raise CorruptFileError(
            source.where, expected=f"{what} of {length} bytes at offset {offset}", found=f"{len(data)} bytes"
        )
    return data
