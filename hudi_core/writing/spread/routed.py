"""The third step of a spread write: rows to the tasks that write them, by the routes of the plan. Rule WRITE-420."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.engine import Engine
from hudi_core.parallel.flow import Packet
from hudi_core.schema.schema import Schema
from hudi_core.tagging.key_columns import NOWHERE, take_keys
from hudi_core.writing.plan import Share
from hudi_core.writing.spread.cuts import KeyCuts
from hudi_core.writing.spread.key_sums import check_sums
from hudi_core.writing.spread.packs import PackRun, RowPack, pack_runs
from hudi_core.writing.spread.prepared import InputReport
from hudi_core.writing.tasks import NewFile, Task, row_count


@dataclass(frozen=True, slots=True, eq=False)
class InputOrder:
    """The shares of rows in the order of the input. It has how many rows of each of its partitions the parts before a part hold.

    It is sent to each task, and parts times partitions may be millions, so the counts of all parts are in a few arrays, which are
    loaded at once.
    """

    shares: Mapping[str, Sequence[Share]]
    paths: tuple[str, ...]
    ends: Mapping[int, tuple[int, int]]
    """Where the counts of each part are in `partitions` and `rows`."""
    partitions: Numbers
    rows: Numbers

    def starts(self, part: int) -> dict[str, int]:
        """The rows of the parts before a part, by its partitions."""
        start, end = self.ends.get(part, (0, 0))
        partitions, rows = self.partitions[start:end].tolist(), self.rows[start:end].tolist()
        return {self.paths[partition]: count for partition, count in zip(partitions, rows, strict=True)}


def input_order(shares: Mapping[str, Sequence[Share]], given: InputReport) -> InputOrder:
    """The shares of rows of an input."""
    paths = tuple(given.partitions)
    numbers = {path: number for number, path in enumerate(paths)}
    counts = [0] * len(paths)
    partitions, rows = array("q"), array("q")
    ends: dict[int, tuple[int, int]] = {}
    for part in given.parts:
        start = len(rows)
        for path, count_of_part in part.partitions.items():
            number = numbers[path]
            partitions.append(number)
            rows.append(counts[number])
            counts[number] += count_of_part
        ends[part.part] = start, len(rows)
    return InputOrder(shares, paths, ends, np.array(partitions, np.int64), np.array(rows, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class RouteRows:
    """Rows to tasks: those of slices by their places, new ones by cuts of their keys or in the order of the input. It can be
    pickled. `parts` has the part of the write step that runs each task: rows of all its tasks travel together, so packets are as
    many as parts and megabytes make them, however many tasks there are."""

    of_slices: Mapping[int, int]
    new_rows: KeyCuts | InputOrder
    parts: Numbers
    engine: Engine[Any, Any, Any]
    schema: Schema
    key_sums: Mapping[int, int]
    """The sum of keys of each part of the step before."""

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        numbers = count()
        for run, routed, targets in self._route_runs(part, packets):
            yield from run.deal(routed, targets, self.engine, self.schema, numbers)

    def route(self, part: int, packets: Iterator[Packet]) -> Iterator[RowPack]:
        """The rows with their tasks, where one part runs all of these."""
        for run, routed, targets in self._route_runs(part, packets):
            for _, pack in run.split(routed, targets, self.engine, self.schema):
                yield pack

    def _route_runs(self, part: int, packets: Iterator[Packet]) -> Iterator[tuple[PackRun, RowPack, Numbers]]:
        """Runs of packets, their rows with tasks, and the part that each of these goes to."""
        seen: dict[str, int] = {}
        if isinstance(self.new_rows, InputOrder):
            seen = self.new_rows.starts(part)
        slices = np.full(max(self.of_slices, default=-1) + 1, NOWHERE, np.int64)
        slices[list(self.of_slices)] = list(self.of_slices.values())
        for run in check_sums(part, pack_runs(packets), self.key_sums):
            whole = run.whole
            tasks = self._tasks(whole, slices, seen, has_rows=run.packs[0].batch is not None)
            targets = np.where(tasks >= 0, self.parts[tasks], NOWHERE)
            yield run, replace(whole, tasks=tasks), targets

    def _tasks(self, pack: RowPack, slices: Numbers, seen: dict[str, int], *, has_rows: bool) -> Numbers:
        """The task of each row, `NOWHERE` of one that is left out."""
        tasks = np.full(len(pack), NOWHERE, np.int64)
        places = np.full(len(pack), NOWHERE, np.int64) if pack.places is None else pack.places
        located = np.flatnonzero(places > NOWHERE)
        tasks[located] = slices[places[located]]
        new = np.flatnonzero(places == NOWHERE) if pack.places is None or has_rows else located[:0]
        if len(new):
            tasks[new] = self._new_tasks(pack, new, seen)
        return tasks

    def _new_tasks(self, pack: RowPack, new: Numbers, seen: dict[str, int]) -> Numbers:
        if isinstance(self.new_rows, KeyCuts):
            return self.new_rows.targets(take_keys(pack.keys, new))
        tasks = np.full(len(pack), NOWHERE, np.int64)
        for path, rows in pack.keys.by_partition():
            shares = self.new_rows.shares.get(path, ())
            ends = np.cumsum([share.rows for share in shares], dtype=np.int64)
            first = seen.get(path, 0)
            seen[path] = first + len(rows)
            of_shares = np.array([share.task for share in shares], np.int64)
            places = np.searchsorted(ends, first + np.arange(len(rows)), "right")
            is_counted = places < len(shares)  # rows beyond the shares are not those of the plan: their sum is refused
            tasks[rows[is_counted]] = of_shares[places[is_counted]]
        return tasks[new]


def deal_tasks(tasks: Sequence[Task], row_bytes: float, parallelism: int) -> Numbers:
    """The part that runs each task: tasks are dealt out by size, to as many parts as keep all machines busy to the end."""
    sizes = np.array([_bytes(task, row_bytes) for task in tasks])
    total = float(sizes.sum())
    worth = min(max(total / _BYTES_WORTH_A_PART, parallelism), _PARTS_PER_CORE * parallelism)
    count = max(1, min(len(tasks), int(max(worth, total / _BYTES_OF_PART))))
    loads, parts = np.zeros(count), np.zeros(len(tasks), np.int64)
    for number in np.argsort(-sizes, kind="stable").tolist():
        part = int(loads.argmin())
        parts[number] = part
        loads[part] += sizes[number]
    return parts


def _bytes(task: Task, row_bytes: float) -> float:
    stored = 0 if isinstance(task, NewFile) else sum(file.size for file in task.slice.files)
    return stored + row_bytes * row_count(task) + 1


_PARTS_PER_CORE = 4
_BYTES_WORTH_A_PART = 1 << 22
"""A part costs some tenths of a second whatever it holds."""
_BYTES_OF_PART = 1 << 27
"""What is done again at most where a part fails, but for files that are larger."""
