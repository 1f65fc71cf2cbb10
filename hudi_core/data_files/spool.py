"""Rows that wait to be written: in memory up to a limit, beyond it in a file that the system maps into memory. Rule ENGINE-10.

So a write of any size takes a bounded share of memory, and tasks take their rows in any order without reading the others.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from hudi_core.arrays import Numbers
from hudi_core.engine import Engine
from hudi_core.errors import UnsupportedError
from hudi_core.parallel.reach import Reach
from hudi_core.schema.schema import Schema
from hudi_core.temporary import temporary_folder

SPOOL_FOLDER: Final = "HUDI_CORE_SPOOL_FOLDER"
"""The environment variable with the folder of such files, in place of the system's folder of temporary files."""
MAX_ROWS_IN_MEMORY: Final = 1 << 20
MAX_ROWS_SENT: Final = 1 << 14
"""Rows that are sent along with tasks of other processes, which do not see this one's memory."""
ROWS_AT_ONCE: Final = 1 << 16
"""Rows of a batch that is put together for a file."""

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

    def take(self, rows: Numbers) -> Iterator[Any]:
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
    engine: Engine[Any, Any, Any],
    schema: Schema,
    batches: Iterable[Any],
    max_rows: int = MAX_ROWS_IN_MEMORY,
    folder: str | None = None,
) -> Spool:
    """Draws all batches. The file is in `folder`, else in `HUDI_CORE_SPOOL_FOLDER`, else among temporary files.

    Raises what the batches raise, `StorageError` where the file cannot be written, and `UnsupportedError` for more than
    `MAX_ROWS_SENT` rows without a folder where tasks run on other machines, which do not see temporary files of this one.
    """
    reach = engine.runner.reach
    limit = max_rows if reach is Reach.MEMORY else min(max_rows, MAX_ROWS_SENT)
    remaining, held, count = iter(batches), [], 0
    for batch in remaining:
        held.append(batch)
        count += engine.rows.count(batch)
        if count > limit:
            break
    else:
        return Spool(engine, schema, tuple(held))
    made = _folder(folder or os.environ.get(SPOOL_FOLDER) or None, reach)
    path = str(Path(made.name) / "rows.arrow")
    try:
        engine.rows.write(path, schema, chain(drain(held), remaining))
    except BaseException:
        made.cleanup()
        raise
    return Spool(engine, schema, (), path, made)


def _folder(parent: str | None, reach: Reach) -> tempfile.TemporaryDirectory[str]:
    if parent is None and reach is Reach.NOTHING:
        raise UnsupportedError(
            "rows to be written",
            expected=f"a folder that the machines of all tasks see, in {SPOOL_FOLDER} or the option spool_folder",
            found="none, and tasks on other machines",
        )
    return temporary_folder("hudi-core-", parent)


def drain(held: list[T]) -> Iterator[T]:
    """The items, which are let go of as they are taken."""
    held.reverse()
    while held:
        yield held.pop()
