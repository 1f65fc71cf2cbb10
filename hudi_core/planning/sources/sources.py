"""The statistics and indexes of a snapshot's slices: prepared once and cached, for any predicate. Rules: `specs/sources.md`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.errors import TableError, UnsupportedError
from hudi_core.expr.predicate import Column, Predicate, columns_of
from hudi_core.keys.from_keys import RecordKeys, record_keys
from hudi_core.keys.path_values import PathValue, path_values
from hudi_core.merge.rules import MergedColumns, merges
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.file_keys import hash_keys
from hudi_core.metadata.kinds import PerKind, has_named
from hudi_core.metadata.statistics import RecordedStatistics
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, RECORD_INDEX
from hudi_core.planning.sources.bloom_filters import filters_in_footers, filters_in_metadata
from hudi_core.planning.sources.column_ranges import Bounds, ranges
from hudi_core.planning.sources.commits import CommitTimes
from hudi_core.planning.sources.expression_filters import ExpressionFilters
from hudi_core.planning.sources.expression_indexes import (
    FILTERS_OF_VALUES,
    STATISTICS_OF_VALUES,
    ExpressionIndex,
    FindIndex,
    expression_indexes,
)
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.footer_fallback import FooterFallback, complete_slices
from hudi_core.planning.sources.indexes import Index, RecordIndex, secondary_indexes
from hudi_core.planning.sources.log_statistics import LogStatistics
from hudi_core.planning.sources.slice_statistics import (
    ColumnStatsOfSlices,
    PartitionStats,
    PartitionValues,
    files_of,
)
from hudi_core.planning.sources.uniqueness import is_current
from hudi_core.portable import Portable
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, StatisticsPart
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, eq=False)
class Sources(Portable):
    """The statistics and indexes of the slices of a snapshot. Statistics are read a column at a time, when a predicate first
    needs them.

    With `commits` only rows that these wrote are selected. Without `by_indexes` indexes that find slices by values take no
    part. What is known is one object's own: others of the same snapshot are not equal to it.
    """

    snapshot: Snapshot
    commits: CommitTimes | None = None
    by_indexes: bool = True
    _complete: dict[int, Bools] = field(default_factory=dict, repr=False, compare=False)
    """The slices whose `column_stats` are complete, by column."""

    @cached_property
    def headers(self) -> FileHeaders:
        """Footers and headers of data files."""
        return FileHeaders(self.snapshot)

    @cached_property
    def all_slices(self) -> Numbers:
        """The numbers of all slices."""
        return np.arange(len(self.snapshot.slices), dtype=np.int64)

    @property
    def partitions(self) -> Sequence[str]:
        return self.snapshot.slices.partitions

    @cached_property
    def _partition_numbers(self) -> dict[str, int]:
        return {partition: row for row, partition in enumerate(self.partitions)}

    def partition_number(self, slice: FileSlice) -> int:
        return self._partition_numbers[slice.partition]

    @property
    def partition_of(self) -> Numbers:
        """The number of each slice's partition."""
        return self.snapshot.slices.partition_of

    @cached_property
    def values(self) -> Mapping[int, Sequence[PathValue | None]]:
        """Values from paths: by column id, one for each partition."""
        config, schema = self.snapshot.config, self.snapshot.schema
        if not config.has_path_values:
            return {}
        places = [schema.find(name, case_sensitive=False) for name in config.partition_fields]
        known = [place for place in places if place is not None]
        if len(known) != len(places) or not known:
            return {}
        rows = [path_values(path, config, [place.field.type for place in known]) for path in self.partitions]
        return {place.field.id: [row[position] for row in rows] for position, place in enumerate(known)}

    def refuse_lost_values(self, columns: Iterable[int]) -> None:
        """Raises `UnsupportedError` for a partition column among these, by id, where writers leave these columns out of files and
        a path does not give its value: nothing has it. Rule TABLE-1499."""
        if not self.snapshot.config.drop_partition_columns:
            return
        for column in columns:
            values = self.values.get(column, ())
            if None in values:
                name, path = self.snapshot.schema.place(column).name, self.partitions[values.index(None)]
                expected = f"a path with the value of {name}, which files leave out"
                raise UnsupportedError(self.snapshot.storage.uri, expected=expected, found=repr(path))

    @property
    def has_logs(self) -> bool:
        return len(self.snapshot.slices.logs) > 0

    @cached_property
    def merges(self) -> MergedColumns:
        """The possible results of merging the rows of a slice's files."""
        return merges(self.snapshot.config)

    @cached_property
    def record_keys(self) -> RecordKeys:
        """How record keys are made of columns."""
        snapshot = self.snapshot
        return record_keys(snapshot.config, snapshot.schema, snapshot.history.schemas)

    @cached_property
    def indexes(self) -> list[Index]:
        """The indexes that find slices by values."""
        snapshot, table = self.snapshot, self.snapshot.usable(RECORD_INDEX) if self.by_indexes else None
        if table is None:
            return []
        records = RecordIndex(self.headers, table, lambda: self.recorded, self.record_keys)
        versions = snapshot.history.schemas
        return [records, *secondary_indexes(table, self._definitions, snapshot.schema, versions, records)]

    @cached_property
    def filters(self) -> list[Index]:
        """The bloom filters of the metadata table."""
        table = self.snapshot.usable(BLOOM_FILTERS)
        if table is None:
            return []
        return [filters_in_metadata(self.headers, lambda: LogStatistics(self.fallback), self.record_keys, table)]

    @cached_property
    def footer_filters(self) -> Index:
        """The bloom filters in footers that were read anyhow."""
        return filters_in_footers(self.headers, lambda: LogStatistics(self.fallback), self.record_keys)

    @cached_property
    def expression_indexes(self) -> tuple[ExpressionIndex, ...]:
        """The indexes with statistics of values of functions."""
        return self._find_indexes(STATISTICS_OF_VALUES, FIRST_CONDITION_ID)

    @cached_property
    def expression_filters(self) -> list[ExpressionFilters]:
        """The bloom filters of values of functions."""
        table = self.snapshot.metadata
        if table is None:
            return []
        indexes = self._find_indexes(FILTERS_OF_VALUES, FIRST_CONDITION_ID - len(self.expression_indexes))
        opaque = bool(indexes) and self.merges is MergedColumns.ANYTHING
        return [ExpressionFilters(index, table, self.snapshot.slices, opaque) for index in indexes]

    def _find_indexes(self, kinds: PerKind[FindIndex], first: int) -> tuple[ExpressionIndex, ...]:
        table, snapshot = self.snapshot.metadata, self.snapshot
        if table is None:
            return ()
        versions = snapshot.history.schemas
        return expression_indexes(kinds, self._definitions, table.partitions, snapshot.schema, versions, first)

    @cached_property
    def _definitions(self) -> Mapping[str, IndexDefinition]:
        """The definitions of indexes with names; nothing is read where there are none."""
        if not has_named(self.snapshot.config.metadata_partitions):
            return {}
        try:
            return self.snapshot.definitions
        except TableError as error:
            self.snapshot.warn_or_raise(error)
            return {}

    @cached_property
    def paths(self) -> FileStatistics:
        """Statistics of partitions from paths."""
        return FileStatistics(len(self.partitions), lambda column: self._path_pieces(column) or [])

    @cached_property
    def is_latest(self) -> bool:
        """Whether the metadata table has nothing later than the snapshot: only then `partition_stats` describe it (META-1461)."""
        metadata = self.snapshot.metadata
        return metadata is not None and is_current(metadata, self.snapshot.timeline)

    @cached_property
    def partition_stats(self) -> FileStatistics:
        """Statistics of partitions from paths and `partition_stats`."""

        def load(column: Column) -> Iterable[StatisticsPart]:
            return self._path_pieces(column) or self._read_recorded_of_partitions(column)

        return FileStatistics(len(self.partitions), load)

    def _path_pieces(self, column: Column) -> list[StatisticsPart] | None:
        return PartitionValues(self.values, np.arange(len(self.partitions), dtype=np.int64)).pieces(column)

    def _read_recorded_of_partitions(self, column: Column) -> Iterable[StatisticsPart]:
        table = self.snapshot.metadata
        assert table is not None
        versions = self.snapshot.history.schemas
        used = [versions[version] for version in np.unique(self.recorded.files.versions)]
        if not self.recorded.files.certain.all() or (self.has_logs and self.merges is MergedColumns.ANYTHING):
            return []
        recorded = PartitionStats(self.partitions, used, self.snapshot.schema, table.partition_stats)
        try:
            return list(recorded.pieces(column, self._find_covered))
        except TableError as error:
            self.snapshot.warn_or_raise(error)
            return []

    def _find_covered(self, name: str) -> Bools:
        """Which partitions have recorded statistics of the column for each of their live files.

        A writer that cannot make statistics of a file leaves it out, and the partition's record, made from the others, does
        not show that.
        """
        missing = self.recorded.missing(name)
        covered = np.ones(len(self.partitions), np.bool_)
        covered[self.partition_of[self.recorded.files.slices[missing]]] = False
        return covered

    @cached_property
    def column_stats(self) -> FileStatistics:
        """Statistics of slices from paths and `column_stats`."""

        def load(column: Column) -> Iterable[StatisticsPart]:
            parts = list(self.by_path(column, self.all_slices) or self.recorded.pieces(column))
            self._complete[column.id] = complete_slices(parts, len(self.all_slices))
            return parts

        return FileStatistics(len(self.all_slices), load)

    def by_path(self, column: Column, slices: Numbers) -> list[StatisticsPart] | None:
        """Statistics of the column in these slices from paths; None when it is no partition column, or no path has a value."""
        return PartitionValues(self.values, self.partition_of[slices]).pieces(column)

    @cached_property
    def recorded(self) -> ColumnStatsOfSlices:
        """The recorded statistics of files, and those that follow from the schema they were written under."""
        snapshot, versions = self.snapshot, self.snapshot.history.schemas
        last = len(versions) - 1 if self._collecting else None
        keys_of = hash_keys if snapshot.metadata is None else snapshot.metadata.file_keys
        files = files_of(snapshot.slices, self._versions, last, keys_of)
        opaque = self.merges is MergedColumns.ANYTHING
        twins = self.record_keys.twins
        return ColumnStatsOfSlices(files, versions, snapshot.schema, self._records, twins, opaque_logs=opaque)

    def _records(self, names: Sequence[str]) -> Mapping[str, tuple[RecordedStatistics, ...]]:
        table = self.snapshot.usable(COLUMN_STATS)
        try:
            return {} if table is None else table.column_stats(names)
        except TableError as error:
            self.snapshot.warn_or_raise(error)
            return {}

    @cached_property
    def fallback(self) -> FooterFallback:
        """Statistics from the files themselves, for slices that recorded ones leave in doubt."""
        return FooterFallback(self.headers, self.recorded, self.by_path)

    def has_complete_statistics(self, slices: Numbers, predicate: Predicate) -> Bools:
        """Which slices have complete `column_stats` of the predicate's columns, where these were loaded."""
        complete = np.ones(len(slices), np.bool_)
        for column in columns_of(predicate):
            if column > FIRST_CONDITION_ID:
                complete_slices_ = self._complete.get(column)
                complete &= False if complete_slices_ is None else complete_slices_[slices]
        return complete

    def bounds(self, column: Column, rows: Sequence[int]) -> list[Bounds]:
        """Statistics of a column in these slices, from whatever source has them. No file is read for it."""
        by_path = self.by_path(column, self.all_slices)
        if by_path is not None:
            return ranges(column, by_path, rows)
        if self.snapshot.usable(COLUMN_STATS) is not None:
            return ranges(column, list(self.recorded.pieces(column)), rows)
        slices = self.snapshot.slices
        known_rows = np.array([n for n in sorted(set(rows)) if self.headers.are_known(slices[n])], np.int64)
        pieces = [
            StatisticsPart(known_rows[piece.files], piece.statistics)
            for piece in self.fallback.read(known_rows, known_rows)(column)
        ]
        return ranges(column, pieces, rows)

    @property
    def _collecting(self) -> bool:
        """In layout 1 a log file goes on collecting blocks of later commits."""
        return self.snapshot.timeline.layout == 1

    def _versions(self, instant: str) -> tuple[int, bool]:
        """The number of the schema version that files of an instant were written under, and whether that is certain."""
        history = self.snapshot.history
        return history.number_at(instant), history.certain(instant)
