"""What a commit of the table changes in each partition of the metadata table. Rules META-51 to META-55, META-60 to META-66."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from types import MappingProxyType
from typing import Final

from hudi_core.commit.statuses import TableChange
from hudi_core.commit.steps import Step
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.kinds import EXPRESSION_INDEX, SECONDARY_INDEX, PerKind, get_known_kind, kind_of
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, FILES, PARTITION_STATS, RECORD_INDEX, MetadataTable
from hudi_core.metadata_writer import rows_of_keys, rows_of_statistics
from hudi_core.metadata_writer.committed_change import CommittedChange
from hudi_core.metadata_writer.delta_commit import PartitionRows, delta_commit_steps, list_staged_rows, refuse_unkept

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


@dataclass(frozen=True, slots=True)
class Overlap:
    """Writes that overlap a commit. Log files apply in the order in which their writes were requested, whichever completed first;
    records of whole partitions have to be right in that order, too. Rules META-530, META-531."""

    earlier: bool = False
    """Writes that were requested before this one are not complete."""
    again: tuple[str, str] | None = None
    """Writes that were requested after this one are complete: requested and completion time of a second delta commit, after all
    of theirs."""


NO_OVERLAP: Final = Overlap()


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
    commit = CommittedChange(
        metadata, definitions, instant_time, change, files_before, zone, noted, not overlap.earlier
    )
    rows = _make_rows(commit, ROWS_OF_CHANGE)
    steps = delta_commit_steps(metadata, instant_time, completion_time, rows, building)
    if overlap.again is not None:
        # It counts before the commit of the table does: what the commit takes away is still there then.
        rows = _make_rows(replace(commit, tight=False), ROWS_OF_WHOLE_PARTITIONS)
        steps += delta_commit_steps(metadata, *overlap.again, rows, repeats=instant_time)
    return steps


def _make_rows(commit: CommittedChange, step: PerKind[MakeRows]) -> Iterator[PartitionRows]:
    staged = commit.change.staged
    for partition, make in step.among({FILES, *commit.metadata.partitions}):
        if staged is not None and partition in staged.partitions:
            yield from list_staged_rows(partition, staged)
        else:
            yield from make(commit, partition)
