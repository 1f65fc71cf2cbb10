"""What the formats read from."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.formats.random_access import InMemoryFile, read_range


@dataclass(frozen=True)
class Short:
    """A file of which less comes than it claims to hold."""

    where: str = "short"
    size: int = 10

    def read(self, offset: int, length: int) -> bytes:
        return b"x" * (length - 1)


def test_a_range_of_bytes_in_memory_is_read() -> None:
    assert read_range(InMemoryFile(b"0123456789", "t"), 3, 4, "part") == b"3456"
    assert read_range(InMemoryFile(b"0123456789", "t"), 10, 0, "part") == b""


@pytest.mark.parametrize(("offset", "length"), [(-1, 2), (0, -1), (8, 3), (11, 0), (2**70, 1), (0, 2**70)])
def test_a_range_outside_the_file_is_corrupt(offset: int, length: int) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: expected part of -?\d+ bytes at offset -?\d+, found a file of 10"):
        read_range(InMemoryFile(b"0123456789", "t"), offset, length, "part")


def test_fewer_bytes_than_requested_are_corrupt() -> None:
    with pytest.raises(CorruptFileError, match=r"^short: expected part of 5 bytes at offset 1, found 4 bytes"):
        read_range(Short(), 1, 5, "part")
