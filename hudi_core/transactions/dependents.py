"""What builds on a completed write: the later instants that would lose, or double, rows if it were undone alone.

Rules ROLLBACK-571 to ROLLBACK-573.

A write can be undone alone where the table is then as if it had never been: no later instant wrote into its file groups or
replaced them, none may have added a row for a key that it had taken away, and every file that comes back is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from hudi_core.commit.statuses import COMPACTIONS
from hudi_core.errors import UsageError, list_names
from hudi_core.merge.rules import merge_rules
from hudi_core.metadata.kinds import locates_keys
from hudi_core.reading.merge_columns import IS_DELETED
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.commits import CommitMetadata
from hudi_core.timeline.files import SCHEMA_FOLDER
from hudi_core.timeline.instants import CLEAN, WRITES, Instant, time_order
from hudi_core.timeline.services import FileGroup, clean, clean_plan, pending_work, savepoints

_ADDS: Final = frozenset({"INSERT", "BULK_INSERT", "CLUSTER", *COMPACTIONS})
"""Operations that take no key away."""
_SAME_ROWS: Final = frozenset({"CLUSTER", *COMPACTIONS})
"""Operations that add no key."""


@dataclass(frozen=True, slots=True)
class Dependent:
    """A later instant, and what of the write it builds on."""

    instant: Instant
    reason: str


def refuse_dependents(table: Table, undone: Instant) -> None:
    """Raises `UsageError` where the table without a completed write alone would not be as if it had never been."""
    metadata = table.timeline.metadata(undone)
    _refuse_saved(table, undone)
    dependents = [*_dependents(table, undone, metadata)]
    if dependents:
        times = list_names(list(dict.fromkeys(one.instant.requested_time for one in dependents)))
        first = dependents[0]
        raise UsageError(
            "rollback",
            expected="a write that no later one builds on; roll back the later ones first",
            found=f"{undone.requested_time}, on which {times} builds: {first.instant.action} "
            f"{first.instant.requested_time} {first.reason}",
        )
    _refuse_cleaned(table, undone, metadata)


def later_writes(table: Table, undone: Instant) -> list[Instant]:
    """The completed writes that began or completed after another began."""
    since = time_order(undone.requested_time)
    return [
        commit
        for commit in table.timeline.commits
        if commit.requested_time != undone.requested_time
        and max(time_order(commit.requested_time), time_order(commit.completion_time or "")) > since
    ]


def _refuse_saved(table: Table, undone: Instant) -> None:
    since = time_order(undone.requested_time)
    saved = [time for time in savepoints(table.timeline) if time_order(time) >= since]
    if saved:
        found = f"a savepoint of {saved[0]}"
        raise UsageError("rollback", expected="a write without a savepoint of it or of a later one", found=found)


def _dependents(table: Table, undone: Instant, metadata: CommitMetadata) -> Iterator[Dependent]:
    later = later_writes(table, undone)
    groups = _groups(metadata)
    partitions = {partition for partition, _ in groups}
    takes_keys_away = _takes_keys_away(table, metadata)
    whole_table = locates_keys(table.config.kept_partitions)  # rows move between partitions
    brings_schema = any(
        info.name.startswith((f"{undone.requested_time}.", f"{undone.requested_time}_"))
        for info in table.storage.list(SCHEMA_FOLDER)
    )
    checkpoints = _has_checkpoints(metadata.extra)
    for instant in later:
        since = table.timeline.metadata(instant)
        both = sorted(groups & _groups(since))
        if both:
            yield Dependent(instant, f"wrote to or replaced its file group {both[0][1]}")
        elif brings_schema:
            yield Dependent(instant, "has the schema that it brought")
        elif checkpoints:
            yield Dependent(instant, "states the batches of streams that it recorded")
        elif takes_keys_away and since.operation not in _SAME_ROWS:
            adds = [
                partition
                for partition, stats in since.stats.items()
                if (whole_table or partition in partitions)
                and any(stat.previous is None or stat.inserts != 0 for stat in stats)
            ]
            if adds:
                yield Dependent(instant, f"may have added rows to partition {adds[0]!r} for keys that it took away")
    for work in pending_work(table.timeline):
        planned = sorted(groups.intersection(work.file_groups))
        if planned:
            yield Dependent(work.instant, f"plans to rewrite its file group {planned[0][1]}")
        elif work.instant.action in WRITES and not work.file_groups:
            # Nobody knows from outside which file groups a running write is about to change.
            yield Dependent(work.instant, "is being written")
        elif work.instant.action == CLEAN:
            yield from _pending_clean(table, work.instant, groups)


def _pending_clean(table: Table, instant: Instant, groups: set[FileGroup]) -> Iterator[Dependent]:
    for partition, names in clean_plan(table.timeline, instant).list_deleted().items():
        if any(_is_of(name, partition, groups) for name in names):
            yield Dependent(instant, f"plans to delete files of its file groups in partition {partition!r}")
            return


def _groups(metadata: CommitMetadata) -> set[FileGroup]:
    """The file groups that a write wrote to or replaced."""
    written = {(partition, stat.file_id) for partition, stats in metadata.stats.items() for stat in stats}
    return written | {(partition, file_id) for partition, ids in metadata.replaced.items() for file_id in ids}


def _takes_keys_away(table: Table, metadata: CommitMetadata) -> bool:
    """Whether a write may have deleted rows: an upsert does by delete markers, which no statistic counts."""
    if metadata.operation in _ADDS:
        return False
    if metadata.replaced or metadata.operation not in ("UPSERT", "UPSERT_PREPPED"):
        return True
    if any(stat.deletes != 0 for stats in metadata.stats.values() for stat in stats):
        return True
    rules = merge_rules(table.config, table.storage.uri)
    return rules.delete_field is not None or table.schema.find(IS_DELETED) is not None


def _has_checkpoints(extra: Mapping[str, str]) -> bool:
    return any("checkpoint" in name.lower() and value for name, value in extra.items())


def _refuse_cleaned(table: Table, undone: Instant, metadata: CommitMetadata) -> None:
    """Raises `UsageError` where a file is gone that would be read again: a clean deleted what the write took the place of."""
    comes_back = {
        (partition, stat.file_id): stat.previous
        for partition, stats in metadata.stats.items()
        for stat in stats
        if stat.previous is not None and time_order(stat.previous) < time_order(undone.requested_time)
    }
    replaced = {(partition, file_id) for partition, ids in metadata.replaced.items() for file_id in ids}
    if not comes_back and not replaced:
        return
    there = {(one.partition, one.file_id): one.instant for one in _without(table, undone).slices()}
    lost = [group for group, instant in comes_back.items() if there.get(group) != instant]
    lost += [group for group in replaced if group not in there]
    if not lost:
        cleaned = _list_cleaned_since(table, undone)
        lost = [
            group for partition, names in cleaned.items() for group in replaced
            if group[0] == partition and any(_is_of(name, partition, {group}) for name in names)
        ]  # fmt: skip
    if lost:
        partition, file_id = min(lost)
        found = f"none of file group {file_id} of partition {partition!r}: a clean deleted it"
        raise UsageError("rollback", expected=f"the files that {undone.requested_time} replaced", found=found)


def _without(table: Table, undone: Instant) -> Table:
    """The table as it will be, its files listed."""
    instants = tuple(one for one in table.timeline.instants if one.requested_time != undone.requested_time)
    timeline = replace(table.timeline, instants=instants)
    return replace(table, timeline=timeline, metadata_mode=MetadataMode.OFF, earlier=None)


def _list_cleaned_since(table: Table, undone: Instant) -> dict[str, list[str]]:
    """The names of files that cleans deleted since a write began, by partition."""
    since = time_order(undone.requested_time)
    names: dict[str, list[str]] = {}
    for instant in table.timeline.completed:
        if instant.action == CLEAN and time_order(instant.requested_time) > since:
            for partition, cleaned in clean(table.timeline, instant).partitions.items():
                names.setdefault(partition, []).extend(cleaned.deleted)
    return names


def _is_of(name: str, partition: str, groups: set[FileGroup]) -> bool:
    """Whether a data file is of one of some file groups, by its name."""
    return (partition, name.lstrip(".").partition("_")[0]) in groups
