"""Record keys of a write move between tasks to the file groups of the record index. Rules META-1055, META-1056.

Tasks that write files, or read them, send keys on to the tasks of the file groups that the keys' hashes choose. Each of these
encodes the log files of its file groups and lets them wait beside the write's markers; the commit brings them to their places.
The process that commits holds no key, only a line for each log file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, Protocol

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.strings import take_strings
from hudi_core.commit.markers import marker_folder
from hudi_core.commit.statuses import StagedLog, StagedLogs, WriteStatus
from hudi_core.engine import Runner
from hudi_core.errors import HudiError, StorageError
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.table import RECORD_INDEX
from hudi_core.metadata_writer.delta_commit import epoch_milliseconds, group_sets
from hudi_core.metadata_writer.group_files import by_group, group_numbers, log_content
from hudi_core.metadata_writer.locations import KeyChanges, key_changes, location_changes
from hudi_core.metadata_writer.rows import IndexRows
from hudi_core.parallel.flow import Flow, FlowRunner, Packet
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.table import Table
from hudi_core.tagging.stored_keys import StoredKeys
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.transactions.attempts import Attempts, TaskFiles, new_attempt
from hudi_core.transactions.metadata_steps import require_metadata_table
from hudi_core.transactions.reports import by_group as packets_by_group
from hudi_core.transactions.reports import open_reports, pack_object, refusal, unpack, write_report

_FOLDER: Final = "hudi_core_keys"
"""The folder of waiting log files, in that of the write's markers: who ends the write deletes both."""
_STATUS, _KEYS = 0, 1
"""The groups of packets: statuses that go on to the caller, and keys."""
_TASKS_PER_CORE: Final = 4
_KEYS_OF_PART: Final = 1 << 20
"""Keys that a task encodes, about, as far as there are file groups for more tasks."""


@dataclass(frozen=True, slots=True)
class GroupSet:
    """File groups among which a hash chooses. `first` is the number of the first one among those of all sets."""

    of_table: str | None
    first: int
    count: int


class SliceKeys(Protocol):
    """What becomes of the keys of a slice."""

    def __call__(self, file_slice: FileSlice, keys: StringColumn) -> KeyChanges: ...


def add_keys(file_slice: FileSlice, keys: StringColumn) -> KeyChanges:
    """The keys are in the slice's file group from now on."""
    return KeyChanges(file_slice.partition, file_slice.file_id, added=keys)


def remove_keys(file_slice: FileSlice, keys: StringColumn) -> KeyChanges:
    """The keys are not in the slice's file group any more."""
    return KeyChanges(file_slice.partition, file_slice.file_id, removed=keys)


@dataclass(frozen=True, slots=True, eq=False)
class KeyExchange:
    """The exchange of the keys of one write. It can be pickled."""

    attempts: Attempts
    snapshot: Snapshot
    """The table, without its file slices."""
    sets: Mapping[str | None, tuple[GroupSet, ...]]
    """By partition of the table; of an index over all partitions under None."""
    parts: int
    milliseconds: int
    """The time of the write, from 1970 on."""
    replaced: tuple[FileSlice, ...] = ()
    """Slices whose keys leave the table with the write."""

    def send(self, part: int, parts: int, statuses: Callable[[], Iterable[WriteStatus]]) -> Iterator[Packet]:
        """What tasks of a part write: statuses without keys, and the keys, also those of the part's share of replaced slices. A
        rule's error takes the place of all."""
        numbers = count()
        try:
            made = list(statuses())
            for status in made:
                content = pack_object(replace(status, added_keys=None, removed_keys=None))
                yield Packet(part % self.parts, _STATUS, part, next(numbers), content)
            yield from self._deal(part, map(key_changes, made), numbers)
            yield from self._read(part, self.replaced[part::parts], remove_keys, numbers)
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield refusal(part, next(numbers), error)

    def read(self, part: int, slices: Sequence[FileSlice], change: SliceKeys) -> Iterator[Packet]:
        """The keys of slices, as changes."""
        numbers = count()
        try:
            yield from self._read(part, slices, change, numbers)
        except HudiError as error:
            if isinstance(error, StorageError):
                raise
            yield refusal(part, next(numbers), error)

    def _read(
        self, part: int, slices: Sequence[FileSlice], change: SliceKeys, numbers: Iterator[int]
    ) -> Iterator[Packet]:
        for file_slice in slices:
            stored = StoredKeys(Sources(self.snapshot.of_slices(slices_of([file_slice]))))
            for keys in stored.of_slice(file_slice):
                yield from self._deal(part, [change(file_slice, keys)], numbers)

    def _deal(self, source: int, changes: Iterable[KeyChanges], numbers: Iterator[int]) -> Iterator[Packet]:
        """Changes of keys to the parts of their file groups."""
        pieces: dict[int, list[tuple[GroupSet, KeyChanges]]] = {}
        for change in changes:
            for groups in self.sets[None if None in self.sets else change.partition]:
                for part, piece in self._split(groups, change):
                    pieces.setdefault(part, []).append((groups, piece))
        for part in sorted(pieces):
            yield Packet(part, _KEYS, source, next(numbers), pack_object(pieces[part]))

    def _split(self, groups: GroupSet, change: KeyChanges) -> Iterator[tuple[int, KeyChanges]]:
        added, removed = (self._by_part(groups, keys) for keys in (change.added, change.removed))
        for part in sorted({*added, *removed}):
            yield part, replace(change, added=added.get(part), removed=removed.get(part))

    def _by_part(self, groups: GroupSet, keys: StringColumn | None) -> dict[int, StringColumn]:
        if keys is None or length(keys) == 0:
            return {}
        parts: Numbers = (groups.first + group_numbers(IndexRows(keys), groups.count)) % self.parts
        order = np.argsort(parts, kind="stable")
        present, starts = np.unique(parts[order], return_index=True)
        pieces = np.split(order, starts[1:])
        return {part: take_strings(keys, rows) for part, rows in zip(present.tolist(), pieces, strict=True)}

    def remove(self, runner: FlowRunner) -> tuple[tuple[WriteStatus, ...], StagedLogs]:
        """As `stage`, of the keys of the replaced slices alone, which tasks of the runner read."""
        return self.stage(runner.flow(ReadKeys(self, remove_keys), deal(self.replaced, runner.parallelism)), runner)

    def add(self, runner: FlowRunner, slices: Sequence[FileSlice]) -> tuple[tuple[WriteStatus, ...], StagedLogs]:
        """As `stage`, of the keys that slices hold from now on, which tasks of the runner read."""
        return self.stage(runner.flow(ReadKeys(self, add_keys), deal(slices, runner.parallelism)), runner)

    def stage(self, flow: Flow, runner: Runner) -> tuple[tuple[WriteStatus, ...], StagedLogs]:
        """Runs the steps of a flow that sends keys; gives the statuses, and the log files that wait. Raises the first report that
        is an error, `UsageError` for a key that two file groups get."""
        contents = open_reports(flow.deal(self.parts).map(EncodeLogs(self)).reports())
        statuses = tuple(one for one in contents if isinstance(one, WriteStatus))
        return statuses, StagedLogs(tuple(one for one in contents if isinstance(one, StagedLog)), runner)


@dataclass(frozen=True, slots=True, eq=False)
class EncodeLogs:
    """Encodes the log files of the file groups of a part, and lets them wait. It can be pickled."""

    exchange: KeyExchange

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        return write_report(part, lambda: self._contents(packets))

    def _contents(self, packets: Iterator[Packet]) -> Iterator[WriteStatus | StagedLog]:
        held: dict[GroupSet, list[KeyChanges]] = {}
        for group, of_group in packets_by_group(packets):
            for content in map(unpack, of_group):
                if group == _STATUS:
                    yield content
                    continue
                for groups, change in content:
                    held.setdefault(groups, []).append(change)
        for groups in sorted(held, key=lambda one: one.first):
            yield from self._encode(groups, location_changes(held.pop(groups), self.exchange.milliseconds))

    def _encode(self, groups: GroupSet, rows: IndexRows) -> Iterator[StagedLog]:
        attempts = self.exchange.attempts
        for one in by_group(rows, groups.count):
            content = log_content(one, RECORD_INDEX, attempts.instant_time)
            path = f"{marker_folder(attempts.instant_time)}/{_FOLDER}/{groups.first + one.group}_{new_attempt()}"
            with attempts.announce(TaskFiles((path,), ())), attempts.storage.output(path) as sink:
                sink.write(content)
            counts = length(one.keys), length(one.deletes)
            yield StagedLog(RECORD_INDEX, groups.of_table, groups.count, one.group, path, len(content), *counts)


@dataclass(frozen=True, slots=True, eq=False)
class ReadKeys:
    """The work of tasks that read the keys of slices. It can be pickled."""

    exchange: KeyExchange
    change: SliceKeys

    def __call__(self, number: int, slices: Sequence[FileSlice]) -> Iterator[Packet]:
        return self.exchange.read(number, slices, self.change)


def deal(slices: Sequence[FileSlice], parallelism: int) -> list[Sequence[FileSlice]]:
    """Slices for tasks that read their keys."""
    count = max(1, min(len(slices), _TASKS_PER_CORE * parallelism))
    return [slices[start::count] for start in range(count)]


def plan_exchange(
    table: Table,
    attempts: Attempts,
    partitions: Iterable[str],
    keys: int,
    parallelism: int,
    replaced: Mapping[str, Collection[str]] | None = None,
) -> KeyExchange | None:
    """The exchange of about so many keys of a write that changes these partitions; `replaced` are the ids of the file groups that
    it replaces, by partition. None where the table has no record index."""
    if RECORD_INDEX not in table.config.kept_partitions:
        return None
    snapshot = table.snapshot()
    metadata = replace(snapshot.metadata or require_metadata_table(table), partitions=table.config.kept_partitions)
    definition = index_definitions(table.storage, table.config).get(RECORD_INDEX)
    gone = replaced or {}
    of_tables: list[str | None] = [None]
    if definition is not None and definition.is_partitioned:
        of_tables = [*sorted({*partitions, *gone})]
    sets: dict[str | None, tuple[GroupSet, ...]] = {}
    total = 0
    for of_table in of_tables:
        counts = sorted({len(groups) for groups in group_sets(metadata, RECORD_INDEX, of_table)}) or [1]
        firsts = np.cumsum([total, *counts]).tolist()
        sets[of_table] = tuple(GroupSet(of_table, first, groups) for first, groups in zip(firsts, counts, strict=False))
        total = firsts[-1]
    return KeyExchange(
        attempts,
        snapshot.without_slices(),
        sets,
        max(1, min(total, max(parallelism, -(-keys // _KEYS_OF_PART)))),
        epoch_milliseconds(attempts.instant_time, table.timeline.zone),
        tuple(one for one in Sources(snapshot).snapshot.slices if one.file_id in gone.get(one.partition, ())),
    )
