"""What a commit of the table changes in each partition of the metadata table. Rules META-51 to META-55, META-60 to META-66."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.hashes import partition_stats_key
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column, take_strings
from hudi_core.commit.statuses import ColumnRange, TableChange, WriteStatus
from hudi_core.commit.steps import Step
from hudi_core.formats.bloom_write import FilterKind
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.formats.secondary_keys import KeyChange
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.file_keys import Keys, keys_of
from hudi_core.metadata.kinds import EXPRESSION_INDEX, SECONDARY_INDEX, PerKind, get_known_kind, kind_of
from hudi_core.metadata.table import (
    BLOOM_FILTERS,
    COLUMN_STATS,
    FILES,
    PARTITION_STATS,
    RECORD_INDEX,
    MetadataTable,
)
from hudi_core.metadata_writer.delta_commit import (
    PartitionRows,
    delta_commit_steps,
    epoch_milliseconds,
    list_staged_rows,
    refuse_unkept,
)
from hudi_core.metadata_writer.expression import (
    IndexedExpression,
    expression_file_rows,
    expression_partition_keys,
    expression_partition_rows,
)
from hudi_core.metadata_writer.locations import KeyChanges, key_changes, location_changes
from hudi_core.metadata_writer.partition_ranges import (
    FileStatistics,
    RecordedFiles,
    partition_statistics,
    read_recorded_files,
)
from hudi_core.metadata_writer.rows import IndexRows, StoredFilter, file_rows, filter_rows, together
from hudi_core.metadata_writer.secondary import join_secondary_changes
from hudi_core.metadata_writer.statistics_rows import (
    V1,
    V2,
    Sizes,
    StatisticsRows,
    default_columns,
    encode_statistics,
    file_statistics,
    form_of,
    partition_statistics_of,
)
from hudi_core.pruning.statistics import ColumnStatistics, from_values
from hudi_core.schema.meta import META_COLUMNS
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


@dataclass(frozen=True, slots=True)
class Overlap:
    """Writes that overlap a commit. Log files apply in the order in which their writes were requested, whichever completed first;
    records of whole partitions have to be right in that order, too. Rules META-530, META-531."""

    earlier: bool = False
    """Writes that were requested before this one are not complete."""
    again: tuple[str, str] | None = None
    """Writes that were requested after this one are complete: requested and completion time of a second delta commit, after all
    of theirs."""
    earlier_again: bool = False
    """As `earlier`, of the second delta commit."""


NO_OVERLAP: Final = Overlap()

MakeRows = Callable[["ChangeRows", str], Iterator[PartitionRows]]
"""Makes the records of a change for a metadata partition."""


def is_kept(partition: str) -> bool:
    """Whether a commit keeps a partition of the metadata table up to date."""
    return kind_of(partition) is not None


def delta_commit(
    metadata: MetadataTable,
    definitions: Mapping[str, IndexDefinition],
    instant_time: str,
    completion_time: str,
    change: TableChange,
    files_before: Mapping[str, Collection[str]],
    zone: tzinfo | None = None,
    building: Collection[str] = (),
    noted: Mapping[str, object] = MappingProxyType({}),
    overlap: Overlap = NO_OVERLAP,
) -> list[Step]:
    """The steps that bring the metadata table up to date with a commit of the table, its completed instant last; where writes
    that began later are complete, a second delta commit with the records of whole partitions after it.

    `files_before` are the names of the files that the latest slices were made of before the commit, by partition, at least of
    the partitions that it touches. `zone` is that of the table's times; None: the machine's own. `building` are the partitions
    under construction; `noted` has by metadata partition what is known of the indexes of which files were noted.
    Raises `UnsupportedError` when the metadata table has a partition that a commit does not keep up to date, `UsageError` for
    a record key that the change adds twice.
    """
    refuse_unkept(metadata, lambda name: is_kept(name) and (name in noted or not get_known_kind(name).notes_files))
    rows = ChangeRows(metadata, definitions, instant_time, change, files_before, zone, noted, not overlap.earlier)
    steps = delta_commit_steps(metadata, instant_time, completion_time, rows.make(ROWS_OF_CHANGE), building)
    if overlap.again is not None:
        of_partitions = replace(rows, tight=not overlap.earlier_again).make(ROWS_OF_WHOLE_PARTITIONS)
        steps += delta_commit_steps(metadata, *overlap.again, of_partitions)
    return steps


def columns_with_statistics(columns: Sequence[str], schema: Schema, version: str) -> dict[str, t.Type]:
    """The columns of an index definition that have statistics, with their types; `schema` is without the meta columns."""
    types: dict[str, t.Type] = {}
    for column in columns:
        place = schema.find(column)
        column_type = t.String() if column in META_COLUMNS else None if place is None else place.field.type
        if column_type is not None and form_of(column_type, version) is not None:
            types[column] = column_type
    return types


def statistics_of(ranges: Sequence[ColumnRange | None], type: t.Type) -> ColumnStatistics:
    """Ranges of one column in files, None where nothing is known, as columns."""
    return from_values(
        type,
        [None if one is None else one.lower for one in ranges],
        [None if one is None else one.upper for one in ranges],
        [None if one is None else one.nulls for one in ranges],
        [None if one is None else one.values for one in ranges],
        [one is None or one.nan for one in ranges],
    )


@dataclass(frozen=True, slots=True)
class _Touched:
    """The partitions that a commit touches: of each the files that were there before and still count; all of them in order, with
    their numbers; those that are left without files; and the number of each new file's with statistics."""

    live: Mapping[str, Sequence[str]]
    partitions: Sequence[str]
    numbers: Mapping[str, int]
    gone: Sequence[str]
    measured: NDArray[np.int64]

    @property
    def has_files(self) -> bool:
        return len(self.measured) > 0 or any(self.live.values())


@dataclass(frozen=True)
class ChangeRows:
    """A commit of the table, and the rows that it makes for partitions of the metadata table."""

    metadata: MetadataTable
    definitions: Mapping[str, IndexDefinition]
    instant_time: str
    change: TableChange
    files_before: Mapping[str, Collection[str]]
    zone: tzinfo | None
    noted: Mapping[str, object]
    """By metadata partition what is known of an index of which files were noted."""
    tight: bool
    """Records of whole partitions take the place of earlier ones; else they are merged with them."""

    def make(self, step: PerKind[MakeRows]) -> Iterator[PartitionRows]:
        """The rows that kinds make in a step."""
        for partition, make in step.among({FILES, *self.metadata.partitions}):
            yield from make(self, partition)

    def files(self, partition: str) -> Iterator[PartitionRows]:
        yield PartitionRows(partition, self._files())

    def column_stats(self, partition: str) -> Iterator[PartitionRows]:
        yield PartitionRows(partition, encode_statistics(self._column_stats()))

    def partition_stats(self, partition: str) -> Iterator[PartitionRows]:
        yield PartitionRows(partition, self._partition_stats())

    def bloom_filters(self, partition: str) -> Iterator[PartitionRows]:
        yield PartitionRows(partition, self._bloom_filters())

    def secondary(self, partition: str) -> Iterator[PartitionRows]:
        if self.change.staged is not None and partition in self.change.staged.partitions:
            yield from list_staged_rows(partition, self.change.staged)
        else:
            yield PartitionRows(partition, self._secondary(partition))

    def expression(self, partition: str) -> Iterator[PartitionRows]:
        index = self._expression(partition)
        rows = self._values_filters(index) if index.is_filter else together(list(self._values_statistics(index)))
        yield PartitionRows(partition, rows)

    def expression_of_partitions(self, partition: str) -> Iterator[PartitionRows]:
        index = self._expression(partition)
        if not index.is_filter:
            yield PartitionRows(partition, together(list(self._values_of_partitions(index))))

    def _expression(self, partition: str) -> IndexedExpression:
        index = self.noted[partition]
        assert isinstance(index, IndexedExpression)
        return index

    def _files(self) -> IndexRows:
        sizes: dict[str, dict[str, int]] = {}
        for status in self.change.statuses:
            of_partition = sizes.setdefault(status.partition, {})
            of_partition[_name(status)] = status.size
            of_partition |= {path.rpartition("/")[2]: size for path, size in status.change_logs.items()}
        return file_rows(sizes)

    @cached_property
    def _measured(self) -> list[WriteStatus]:
        """Files that have statistics: all but base files without rows."""
        return [status for status in self.change.statuses if status.rows or status.is_log]

    @cached_property
    def _version(self) -> str:
        definition = self.definitions.get(COLUMN_STATS)
        if definition is not None:
            return definition.version
        return V2 if self.metadata.config.version >= 9 else V1

    @cached_property
    def _columns(self) -> dict[str, t.Type]:
        definition = self.definitions.get(COLUMN_STATS)
        # Apache Hudi's Java client keeps the index without a definition. Rule META-712.
        default = default_columns(self.change.schema, self._version, own=True)
        columns = default if definition is None else definition.columns
        return columns_with_statistics(columns, self.change.schema, self._version)

    def _ranges(self, column: str) -> list[ColumnRange | None]:
        nothing = ColumnRange(None, None, 0, 0)
        return [
            nothing if not status.rows or _lacks(status, column) else status.columns.get(column)
            for status in self._measured
        ]

    def _column_stats(self) -> Iterator[StatisticsRows]:
        if not self._measured:
            return
        keys, names = self._measured_files
        for column, column_type in self._columns.items():
            rows = np.flatnonzero([not _lacks(status, column) for status in self._measured])
            if len(rows):
                of_all = self._ranges(column)
                ranges = [of_all[row] for row in rows.tolist()]
                yield file_statistics(
                    column, keys[rows], take_strings(names, rows), statistics_of(ranges, column_type), _sizes(ranges),
                    self._version,
                )  # fmt: skip

    @cached_property
    def _measured_files(self) -> tuple[Keys, StringColumn]:
        """The parts after the column of the keys of files that have statistics, and the names of these."""
        names = string_column([_name(status) for status in self._measured])
        return keys_of((status.partition for status in self._measured), names), names

    def _partition_stats(self) -> IndexRows:
        touched = self._touched
        keys = [partition_stats_key(column, partition) for column in self._columns for partition in touched.gone]
        deletes = IndexRows(deletes=string_column(keys))
        if not touched.has_files:
            return deletes
        before = read_recorded_files(self.metadata, touched.live, touched.numbers, list(self._columns))
        rows = encode_statistics(
            self._of_partitions(column, column_type, touched.partitions, before, touched.measured)
            for column, column_type in self._columns.items()
        )
        return together([deletes, rows])

    @cached_property
    def _touched(self) -> _Touched:
        live = self._files_left()
        partitions = sorted({*live, *(status.partition for status in self._measured)})
        filled = {status.partition for status in self._measured} | {name for name in live if live[name]}
        gone = [*self.change.deleted_partitions, *(partition for partition in partitions if partition not in filled)]
        # What a delete would hide of a write that is not complete is not known: then the records stay, and are too wide.
        gone = [partition for partition in dict.fromkeys(gone) if partition not in filled and self.tight]
        numbers = {partition: number for number, partition in enumerate(partitions)}
        measured = np.array([numbers[status.partition] for status in self._measured], np.int64)
        return _Touched(live, partitions, numbers, gone, measured)

    def _values_statistics(self, index: IndexedExpression) -> Iterator[IndexRows]:
        """The statistics of an expression index for new files, and for the partitions that the commit touches."""
        if self._measured:
            yield expression_file_rows(index, *self._measured_files, self._statistics_of_values(index))
        yield from self._values_of_partitions(index)

    def _values_of_partitions(self, index: IndexedExpression) -> Iterator[IndexRows]:
        touched = self._touched
        if touched.gone:
            yield IndexRows(deletes=expression_partition_keys(index, touched.gone))
        if touched.has_files:
            before = read_recorded_files(self.metadata, touched.live, touched.numbers, [index.column], index.partition)
            new = FileStatistics(touched.measured, self._statistics_of_values(index))
            places, whole = partition_statistics([before.statistics(index.column, index.type), new])
            names = [touched.partitions[number] for number in places.tolist()]
            yield expression_partition_rows(index, names, whole, tight=self.tight)

    def _statistics_of_values(self, index: IndexedExpression) -> ColumnStatistics:
        return statistics_of([self._range_of_values(status, index.partition) for status in self._measured], index.type)

    def _range_of_values(self, status: WriteStatus, partition: str) -> ColumnRange | None:
        known = status.notes.get(partition)
        assert known is None or isinstance(known, ColumnRange)
        return known if status.rows else ColumnRange(None, None, 0, 0)

    def _values_filters(self, index: IndexedExpression) -> IndexRows:
        """The filters of an expression index of new files. A file without one may hold any value."""
        filters: list[StoredFilter] = []
        for status in self.change.statuses:
            content = status.notes.get(index.partition)
            if isinstance(content, bytes):
                filters.append(StoredFilter(status.partition, _name(status), FilterKind.SIMPLE, content))
        return filter_rows(filters, self.instant_time)

    def _of_partitions(
        self, column: str, type: t.Type, partitions: Sequence[str], before: RecordedFiles, numbers: NDArray[np.int64]
    ) -> StatisticsRows:
        new = FileStatistics(numbers, statistics_of(self._ranges(column), type))
        places, statistics = partition_statistics([before.statistics(column, type), new])
        names = [partitions[number] for number in places.tolist()]
        zeros = np.zeros(len(names), np.int64)
        return partition_statistics_of(column, names, statistics, Sizes(zeros, zeros), self._version, tight=self.tight)

    def _files_left(self) -> dict[str, list[str]]:
        """By partition that the commit touches, the files from before it that are still live."""
        touched = {status.partition for status in self.change.statuses} | set(self.change.replaced)
        superseded = {
            (status.partition, status.file_id): None if status.merged is None else status.merged.superseded
            for status in self.change.statuses
            if not status.is_log
        }
        replaced = {(partition, file_id) for partition, ids in self.change.replaced.items() for file_id in ids}
        left: dict[str, list[str]] = {}
        for partition in touched - set(self.change.deleted_partitions):
            left[partition] = [
                name
                for name in self.files_before.get(partition, ())
                if not self._is_over(partition, name, superseded, replaced)
            ]
        return left

    def _is_over(
        self,
        partition: str,
        name: str,
        superseded: Mapping[tuple[str, str], Collection[str] | None],
        replaced: Collection[tuple[str, str]],
    ) -> bool:
        """A new base file takes the place of what its file group was made of, but for log files of later commits. A compaction
        states which files it merged: log files of earlier commits that completed since stay."""
        parsed = parse_log_file(name) or parse_base_file(name)
        if parsed is None:
            return True
        group = (partition, parsed.file_id)
        if group in replaced or group not in superseded:
            return group in replaced
        merged = superseded[group]
        return parsed.instant < self.instant_time if merged is None else name in merged

    def _bloom_filters(self) -> IndexRows:
        filters = [
            StoredFilter(status.partition, _name(status), status.bloom_filter_type or "SIMPLE", status.bloom_filter)
            for status in self.change.statuses
            if status.bloom_filter
        ]
        return filter_rows(filters, self.instant_time)

    def record_index(self, partition: str) -> Iterator[PartitionRows]:
        if self.change.staged is not None and partition in self.change.staged.partitions:
            yield from list_staged_rows(partition, self.change.staged)
            return
        definition = self.definitions.get(partition)
        if definition is None or not definition.is_partitioned:
            replaced = list(self.change.replaced_keys.values())
            yield PartitionRows(partition, self._locations(self.change.statuses, replaced))
            return
        by_partition: dict[str, list[WriteStatus]] = {of_table: [] for of_table in self.change.replaced_keys}
        for status in self.change.statuses:
            by_partition.setdefault(status.partition, []).append(status)
        for of_table, statuses in by_partition.items():
            keys = self.change.replaced_keys.get(of_table)
            yield PartitionRows(partition, self._locations(statuses, [] if keys is None else [keys]), of_table)

    def _locations(self, statuses: Sequence[WriteStatus], replaced: Sequence[StringColumn]) -> IndexRows:
        """The locations of keys after the commit. A key that one file group loses and another gets has moved; `replaced` are the
        keys of replaced file groups."""
        milliseconds = epoch_milliseconds(self.instant_time, self.zone)
        lost = [KeyChanges("", "", removed=keys) for keys in replaced]
        return location_changes([*map(key_changes, statuses), *lost], milliseconds)

    def _secondary(self, partition: str) -> IndexRows:
        changes = [status.secondary[partition] for status in self.change.statuses if partition in status.secondary]
        replaced = self.change.replaced_secondary.get(partition)
        if replaced is not None:
            changes.append(KeyChange(removed=replaced))
        return join_secondary_changes(changes, self.definitions[partition].version)


ROWS_OF_CHANGE: Final = PerKind[MakeRows](
    {
        FILES: ChangeRows.files,
        COLUMN_STATS: ChangeRows.column_stats,
        BLOOM_FILTERS: ChangeRows.bloom_filters,
        RECORD_INDEX: ChangeRows.record_index,
        PARTITION_STATS: ChangeRows.partition_stats,
        SECONDARY_INDEX: ChangeRows.secondary,
        EXPRESSION_INDEX: ChangeRows.expression,
    }
)
"""The records of a change in one partition of a kind."""
ROWS_OF_WHOLE_PARTITIONS: Final = PerKind[MakeRows](
    {PARTITION_STATS: ChangeRows.partition_stats, EXPRESSION_INDEX: ChangeRows.expression_of_partitions}
)
"""Those of them that are of whole partitions of the table."""


def _lacks(status: WriteStatus, column: str) -> bool:
    """Whether the rows of a file have no value of their own for a column."""
    return status.is_partial and column not in status.columns


def _name(status: WriteStatus) -> str:
    return status.path.rpartition("/")[2]


def _sizes(ranges: Sequence[ColumnRange | None]) -> Sizes:
    return Sizes(
        np.array([0 if one is None else one.size for one in ranges], np.int64),
        np.array([0 if one is None else one.uncompressed_size for one in ranges], np.int64),
    )
