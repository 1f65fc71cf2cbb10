"""Clients of object stores: the protocol that `RemoteStorage` needs, and the client over pyarrow's file systems."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

import pyarrow as pa
from pyarrow import fs

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import UnsupportedError
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order


class StoreClient(Protocol):
    """The files of one table in a store. Paths are relative to the table's root.

    Methods raise `FileNotFoundError` for a path that is not there, and `OSError` or `pa.ArrowException` for what fails after
    retries. Each is one request where the store allows it.
    """

    def whole(self, path: str, max_size: int | None = None) -> tuple[bytes | None, int]:
        """The content and its size; no content where it is larger than `max_size` bytes."""
        ...

    def end(self, path: str, length: int) -> tuple[bytes, int]:
        """The last `length` bytes, or all that there are, and the size of the file."""
        ...

    def range(self, path: str, offset: int, length: int) -> bytes:
        """Exactly these bytes."""
        ...

    def size(self, path: str) -> int: ...

    def list(self, folder: str, recursive: bool) -> Sequence[FileInfo]:
        """Files in any order; none where there is no such folder."""
        ...

    def create(self, path: str, content: bytes) -> None:
        """Raises `FileExistsError` when there is one."""
        ...

    def replace(self, path: str, content: bytes) -> None: ...

    def version(self, path: str) -> tuple[bytes, str]:
        """The content of a file that changes, and the name of that version of it."""
        ...

    def exchange(self, path: str, content: bytes, version: str) -> str:
        """Replaces a version of a file; gives the name of the new one. Raises `FileExistsError` when the file is another one,
        and `UnsupportedError` where the store has no versions."""
        ...

    def delete(self, paths: Sequence[str]) -> None:
        """No error for those that are not there."""
        ...

    def read_modified(self, path: str) -> datetime: ...

    def output(self, path: str) -> AbstractContextManager[BinaryIO]: ...


@dataclass(frozen=True)
class FileSystemClient:
    """The client over a file system of pyarrow's or fsspec's, which requests the size of a file before it reads it."""

    storage: ArrowStorage

    def whole(self, path: str, max_size: int | None = None) -> tuple[bytes | None, int]:
        with self._open(path) as file:
            size: int = file.size()
            return (None if max_size is not None and size > max_size else file.readall()), size

    def end(self, path: str, length: int) -> tuple[bytes, int]:
        with self._open(path) as file:
            size: int = file.size()
            return file.read_at(min(length, size), max(size - length, 0)), size

    def range(self, path: str, offset: int, length: int) -> bytes:
        with self._open(path) as file:
            content: bytes = file.read_at(length, offset)
            return content

    def size(self, path: str) -> int:
        info = self.storage.filesystem.get_file_info(self.storage.full(path))
        if info.type != fs.FileType.File:
            raise FileNotFoundError(path)
        return int(info.size)

    def list(self, folder: str, recursive: bool) -> Sequence[FileInfo]:
        return self.storage.list(folder, recursive=recursive)

    def create(self, path: str, content: bytes) -> None:
        self.storage.create(path, content)

    def replace(self, path: str, content: bytes) -> None:
        self.storage.replace(path, content)

    def version(self, path: str) -> tuple[bytes, str]:
        content, _ = self.whole(path)
        return content or b"", ""

    def exchange(self, path: str, content: bytes, version: str) -> str:
        kind = self.storage.filesystem.type_name
        raise UnsupportedError(
            self.storage.where(path), expected="a store that replaces one version of a file", found=kind
        )

    def delete(self, paths: Sequence[str]) -> None:
        for _ in in_order(self.storage.delete, paths, STORAGE_REQUESTS):
            pass

    def read_modified(self, path: str) -> datetime:
        moment = self.storage.read_modified(path)
        if moment is None:
            raise FileNotFoundError(path)
        return moment

    def output(self, path: str) -> AbstractContextManager[BinaryIO]:
        return self.storage.output(path)

    def _open(self, path: str) -> pa.NativeFile:
        return self.storage.filesystem.open_input_file(self.storage.full(path))
