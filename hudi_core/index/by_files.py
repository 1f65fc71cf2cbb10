"""Keys located through files: those whose key ranges and bloom filters let a key pass are read, and only what they hold counts.

Rules INDEX-2 to INDEX-10.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import Footer
from hudi_core.formats.bloom import HashedKeys
from hudi_core.formats.text_columns import taken
from hudi_core.formats.text_match import TextIndex, index_texts
from hudi_core.index.filters import State, kept, lookup_order, recorded_texts, text_in_footer
from hudi_core.index.key_columns import KeyColumns, Located
from hudi_core.index.matching import matches
from hudi_core.index.sorted_keys import SortedKeys, sorted_keys
from hudi_core.index.stored import StoredKeys, footer_bounds
from hudi_core.index.work import Work
from hudi_core.metadata.parallel import side_by_side
from hudi_core.metadata.table import BLOOM_FILTERS
from hudi_core.stats.texts import Texts
from hudi_core.table.snapshot import Snapshot

Numbers = NDArray[np.int64]

_TOGETHER = 4
"""Slices of one task: their filters are looked up in one go, and are in memory together."""


@dataclass(frozen=True, eq=False)
class _Group:
    """Keys that are looked for in the same slices: those of one partition, or all. `rows` are theirs in the batch, in order."""

    keys: SortedKeys
    rows: Numbers
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _made: list[TextIndex] = field(default_factory=list)

    @cached_property
    def hashed(self) -> HashedKeys:
        return HashedKeys(self.keys.texts)

    def index(self) -> TextIndex:
        """All keys, ready to be looked up; made by the first thread that asks."""
        with self._lock:
            if not self._made:
                self._made.append(index_texts(self.keys.texts))
            return self._made[0]

    def run(self, low: bytes, high: bytes) -> tuple[int, int]:
        """Where the keys between two bounds start and stop."""
        starts, stops = self.keys.runs(Texts.of([low]), Texts.of([high]))
        return int(starts[0]), int(stops[0])


@dataclass(frozen=True, slots=True)
class _Task:
    """A slice by number, and the run of the sorted keys that may be in it; `ranged`: its key range is known."""

    group: _Group
    number: int
    start: int
    stop: int
    ranged: bool


@dataclass(frozen=True, slots=True)
class _Hits:
    """Keys found in a slice: rows of the batch, and positions in the base file."""

    number: int
    rows: Numbers
    positions: Numbers


@dataclass(frozen=True)
class FileLookup:
    """Locates keys in the file slices of a snapshot. With `whole_table` a key may be in any partition; with `filters` bloom
    filters are asked before a file is read."""

    stored: StoredKeys
    whole_table: bool = False
    filters: bool = True

    def locate(self, keys: KeyColumns, work: Work, among: Numbers | None = None) -> Located:
        """Where the keys are, in all slices or `among` those with these numbers.

        Of several slices that hold a key the first by partition and file id counts; the others are counted as `elsewhere`.
        """
        found = Located.nowhere(len(keys))
        with work.timed("ranges"):
            tasks = self._tasks(keys, work, among)
        if self.filters:
            self._open_filters()
        for some in side_by_side([partial(self._run, part, work) for part in self._parts(tasks)]):
            for hits in some:
                work.count(elsewhere=found.put(hits.rows, hits.number, hits.positions))
        return found

    def _tasks(self, keys: KeyColumns, work: Work, among: Numbers | None) -> list[_Task]:
        """The slices in which some key may be, as far as recorded ranges tell."""
        slices = self._snapshot.slices
        every = np.arange(len(slices), dtype=np.int64) if among is None else np.sort(among)
        groups: list[tuple[Numbers, Numbers]] = []
        if self.whole_table:
            groups.append((np.arange(len(keys), dtype=np.int64), every))
        else:
            members: dict[str, list[int]] = {}
            for number in every.tolist():
                members.setdefault(slices[number].partition, []).append(number)
            groups += [
                (rows, np.array(members[path], np.int64)) for path, rows in keys.by_partition() if path in members
            ]
        tasks: list[_Task] = []
        for rows, numbers in groups:
            if len(rows) and len(numbers):
                tasks += self._of_group(keys, rows, numbers, work)
        return tasks

    def _of_group(self, keys: KeyColumns, rows: Numbers, numbers: Numbers, work: Work) -> Iterator[_Task]:
        order = sorted_keys(taken(keys.records, rows))
        group = _Group(order, rows[order.order])
        bounds = self.stored.recorded_bounds(numbers)
        starts, stops = order.runs(bounds.low, bounds.high)
        starts = np.where(bounds.known, starts, 0)
        stops = np.where(bounds.known, stops, np.where(bounds.empty, 0, len(order)))
        work.count(
            pairs=len(rows) * len(numbers),
            pairs_in_range=int((stops - starts).sum()),
            slices=len(numbers),
            slices_in_range=int(np.count_nonzero(stops > starts)),
            slices_without_range=int(np.count_nonzero(~bounds.known & ~bounds.empty)),
        )
        for place in np.flatnonzero(stops > starts).tolist():
            ranged = bool(bounds.known[place])
            yield _Task(group, int(numbers[place]), int(starts[place]), int(stops[place]), ranged)

    def _parts(self, tasks: Sequence[_Task]) -> Iterator[Sequence[_Task]]:
        order = list(range(len(tasks)))
        if self.filters:
            slices = [self._snapshot.slices[task.number] for task in tasks]
            order = lookup_order(self._snapshot.usable(BLOOM_FILTERS), slices)
        for begin in range(0, len(order), _TOGETHER):
            yield [tasks[place] for place in order[begin : begin + _TOGETHER]]

    def _run(self, tasks: Sequence[_Task], work: Work) -> list[_Hits]:
        """What the slices of these tasks hold."""
        slices = [self._snapshot.slices[task.number] for task in tasks]
        texts: dict[int, bytes] = {}
        if self.filters:
            with work.timed("filters"):
                texts = recorded_texts(self._snapshot, slices)
        found = []
        for place, task in enumerate(tasks):
            footer = None if task.ranged else self.stored.footer(slices[place])
            task = _narrowed(task, footer)
            rows: Numbers | slice = slice(task.start, task.stop)
            if self.filters and task.start < task.stop:
                with work.timed("filters"):
                    rows = self._passing(task, texts.pop(place, None), footer, work)
            found.append(self._match(task, rows, footer, work))
        return found

    def _passing(self, task: _Task, text: bytes | None, footer: Footer | None, work: Work) -> Numbers | slice:
        """The keys that the slice's filter lets pass."""
        each, asked = self._snapshot.slices[task.number], slice(task.start, task.stop)
        if each.base is None or each.logs:
            work.filter(State.MISSING)
            return asked
        found = kept(text or text_in_footer(footer or self.stored.footer(each)), each)
        work.filter(found.state)
        if found.filter is None:
            return asked
        passing: Numbers = task.start + np.flatnonzero(found.filter.may_contain(task.group.hashed, asked))
        work.count(pairs_probed=task.stop - task.start, pairs_passed=len(passing))
        return passing

    def _match(self, task: _Task, rows: Numbers | slice, footer: Footer | None, work: Work) -> _Hits:
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        nothing = np.zeros(0, np.int64)
        if count == 0:
            return _Hits(task.number, nothing, nothing)
        with work.timed("files"):
            each, group = self._snapshot.slices[task.number], task.group
            index = index_texts(taken(group.keys.texts, rows)) if self.filters else group.index()

            def in_range(low: bytes, high: bytes) -> bool:
                start, stop = group.run(low, high)
                return max(start, task.start) < min(stop, task.stop)

            held = matches(index, self.stored, each, footer or self.stored.footer(each), in_range)
            work.count(slices_read=1, rows_read=held.read, pairs_to_confirm=count)
            chosen = held.rows
            if self.filters:
                chosen = held.rows + rows.start if isinstance(rows, slice) else rows[held.rows]
            return _Hits(task.number, group.rows[chosen], held.positions)

    def _open_filters(self) -> None:
        """Opens what threads will share."""
        metadata = self._snapshot.usable(BLOOM_FILTERS)
        if metadata is not None:
            for each in metadata.slices(BLOOM_FILTERS):
                metadata.opened(each)

    @property
    def _snapshot(self) -> Snapshot:
        return self.stored.sources.snapshot


def _narrowed(task: _Task, footer: Footer | None) -> _Task:
    """The task with the range that the file itself tells."""
    bounds = footer_bounds(footer) if footer is not None else None
    if bounds is None:
        return task
    start, stop = task.group.run(*bounds)
    return _Task(task.group, task.number, start, stop, True)
