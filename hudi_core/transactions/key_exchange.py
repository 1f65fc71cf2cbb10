"""Keys of a write move between tasks to the file groups of the indexes that have them. Rules META-1055, META-1056.

These are the record keys of the record index, and the keys of secondary indexes. Tasks that write files, or read them, send keys
on to the tasks of the file groups that the keys' hashes choose. Each of these
encodes the log files of its file groups and lets them wait beside the write's markers; the commit brings them to their places.
The process that commits holds no key, only a line for each log file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, Protocol

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.statuses import StagedLog, StagedLogs, WriteStatus
from hudi_core.engine import Runner
from hudi_core.errors import HudiError, StorageError
from hudi_core.formats.secondary_keys import NO_KEYS, KeyChange, SecondaryKeys
from hudi_core.index_kinds.secondary import IndexedColumn, keys_of_slice
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import locates_keys
from hudi_core.metadata.table import METADATA_FOLDER, RECORD_INDEX
from hudi_core.metadata_rows.rows import IndexRows
from hudi_core.metadata_rows.rows_of_keys import KeyChanges, epoch_milliseconds, key_changes, location_changes
from hudi_core.metadata_rows.secondary import first_secondary_rows, join_secondary_changes
from hudi_core.metadata_writer.delta_commit import group_sets
from hudi_core.metadata_writer.group_files import by_group, group_numbers, log_content, split_rows
from hudi_core.parallel.flow import Flow, FlowRunner, Packet
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.table import Table
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.transactions.attempts import Attempts
from hudi_core.transactions.metadata_steps import require_metadata_table
from hudi_core.transactions.reports import by_group as packets_by_group
from hudi_core.transactions.reports import open_reports, pack_object, pack_objects, refusal, unpack, write_packed

_FOLDER: Final = "hudi_core_keys"
"""The folder of waiting log files, in that of the write's markers: who ends the write deletes both."""
_STATUS, _KEYS = 0, 1
"""The groups of packets: statuses that go on to the caller, and keys."""
_TASKS_PER_CORE: Final = 4
_KEYS_OF_PART: Final = 1 << 20
"""Keys that a task encodes, about, as far as there are file groups for more tasks."""
_BYTES_OF_ROW: Final = 64
"""A row of a replaced file is seldom smaller, so there are at most about as many keys."""


@dataclass(frozen=True, slots=True)
class GroupSet:
    """File groups of a metadata partition among which a hash chooses. `first` is the number of the first one among those of all
    sets."""

    partition: str
    of_table: str | None
    """The partition of the table, for a partitioned record index."""
    first: int
    count: int


class SliceKeys(Protocol):
    """What becomes of the record keys of a slice."""

    def __call__(self, file_slice: FileSlice, keys: StringColumn) -> KeyChanges: ...


def add_keys(file_slice: FileSlice, keys: StringColumn) -> KeyChanges:
    """The keys are in the slice's file group from now on."""
    return KeyChanges(file_slice.partition, file_slice.file_id, added=keys)


def remove_keys(file_slice: FileSlice, keys: StringColumn) -> KeyChanges:
    """The keys are not in the slice's file group any more."""
    return KeyChanges(file_slice.partition, file_slice.file_id, removed=keys)


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """What becomes of keys in an index, by file groups of a partition of the table."""

    index: str
    of_table: str
    keys: KeyChanges | KeyChange


@dataclass(frozen=True, slots=True, eq=False)
class FileKeys:
    """Record keys that some file groups of the table get or lose, in the order of these, as one column: a write may have keys of
    thousands of file groups. `files` are their partitions and file ids, `counts` how many keys are of each."""

    files: tuple[tuple[str, str], ...]
    counts: Numbers
    keys: StringColumn
    removed: bool

    @property
    def changes(self) -> Iterator[KeyChanges]:
        """The keys by file group."""
        ends = np.cumsum(self.counts).tolist()
        for (partition, file_id), start, end in zip(self.files, [0, *ends], ends, strict=False):
            keys = take_strings(self.keys, slice(start, end))
            if self.removed:
                yield KeyChanges(partition, file_id, removed=keys)
            else:
                yield KeyChanges(partition, file_id, added=keys)


@dataclass(frozen=True, slots=True, eq=False)
class KeyExchange:
    """The exchange of the keys of one write. It can be pickled."""

    attempts: Attempts
    snapshot: Snapshot
    """The table, without its file slices."""
    sets: Mapping[str, Mapping[str | None, tuple[GroupSet, ...]]]
    """By partition of the metadata table and of the table; of an index over all partitions of the table under None."""
    parts: int
    milliseconds: int
    """The time of the write, from 1970 on."""
    columns: tuple[IndexedColumn, ...] = ()
    """The columns with secondary indexes."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The version of each secondary index, by its partition."""
    replaced: tuple[FileSlice, ...] = ()
    """Slices whose keys leave the table with the write."""

    def send(self, part: int, parts: int, statuses: Callable[[], Iterable[WriteStatus]]) -> Iterator[Packet]:
        """What tasks of a part write: statuses without keys, and the keys, also those of the part's share of replaced slices. A
        rule's error takes the place of all."""
        numbers = count()
        try:
            made = list(statuses())
            for packed in pack_objects(map(self._without_keys, made)):
                yield Packet(part % self.parts, _STATUS, part, next(numbers), packed)
            yield from self._deal(part, (change for status in made for change in self._changes(status)), numbers)
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

    def _without_keys(self, status: WriteStatus) -> WriteStatus:
        """What goes on to the caller: keys of other indexes alone, as of one whose file groups are not there yet."""
        others = {partition: keys for partition, keys in status.secondary.items() if partition not in self.sets}
        if locates_keys(self.sets):
            return replace(status, added_keys=None, removed_keys=None, secondary=others)
        return replace(status, secondary=others)

    def _changes(self, status: WriteStatus) -> Iterator[_Change]:
        yield _Change(RECORD_INDEX, status.partition, key_changes(status))
        for partition, keys in status.secondary.items():
            yield _Change(partition, status.partition, keys)

    def _read(
        self, part: int, slices: Sequence[FileSlice], change: SliceKeys, numbers: Iterator[int]
    ) -> Iterator[Packet]:
        for one in slices:
            if locates_keys(self.sets):
                stored = SliceKeyReader(Sources(self.snapshot.of_slices(slices_of([one]))))
                for keys in stored.of_slice(one):
                    yield from self._deal(part, [_Change(RECORD_INDEX, one.partition, change(one, keys))], numbers)
            if self.columns:
                removed = zip(self.columns, keys_of_slice(self.snapshot, self.columns, one), strict=True)
                changes = [
                    _Change(column.partition, one.partition, KeyChange(removed=gone)) for column, gone in removed
                ]
                yield from self._deal(part, changes, numbers)

    def _deal(self, source: int, changes: Iterable[_Change], numbers: Iterator[int]) -> Iterator[Packet]:
        """Changes of keys to the parts of their file groups."""
        pieces: dict[int, list[tuple[GroupSet, FileKeys | KeyChange]]] = {}
        of_records: dict[GroupSet, list[KeyChanges]] = {}
        for change in changes:
            sets = self.sets.get(change.index)
            for groups in () if sets is None else sets[None if None in sets else change.of_table]:
                if isinstance(change.keys, KeyChanges):
                    of_records.setdefault(groups, []).append(change.keys)
                    continue
                for part, piece in self._split(groups, change.keys):
                    pieces.setdefault(part, []).append((groups, piece))
        for groups, of_files in of_records.items():
            for part, keys in self._split_files(groups, of_files):
                pieces.setdefault(part, []).append((groups, keys))
        for part in sorted(pieces):
            yield Packet(part, _KEYS, source, next(numbers), pack_object(pieces[part]))

    def _split_files(self, groups: GroupSet, changes: Sequence[KeyChanges]) -> Iterator[tuple[int, FileKeys]]:
        """The record keys of files by the part of their file group in the index: those of all files are hashed together."""
        for removed in (False, True):
            some = [keys for one in changes if (keys := one.removed if removed else one.added) is not None]
            if not some:
                continue
            files = [one for one in changes if (one.removed if removed else one.added) is not None]
            whole, counts = concat_strings(some), list(map(length, some))
            of_rows = np.repeat(np.arange(len(files)), counts)
            for part, rows in self._parts(groups, whole):
                numbers, of_part = np.unique(of_rows[rows], return_counts=True)
                names = tuple((files[number].partition, files[number].file_id) for number in numbers.tolist())
                yield part, FileKeys(names, of_part, take_strings(whole, rows), removed)

    def _split(self, groups: GroupSet, keys: KeyChange) -> Iterator[tuple[int, KeyChange]]:
        of_values = [
            {part: some.take(rows) for part, rows in self._parts(groups, some.keys, self._prefixes(groups, some))}
            for some in (keys.added, keys.removed)
        ]
        for part in sorted({*of_values[0], *of_values[1]}):
            yield part, KeyChange(of_values[0].get(part, NO_KEYS), of_values[1].get(part, NO_KEYS))

    def _prefixes(self, groups: GroupSet, keys: SecondaryKeys) -> StringColumn | None:
        """What chooses the file groups; None: the keys themselves."""
        rows = first_secondary_rows(keys, self.versions[groups.partition])
        return rows.group_keys

    def _parts(
        self, groups: GroupSet, keys: StringColumn, chosen_by: StringColumn | None = None
    ) -> Iterator[tuple[int, Numbers]]:
        """The rows of keys by the part of their file group."""
        if length(keys) == 0:
            return
        places = group_numbers(IndexRows(keys, group_keys=chosen_by), groups.count)
        parts: Numbers = (groups.first + places) % self.parts
        yield from split_rows(parts, np.arange(len(parts))).items()

    def rows(self, groups: GroupSet, changes: Sequence[Any]) -> IndexRows:
        """The rows of an index that changes of keys make. Raises `UsageError` for a record key that two file groups get."""
        if locates_keys([groups.partition]):
            return location_changes(changes, self.milliseconds)
        return join_secondary_changes(changes, self.versions[groups.partition])

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
        logs = tuple(one for one in contents if isinstance(one, StagedLog))
        return statuses, StagedLogs(logs, frozenset(self.sets), runner)


@dataclass(frozen=True, slots=True, eq=False)
class EncodeLogs:
    """Encodes the log files of the file groups of a part, and lets them wait. It can be pickled."""

    exchange: KeyExchange

    def __call__(self, part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
        return write_packed(part, lambda: self._contents(packets))

    def _contents(self, packets: Iterator[Packet]) -> Iterator[bytes]:
        """Statuses as they came, and the log files that wait."""
        held: dict[GroupSet, list[KeyChanges | KeyChange]] = {}
        for group, of_group in packets_by_group(packets):
            for packet in of_group:
                if group == _STATUS:
                    yield packet.content
                    continue
                for groups, change in unpack(packet):
                    held.setdefault(groups, []).extend(change.changes if isinstance(change, FileKeys) else [change])
        yield from pack_objects(self._logs(held))

    def _logs(self, held: dict[GroupSet, list[KeyChanges | KeyChange]]) -> Iterator[StagedLog]:
        for groups in sorted(held, key=lambda one: one.first):
            yield from self._encode(groups, self.exchange.rows(groups, held.pop(groups)))

    def _encode(self, groups: GroupSet, rows: IndexRows) -> Iterator[StagedLog]:
        attempts = self.exchange.attempts
        for one in by_group(rows, groups.count):
            content = log_content(one, groups.partition, attempts.instant_time)
            path, size = attempts.stage_file(f"{_FOLDER}/{groups.first + one.group}", [content])
            counts = length(one.keys), length(one.deletes)
            yield StagedLog(groups.partition, groups.of_table, groups.count, one.group, path, size, *counts)


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
    columns: Sequence[IndexedColumn] = (),
) -> KeyExchange | None:
    """The exchange of about so many keys of a write that changes these partitions; `replaced` are the ids of the file groups that
    it replaces, by partition, `columns` those with secondary indexes. None where the table has no index of keys."""
    wanted = [RECORD_INDEX, *(column.partition for column in columns)]
    indexes = [name for name in wanted if name in table.config.kept_partitions and _has_groups(table, name)]
    if not indexes:
        return None
    snapshot = table.snapshot()
    metadata = replace(snapshot.metadata or require_metadata_table(table), partitions=table.config.kept_partitions)
    definitions = index_definitions(table.storage, table.config)
    gone = replaced or {}
    sets: dict[str, dict[str | None, tuple[GroupSet, ...]]] = {}
    total = 0
    for index in indexes:
        definition = definitions.get(index)
        is_partitioned = definition is not None and definition.is_partitioned
        of_tables: list[str | None] = [*sorted({*partitions, *gone})] if is_partitioned else [None]
        sets[index] = {}
        for of_table in of_tables:
            counts = sorted({len(groups) for groups in group_sets(metadata, index, of_table)}) or [1]
            firsts = [total, *np.cumsum([total, *counts])[1:].tolist()]
            sets[index][of_table] = tuple(
                GroupSet(index, of_table, first, groups) for first, groups in zip(firsts, counts, strict=False)
            )
            total = firsts[-1]
    replaced_slices = tuple(
        one for one in Sources(snapshot).snapshot.slices if one.file_id in gone.get(one.partition, ())
    )
    leaving = sum(file.size for one in replaced_slices for file in one.files) // _BYTES_OF_ROW
    return KeyExchange(
        attempts,
        snapshot.without_slices(),
        sets,
        max(1, min(total, max(parallelism, -(-(keys + leaving) // _KEYS_OF_PART)))),
        epoch_milliseconds(attempts.instant_time, table.timeline.zone),
        tuple(column for column in columns if column.partition in sets),
        {one.partition: definitions[one.partition].version for one in columns if one.partition in sets},
        replaced_slices,
    )


def _has_groups(table: Table, index: str) -> bool:
    """Whether an index has its file groups: one under construction gets them with its first file."""
    begun = f"{METADATA_FOLDER}/{index}/{PARTITION_METADATA}"
    return index not in table.config.metadata_partitions_inflight or table.storage.exists(begun)
