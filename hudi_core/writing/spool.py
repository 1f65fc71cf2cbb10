"""Rows that wait to be written: in memory up to a limit, beyond it in a local file that the system maps into memory.

So a write of any size takes a bounded share of memory, and tasks take their rows in any order without reading the others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import Engine
from hudi_core.schema.schema import Schema

MAX_ROWS_IN_MEMORY: Final = 1 << 20
ROWS_AT_ONCE: Final = 1 << 16
"""Rows of a batch that is put together for a file."""

Numbers = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class Spool:
    """Batches of a schema. It can be pickled: with its batches while they are in memory, else with the path of the file."""

    engine: Engine[Any, Any, Any]
    schema: Schema
    held: tuple[Any, ...] = ()
    path: str | None = None
    _folder: Any = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: None if name == "_folder" else getattr(self, name) for name in self.__dataclass_fields__}

    @cached_property
    def batches(self) -> tuple[Any, ...]:
        """All batches, in order."""
        return self.held if self.path is None else tuple(self.engine.rows.read(self.path).batches)

    @cached_property
    def rows(self) -> int:
        return sum(map(self.engine.rows.count, self.batches))

    def taken(self, rows: Numbers) -> Iterator[Any]:
        """The rows with these numbers, in that order, some thousand at a time."""
        if not self.batches:
            return
        columns = len(self.schema.fields)
        for start in range(0, len(rows), ROWS_AT_ONCE):
            yield from self.engine.rows.gather(
                self.batches, [rows[start : start + ROWS_AT_ONCE]] * columns, self.schema
            )

    def close(self) -> None:
        """Removes the file."""
        if self._folder is not None:
            self._folder.cleanup()


def spool(
    engine: Engine[Any, Any, Any], schema: Schema, batches: Iterable[Any], max_rows: int = MAX_ROWS_IN_MEMORY
) -> Spool:
    """Draws all batches. Raises what they raise, and `StorageError` where the local file cannot be written."""
    remaining, held, count = iter(batches), [], 0
    for batch in remaining:
        held.append(batch)
        count += engine.rows.count(batch)
        if count > max_rows:
            break
    else:
        return Spool(engine, schema, tuple(held))
    folder = tempfile.TemporaryDirectory(prefix="hudi-core-", ignore_cleanup_errors=True)
    path = str(Path(folder.name) / "rows.arrow")
    try:
        engine.rows.write(path, schema, chain(emptied(held), remaining))
    except BaseException:
        folder.cleanup()
        raise
    return Spool(engine, schema, (), path, folder)


def emptied(held: list[T]) -> Iterator[T]:
    """The items, which are let go of as they are taken."""
    held.reverse()
    while held:
        yield held.pop()
