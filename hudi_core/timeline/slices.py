"""File slices: the base file and log files that hold the rows of a file group; one, and all of a table as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import positions
from hudi_core.columns.strings import string_column, take_strings
from hudi_core.engine import FileInfo
from hudi_core.formats.names import parse_log_file
from hudi_core.notebook import show_briefly
from hudi_core.timeline.files import FileList

NO_BASE = -1
"""The row of the base file of a slice without one."""


@show_briefly
@dataclass(frozen=True, slots=True)
class FileSlice:
    """One version of a file group: a base file, or none yet, and the log files to merge onto it, oldest first.

    `instant` is the requested time of the commit that opened the slice. `partition` is the relative path, empty for a table
    without partitions.
    """

    partition: str
    file_id: str
    instant: str
    base: FileInfo | None
    logs: tuple[FileInfo, ...] = ()

    @property
    def files(self) -> tuple[FileInfo, ...]:
        """Base file first."""
        return (self.base, *self.logs) if self.base else self.logs


@dataclass(frozen=True, slots=True, eq=False)
class Slices(Sequence[FileSlice]):
    """Slices as columns, by partition and file id. Indexing makes a `FileSlice`.

    Of each slice: the number of its partition in `partitions`, its file id, the number of its instant in `instants`, the row
    of its base file in `files` (or `NO_BASE`). The log files of slice i are `logs[log_offsets[i]:log_offsets[i + 1]]`, rows
    of `files` too, oldest first, and `log_instants` has the numbers of the instants in their names.
    """

    files: FileList
    partitions: tuple[str, ...]
    partition_of: Numbers
    ids: StringColumn
    instants: tuple[str, ...]
    instant_of: Numbers
    bases: Numbers
    log_offsets: Numbers
    logs: Numbers
    log_instants: Numbers

    def __len__(self) -> int:
        return len(self.bases)

    @overload
    def __getitem__(self, number: int) -> FileSlice: ...
    @overload
    def __getitem__(self, number: slice) -> list[FileSlice]: ...
    def __getitem__(self, number: int | slice) -> FileSlice | list[FileSlice]:
        if isinstance(number, slice):
            return [self._slice(row) for row in range(len(self))[number]]
        return self._slice(range(len(self))[number])

    def __iter__(self) -> Iterator[FileSlice]:
        return map(self._slice, range(len(self)))

    def without_logs(self) -> Slices:
        """The slices that have a base file, with that alone."""
        rows, empty = np.flatnonzero(self.bases != NO_BASE), np.zeros(0, np.int64)
        return Slices(
            self.files,
            self.partitions,
            self.partition_of[rows],
            take_strings(self.ids, rows),
            self.instants,
            self.instant_of[rows],
            self.bases[rows],
            np.zeros(len(rows) + 1, np.int64),
            empty,
            empty,
        )

    def select(self, numbers: Numbers) -> Slices:
        """The slices with these numbers, in that order, with their files alone."""
        counts = np.diff(self.log_offsets)[numbers]
        log_rows = positions(self.log_offsets[numbers], counts)
        bases = self.bases[numbers]
        has_base, logs = bases != NO_BASE, self.logs[log_rows]
        rows = np.concatenate([bases[has_base], logs])
        numbered = np.full(len(numbers), NO_BASE, np.int64)
        numbered[has_base] = np.arange(np.count_nonzero(has_base))
        partitions, partition_of = np.unique(self.partition_of[numbers], return_inverse=True)
        return Slices(
            self.files.select(rows),
            tuple(self.partitions[number] for number in partitions.tolist()),
            partition_of.astype(np.int64),
            take_strings(self.ids, numbers),
            self.instants,
            self.instant_of[numbers],
            numbered,
            np.append(0, np.cumsum(counts)),
            np.arange(len(rows) - len(logs), len(rows)),
            self.log_instants[log_rows],
        )

    def _slice(self, number: int) -> FileSlice:
        start, stop = self.ids.offsets[number : number + 2]
        base = int(self.bases[number])
        logs = self.logs[self.log_offsets[number] : self.log_offsets[number + 1]]
        return FileSlice(
            self.partitions[self.partition_of[number]],
            self.ids.data[start:stop].tobytes().decode("utf-8", "surrogatepass"),
            self.instants[self.instant_of[number]],
            None if base == NO_BASE else self.files.info(base),
            tuple(map(self.files.info, logs.tolist())),
        )


def slices_of(slices: Sequence[FileSlice]) -> Slices:
    """File slices as columns, in their order."""
    partitions = tuple(sorted({file_slice.partition for file_slice in slices}))
    numbers = {partition: number for number, partition in enumerate(partitions)}
    partition_of = np.array([numbers[file_slice.partition] for file_slice in slices], np.int64)
    counts = np.array([len(file_slice.files) for file_slice in slices], np.int64)
    infos = [info for file_slice in slices for info in file_slice.files]
    files = FileList(
        partitions,
        np.repeat(partition_of, counts),
        string_column([info.name for info in infos]),
        np.array([info.size for info in infos], np.int64),
    )
    has_base = np.array([file_slice.base is not None for file_slice in slices], np.bool_)
    begins = np.cumsum(counts) - counts
    bases = np.where(has_base, begins, NO_BASE)
    is_log = np.ones(len(infos), np.bool_)
    is_log[bases[has_base]] = False
    names = [(parse_log_file(info.name), file_slice.instant) for file_slice in slices for info in file_slice.logs]
    log_instants = [instant if name is None else name.instant for name, instant in names]
    distinct_instants = dict.fromkeys((*(file_slice.instant for file_slice in slices), *log_instants))
    instants = {instant: number for number, instant in enumerate(distinct_instants)}
    return Slices(
        files,
        partitions,
        partition_of,
        string_column([file_slice.file_id for file_slice in slices]),
        tuple(instants),
        np.array([instants[file_slice.instant] for file_slice in slices], np.int64),
        bases,
        np.append(0, np.cumsum([len(file_slice.logs) for file_slice in slices], dtype=np.int64)),
        np.flatnonzero(is_log),
        np.array([instants[instant] for instant in log_instants], np.int64),
    )
