"""What a commit changes in the list of files and in indexes of keys. Rules META-51 to META-54, META-72, META-112."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import without
from hudi_core.columns.strings import concat_strings, string_list, take_strings
from hudi_core.commit.statuses import WriteStatus
from hudi_core.errors import UsageError
from hudi_core.formats.secondary_keys import KeyChange
from hudi_core.metadata_rows.committed_change import CommittedChange, file_name_of
from hudi_core.metadata_rows.rows import (
    FileFilter,
    GroupKeys,
    IndexRows,
    PartitionRows,
    file_rows,
    filter_rows,
    location_rows,
)
from hudi_core.metadata_rows.secondary import join_secondary_changes
from hudi_core.pruning.ranks import order_texts


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
        FileFilter(status.partition, file_name_of(status), status.bloom_filter_type or "SIMPLE", status.bloom_filter)
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


@dataclass(frozen=True, slots=True, eq=False)
class KeyChanges:
    """Record keys that a file group holds after a commit, all that are new to it among them, and keys that it does not hold any
    more."""

    partition: str
    file_id: str
    added: StringColumn | None = None
    removed: StringColumn | None = None


def key_changes(status: WriteStatus) -> KeyChanges:
    """The keys of a status."""
    return KeyChanges(status.partition, status.file_id, status.added_keys, status.removed_keys)


def location_changes(changes: Sequence[KeyChanges], milliseconds: int) -> IndexRows:
    """The records of these keys in the record index, of a commit at a time counted from 1970. A key that one file group loses and
    another gets has moved. Raises `UsageError` for a key that two get."""
    added = location_rows(
        [GroupKeys(one.partition, one.file_id, one.added) for one in changes if one.added is not None], milliseconds
    )
    twice = _find_repeated_key(added.keys)
    if twice is not None:
        raise UsageError("record index", expected="each record key in one file group", found=f"{twice!r} in two")
    removed = [one.removed for one in changes if one.removed is not None]
    gone = without(concat_strings(removed), added.keys) if removed else added.deletes
    return IndexRows(added.keys, added.values, gone)


def _find_repeated_key(keys: StringColumn) -> str | None:
    """A key that occurs more than once; None where there is none."""
    if len(keys.offsets) == 1:
        return None
    order, differs = order_texts(ByteStrings(keys.offsets, keys.data))
    row = int(order[int(differs.argmin())])
    return None if differs.all() else string_list(take_strings(keys, slice(row, row + 1)))[0]


def epoch_milliseconds(instant_time: str, zone: tzinfo | None) -> int:
    """The time of an instant, of a timeline in this zone (None: the machine's own), in milliseconds since 1970."""
    moment = datetime.strptime(instant_time[:14], "%Y%m%d%H%M%S").replace(tzinfo=zone)
    return int(moment.timestamp()) * 1000 + int(instant_time[14:17] or 0)
