"""Which file gets how many rows: the tasks of a write, and the way of rows to them. Rules: WRITE-16 to WRITE-20, WRITE-420.

Rows of a key that a file slice holds go to that slice. The others go, partition by partition and in the order of their keys, to
small files first and then to new ones, which are cut by the size that rows of the table really have. Counts decide, so a
plan holds no rows: these may be here (`rows_of_tasks`) or on many machines.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from hudi_core.arguments import take_count, take_fields
from hudi_core.commit.markers import list_marked_logs
from hudi_core.data_files.base_file import FileTarget
from hudi_core.data_files.log_file import OWN_TIME_SINCE, log_target
from hudi_core.errors import UsageError
from hudi_core.notebook import show_briefly
from hudi_core.planning.sources.sources import Sources
from hudi_core.timeline.instants import LOG_COMPACTION
from hudi_core.timeline.services import FileGroup, list_opened_by_compactions
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.half_written import half_written_groups
from hudi_core.writing.tasks import AppendLog, NewFile, RewriteFile, Task

_SMALL: Final = 100 << 20


@show_briefly
@dataclass(frozen=True, slots=True)
class FileSizes:
    """How large files become; the defaults are Hudi's. By default no file of the target size is small: each clustering would
    write it again."""

    target: int = 120 << 20
    """`hoodie.parquet.max.file.size`: bytes of a base file."""
    small: int = _SMALL
    """`hoodie.parquet.small.file.limit`: base files below it get new rows first; 0 for none."""

    def __post_init__(self) -> None:
        take_fields(self)
        take_count("target", self.target, 1)
        if self.target < self.small == _SMALL:
            object.__setattr__(self, "small", self.target)

    def refuse_small(self, reason: str) -> None:
        """Raises `UsageError` for a limit of small files beyond the target, with the reason."""
        if self.small > self.target:
            expected = f"a limit of small files of at most the target of {self.target} bytes: {reason}"
            raise UsageError("sizes", expected=expected, found=str(self.small))


@dataclass(frozen=True, slots=True)
class Share:
    """So many new rows of a partition, the next ones in their order, that go to a task."""

    task: int
    rows: int


@dataclass(frozen=True, slots=True)
class Routes:
    """The tasks of a write, whose rows are counted, and the way to them: by the number of the slice that holds a row's key, else
    by the row's partition."""

    tasks: tuple[Task, ...]
    of_slices: Mapping[int, int]
    of_partitions: Mapping[str, tuple[Share, ...]]


_NO_ROWS: Final[Mapping[int, int]] = {}


@dataclass
class Planner:
    """Makes the tasks of one write. `row_bytes` are the bytes that a row takes in a base file; slices of `excluded` file groups
    get no new rows."""

    sources: Sources
    instant_time: str
    row_bytes: float
    sizes: FileSizes = field(default_factory=FileSizes)
    excluded: frozenset[FileGroup] = frozenset()
    tasks: list[Task] = field(default_factory=list)

    def upsert(
        self, updates: Mapping[int, int], leaving: Set[int], inserts: Mapping[str, int], *, logs: bool
    ) -> Routes:
        """Rows are merged with those of their keys. `updates` counts them by the slice that holds their key, `inserts` the others
        by partition; keys are deleted from the slices of `leaving`. With `logs` updates go to log files."""
        shares: dict[str, tuple[Share, ...]] = {}
        fills: dict[int, int] = {}
        waiting: list[tuple[str, list[tuple[int, int]], tuple[Share, ...]]] = []
        for partition, count in inserts.items():
            small, left = self._fill(partition, count)
            fills |= dict(small)
            waiting.append((partition, small, self._new_files(partition, left, combine=True)))
        of_slices: dict[int, int] = {}
        for number in sorted({*updates, *fills, *leaving}):
            of_slices[number] = len(self.tasks)
            count, file_slice = updates.get(number, 0) + fills.get(number, 0), self._slice(number)
            if logs and number not in fills and not self._hides_logs(file_slice):
                version = self.sources.snapshot.config.version
                opened = self._opened.get((file_slice.partition, file_slice.file_id))
                target = log_target(file_slice, self.instant_time, len(self.tasks), version, opened)
                self.tasks.append(AppendLog(target.beside(self._taken), file_slice, count))
            else:
                self.tasks.append(
                    RewriteFile(self._target(file_slice.partition, file_slice.file_id), file_slice, count)
                )
        for partition, small, new in waiting:
            shares[partition] = (*(Share(of_slices[number], taken) for number, taken in small), *new)
        return Routes(tuple(self.tasks), of_slices, shares)

    def insert(self, inserts: Mapping[str, int], *, fill: bool) -> Routes:
        """Rows are added as they are; with `fill` to small files first."""
        shares: dict[str, tuple[Share, ...]] = {}
        for partition, count in inserts.items():
            small, left = self._fill(partition, count) if fill else ([], count)
            added = []
            for number, taken in small:
                file_slice = self._slice(number)
                target = self._target(file_slice.partition, file_slice.file_id)
                added.append(Share(len(self.tasks), taken))
                self.tasks.append(RewriteFile(target, file_slice, taken, False))
            shares[partition] = (*added, *self._new_files(partition, left, combine=False))
        return Routes(tuple(self.tasks), {}, shares)

    def new_group(self, partition: str, file_id: str, rows: int, *, combine: bool) -> NewFile:
        """A new file group of this id with so many rows."""
        task = NewFile(self._target(partition, file_id), rows, combine)
        self.tasks.append(task)
        return task

    def delete(self, slices: Set[int], *, logs: bool) -> Routes:
        """Keys are deleted from slices."""
        return self.upsert(_NO_ROWS, slices, {}, logs=logs)

    def _hides_logs(self, file_slice: FileSlice) -> bool:
        """Whether some readers would not see a log file of a slice, but a new base file. Rule WRITE-500."""
        return file_slice.base is not None and (file_slice.partition, file_slice.file_id) in self._half_written

    @cached_property
    def _half_written(self) -> frozenset[FileGroup]:
        snapshot = self.sources.snapshot
        if snapshot.config.version < OWN_TIME_SINCE:
            return frozenset()
        return half_written_groups(snapshot.storage, snapshot.whole, self.instant_time)

    @cached_property
    def _opened(self) -> Mapping[FileGroup, str]:
        """File groups whose log files belong to the slice of a pending compaction: their names state it before version 8."""
        snapshot = self.sources.snapshot
        return list_opened_by_compactions(snapshot.whole) if snapshot.config.version < OWN_TIME_SINCE else {}

    @cached_property
    def _taken(self) -> frozenset[str]:
        """The log files of log compactions under way, which have names of the same kind before version 8."""
        snapshot = self.sources.snapshot
        if snapshot.config.version >= OWN_TIME_SINCE:
            return frozenset()
        pending = snapshot.whole.pending
        return list_marked_logs(
            snapshot.storage, (one.requested_time for one in pending if one.action == LOG_COMPACTION)
        )

    def _new_files(self, partition: str, count: int, *, combine: bool) -> tuple[Share, ...]:
        """New file groups of about even sizes."""
        if count == 0:
            return ()
        files = max(1, math.ceil(count * self.row_bytes / self.sizes.target))
        bounds = [count * part // files for part in range(files + 1)]
        prefix, shares = uuid.uuid4(), []
        for number in range(files):
            rows = bounds[number + 1] - bounds[number]
            shares.append(Share(len(self.tasks), rows))
            self.tasks.append(NewFile(self._target(partition, f"{prefix}-{number}"), rows, combine))
        return tuple(shares)

    def _target(self, partition: str, file_id: str) -> FileTarget:
        return FileTarget(partition, file_id, self.instant_time, len(self.tasks))

    def _slice(self, number: int) -> FileSlice:
        return self.sources.snapshot.slices[number]

    def _fill(self, partition: str, count: int) -> tuple[list[tuple[int, int]], int]:
        """The small slices that take some of so many new rows, how many each takes, and how many are left."""
        taken, left = [], count
        for number, room in self._small_slices(partition):
            rows = min(room, left)
            if rows > 0:
                taken.append((number, rows))
                left -= rows
        return taken, left

    def _small_slices(self, partition: str) -> Iterator[tuple[int, int]]:
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
            and (partition, file_slice.file_id) not in self.excluded
        ]
        for size, number in sorted(small):
            yield number, int((self.sizes.target - size) / self.row_bytes)
