"""A storage for a dry run: its tasks write as those of a write do, and nothing of it reaches the table. Rule WRITE-1490.

What a write counts as inserted, updated and deleted shows where its rows are merged with those that are stored, and not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import AlreadyExistsError, StorageError
from hudi_core.formats.random_access import RandomAccess
from hudi_core.parallel.requests import Traffic
from hudi_core.reading.array_files import ScratchFolder


@dataclass(frozen=True)
class ScratchFile:
    """A file that was written for a while, as readers take it."""

    where: str
    path: Path

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def read(self, offset: int, length: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


@dataclass(eq=False)
class RehearsedStorage:
    """The files of a table, and those that were written since, which nobody else sees: they are in a folder that goes away with
    this. It can be pickled, without the files; each process has its own. `present` are files that count as there."""

    stored: Storage
    present: frozenset[str] = frozenset()
    _made: dict[str, Path] = field(default_factory=dict)
    _folder: ScratchFolder = field(default_factory=ScratchFolder)
    _numbers: Iterator[int] = field(default_factory=count)

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
        return self._made[path].read_bytes() if path in self._made else self.stored.read(path)

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        if path in self._made:
            return ScratchFile(f"{self.uri}/{path}", self._made[path])
        return self.stored.open(path, size)

    def expect(self, *, folders: Sequence[str] = (), files: Sequence[FileInfo | str] = ()) -> None:
        """Announces those that the table has."""
        own = [file for file in files if (file if isinstance(file, str) else file.path) not in self._made]
        self.stored.expect(folders=folders, files=own)

    def read_modified(self, path: str) -> datetime | None:
        return self.stored.read_modified(path)

    def create(self, path: str, content: bytes) -> None:
        if self.exists(path):
            raise AlreadyExistsError(f"{self.uri}/{path}", message="the file exists")
        self.replace(path, content)

    def replace(self, path: str, content: bytes) -> None:
        with self.output(path) as file:
            file.write(content)

    def delete(self, path: str) -> None:
        """A file of its own; the table's stay."""
        made = self._made.pop(path, None)
        if made is not None:
            made.unlink(missing_ok=True)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths:
            self.delete(path)

    def delete_folder(self, path: str) -> None:
        self.delete_files([made for made in self._made if made.startswith(f"{path}/")])

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        file = self._folder.path(str(next(self._numbers)))
        try:
            with file.open("wb") as stream:
                yield stream
        except StorageError:
            raise
        except OSError as problem:
            raise StorageError(str(file), message=problem.strerror or str(problem)) from problem
        self._made[path] = file
