"""Clients of object stores: the protocol that `RemoteStorage` needs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import BinaryIO, Protocol

from hudi_core.engine import FileInfo


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
