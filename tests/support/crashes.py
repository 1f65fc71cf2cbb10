"""Writers that die: at each call of the storage that changes something, one call after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree
from typing import BinaryIO

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
    made: Path, action: Callable[[Table], object], *, after: bool = False, first: int = 1, step: int | None = None
) -> Iterator[tuple[int, Path]]:
    """The number of a change and the path of a copy of the table at `made` on which `action` died at that change (with `after`:
    once it was done), for each change from the `first` on. With a `step` an ordinary run takes of the changes that are the first
    of their kind each `step`-th, and the last. The copy on which `action` comes to its end lies beside the table, called `WHOLE`.
    """
    whole = made.parent / WHOLE
    copytree(made, whole)
    table, storage = mortal(whole, None, after=after)
    action(table)
    assert FEWEST_CHANGES < len(storage.changes) < MAX_CHANGES
    for at in _chosen(storage.changes, first, step):
        path = made.parent / str(at)
        copytree(made, path)
        table, storage = mortal(path, at, after=after)
        with suppress(Death):
            action(table)
        if storage.dead:  # threads make changes in another order, and fewer of them when one fails
            yield at, path


def _chosen(changes: Sequence[str], first: int, step: int | None) -> Sequence[int]:
    """The numbers of the changes that a writer dies at."""
    every = range(first, len(changes) + 1)
    if SOAK or step is None:
        return every
    new = sorted({kind_of(changes[at - 1]): at for at in reversed(every)}.values())
    return sorted({*new[:: min(step, len(new) // 2)], new[-1]})


def kind_of(change: str) -> str:
    """What is changed, without the identifiers and times in its path: of changes of one kind one shows what the others do."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]+|\d+", "#", change)


def later() -> datetime:
    """When the dead writer's heartbeat and lock are no sign of life any more."""
    return system_clock() + timedelta(minutes=10)


class Death(BaseException):
    """The process ends: nothing of it runs any more."""


class MortalStorage(ArrowStorage):
    """Dies at one of its changes, before or after it, and does nothing from then on."""

    def __init__(self, uri: str, at: int | None, *, after: bool) -> None:
        super().__init__(uri)
        self.at, self.after, self.dead = at, after, False
        self.changes: list[str] = []

    def __reduce__(self) -> tuple[type[ArrowStorage], tuple[str]]:
        """Processes that tasks are sent to do not die with the one that sent them."""
        return ArrowStorage, (self.uri,)

    def create(self, path: str, content: bytes) -> None:
        self._change(f"create {path}", lambda: super(MortalStorage, self).create(path, content))

    def replace(self, path: str, content: bytes) -> None:
        self._change(f"replace {path}", lambda: super(MortalStorage, self).replace(path, content))

    def delete(self, path: str) -> None:
        self._change(f"delete {path}", lambda: super(MortalStorage, self).delete(path))

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        for path in paths if in_order else reversed(paths):
            self.delete(path)

    def delete_folder(self, path: str) -> None:
        self._change(f"delete folder {path}", lambda: super(MortalStorage, self).delete_folder(path))

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        self._change(f"begin {path}", lambda: None)
        with super().output(path) as stream:
            yield stream
            self._change(f"end {path}", lambda: None)

    def read(self, path: str) -> bytes:
        if self.dead:
            raise Death
        return super().read(path)

    def _change(self, what: str, change: Callable[[], None]) -> None:
        if self.dead:
            raise Death
        self.changes.append(what)
        is_last = len(self.changes) == self.at
        if is_last and not self.after:
            self.dead = True
            raise Death
        change()
        if is_last:
            self.dead = True
            raise Death


def mortal(path: Path, at: int | None, *, after: bool) -> tuple[Table, MortalStorage]:
    """The table at `path`, with a storage that dies at its `at`-th change, or never."""
    table, storage = open_table(path), MortalStorage(str(path), at, after=after)
    return Table(table.engine, storage, table.config, table.timeline), storage
