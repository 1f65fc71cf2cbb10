"""Small base files, several read as one: a batch costs more than the rows of a small file. Rule TABLE-16.

The rows of files that are read alike become rows of the wanted schema together, and are then brought into the order of the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.spans import positions
from hudi_core.engine import Rows, Storage
from hudi_core.parallel.limits import READERS
from hudi_core.reading.base_files import BaseFiles
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import NO_BASE, FileSlice, Slices

SMALL_FILE_BYTES: Final = 1 << 16
"""Base files up to this size are read several at a time: of larger ones it takes longer to copy the rows."""
ALONE_BYTES: Final = 1 << 19
"""Local files up to this size in all are read by one thread: to start others takes longer than they save."""
MERGED_BYTES: Final = 1 << 17
"""Local file slices of this size on average are merged by one thread: what it takes to merge their log records is mostly Python,
for which threads wait for each other."""
_MAX_FILES: Final = 64
_MAX_ROWS: Final = 1 << 16
_RUNS_OF_A_READER: Final = 4
"""So many for each thread that reads, so that all of them end at about the same time."""


def runs_of_small_files(slices: Slices, numbers: Sequence[int]) -> list[Sequence[int]]:
    """The numbers of slices, in order, in runs: neighbours that are small base files without log files, and any other alone."""
    rows = np.array(numbers, np.int64)
    bases = slices.bases[rows]
    without_logs = slices.log_offsets[rows] == slices.log_offsets[rows + 1]
    small = (bases != NO_BASE) & without_logs & (slices.files.sizes[bases] <= SMALL_FILE_BYTES)
    longest = max(1, min(_MAX_FILES, int(small.sum()) // (READERS * _RUNS_OF_A_READER)))
    runs: list[Sequence[int]] = []
    edges = (np.flatnonzero(~(small[1:] & small[:-1])) + 1).tolist()
    for start, stop in zip([0, *edges], [*edges, len(rows)], strict=True):
        runs += [numbers[first : min(first + longest, stop)] for first in range(start, stop, longest)]
    return runs


def reading_threads(storage: Storage, file_bytes: int, merged: int = 0) -> int:
    """How many threads read files of so many bytes in all, for so many file slices with records to be merged. Rule TABLE-1612."""
    few = file_bytes <= max(ALONE_BYTES, merged * MERGED_BYTES)
    return 1 if few and not storage.is_remote else READERS


def count_merged(slices: Slices, numbers: Sequence[int]) -> int:
    """How many of these slices have log files."""
    rows = np.array(numbers, np.int64)
    return int(np.count_nonzero(slices.log_offsets[rows] != slices.log_offsets[rows + 1]))


def bytes_of_slices(slices: Slices, numbers: Sequence[int]) -> int:
    """The bytes of the files of these slices."""
    rows = np.array(numbers, np.int64)
    bases, firsts = slices.bases[rows], slices.log_offsets[rows]
    logs = slices.logs[positions(firsts, slices.log_offsets[rows + 1] - firsts)]
    sizes = slices.files.sizes
    return int(sizes[bases[bases != NO_BASE]].sum() + sizes[logs].sum())


@dataclass(frozen=True)
class SmallFiles:
    """Reads small base files as rows of the wanted schema."""

    base_files: BaseFiles
    wanted: Schema

    def rows(self, slices: Iterable[FileSlice]) -> Iterator[Any]:
        """The rows of the slices' base files, file after file, in as few of the engine's batches as memory allows. The slices
        have no log files, and are drawn as their files are read."""
        joined = _Joined(self.base_files.sources.snapshot.engine.rows, self.wanted)
        for file_slice in slices:
            assert file_slice.base is not None
            file = self.base_files.open(file_slice, file_slice.base, self.wanted)
            for batch in file.batches():
                joined.add(batch, file.plan.stored, file.projection)
                if joined.count >= _MAX_ROWS:
                    yield from joined.drain()
        yield from joined.drain()


@dataclass
class _Alike:
    """Batches that one projection reads, and the places of their rows among all."""

    stored: Schema
    projection: Callable[[Any], Any]
    batches: list[Any] = field(default_factory=list)
    places: list[Numbers] = field(default_factory=list)


class _Joined:
    """Rows that wait to be read together."""

    def __init__(self, rows: Rows[Any, Any, Any], wanted: Schema) -> None:
        self._rows, self._wanted = rows, wanted
        self._alike: dict[Callable[[Any], Any], _Alike] = {}
        self.count = 0

    def add(self, batch: Any, stored: Schema, projection: Callable[[Any], Any]) -> None:
        alike = self._alike.setdefault(projection, _Alike(stored, projection))
        stop = self.count + self._rows.count(batch)
        alike.batches.append(batch)
        alike.places.append(np.arange(self.count, stop))
        self.count = stop

    def drain(self) -> Iterator[Any]:
        """All rows that wait, in the order in which they came."""
        alike, self._alike, self.count = list(self._alike.values()), {}, 0
        projected = [batch for some in alike for batch in self._project(some)]
        if len(alike) < 2 or not self._wanted.fields:
            yield from projected
            return
        order = np.argsort(np.concatenate([places for some in alike for places in some.places]))
        yield from self._rows.gather(projected, [order] * len(self._wanted.fields), self._wanted)

    def _project(self, alike: _Alike) -> Iterator[Any]:
        batches: Iterable[Any] = alike.batches
        columns = len(alike.stored.fields)
        if len(alike.batches) > 1 and columns:
            every = np.arange(sum(map(self._rows.count, alike.batches)))
            batches = self._rows.gather(alike.batches, [every] * columns, alike.stored)
        for batch in batches:
            yield self._rows.batch(alike.projection(self._rows.root(batch)))
