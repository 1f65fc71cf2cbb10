"""What a commit changes in indexes of statistics: of columns, and of values of expressions. Rules META-60 to META-66,
META-116 to META-118."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.hashes import partition_stats_key
from hudi_core.columns.strings import string_column, take_strings
from hudi_core.commit.statuses import ColumnRange, WriteStatus
from hudi_core.formats.bloom_write import KIND_IN_FILES
from hudi_core.metadata.table import COLUMN_STATS
from hudi_core.metadata_rows.committed_change import CommittedChange, file_name_of
from hudi_core.metadata_rows.expression import (
    IndexedExpression,
    expression_file_rows,
    expression_partition_keys,
    expression_partition_rows,
)
from hudi_core.metadata_rows.partition_ranges import (
    FileStatistics,
    RecordedFiles,
    partition_statistics,
    read_recorded_files,
)
from hudi_core.metadata_rows.rows import FileFilter, IndexRows, PartitionRows, filter_rows, together
from hudi_core.metadata_rows.statistics_rows import (
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
from hudi_core.schema.project import leave_out
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


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


def column_stats(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of `column_stats`: the statistics of new files."""
    yield PartitionRows(partition, encode_statistics(_of_files(commit)))


def partition_stats(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of `partition_stats`: the statistics of the partitions that the commit touches."""
    columns = _columns_of(commit)
    touched = commit.touched
    keys = [partition_stats_key(column, path) for column in columns for path in touched.gone]
    deletes = IndexRows(deletes=string_column(keys))
    if not touched.has_files:
        yield PartitionRows(partition, deletes)
        return
    before = read_recorded_files(commit.metadata, touched.live, touched.numbers, list(columns))
    rows = encode_statistics(
        _of_partitions(commit, column, column_type, touched.partitions, before, touched.new)
        for column, column_type in columns.items()
    )
    yield PartitionRows(partition, together([deletes, rows]))


def expression(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of an expression index: what it records of new files, and of the partitions that the commit touches."""
    index = _expression_of(commit, partition)
    rows = _values_filters(commit, index) if index.is_filter else together(list(_values_statistics(commit, index)))
    yield PartitionRows(partition, rows)


def expression_of_partitions(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of an expression index that are of whole partitions."""
    index = _expression_of(commit, partition)
    if not index.is_filter:
        yield PartitionRows(partition, together(list(_values_of_partitions(commit, index))))


def _of_files(commit: CommittedChange) -> Iterator[StatisticsRows]:
    if not commit.change.statuses:
        return
    keys, names = commit.new_files
    version = _version_of(commit)
    for column, column_type in _columns_of(commit).items():
        rows = np.flatnonzero([not _lacks(status, column) for status in commit.change.statuses])
        if len(rows):
            of_all = _ranges(commit, column)
            ranges = [of_all[row] for row in rows.tolist()]
            yield file_statistics(
                column, keys[rows], take_strings(names, rows), statistics_of(ranges, column_type), _sizes(ranges),
                version,
            )  # fmt: skip


def _of_partitions(
    commit: CommittedChange,
    column: str,
    type: t.Type,
    partitions: Sequence[str],
    before: RecordedFiles,
    numbers: Numbers,
) -> StatisticsRows:
    new = FileStatistics(numbers, statistics_of(_ranges(commit, column), type))
    places, statistics = partition_statistics([before.statistics(column, type), new])
    names = [partitions[number] for number in places.tolist()]
    zeros = np.zeros(len(names), np.int64)
    return partition_statistics_of(
        column, names, statistics, Sizes(zeros, zeros), _version_of(commit), tight=commit.tight
    )


def _expression_of(commit: CommittedChange, partition: str) -> IndexedExpression:
    index = commit.noted[partition]
    assert isinstance(index, IndexedExpression)
    return index


def _values_statistics(commit: CommittedChange, index: IndexedExpression) -> Iterator[IndexRows]:
    """The statistics of an expression index for new files, and for the partitions that the commit touches."""
    if commit.change.statuses:
        yield expression_file_rows(index, *commit.new_files, _statistics_of_values(commit, index))
    yield from _values_of_partitions(commit, index)


def _values_of_partitions(commit: CommittedChange, index: IndexedExpression) -> Iterator[IndexRows]:
    touched = commit.touched
    if touched.gone:
        yield IndexRows(deletes=expression_partition_keys(index, touched.gone))
    if touched.has_files:
        before = read_recorded_files(commit.metadata, touched.live, touched.numbers, [index.column], index.partition)
        new = FileStatistics(touched.new, _statistics_of_values(commit, index))
        places, whole = partition_statistics([before.statistics(index.column, index.type), new])
        names = [touched.partitions[number] for number in places.tolist()]
        yield expression_partition_rows(index, names, whole, tight=commit.tight)


def _statistics_of_values(commit: CommittedChange, index: IndexedExpression) -> ColumnStatistics:
    return statistics_of([_range_of_values(status, index.partition) for status in commit.change.statuses], index.type)


def _range_of_values(status: WriteStatus, partition: str) -> ColumnRange | None:
    known = status.notes.get(partition)
    assert known is None or isinstance(known, ColumnRange)
    return known if status.rows else ColumnRange(None, None, 0, 0)


def _values_filters(commit: CommittedChange, index: IndexedExpression) -> IndexRows:
    """The filters of an expression index of new files. A file without one may hold any value."""
    filters: list[FileFilter] = []
    for status in commit.change.statuses:
        content = status.notes.get(index.partition)
        if isinstance(content, bytes):
            filters.append(FileFilter(status.partition, file_name_of(status), KIND_IN_FILES, content))
    return filter_rows(filters, commit.instant_time)


def _version_of(commit: CommittedChange) -> str:
    definition = commit.definitions.get(COLUMN_STATS)
    if definition is not None:
        return definition.version
    return V2 if commit.metadata.config.version >= 9 else V1


def _columns_of(commit: CommittedChange) -> dict[str, t.Type]:
    definition = commit.definitions.get(COLUMN_STATS)
    schema = leave_out(commit.change.schema, commit.metadata.config.left_out_columns)
    # Apache Hudi's Java client keeps the index without a definition. Rule META-712.
    default = default_columns(schema, _version_of(commit), own=True)
    columns = default if definition is None else definition.columns
    return columns_with_statistics(columns, schema, _version_of(commit))


def _ranges(commit: CommittedChange, column: str) -> list[ColumnRange | None]:
    nothing = ColumnRange(None, None, 0, 0)
    return [
        nothing if not status.rows or _lacks(status, column) else status.columns.get(column)
        for status in commit.change.statuses
    ]


def _lacks(status: WriteStatus, column: str) -> bool:
    """Whether the rows of a file have no value of their own for a column."""
    return status.is_partial and column not in status.columns


def _sizes(ranges: Sequence[ColumnRange | None]) -> Sizes:
    return Sizes(
        np.array([0 if one is None else one.size for one in ranges], np.int64),
        np.array([0 if one is None else one.uncompressed_size for one in ranges], np.int64),
    )
