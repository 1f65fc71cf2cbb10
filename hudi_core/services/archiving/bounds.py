"""What must stay on the active timeline, and why. Rules ARCHIVE-382 to ARCHIVE-389."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hudi_core.columns.strings import string_list
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.metadata.table import MetadataTable, open_metadata_table
from hudi_core.options import TableType
from hudi_core.services.archiving.options import ArchiveSettings
from hudi_core.services.cleaning.retention import EarlierCleans, earlier_cleans, first_retained, get_completion_time
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    CLUSTERING,
    COMMIT,
    COMPACTION,
    DELTA_COMMIT,
    INDEXING,
    LOG_COMPACTION,
    REPLACE_COMMIT,
    SAVEPOINT,
    WRITES,
    Instant,
    time_order,
)
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.timeline import Timeline

_NEED_HISTORY: Final = WRITES | {COMPACTION, LOG_COMPACTION, CLUSTERING, INDEXING}
"""Actions that look back while they are pending."""
NOTHING: Final = ""
"""Sorts before every time: nothing may be archived."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Writes requested at this time and later stay."""

    time: str
    reason: str


def bounds(table: Table, settings: ArchiveSettings) -> Iterator[Bound]:
    """What holds the writes of a table on its active timeline."""
    timeline = table.timeline
    yield from pending_bounds(timeline)
    if table.config.type is TableType.MERGE_ON_READ and settings.delta_commits is not None:
        yield from compaction_bounds(timeline, settings.delta_commits)
    yield from _find_replaced_bounds(table)
    yield from _metadata_bounds(table)
    if not settings.beyond_savepoint:
        saved = next((one for one in timeline.instants if one.action == SAVEPOINT), None)
        if saved is not None:
            # After a restore the saved write may be alone: readers of Apache Hudi take no archived write for committed then.
            first = time_order(saved.requested_time)
            before = [one.requested_time for one in timeline.commits if time_order(one.requested_time) < first]
            yield Bound(before[-1] if before else saved.requested_time, "a savepoint")
    retained = earlier_cleans(timeline).retained if settings.until_cleaned else None
    if retained is not None:
        yield Bound(retained, "what the last clean retained")


def pending_bounds(timeline: Timeline) -> Iterator[Bound]:
    """The last completed write before the first pending one, or that one: its rollback or its commit looks at it."""
    pending = next((one for one in timeline.pending if one.action in _NEED_HISTORY), None)
    if pending is not None:
        first = time_order(pending.requested_time)
        before = [one.requested_time for one in timeline.commits if time_order(one.requested_time) < first]
        yield Bound(
            before[-1] if before else pending.requested_time, f"{pending.action} {pending.requested_time} is pending"
        )


def compaction_bounds(timeline: Timeline, delta_commits: int) -> Iterator[Bound]:
    """The delta commits that a compaction which is due by their number counts: archived ones would never make it due."""
    deltas = [instant for instant in timeline.commits if instant.action == DELTA_COMMIT]
    compactions = [instant for instant in timeline.commits if instant.action == COMMIT]
    if compactions:
        since = time_order(compactions[-1].requested_time)
        deltas = [instant for instant in deltas if get_completion_time(instant) > since]
    first = compactions[-1] if compactions else next(iter(deltas), None)
    if len(deltas) >= delta_commits:
        first = deltas[len(deltas) - delta_commits]
    if first is not None:
        yield Bound(first.requested_time, "the next compaction counts delta commits")


def _find_replaced_bounds(table: Table) -> Iterator[Bound]:
    """The first replace commit of whose replaced file groups there still are files: without it they would be read again."""
    timeline = table.timeline
    replacing = [instant for instant in timeline.commits if instant.action == REPLACE_COMMIT]
    if not replacing:
        return
    there = _file_groups(table)
    for instant in replacing:
        replaced = timeline.metadata(instant).replaced
        if any((partition, file_id) in there for partition, ids in replaced.items() for file_id in ids):
            yield Bound(instant.requested_time, "file groups that it replaced are not cleaned away")
            return


def _file_groups(table: Table) -> set[FileGroup]:
    """The file groups of which there is any file, of a write that counts or not."""
    files = table.snapshot().listing
    groups: set[FileGroup] = set()
    for number, name in zip(files.partition_of.tolist(), string_list(files.names), strict=True):
        parsed = parse_base_file(name) or parse_log_file(name)
        if parsed is not None:
            groups.add((files.partitions[number], parsed.file_id))
    return groups


def _metadata_bounds(table: Table) -> Iterator[Bound]:
    """What completed since the metadata table was compacted last: readers of Apache Hudi hold blocks of its log files to the
    active timeline. Before its first compaction nothing may go."""
    if not table.config.kept_partitions:
        return
    metadata = open_metadata_table(table.storage, table.config, table.timeline)
    compaction = None if metadata is None else last_compaction(metadata)
    if compaction is None:
        yield Bound(NOTHING, "the metadata table was not compacted yet")
        return
    since = time_order(compaction.requested_time)
    layout = table.config.layout
    later = (
        instant.requested_time
        for instant in table.timeline.commits
        if (get_completion_time(instant) > since if layout > 1 else time_order(instant.requested_time) >= since)
    )
    first = next(later, None)
    if first is not None:
        yield Bound(first, "the metadata table was not compacted since")


def last_compaction(metadata: MetadataTable) -> Instant | None:
    """The latest completed compaction of the metadata table."""
    return next((one for one in reversed(metadata.timeline.commits) if one.action == COMMIT), None)


def metadata_bounds(table: Table, metadata: MetadataTable, settings: ArchiveSettings) -> Iterator[Bound]:
    """What holds the instants of the metadata table on its active timeline: those of the table's own active timeline, and what
    completed since its last compaction began, whose log files belong to the slices after it."""
    yield from pending_bounds(metadata.timeline)
    if settings.delta_commits is not None:
        yield from compaction_bounds(metadata.timeline, settings.delta_commits)
    saved = {one.requested_time for one in table.timeline.instants if one.action == SAVEPOINT}
    kept = [
        one.requested_time
        for one in table.timeline.commits
        if not (settings.beyond_savepoint and one.requested_time in saved)
    ]
    pending = [one.requested_time for one in table.timeline.pending]
    earliest = min((*kept[:1], *pending[:1]), key=time_order, default=None)
    yield Bound(NOTHING if earliest is None else earliest, "the table's own timeline begins there")
    compaction = last_compaction(metadata)
    if compaction is None:
        yield Bound(NOTHING, "it was not compacted yet")
        return
    since = time_order(compaction.requested_time)
    first = next((one.requested_time for one in metadata.timeline.commits if get_completion_time(one) > since), None)
    yield Bound(first or compaction.requested_time, "its last compaction began there")


def find_kept_numbers(timeline: Timeline, settings: ArchiveSettings) -> tuple[int, int]:
    """How many completed writes stay, and from how many on some go. Where a clean retains more, more stay: hours count until the
    last write."""
    if not timeline.commits:
        return settings.keep_min, settings.keep_max
    last = datetime.strptime(timeline.commits[-1].requested_time[:14], "%Y%m%d%H%M%S").replace(tzinfo=timeline.zone)
    whole = replace(settings.cleaning, max_commits=None)
    retained = first_retained(timeline, whole, EarlierCleans(None, None, None), lambda: last)
    if retained is None:
        return settings.keep_min, settings.keep_max
    after = sum(time_order(one.requested_time) > time_order(retained.requested_time) for one in timeline.commits)
    least = after + 2
    if settings.keep_min >= least:
        return settings.keep_min, settings.keep_max
    return least, least + settings.keep_max - settings.keep_min
