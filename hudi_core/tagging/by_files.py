"""Keys located through files: those whose key ranges and bloom filters let a key pass are read, and only what they hold counts.

Rules INDEX-2 to INDEX-10.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, assert_never

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import StringIndex, index_strings
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.engine import Footer, OpenedFile
from hudi_core.formats.bloom import HashedKeys, KeySample
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.file_filters import (
    FilterState,
    SampleKeys,
    make_sample_keys,
    open_recorded_filters,
    parse_file_filter,
    read_recorded_texts,
    text_in_footer,
)
from hudi_core.reading.ahead import FilesAhead
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.filters import lookup_order, passing_keys
from hudi_core.tagging.key_columns import KeyColumns, Locations
from hudi_core.tagging.matching import find_matches, find_repeated_rows
from hudi_core.tagging.slice_keys import KeyBounds, SliceKeyReader, footer_bounds
from hudi_core.tagging.sorted_keys import SortedKeys, sort_keys
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice

EXPECTED_HIT_RATE = 0.5
"""The share of keys taken to be in the table when it is weighed whether a filter pays."""

_KEY_SHARE = 0.25
"""The share of a file's bytes taken to be its record keys."""
_COST_IN_FOOTER = 100_000.0
"""What it costs to take a filter from a footer that is read anyhow, in bytes read."""
_SLICES_AT_ONCE = 4
"""Slices looked into one after the other: their filters are looked up in one go, and are in memory together."""


@dataclass(frozen=True, eq=False)
class _Group:
    """Keys that are looked for in the same slices: those of one partition, or all. `rows` are theirs in the batch, in order."""

    keys: SortedKeys
    rows: Numbers
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _made: list[StringIndex] = field(default_factory=list)

    @cached_property
    def hashed(self) -> HashedKeys:
        return HashedKeys(self.keys.strings)

    def index(self) -> StringIndex:
        """All keys, ready to be looked up; made by the first thread that needs them."""
        with self._lock:
            if not self._made:
                self._made.append(index_strings(self.keys.strings))
            return self._made[0]

    def run(self, lower: bytes, upper: bytes) -> tuple[int, int]:
        """Where the keys between two bounds start and stop."""
        starts, stops = self.keys.runs(ByteStrings.from_list([lower]), ByteStrings.from_list([upper]))
        return int(starts[0]), int(stops[0])


@dataclass(frozen=True, slots=True)
class SliceLookup:
    """A slice by number, and the run of the sorted keys that may be in it; `ranged`: its key range is recorded."""

    group: _Group
    number: int
    start: int
    stop: int
    ranged: bool
    filtered: bool
    """Its bloom filter is consulted."""
    edges: SampleKeys | None = None
    """Keys that the slice holds for certain, by its range: the least and the greatest."""

    @property
    def is_opened(self) -> bool:
        """Whether its files are read in any case."""
        return not (self.ranged and self.filtered)


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Keys found in a slice: rows of the batch, and positions in the base file."""

    number: int
    rows: Numbers
    positions: Numbers
    repeated: bool = False
    """Whether the base file has several rows of one of them; as far as this was asked for."""


class FilterUse(Enum):
    """Which file slices' bloom filters are consulted before the slice is read."""

    ALL = auto()
    NONE = auto()
    CHEAPER = auto()
    """The filters that are likely to save more than it costs to read them."""


Placed = Sequence[tuple[Numbers, Numbers]]
"""Rows of a batch of keys, and the numbers, ascending, of the slices in which they may be."""


@dataclass(frozen=True)
class FileLookup:
    """Locates keys in the file slices of a snapshot by looking into them."""

    stored: SliceKeyReader
    filters: FilterUse = FilterUse.CHEAPER

    def locate(self, keys: KeyColumns, placed: Placed, work: TaggingMetrics) -> Locations:
        """Where the keys are.

        Of several slices that hold a key the first by partition and file id counts; the others are counted as `elsewhere`.
        """
        return self.run(len(keys), self.plan(keys, placed, work), work)

    def plan(self, keys: KeyColumns, placed: Placed, work: TaggingMetrics) -> list[SliceLookup]:
        """The slices in which some key may be, by recorded ranges."""
        with work.measure("ranges"):
            every = np.arange(len(self._snapshot.slices), dtype=np.int64)
            bounds = self.stored.read_recorded_bounds(every)
            groups = [
                partial(self._plan_group, keys, rows, numbers, bounds.take(numbers), work)
                for rows, numbers in placed
                if len(rows) and len(numbers)
            ]
            return [task for tasks in in_order(lambda group: group(), groups) for task in tasks]

    def run(
        self, count: int, tasks: Sequence[SliceLookup], work: TaggingMetrics, every: list[Hits] | None = None
    ) -> Locations:
        """What the slices of a plan hold, of so many keys. `every` gets what each slice holds, also of keys in several, and
        whether it has several rows of one."""
        locations = Locations.nowhere(count)
        parts = list(self._deal(tasks))
        opened = [task.number for part in parts for task in part if task.is_opened]
        ahead = FilesAhead(self._snapshot.storage, self._snapshot.slices, opened)
        starts = accumulate((sum(task.is_opened for task in part) for part in parts), initial=0)

        def execute(start_and_part: tuple[int, Sequence[SliceLookup]]) -> list[Hits]:
            start, part = start_and_part
            ahead.reach(start)
            return self._execute_part(part, work, every_row=every is not None)

        work.begin_lookups(len(tasks))
        for part, hits_of_part in zip(parts, in_order(execute, zip(starts, parts, strict=False)), strict=False):
            for hits in hits_of_part:
                if every is not None:
                    every.append(hits)
                work.count(elsewhere=locations.put(hits.rows, hits.number, hits.positions))
            work.end_lookups(len(part))
        return locations

    def _uses_filter(self, slice_number: int, key_count: int) -> bool:
        """Whether the filter of a slice is consulted for so many keys."""
        file_slice = self._snapshot.slices[slice_number]
        match self.filters:
            case FilterUse.ALL:
                return True
            case FilterUse.NONE:
                return False
            case FilterUse.CHEAPER:
                if file_slice.base is None or file_slice.logs:
                    return False
                return self._filter_cost < key_bytes(file_slice) * (1 - EXPECTED_HIT_RATE) ** key_count
        assert_never(self.filters)

    @cached_property
    def _filter_cost(self) -> float:
        """About what it costs to have one filter, in bytes read."""
        metadata = self._recorded
        if metadata is None:
            return _COST_IN_FOOTER
        size = sum(file.size for file_slice in metadata.slices(BLOOM_FILTERS) for file in file_slice.files)
        return size / max(len(self._snapshot.slices), 1)

    def _plan_group(
        self, keys: KeyColumns, rows: Numbers, numbers: Numbers, bounds: KeyBounds, work: TaggingMetrics
    ) -> list[SliceLookup]:
        order = sort_keys(take_strings(keys.records, rows))
        group = _Group(order, rows[order.order])
        starts, stops = order.runs(bounds.lower, bounds.upper)
        starts = np.where(bounds.known, starts, 0)
        stops = np.where(bounds.known, stops, np.where(bounds.empty, 0, len(order)))
        work.count(
            pairs=len(rows) * len(numbers),
            pairs_in_range=int((stops - starts).sum()),
            slices=len(numbers),
            slices_in_range=int(np.count_nonzero(stops > starts)),
            slices_without_range=int(np.count_nonzero(~bounds.known & ~bounds.empty)),
        )
        tasks = []
        lower, upper = (
            StringColumn(bound_column.offsets, bound_column.data) for bound_column in (bounds.lower, bounds.upper)
        )
        samples = KeySample(concat_strings([lower, upper]))
        for index in np.flatnonzero(stops > starts).tolist():
            ranged = bool(bounds.known[index])
            number, start, stop = int(numbers[index]), int(starts[index]), int(stops[index])
            edges = SampleKeys(samples, slice(index, None, len(numbers))) if ranged else None
            tasks.append(
                SliceLookup(group, number, start, stop, ranged, self._uses_filter(number, stop - start), edges)
            )
        return tasks

    def _deal(self, tasks: Sequence[SliceLookup]) -> Iterator[Sequence[SliceLookup]]:
        order = list(range(len(tasks)))
        if any(task.filtered for task in tasks):
            slices = [self._snapshot.slices[task.number] for task in tasks]
            order = lookup_order(self._recorded, slices)
        for first in range(0, len(order), _SLICES_AT_ONCE):
            yield [tasks[index] for index in order[first : first + _SLICES_AT_ONCE]]

    def _execute_part(self, tasks: Sequence[SliceLookup], work: TaggingMetrics, *, every_row: bool) -> list[Hits]:
        """What the slices of these tasks hold."""
        slices = [self._snapshot.slices[task.number] for task in tasks]
        opened = [None if task.ranged else self.stored.open(slices[index]) for index, task in enumerate(tasks)]
        footers = [None if file is None else file.footer for file in opened]
        tasks = [_narrow(task, footer) for task, footer in zip(tasks, footers, strict=True)]
        # a filter is read only where the range leaves keys to test
        filtered = [index for index, task in enumerate(tasks) if task.filtered and task.start < task.stop]
        encoded_filters: dict[int, bytes] = {}
        if filtered:
            with work.measure("filters"):
                recorded = read_recorded_texts(self._recorded, self._snapshot, [slices[index] for index in filtered])
                encoded_filters = {filtered[index]: encoded for index, encoded in recorded.items()}
        hits = []
        for index, (task, footer) in enumerate(zip(tasks, footers, strict=True)):
            rows: Numbers | slice = slice(task.start, task.stop)
            if index in filtered:
                with work.measure("filters"):
                    rows = self._passing(task, encoded_filters.pop(index, None), footer, work)
            hits.append(self._match(task, rows, opened[index], work, every_row=every_row))
        return hits

    def _passing(
        self, task: SliceLookup, encoded: bytes | None, footer: Footer | None, work: TaggingMetrics
    ) -> Numbers | slice:
        """The keys that the slice's filter lets pass."""
        file_slice, rows = self._snapshot.slices[task.number], slice(task.start, task.stop)
        if file_slice.base is None or file_slice.logs:
            work.filter(FilterState.MISSING)
            return rows
        slice_filter = parse_file_filter(
            encoded or text_in_footer(footer or self.stored.footer(file_slice)), file_slice, task.edges
        )
        work.filter(slice_filter.state, slice_filter.filter)
        if slice_filter.filter is None:
            return rows
        passing = passing_keys(slice_filter.filter, task.group.hashed, rows)
        work.count(pairs_probed=task.stop - task.start, pairs_passed=len(passing))
        return passing

    def _match(
        self,
        task: SliceLookup,
        rows: Numbers | slice,
        opened: OpenedFile[Any] | None,
        work: TaggingMetrics,
        *,
        every_row: bool,
    ) -> Hits:
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        nothing = np.zeros(0, np.int64)
        if count == 0:
            return Hits(task.number, nothing, nothing)
        with work.measure("files"):
            file_slice, group = self._snapshot.slices[task.number], task.group
            index = index_strings(take_strings(group.keys.strings, rows)) if task.filtered else group.index()

            def in_range(lower: bytes, upper: bytes) -> bool:
                start, stop = group.run(lower, upper)
                return max(start, task.start) < min(stop, task.stop)

            opened = opened or self.stored.open(file_slice)
            matches = find_matches(index, self.stored, file_slice, opened, in_range, every_row=every_row)
            repeated = every_row and len(find_repeated_rows(index, self.stored, file_slice, matches, in_range)) > 0
            work.count(slices_read=matches.rows_read > 0, rows_read=matches.rows_read, pairs_to_confirm=count)
            chosen = matches.rows
            if task.filtered:
                chosen = matches.rows + rows.start if isinstance(rows, slice) else rows[matches.rows]
            return Hits(task.number, group.rows[chosen], matches.positions, repeated)

    @cached_property
    def _recorded(self) -> MetadataTable | None:
        """The metadata table, when its filters may be used."""
        return open_recorded_filters(self._snapshot)

    @property
    def _snapshot(self) -> Snapshot:
        return self.stored.sources.snapshot


def key_bytes(slice: FileSlice) -> float:
    """About how many bytes of a slice are its record keys."""
    return _KEY_SHARE * sum(file.size for file in slice.files)


def _narrow(task: SliceLookup, footer: Footer | None) -> SliceLookup:
    """The task with the range of the file's own footer."""
    bounds = footer_bounds(footer) if footer is not None else None
    if bounds is None:
        return task
    start, stop = task.group.run(*bounds)
    return replace(task, start=start, stop=stop, edges=make_sample_keys(bounds))
