"""What a commit of the table changes in each partition of the metadata table. Rules META-51 to META-55, META-60 to META-66."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from hudi_core.metadata.kinds import EXPRESSION_INDEX, SECONDARY_INDEX, PerKind, kind_of
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, FILES, PARTITION_STATS, RECORD_INDEX
from hudi_core.metadata_rows import rows_of_keys, rows_of_statistics
from hudi_core.metadata_rows.committed_change import CommittedChange
from hudi_core.metadata_rows.rows import PartitionRows, list_staged_rows

MakeRows = Callable[[CommittedChange, str], Iterator[PartitionRows]]
"""Makes the rows of a commit for a metadata partition."""
ROWS_OF_CHANGE: Final = PerKind[MakeRows](
    {
        FILES: rows_of_keys.files,
        COLUMN_STATS: rows_of_statistics.column_stats,
        BLOOM_FILTERS: rows_of_keys.bloom_filters,
        RECORD_INDEX: rows_of_keys.record_index,
        PARTITION_STATS: rows_of_statistics.partition_stats,
        SECONDARY_INDEX: rows_of_keys.secondary,
        EXPRESSION_INDEX: rows_of_statistics.expression,
    }
)
ROWS_OF_WHOLE_PARTITIONS: Final = PerKind[MakeRows](
    {
        PARTITION_STATS: rows_of_statistics.partition_stats,
        EXPRESSION_INDEX: rows_of_statistics.expression_of_partitions,
    }
)
"""The rows of a commit that are of whole partitions of the table."""


def is_kept(partition: str) -> bool:
    """Whether a commit keeps a partition of the metadata table up to date."""
    return kind_of(partition) is not None


def make_rows(commit: CommittedChange) -> Iterator[PartitionRows]:
    """Makes the rows of a commit for all partitions that the metadata table has."""
    return _make_rows(commit, ROWS_OF_CHANGE)


def make_rows_of_whole_partitions(commit: CommittedChange) -> Iterator[PartitionRows]:
    """Makes the rows of a commit that are of whole partitions of the table."""
    return _make_rows(commit, ROWS_OF_WHOLE_PARTITIONS)


def _make_rows(commit: CommittedChange, step: PerKind[MakeRows]) -> Iterator[PartitionRows]:
    staged = commit.change.staged
    for partition, make in step.among({FILES, *commit.metadata.partitions}):
        if staged is not None and partition in staged.partitions:
            yield from list_staged_rows(partition, staged)
        else:
            yield from make(commit, partition)
