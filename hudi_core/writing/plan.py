"""Which file gets which rows: tasks from the locations of keys. Rules: WRITE-16 to WRITE-20.

Rows of a key that a file slice holds go to that slice. The others go, partition by partition and in the order of their keys, to
small files first and then to new ones, which are cut by the size that rows of the table really have.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import equal_strings
from hudi_core.columns.strings import take_strings
from hudi_core.errors import UsageError
from hudi_core.index.key_columns import NOWHERE, KeyColumns
from hudi_core.index.sorted_keys import sorted_keys
from hudi_core.planning.sources.sources import Sources
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.base_file import FileTarget
from hudi_core.writing.log_file import log_target
from hudi_core.writing.tasks import AppendLog, NewFile, RewriteFile, Task

Numbers = NDArray[np.int64]

_NONE: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class FileSizes:
    """How large files become; the defaults are Hudi's."""

    target: int = 120 << 20
    """`hoodie.parquet.max.file.size`: bytes of a base file."""
    small: int = 100 << 20
    """`hoodie.parquet.small.file.limit`: base files below it get new rows first; 0 for none."""

    def __post_init__(self) -> None:
        if self.target < 1 or self.small < 0:
            expected = "a target of 1 byte or more, and a limit of small files of 0 or more"
            raise UsageError("file sizes", expected=expected, found=f"{self.target} and {self.small}")


@dataclass
class Planner:
    """Makes the tasks of one write. `row_bytes` are the bytes that a row takes in a base file."""

    sources: Sources
    keys: KeyColumns
    instant_time: str
    row_bytes: float
    sizes: FileSizes = field(default_factory=FileSizes)
    positions: Numbers | None = None
    """The position of each key's row in the base file of its slice, `NOWHERE` where unknown; None: not to be recorded."""
    tasks: list[Task] = field(default_factory=list)

    def upsert(
        self,
        slice_numbers: Numbers,
        leaving: Mapping[int, StringColumn],
        *,
        logs: bool,
        excluded: frozenset[tuple[str, str]],
        deleted: NDArray[np.bool_],
    ) -> list[Task]:
        """Rows are merged with those of their keys. `slice_numbers` has for each row the slice that holds its key, or `NOWHERE`;
        a lower number leaves the row out. `leaving` are keys to delete by slice. With `logs` updates go to log files. Slices of
        `excluded` file groups get no new rows. `deleted` are rows whose key the slice had until a log file deleted it."""
        updates = dict(_grouped(slice_numbers))
        new_rows = _grouped_by_partition(self.keys, np.flatnonzero(slice_numbers == NOWHERE))
        inserts: dict[int, Numbers] = {}
        for partition, rows in new_rows:
            left = self._sorted(rows)
            for number, room in self._small_slices(partition, excluded):
                taken = min(_of_whole_keys(self.keys, left, room), len(left))
                if taken:
                    inserts[number], left = left[:taken], left[taken:]
            self._new_files(partition, left, combine=True)
        for number in sorted({*updates, *inserts, *leaving}):
            rows = np.concatenate([updates.get(number, _NONE), inserts.get(number, _NONE)])
            if logs and number not in inserts:
                leaves = leaving.get(number)
                positions = self._known_positions(rows) if leaves is None else None
                self._log(self._slice(number), rows, leaves, positions, rows[deleted[rows]])
            else:
                self._rewrite(self._slice(number), rows, leaving.get(number))
        return self.tasks

    def insert(self, *, fill: bool, in_key_order: bool, excluded: frozenset[tuple[str, str]]) -> list[Task]:
        """Rows are added as they are; with `fill` to small files first."""
        all_rows = np.arange(len(self.keys), dtype=np.int64)
        for partition, rows in _grouped_by_partition(self.keys, all_rows):
            left = self._sorted(rows) if in_key_order else rows
            for number, room in self._small_slices(partition, excluded) if fill else ():
                taken, left = left[:room], left[room:]
                if len(taken):
                    file_slice = self._slice(number)
                    self._add(
                        RewriteFile(self._target(file_slice.partition, file_slice.file_id), file_slice, taken, False)
                    )
            self._new_files(partition, left, combine=False)
        return self.tasks

    def delete(self, slice_numbers: Numbers, *, logs: bool) -> list[Task]:
        """The rows of keys are deleted. Keys that no slice holds are left out."""
        for number, rows in _grouped(slice_numbers):
            file_slice, deleted = self._slice(number), take_strings(self.keys.records, rows)
            if logs:
                self._log(file_slice, _NONE, deleted, self._known_positions(rows))
            else:
                self._rewrite(file_slice, _NONE, deleted)
        return self.tasks

    def _new_files(self, partition: str, rows: Numbers, *, combine: bool) -> None:
        """New file groups of about even sizes. All rows of a key go to one."""
        if len(rows) == 0:
            return
        count = max(1, math.ceil(len(rows) * self.row_bytes / self.sizes.target))
        bounds = [len(rows) * part // count for part in range(count + 1)]
        if combine:
            bounds = [_of_whole_keys(self.keys, rows, bound) for bound in bounds[:-1]] + [len(rows)]
        distinct = combine and not _equal_to_previous(self.keys.records, rows).any()
        prefix = uuid.uuid4()
        for number, (start, stop) in enumerate(pairwise(bounds)):
            if start < stop:
                self._add(NewFile(self._target(partition, f"{prefix}-{number}"), rows[start:stop], combine, distinct))

    def _rewrite(self, file_slice: FileSlice, rows: Numbers, deleted: StringColumn | None = None) -> None:
        target = self._target(file_slice.partition, file_slice.file_id)
        self._add(RewriteFile(target, file_slice, rows, deleted_keys=deleted))

    def _known_positions(self, rows: Numbers) -> Numbers | None:
        """The places of rows; None unless all are known."""
        positions = None if self.positions is None else self.positions[rows]
        return None if positions is None or (positions == NOWHERE).any() else positions

    def _log(
        self,
        file_slice: FileSlice,
        rows: Numbers,
        deleted: StringColumn | None,
        positions: Numbers | None,
        new: Numbers = _NONE,
    ) -> None:
        version = self.sources.snapshot.config.version
        target = log_target(file_slice, self.instant_time, len(self.tasks), version)
        new_keys = take_strings(self.keys.records, new) if len(new) else None
        self._add(AppendLog(target, file_slice, rows, deleted, positions, new_keys=new_keys))

    def _target(self, partition: str, file_id: str) -> FileTarget:
        return FileTarget(partition, file_id, self.instant_time, len(self.tasks))

    def _add(self, task: Task) -> None:
        self.tasks.append(task)

    def _slice(self, number: int) -> FileSlice:
        return self.sources.snapshot.slices[number]

    def _sorted(self, rows: Numbers) -> Numbers:
        """The rows in the order of their keys, those of one key in their own."""
        order = sorted_keys(take_strings(self.keys.records, rows)).order
        return rows[_stable(self.keys.records, rows, order)]

    def _small_slices(self, partition: str, excluded: frozenset[tuple[str, str]]) -> Iterator[tuple[int, int]]:
        """The slices of a partition that take new rows, the smallest first, and how many rows each takes."""
        slices = self.sources.snapshot.slices
        if partition not in slices.partitions:
            return
        numbers = np.flatnonzero(slices.partition_of == slices.partitions.index(partition)).tolist()
        small = [
            (file_slice.base.size, number)
            for number in numbers
            if (file_slice := slices[number]).base is not None
            and not file_slice.logs
            and file_slice.base.size < self.sizes.small
            and (partition, file_slice.file_id) not in excluded
        ]
        for size, number in sorted(small):
            yield number, int((self.sizes.target - size) / self.row_bytes)


def _grouped(slice_numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The rows of each slice that has some, in their order."""
    rows = np.flatnonzero(slice_numbers > NOWHERE)
    order = rows[np.argsort(slice_numbers[rows], kind="stable")]
    begins = np.flatnonzero(np.diff(slice_numbers[order], prepend=NOWHERE))
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=False):
        yield int(slice_numbers[order[begin]]), order[begin:end]


def _grouped_by_partition(keys: KeyColumns, rows: Numbers) -> list[tuple[str, Numbers]]:
    partitions = keys.partitions[rows]
    order = np.argsort(partitions, kind="stable")
    begins = np.flatnonzero(np.diff(partitions[order], prepend=-1))
    ends: Sequence[int] = [*begins[1:].tolist(), len(order)]
    return [
        (keys.paths[partitions[order[begin]]], rows[order[begin:end]])
        for begin, end in zip(begins.tolist(), ends, strict=False)
    ]


def _stable(records: StringColumn, rows: Numbers, order: Numbers) -> Numbers:
    """An order of rows by key with rows of one key in their own order."""
    if len(order) < 2:
        return order
    runs = np.cumsum(np.append(True, ~_equal_to_previous(records, rows[order]))[: len(order)])
    return order[np.lexsort((order, runs))]


def _equal_to_previous(records: StringColumn, rows: Numbers) -> NDArray[np.bool_]:
    """For each row but the first, whether its key is that of the row before."""
    return equal_strings(records, rows[1:], records, rows[:-1])


def _of_whole_keys(keys: KeyColumns, rows: Numbers, count: int) -> int:
    """How many of rows in the order of their keys to take so that no key is split: `count`, or some fewer or more."""
    if count <= 0 or count >= len(rows):
        return max(0, min(count, len(rows)))
    tail = rows[count - 1 :]
    differs = np.flatnonzero(~_equal_to_previous(keys.records, tail))
    return count + int(differs[0]) if len(differs) else len(rows)
