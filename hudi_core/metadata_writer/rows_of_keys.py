"""What a commit changes in the list of files and in indexes of keys. Rules META-51 to META-54, META-112."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hudi_core.columns.nodes import StringColumn
from hudi_core.commit.statuses import WriteStatus
from hudi_core.formats.secondary_keys import KeyChange
from hudi_core.metadata_writer.committed_change import CommittedChange, file_name_of
from hudi_core.metadata_writer.delta_commit import PartitionRows, epoch_milliseconds
from hudi_core.metadata_writer.locations import KeyChanges, key_changes, location_changes
from hudi_core.metadata_writer.rows import IndexRows, StoredFilter, file_rows, filter_rows
from hudi_core.metadata_writer.secondary import join_secondary_changes


def files(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of `files`: the new files."""
    sizes: dict[str, dict[str, int]] = {}
    for status in commit.change.statuses:
        of_partition = sizes.setdefault(status.partition, {})
        of_partition[file_name_of(status)] = status.size
        of_partition |= {path.rpartition("/")[2]: size for path, size in status.change_logs.items()}
    yield PartitionRows(partition, file_rows(sizes))


def bloom_filters(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of `bloom_filters`: the filters of new base files."""
    filters = [
        StoredFilter(status.partition, file_name_of(status), status.bloom_filter_type or "SIMPLE", status.bloom_filter)
        for status in commit.change.statuses
        if status.bloom_filter
    ]
    yield PartitionRows(partition, filter_rows(filters, commit.instant_time))


def record_index(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of the record index: where keys are now."""
    definition = commit.definitions.get(partition)
    if definition is None or not definition.is_partitioned:
        replaced = list(commit.change.replaced_keys.values())
        yield PartitionRows(partition, _locations(commit, commit.change.statuses, replaced))
        return
    by_partition: dict[str, list[WriteStatus]] = {of_table: [] for of_table in commit.change.replaced_keys}
    for status in commit.change.statuses:
        by_partition.setdefault(status.partition, []).append(status)
    for of_table, statuses in by_partition.items():
        keys = commit.change.replaced_keys.get(of_table)
        yield PartitionRows(partition, _locations(commit, statuses, [] if keys is None else [keys]), of_table)


def _locations(commit: CommittedChange, statuses: Sequence[WriteStatus], replaced: Sequence[StringColumn]) -> IndexRows:
    """The locations of keys after the commit; `replaced` are the keys of replaced file groups."""
    lost = [KeyChanges("", "", removed=keys) for keys in replaced]
    return location_changes([*map(key_changes, statuses), *lost], epoch_milliseconds(commit.instant_time, commit.zone))


def secondary(commit: CommittedChange, partition: str) -> Iterator[PartitionRows]:
    """Rows of a secondary index: the keys that its file groups have, and those that they had."""
    changes = [status.secondary[partition] for status in commit.change.statuses if partition in status.secondary]
    replaced = commit.change.replaced_secondary.get(partition)
    if replaced is not None:
        changes.append(KeyChange(removed=replaced))
    yield PartitionRows(partition, join_secondary_changes(changes, commit.definitions[partition].version))
