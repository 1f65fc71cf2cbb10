"""Files as they pass between the core and an engine: listed, rewritten, written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from hudi_core.formats.footer import Footer

B = TypeVar("B", covariant=True)


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file in storage: its path relative to the storage's root (slashes, no leading one), and its size in bytes."""

    path: str
    size: int

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def extension(self) -> str:
        """What follows the last dot of its name, without the dot: the format of a base file."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True, eq=False)
class RewrittenRows(Generic[B]):
    """A batch of rows of a file that is written anew. Where `before` is there, they stand one for one for rows of the older file
    that follow each other, of which the first has the number `first`."""

    rows: B
    before: B | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A base file that was written: its size in bytes, and its footer with the statistics of the whole."""

    size: int
    footer: Footer
