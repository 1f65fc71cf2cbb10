"""Storage that does not take changes: one of them, or from one on all that need room, as a full disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import EACCES, ENOSPC
from pathlib import Path
from shutil import copytree
from typing import BinaryIO

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit.lock import LOCK_PATH
from hudi_core.errors import StorageError
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table


class FailingStorage(ArrowStorage):
    """Fails at the change number `at`: with `is_full` at each from there on that is no deletion, for want of room. The table's
    lock is taken and given back all the same."""

    def __init__(self, uri: str, at: int, *, is_full: bool) -> None:
        super().__init__(uri)
        self.at, self.is_full, self.changes, self.failed = at, is_full, 0, ""

    def create(self, path: str, content: bytes) -> None:
        self._change(path)
        super().create(path, content)

    def replace(self, path: str, content: bytes) -> None:
        self._change(path)
        super().replace(path, content)

    def delete(self, path: str) -> None:
        self._change(path, deletes=True)
        super().delete(path)

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths:
            self.delete(path)

    def delete_folder(self, path: str) -> None:
        self._change(path, deletes=True)
        super().delete_folder(path)

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with super().output(path) as stream:
            yield stream
            self._change(path)

    def _change(self, path: str, *, deletes: bool = False) -> None:
        if path == LOCK_PATH:
            return
        self.changes += 1
        if self.changes >= self.at and not deletes if self.is_full else self.changes == self.at:
            self.failed = self.failed or path
            number = ENOSPC if self.is_full else EACCES
            with self.report_errors(self.where(path)):
                raise OSError(number, os.strerror(number))


def failures(
    made: Path, action: Callable[[Table], object], *, is_full: bool, step: int = 1
) -> Iterator[tuple[Path, str]]:
    """The path of a copy of the table at `made` on which `action` failed, and what storage did not take first: for each
    `step`-th change. Ends where `action` comes to its end."""
    at = 1
    while True:
        path = made.parent / f"{'full' if is_full else 'one'}-{at}"
        copytree(made, path)
        storage = FailingStorage(str(path), at, is_full=is_full)
        try:
            action(replace(open_table(path), storage=storage))
        except StorageError:
            assert storage.failed
        if not storage.failed and storage.changes < at:
            assert at > 1
            return
        if storage.failed:
            yield path, storage.failed
        at += step
