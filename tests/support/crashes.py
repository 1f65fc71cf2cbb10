"""Writers that die: at each call of the storage that changes something, one call after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree
from typing import BinaryIO

import pytest

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.commit.times import system_clock
from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.support.drawing import SOAK

MAX_CHANGES = 400
FEWEST_CHANGES = 8
WHOLE = "whole"
"""The folder of the copy on which the action comes to its end."""


def crashes(
    made: Path, action: Callable[[Table], object], *, after: bool = False, first: int = 1, step: int = 1
) -> Iterator[tuple[int, Path]]:
    """The number of a change and the path of a copy of the table at `made` on which `action` died at that change (with `after`:
    once it was done), for each change, or in an ordinary run for each `step`-th one. Ends with the first copy on which `action`
    comes to its end; it lies beside the table under the name `WHOLE`."""
    for at in range(1, MAX_CHANGES) if SOAK else range(first, MAX_CHANGES, step):
        path = made.parent / str(at)
        copytree(made, path)
        table, storage = mortal(path, at, after=after)
        with suppress(Death):
            action(table)
        if not storage.dead:
            assert at > FEWEST_CHANGES
            path.rename(made.parent / WHOLE)
            return
        yield at, path
    pytest.fail("the action does not end")


def later() -> datetime:
    """When the dead writer's heartbeat and lock are no sign of life any more."""
    return system_clock() + timedelta(minutes=10)


class Death(BaseException):
    """The process ends: nothing of it runs any more."""


class MortalStorage(ArrowStorage):
    """Dies at one of its changes, before or after it, and does nothing from then on."""

    def __init__(self, uri: str, at: int, *, after: bool) -> None:
        super().__init__(uri)
        self.left, self.after, self.dead = at, after, False

    def __reduce__(self) -> tuple[type[ArrowStorage], tuple[str]]:
        """Processes that tasks are sent to do not die with the one that sent them."""
        return ArrowStorage, (self.uri,)

    def create(self, path: str, content: bytes) -> None:
        self._change(lambda: super(MortalStorage, self).create(path, content))

    def replace(self, path: str, content: bytes) -> None:
        self._change(lambda: super(MortalStorage, self).replace(path, content))

    def delete(self, path: str) -> None:
        self._change(lambda: super(MortalStorage, self).delete(path))

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths if in_order else reversed(paths):
            self.delete(path)

    def delete_folder(self, path: str) -> None:
        self._change(lambda: super(MortalStorage, self).delete_folder(path))

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self._change(lambda: None)
        with super().output(path) as stream:
            yield stream
            self._change(lambda: None)

    def read(self, path: str) -> bytes:
        if self.dead:
            raise Death
        return super().read(path)

    def _change(self, change: Callable[[], None]) -> None:
        if self.dead:
            raise Death
        self.left -= 1
        if self.left == 0 and not self.after:
            self.dead = True
            raise Death
        change()
        if self.left == 0:
            self.dead = True
            raise Death


def mortal(path: Path, at: int, *, after: bool) -> tuple[Table, MortalStorage]:
    """The table at `path`, with a storage that dies at its `at`-th change."""
    table, storage = open_table(path), MortalStorage(str(path), at, after=after)
    return Table(table.engine, storage, table.config, table.timeline), storage
