"""Tables in local folders, with the standard library alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hudi_core.errors import UnsupportedError
from hudi_core.formats.random_access import RandomAccess
from hudi_core.local_storage import LocalStorage, report_file_errors
from hudi_core.local_uris import is_url


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file read by position; nothing stays open between two reads."""

    path: Path
    size: int

    @property
    def where(self) -> str:
        return str(self.path)

    def read(self, offset: int, length: int) -> bytes:
        with report_file_errors(self.where), self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


class PlainStorage(LocalStorage):
    """`hudi_core.engine.Storage` of a local folder."""

    def __init__(self, uri: str) -> None:
        """Raises `UnsupportedError` for a URL that is not one of a local folder, and as `local_path`."""
        if is_url(uri):
            scheme = uri.partition("://")[0]
            raise UnsupportedError(uri, expected="a local path with the plain engine", found=f"the scheme {scheme}")
        super().__init__(uri)

    def exists(self, path: str) -> bool:
        with self._watch(path):
            return self.full(path).exists()

    def read(self, path: str) -> bytes:
        with self._watch(path):
            return self.full(path).read_bytes()

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        with self._watch(path):
            whole = self.full(path)
            if whole.is_dir():
                raise IsADirectoryError("expected a file, found a folder")
            return LocalFile(whole, whole.stat().st_size)
