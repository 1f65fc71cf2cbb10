"""Statistics of each slice's columns: the sources of statistics, a column at a time, as pieces for one store.

Statistics follow column ids. A file was written under a schema version, and its statistics are recorded under the names of
that version: id → name and type there → statistics → bounds promoted to the wanted type. A column that the version does not
have is null, or its default, in every row: that is knowledge, not ignorance.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hudi_core.arrays import Bools, Numbers, Numbers32, Octets
from hudi_core.columns.hashes import partition_id
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.engine import FileInfo
from hudi_core.evolve.reconcile import Absent, Stored, find_stored_column
from hudi_core.expr.predicate import Column
from hudi_core.keys.path_values import PathValue
from hudi_core.metadata.file_keys import hash_keys
from hudi_core.metadata.statistics import RecordedStatistics
from hudi_core.metadata.typed_by_file import as_stored
from hudi_core.pruning.statistics import absent, from_values, is_complete_in, nothing, take_files, unknown
from hudi_core.pruning.store import StatisticsPart
from hudi_core.schema.schema import Schema
from hudi_core.timeline.files import FileList
from hudi_core.timeline.slices import NO_BASE, Slices
from hudi_core.types import nodes as t

Recorded = Callable[[Sequence[str]], Mapping[str, tuple[RecordedStatistics, ...]]]
"""Reads the recorded statistics of columns by the names they had."""

KeysOf = Callable[[FileList, Numbers], npt.NDArray[np.bytes_]]
"""The part of a `column_stats` key after the column, for each of some rows of files."""


class MissingStats(IntEnum):
    """The assumption about a column in a file without statistics of it."""

    ANYTHING = 0
    NULLS = 1
    """It adds rows to its slice of which the column is null, if any."""
    NOTHING = 2
    """It adds nothing to its slice, or is not to be thought of."""


@dataclass(frozen=True)
class DataFiles:
    """The files of some slices: which slice each belongs to, and which of the schema versions it was written under.

    Where that is not `certain`, the version gives the name of a column in statistics, but does not prove a column absent.
    """

    slices: Numbers
    files: FileList
    rows: Numbers
    """Their rows in `files`."""
    versions: Numbers32
    certain: Bools
    logs: Bools
    """Which are log files."""
    keys_of: KeysOf = hash_keys
    _keys: npt.NDArray[np.bytes_] | None = None

    def select(self, which: Bools) -> DataFiles:
        """Some of the files."""
        positions = np.flatnonzero(which)
        return DataFiles(
            self.slices[positions],
            self.files,
            self.rows[positions],
            self.versions[positions],
            self.certain[positions],
            self.logs[positions],
            self.keys_of,
            self.keys[positions],
        )

    @cached_property
    def keys(self) -> npt.NDArray[np.bytes_]:
        """The part of a `column_stats` key after the column, for each file."""
        if self._keys is not None:
            return self._keys
        return self.keys_of(self.files, self.rows)

    def __len__(self) -> int:
        return len(self.slices)

    def info(self, file: int) -> FileInfo:
        """A file with its size."""
        return self.files.info(int(self.rows[file]))


@dataclass(frozen=True)
class PartitionValues:
    """Values of partition columns from partition paths. `members` gives for each slice or partition its row in `values`."""

    columns: Mapping[int, Sequence[PathValue | None]]
    members: Numbers

    def pieces(self, column: Column) -> list[StatisticsPart] | None:
        """Statistics of the column from paths; None when it is no partition column, or no path has a value."""
        values = self.columns.get(column.id)
        if values is None or all(value is None for value in values):
            return None
        path_bounds = [value or PathValue(None, None, True) for value in values]
        exact = [value.lower is not None and not value.nulls for value in path_bounds]
        nothing = [value is not None and value.lower is None for value in values]
        statistics = from_values(
            column.type,
            [value.lower for value in path_bounds],
            [value.upper for value in path_bounds],
            [0 if is_exact else 1 if is_null else None for is_exact, is_null in zip(exact, nothing, strict=True)],
            [1 if is_exact or is_null else None for is_exact, is_null in zip(exact, nothing, strict=True)],
            [value is None or value.lower != value.lower for value in values],
        )
        return [StatisticsPart(np.arange(len(self.members), dtype=np.int64), take_files(statistics, self.members))]


Think = Callable[[Column, Numbers], npt.NDArray[np.int8]]
"""For a column and files by number an `MissingStats` each."""


def anything(_: Column, files: Numbers) -> npt.NDArray[np.int8]:
    """Files without statistics are unknown."""
    return np.full(len(files), MissingStats.ANYTHING, np.int8)


@dataclass(frozen=True)
class ColumnStatsOfSlices:
    """`column_stats` of the files of slices, joined to them by key.

    `twins` are columns, by id, whose values are also those of a column of the name given. `on_missing` gives the meaning of a
    file without a record. With `opaque_logs` nothing is known of slices with log files. With `optimistic` base files whose
    statistics are incomplete, and files without a record, hold nothing: the bounds at their narrowest.
    """

    files: DataFiles
    versions: Sequence[Schema]
    wanted: Schema
    recorded: Recorded
    twins: Mapping[int, str] = field(default_factory=dict)
    on_missing: Think = anything
    opaque_logs: bool = False
    optimistic: bool = False

    def pieces(self, column: Column) -> Iterator[StatisticsPart]:
        """Statistics of the column in each file, as those of its slice."""
        if self.opaque_logs:
            logs = self.files.slices[self.files.logs]
            yield StatisticsPart(logs, unknown(column.type, len(logs)))
        for version, schema in enumerate(self.versions):
            members = np.flatnonzero(self.files.versions == version)
            if len(members):
                yield from self._of_version(column, schema, members)

    def _of_version(self, column: Column, schema: Schema, members: Numbers) -> Iterator[StatisticsPart]:
        match find_stored_column(schema, self.wanted, column.id):
            case Absent(value, or_null):
                certain = self.files.certain[members]
                sure = self.files.slices[members[certain]]
                yield StatisticsPart(sure, absent(column.type, len(sure), value, or_null=or_null))
                yield from self._without(column, members[~certain])
            case Stored(stored):
                for name in (stored.name, self.twins.get(column.id)):
                    if name is not None:
                        members = yield from self._join(name, stored.field.type, members)
                yield from self._without(column, members)

    def _join(self, name: str, stored: t.Type, members: Numbers) -> Generator[StatisticsPart, None, Numbers]:
        """Statistics from the records of the column; returns the files without one."""
        missing = np.ones(len(members), np.bool_)
        keys = self.files.keys[members]
        for records in self.recorded([name]).get(name, ()):
            statistics = records.statistics if records.typed else as_stored(records.statistics, stored)
            if statistics is not None:
                rows, positions = join_keys(records.keys, keys)
                missing[positions] = False
                statistics_of_files = take_files(statistics, rows)
                if self.optimistic:
                    hidden = ~is_complete_in(statistics_of_files) & ~self.files.logs[members[positions]]
                    statistics_of_files = replace(
                        statistics_of_files,
                        nulls=np.where(hidden, 0, statistics_of_files.nulls),
                        rows=np.where(hidden, 0, statistics_of_files.rows),
                    )
                yield StatisticsPart(self.files.slices[members[positions]], statistics_of_files)
        return members[missing]

    def _without(self, column: Column, members: Numbers) -> Iterator[StatisticsPart]:
        thoughts = self.on_missing(column, members)
        if self.optimistic:
            thoughts = np.full(len(members), MissingStats.NOTHING, np.int8)
        for thought, make in (
            (MissingStats.ANYTHING, unknown),
            (MissingStats.NULLS, absent),
            (MissingStats.NOTHING, nothing),
        ):
            slices = self.files.slices[members[thoughts == thought]]
            if len(slices):
                yield StatisticsPart(slices, make(column.type, len(slices)))

    def missing(self, name: str) -> Numbers:
        """The files without a record of the column of this name."""
        without = np.ones(len(self.files), np.bool_)
        for records in self.recorded([name]).get(name, ()):
            without[join_keys(records.keys, self.files.keys)[1]] = False
        return np.flatnonzero(without)


@dataclass(frozen=True)
class PartitionStats:
    """`partition_stats` of partitions. The files of a partition may be of several schema versions: a column counts when all
    versions at work have it under one name and with one type, and only where each file of the partition was counted."""

    partitions: Sequence[str]
    versions: Sequence[Schema]
    wanted: Schema
    recorded: Recorded

    def pieces(self, column: Column, covered: Callable[[str], Bools]) -> Iterator[StatisticsPart]:
        stored = [find_stored_column(version, self.wanted, column.id) for version in self.versions]
        places = {(column_.place.name, column_.place.field.type) for column_ in stored if isinstance(column_, Stored)}
        if len(places) != 1 or any(isinstance(column_, Absent) for column_ in stored):
            return
        ((name, kind),) = places
        keys = partition_keys(self.partitions)
        for records in self.recorded([name]).get(name, ()):
            statistics = records.statistics if records.typed else as_stored(records.statistics, kind)
            if statistics is not None:
                rows, positions = join_keys(records.keys, keys)
                trusted = covered(name)[positions]
                yield StatisticsPart(positions[trusted], take_files(statistics, rows[trusted]))


def partition_keys(partitions: Iterable[str]) -> npt.NDArray[np.bytes_]:
    """The part of a `partition_stats` key after the column."""
    return np.array([partition_id(partition) for partition in partitions], "S12")


def join_keys(recorded: Octets, wanted: npt.NDArray[np.bytes_]) -> tuple[Numbers, Numbers]:
    """Rows of `recorded` keys (a row of bytes each) and places of `wanted` keys that are equal, in the order of `wanted`."""
    size = wanted.dtype.itemsize
    rows = index_strings(_texts(recorded, size)).find(_texts(wanted.view(np.uint8), size))
    positions = np.flatnonzero(rows >= 0)
    return rows[positions], positions


def _texts(keys: Octets, size: int) -> StringColumn:
    data = np.ascontiguousarray(keys).reshape(-1)
    return StringColumn(np.arange(0, len(data) + 1, size), data)


def files_of(
    slices: Slices,
    version_of: Callable[[str], tuple[int, bool]],
    last: int | None = None,
    keys_of: KeysOf = hash_keys,
) -> DataFiles:
    """The files of slices, in order, base files first. `version_of` gives the schema version of an instant, and whether it is
    certain. With `last` that of a log file is only where it is this one."""
    is_base = slices.bases != NO_BASE
    logs = np.diff(slices.log_offsets)
    counts = logs + is_base
    slice_of_file = np.repeat(np.arange(len(slices)), counts)
    starts = np.cumsum(counts) - counts
    of_logs = np.ones(len(slice_of_file), np.bool_)
    of_logs[starts[is_base]] = False
    rows, instants = np.empty(len(slice_of_file), np.int64), np.empty(len(slice_of_file), np.int64)
    rows[of_logs], instants[of_logs] = slices.logs, slices.log_instants
    rows[~of_logs], instants[~of_logs] = slices.bases[is_base], slices.instant_of[is_base]
    version_of_instant = [version_of(instant) for instant in slices.instants]
    versions = np.array([version for version, _ in version_of_instant], np.int32)[instants]
    certain = np.array([sure for _, sure in version_of_instant], np.bool_)[instants]
    if last is not None:
        certain &= ~of_logs | (versions == last)
    return DataFiles(slice_of_file, slices.files, rows, versions, certain, of_logs, keys_of)
