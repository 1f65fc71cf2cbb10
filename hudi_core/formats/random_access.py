"""What the formats read from: random access to the bytes of one file, wherever it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class RangesAtOnce(Protocol):
    """A file of which several ranges are best requested together."""

    def ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of ranges (offset, length), as `read` gives those of one."""
        ...


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
    return read_ranges(source, [(offset, length)], what)[0]


def read_ranges(source: RandomAccess, ranges: Sequence[tuple[int, int]], what: str) -> list[bytes]:
    """The bytes of ranges (offset, length) that the file itself names; `CorruptFileError` when they are not all there."""
    for offset, length in ranges:
        if offset < 0 or length < 0 or offset + length > source.size:
            raise _missing(source, offset, length, what, f"a file of {source.size} bytes")
    if len(ranges) > 1 and isinstance(source, RangesAtOnce):
        contents = source.ranges(ranges)
    else:
        contents = [source.read(offset, length) for offset, length in ranges]
    for (offset, length), content in zip(ranges, contents, strict=True):
        if len(content) != length:
            raise _missing(source, offset, length, what, f"{len(content)} bytes")
    return contents


def _missing(source: RandomAccess, offset: int, length: int, what: str, actual: str) -> CorruptFileError:
    return CorruptFileError(source.where, expected=f"{what} of {length} bytes at offset {offset}", found=actual)
