"""The record index: each live key once, where it is, and no other key. Rule VALID-18."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, string_list, take_strings
from hudi_core.engine import Footer
from hudi_core.errors import TableError
from hudi_core.formats.hfile.cells import keys_of
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.lookup import newest_of
from hudi_core.metadata.record_index import location_columns
from hudi_core.metadata.records import FileGroup
from hudi_core.metadata.table import RECORD_INDEX, MetadataTable
from hudi_core.parallel.ordered import in_order
from hudi_core.parallel.reach import Reach
from hudi_core.planning.sources.sources import Sources
from hudi_core.tagging.by_records import LOST, RecordIndexLookup, SliceNumbers
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.validation.contents import ContentCheck, FileFacts, KeyWatch
from hudi_core.validation.findings import Finding, Severity, problem, rebuild
from hudi_core.validation.subject import DataFile, Subject

_MEND: Final = rebuild(RECORD_INDEX)
LEAST_OF_TASK: Final = 16
"""Slices at least whose keys a task on another machine looks up."""
_TASKS_OF_EACH: Final = 4
"""Tasks of each processor that look keys up, where there are that many slices: every one of them reads the index once."""


def slices_of_task(slices: int, parallelism: int) -> int:
    """How many of so many slices have their keys looked up by one task. Rule VALID-1026."""
    return max(LEAST_OF_TASK, -(-slices // (parallelism * _TASKS_OF_EACH)))


@dataclass(slots=True)
class LocationWatch:
    """Looks keys of one file slice up in the index."""

    lookup: RecordIndexLookup | None
    number: int
    located: int = 0
    missing: int = 0
    elsewhere: int = 0
    examples: dict[str, str] = field(default_factory=dict)

    def summarize(self) -> LocationWatch:
        return replace(self, lookup=None)

    def take(self, keys: StringColumn) -> None:
        assert self.lookup is not None
        columns = KeyColumns(
            keys, np.zeros(len(keys.offsets) - 1, np.int32), (self.lookup.slices[self.number].partition,)
        )
        slices = self.lookup.locate(columns, TaggingMetrics()).slices
        self.located += int(np.count_nonzero(slices == self.number))
        self.missing += self._count("missing", keys, slices == NOWHERE)
        self.elsewhere += self._count("elsewhere", keys, (slices != NOWHERE) & (slices != self.number))

    def _count(self, kind: str, keys: StringColumn, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
        rows = np.flatnonzero(chosen)
        if len(rows):
            self.examples.setdefault(kind, string_list(take_strings(keys, rows[:1]))[0])
        return len(rows)


@dataclass(frozen=True)
class KeyLookups:
    """Watches that look keys of some slices up. `plain` has the numbers of those whose base file has all their keys, by its path.
    Safe in threads once it is open."""

    subject: Subject
    slices: Sequence[FileSlice]

    @cached_property
    def plain(self) -> Mapping[str, int]:
        if not self.subject.stores_keys:
            return {}
        return {
            file_slice.base.path: number
            for number, file_slice in enumerate(self.slices)
            if file_slice.base is not None and not file_slice.logs
        }

    @cached_property
    def _lookup(self) -> RecordIndexLookup:
        metadata, table = self.subject.find_index(RECORD_INDEX), self.subject.table
        assert metadata is not None
        definition = index_definitions(table.storage, table.config).get(RECORD_INDEX)
        partitioned = definition is not None and definition.is_partitioned
        return RecordIndexLookup(metadata, self.slices, whole_table=not partitioned)

    def open(self) -> None:
        """Opens the file groups of the index. Raises `TableError`."""
        metadata = self.subject.find_index(RECORD_INDEX)
        assert metadata is not None
        metadata.open_groups(metadata.slices(RECORD_INDEX))
        self._lookup.locate(KeyColumns(concat_strings([]), np.zeros(0, np.int32), ("",)), TaggingMetrics())

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None:
        number = self.plain.get(file.info.path)
        return None if number is None else LocationWatch(self._lookup, number)

    def of_slice(self, number: int) -> LocationWatch | TableError:
        """The keys of a slice that no base file alone has."""
        watch = LocationWatch(self._lookup, number)
        sources = Sources(self.subject.table.snapshot().without_slices().of_slices(slices_of([self.slices[number]])))
        try:
            for keys in SliceKeyReader(sources).of_slice(self.slices[number]):
                watch.take(keys)
        except TableError as error:
            return error
        return watch


@dataclass
class RecordIndex(ContentCheck):
    """The check of the record index."""

    subject: Subject
    _located: dict[int, int] = field(default_factory=dict)
    """By number of a slice how many of its keys the index places there."""
    _plain: Mapping[str, int] = field(default_factory=dict)
    """The slices whose base file has all their keys, by its path; known once the check is open."""

    watcher = RECORD_INDEX

    @cached_property
    def _metadata(self) -> MetadataTable | None:
        return self.subject.find_index(RECORD_INDEX)

    @cached_property
    def _slices(self) -> Sequence[FileSlice]:
        return list(self.subject.snapshot.slices)

    @cached_property
    def _lookups(self) -> KeyLookups:
        return KeyLookups(self.subject, self._slices)

    def open(self) -> TableError | None:
        """Opens the file groups of the index, for threads to share; gives what goes wrong."""
        if self._metadata is not None:
            try:
                self._plain = self._lookups.plain
                self._lookups.open()
            except TableError as error:
                self._metadata, self._plain = None, {}
                return error
        return None

    def watch(self, file: DataFile, footer: Footer) -> KeyWatch | None:
        return self._lookups.watch(file, footer) if self._plain else None

    def slice_of(self, file: DataFile) -> FileSlice | None:
        """The slice whose keys a base file has alone."""
        number = self._plain.get(file.info.path)
        return None if number is None else self._slices[number]

    def take(self, facts: FileFacts, watch: KeyWatch | None) -> Iterator[Finding]:
        if isinstance(watch, LocationWatch):  # a task numbers the slices of its share
            yield from self._watch(replace(watch, number=self._plain[facts.file.info.path]))

    def end(self) -> Iterator[Finding]:
        if self._metadata is None:
            return
        plain = set(self._plain.values())
        merged = [number for number in range(len(self._slices)) if number not in plain]
        try:
            for watch in self._merge(merged):
                if isinstance(watch, TableError):
                    yield problem(RECORD_INDEX, self.subject.root, watch, _MEND)
                else:
                    yield from self._watch(watch)
            yield from self._dead()
        except TableError as error:
            yield problem(RECORD_INDEX, self.subject.root, error, _MEND)

    def _merge(self, numbers: Sequence[int]) -> Iterator[LocationWatch | TableError]:
        """The keys of slices that no base file alone has."""
        runner = self.subject.table.engine.runner
        if runner.reach is Reach.MEMORY:
            yield from in_order(self._lookups.of_slice, numbers)
            return
        size = slices_of_task(len(numbers), runner.parallelism)
        shares = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        located = runner.run(partial(_locate, self.subject), [[self._slices[row] for row in share] for share in shares])
        for number, watch in zip(numbers, chain.from_iterable(located), strict=True):
            yield replace(watch, number=number) if isinstance(watch, LocationWatch) else watch

    def _watch(self, watch: LocationWatch) -> Iterator[Finding]:
        self._located[watch.number] = watch.located
        if watch.missing:
            found = f"{watch.missing:,} keys without one, such as {watch.examples['missing']!r}"
            yield self._finding(watch.number, "a location of each key", found)
        if watch.elsewhere:
            found = f"{watch.elsewhere:,} keys placed elsewhere, such as {watch.examples['elsewhere']!r}"
            yield self._finding(watch.number, "each key where it is", found)

    def _finding(self, number: int, expected: str, found: str) -> Finding:
        file_slice = self._slices[number]
        group = f"{file_slice.partition}/{file_slice.file_id}" if file_slice.partition else file_slice.file_id
        where = f"{self.subject.metadata_path(RECORD_INDEX)}, {group}"
        return Finding(RECORD_INDEX, Severity.ERROR, where, expected, found, _MEND)

    def _dead(self) -> Iterator[Finding]:
        """Keys that the index places where they are not: of such a slice it has more keys than the slice has."""
        metadata, numbers = self._metadata, SliceNumbers(self._slices)
        assert metadata is not None
        counts, lost = np.zeros(len(self._slices), np.int64), _Examples()
        for group in metadata.slices(RECORD_INDEX):
            for keys, slices in _place(metadata.open_group(group), numbers):
                counts += np.bincount(slices[slices >= 0], minlength=len(counts))
                lost.add(keys, np.flatnonzero(slices == LOST))
        if lost.count:
            where = self.subject.metadata_path(RECORD_INDEX)
            yield Finding(RECORD_INDEX, Severity.ERROR, where, "locations in live file groups", lost.in_words, _MEND)
        read = {number for number, located in self._located.items() if counts[number] != located}
        if not read:
            return
        claimed: dict[int, list[StringColumn]] = {number: [] for number in sorted(read)}
        for group in metadata.slices(RECORD_INDEX):
            for keys, slices in _place(metadata.open_group(group), numbers):
                for number, of_slice in claimed.items():
                    rows = np.flatnonzero(slices == number)
                    if len(rows):
                        of_slice.append(take_strings(keys, rows))
        for number, parts in claimed.items():
            yield from self._dead_in(number, concat_strings(parts))

    def _dead_in(self, number: int, claimed: StringColumn) -> Iterator[Finding]:
        keys = concat_strings(list(SliceKeyReader(self.subject.sources).of_slice(self._slices[number])))
        dead = _Examples()
        dead.add(claimed, np.flatnonzero(index_strings(keys).find(claimed) < 0))
        if dead.count:
            yield self._finding(number, "keys that it holds alone", dead.in_words)


def _locate(subject: Subject, slices: Sequence[FileSlice]) -> list[LocationWatch | TableError]:
    """The keys of slices, looked up by a task."""
    lookups = KeyLookups(subject, slices)
    watches = [lookups.of_slice(number) for number in range(len(slices))]
    return [watch.summarize() if isinstance(watch, LocationWatch) else watch for watch in watches]


@dataclass(slots=True)
class _Examples:
    """How many keys, and one of them."""

    count: int = 0
    example: str = ""

    def add(self, keys: StringColumn, rows: Numbers) -> None:
        if len(rows) and not self.count:
            self.example = string_list(take_strings(keys, rows[:1]))[0]
        self.count += len(rows)

    @property
    def in_words(self) -> str:
        return f"{self.count:,} keys that are not there, {self.example!r} among them"


def _place(group: FileGroup, numbers: SliceNumbers) -> Iterator[tuple[StringColumn, Numbers]]:
    """The keys of a file group of the index, each once, and the slices that it places them in."""
    parts = [keys_of(log.cells) for log in group.logs]
    if group.base is not None:
        parts.append(keys_of(group.base.cells()))
    texts = concat_strings(parts)
    if len(texts.offsets) < 2:
        return
    for look in newest_of(group, texts, index_strings(texts)):
        records = look()
        yield take_strings(texts, records.keys), numbers.numbers(location_columns(records))[0]
