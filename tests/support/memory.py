"""A storage in memory that notes what is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hudi_core.engine import FileInfo
from hudi_core.errors import StorageError
from hudi_core.formats.random_access import InMemoryFile, RandomAccess
from hudi_core.parallel.requests import Traffic


@dataclass(eq=False)
class Memory:
    """Files by path."""

    files: dict[str, bytes]
    reads: list[str] = field(default_factory=list)
    uri: str = "memory"

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        start = f"{folder}/" if folder else ""
        hidden = f"{start}{without}/" if without else None
        return [
            FileInfo(path, len(content))
            for path, content in sorted(self.files.items())
            if path.startswith(start) and (recursive or "/" not in path[len(start) :])
            if hidden is None or not path.startswith(hidden)
        ]

    def exists(self, path: str) -> bool:
        return path in self.files

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        if path not in self.files:
            raise StorageError(path, message="no such file")
        return self.files[path]

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        return InMemoryFile(self.read(path), path)

    is_remote = False
    traffic = Traffic()

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        pass
