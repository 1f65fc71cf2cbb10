"""Runs of records in files, each in the order of the numbers that stand for keys. Rule MERGE-860.

A number below the rows of the base file is a position in it; those of other keys follow. So the records of a stretch of the base
file, or of some of the new keys, are a piece of each run, and memory holds those of one stretch at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.merge.records import MergeRecords, fold, join_records
from hudi_core.reading.array_files import ArrayFile, ScratchFolder
from hudi_core.reading.log_buffer import RawRecords
from hudi_core.reading.log_records import LogRecords
from hudi_core.reading.merge_columns import MergeColumns

STRETCH: Final = 1 << 18
"""Rows of the base file, or new keys, that are merged at a time."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The numbers from `first` up to `stop`: positions in the base file, or those of keys that it may not have."""

    first: int
    stop: int
    in_base: bool


def stretches(base_rows: int, records: int) -> tuple[Stretch, ...]:
    """The stretches of all numbers that records may have beside a base file of so many rows."""
    end = base_rows + records
    return (
        *(Stretch(first, min(first + STRETCH, base_rows), True) for first in range(0, base_rows, STRETCH)),
        *(Stretch(first, min(first + STRETCH, end), False) for first in range(base_rows, end, STRETCH)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class LoggedRows:
    """The rows of all records, and how many columns of them are merged one by one."""

    batches: Sequence[Any]
    count: int
    merged_columns: int


class SortedRuns:
    """Records of logs, ready to be merged stretch by stretch."""

    def __init__(
        self,
        folder: ScratchFolder,
        columns: MergeColumns,
        widths: tuple[int, ...],
        rows: LoggedRows,
        parts: Sequence[Stretch],
    ) -> None:
        """`widths` are those of the ordering values (see `comparable`)."""
        self.columns, self.stretches = columns, parts
        self._folder, self._widths, self._rows = folder, widths, rows
        self._bounds = [part.first for part in parts] + [part.stop for part in parts[-1:]]
        self._fences: list[list[int]] = []
        """For each run where the records of each stretch begin, and where those of the last one end."""
        self._numbers = ArrayFile(folder, "sorted.numbers", np.int64)
        self._sources = ArrayFile(folder, "sorted.sources", np.int32)
        self._flags = ArrayFile(folder, "sorted.flags", np.bool_, 3)
        self._has_value = ArrayFile(folder, "sorted.has_value", np.bool_, rows.merged_columns)
        self._ordering: list[ArrayFile] = []

    @property
    def records(self) -> int:
        """How many records there are, deletes among them."""
        return self._numbers.rows

    def add(self, numbers: Numbers, raw: RawRecords, sources: Numbers) -> None:
        """Adds a run. `sources` are the numbers that the merge gives back for its records: those of their rows."""
        order = np.argsort(numbers, kind="stable")
        ascending, begin = numbers[order], self.records
        ordering = raw.to_merge(self.columns, self._widths).ordering
        if not self._fences:
            self._ordering = [
                ArrayFile(self._folder, f"sorted.ordering{place}", values.dtype)
                for place, values in enumerate(ordering)
            ]
        for file, values in zip(self._ordering, ordering, strict=True):
            file.add(values[order])
        self._sources.add(sources[order])
        self._flags.add(np.stack([raw.deleted, raw.absolute, raw.listed], axis=1)[order])
        self._has_value.add(raw.has_value[order])
        self._numbers.add(ascending)
        self._fences.append((begin + np.searchsorted(ascending, self._bounds)).tolist())

    def records_of(self, place: int) -> LogRecords:
        """The records of a stretch, as many as its keys or some more; their keys are numbered from its first one on."""
        parts: list[tuple[Numbers, MergeRecords]] = []
        size = 0
        for fences in self._fences:
            begin, end = fences[place : place + 2]
            if end > begin:
                parts.append((self._numbers.read(begin, end), self._read(begin, end)))
                size += end - begin
                if size > 2 * STRETCH:  # many records of few keys
                    folded = fold(*_together(parts), self.columns.rules.precedence, self.columns.latest)
                    parts, size = [folded], len(folded[0])
        records, numbers = _together(parts or [(np.empty(0, np.int64), self._read(0, 0))])
        keys = numbers - self.stretches[place].first
        rows = self._rows
        return LogRecords(rows.batches, rows.count, None, keys, records, rows.merged_columns, self._widths)

    def _read(self, begin: int, end: int) -> MergeRecords:
        flags = self._flags.read(begin, end)
        sources = self._sources.read(begin, end)
        return MergeRecords(
            tuple(file.read(begin, end) for file in self._ordering),
            flags[:, 0].copy(),
            flags[:, 1].copy(),
            flags[:, 2].copy(),
            np.repeat(sources[:, None], self._rows.merged_columns, axis=1),
            self._has_value.read(begin, end),
        )


def _together(parts: Sequence[tuple[Numbers, MergeRecords]]) -> tuple[MergeRecords, Numbers]:
    return join_records([records for _, records in parts]), np.concatenate([numbers for numbers, _ in parts])
