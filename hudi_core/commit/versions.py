"""Conditional puts: stores that replace a file only if it still is the version that was read. Rule COMMIT-21."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hudi_core.engine import Storage


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The content of a file that changes, and the store's name of that version of it."""

    content: bytes
    version: str


@runtime_checkable
class VersionedStorage(Storage, Protocol):
    """A storage that replaces a file only in place of a version of it."""

    def read_version(self, path: str) -> FileVersion | None:
        """A file as it is; None where there is none."""
        ...

    def exchange(self, path: str, content: bytes, previous: FileVersion) -> FileVersion:
        """A file, whole, in place of its previous version. Raises `AlreadyExistsError` where it is another one, whoever else
        replaces it at the same time, and `UnsupportedError` where the store cannot promise that."""
        ...
