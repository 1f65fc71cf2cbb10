"""Parquet files that are the content of a log block, opened as files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hudi_core.engine import Engine, FileInfo, OpenedFile
from hudi_core.formats.log import LogBlock
from hudi_core.formats.random_access import InMemoryFile, RandomAccess


@contextmanager
def open_content(block: LogBlock, engine: Engine[Any, Any, Any]) -> Iterator[OpenedFile[Any]]:
    """The Parquet file that is the content of a block, in memory while the block runs."""
    storage: Any = OneFileStorage(InMemoryFile(block.content(), block.where))
    try:
        yield engine.reader("parquet").open(storage, FileInfo("", block.content_length))
    finally:
        storage.release()


@dataclass(eq=False)
class OneFileStorage:
    """A storage of one file, for a file that is a part of another."""

    content: InMemoryFile

    def release(self) -> None:
        """Frees the content: a reader may hold the storage as a key of its cache."""
        self.content = InMemoryFile(b"", self.content.where)

    @property
    def uri(self) -> str:
        return self.content.where

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        return []

    def exists(self, path: str) -> bool:
        return True

    def read(self, path: str) -> bytes:
        return self.content.data

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        return self.content
