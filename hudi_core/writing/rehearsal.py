"""A storage for a dry run: its tasks write as those of a write do, and nothing of it reaches the table. Rule WRITE-1490.

What a write counts as inserted, updated and deleted shows where its rows are merged with those that are stored, and not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from os import devnull
from typing import Any, BinaryIO

from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import AlreadyExistsError
from hudi_core.formats.random_access import RandomAccess
from hudi_core.parallel.requests import Traffic


@dataclass(eq=False)
class RehearsedStorage:
    """The files of a table, and the names of those that were written since: what they have is given up as it comes, so that a
    dry run takes no room. Each process has its own. `present` are files that count as there."""

    stored: Storage
    present: frozenset[str] = frozenset()
    _made: set[str] = field(default_factory=set)

    def __reduce__(self) -> tuple[Any, ...]:
        return RehearsedStorage, (self.stored, self.present)

    @property
    def uri(self) -> str:
        return self.stored.uri

    @property
    def is_remote(self) -> bool:
        return self.stored.is_remote

    @property
    def traffic(self) -> Traffic:
        return self.stored.traffic

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        """The table's own files."""
        return self.stored.list(folder, recursive=recursive, without=without)

    def exists(self, path: str) -> bool:
        return path in self._made or path in self.present or self.stored.exists(path)

    def read(self, path: str) -> bytes:
        """A file of the table's own."""
        return self.stored.read(path)

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        """A file of the table's own."""
        return self.stored.open(path, size)

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        self.stored.expect(folders=folders, trees=trees, files=files)

    def read_modified(self, path: str) -> datetime | None:
        return self.stored.read_modified(path)

    def create(self, path: str, content: bytes) -> None:
        if self.exists(path):
            raise AlreadyExistsError(f"{self.uri}/{path}", message="the file exists")
        self._made.add(path)

    def replace(self, path: str, content: bytes) -> None:
        self._made.add(path)

    def delete(self, path: str) -> None:
        """A file that was written since; the table's stay."""
        self._made.discard(path)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        self._made.difference_update(paths)

    def delete_folder(self, path: str) -> None:
        self.delete_files([made for made in self._made if made.startswith(f"{path}/")])

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with open(devnull, "wb") as stream:  # noqa: PTH123 - no path
            yield stream
        self._made.add(path)
