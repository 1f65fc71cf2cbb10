"""Planning a clean: the files that nobody needs, from one look at the table. Rules CLEAN-382 to CLEAN-394."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.columns.strings import string_list
from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.times import Clock
from hudi_core.engine import Storage
from hudi_core.formats.names import parse_base_file
from hudi_core.paths import partition_path, resolve_planned_path
from hudi_core.services.cleaning.options import CleanSettings
from hudi_core.services.cleaning.plan import CleanPlan
from hudi_core.services.cleaning.retention import SAVED_TIMES, earlier_cleans, first_retained, partitions_to_look_at
from hudi_core.services.cleaning.selection import Kept, Replacement, Rule, Superfluous, superfluous_versions
from hudi_core.services.cleaning.versions import GroupVersions, group_versions
from hudi_core.table.table import Table
from hudi_core.timeline.files import FileList
from hudi_core.timeline.instants import CLUSTERING, REPLACE_COMMIT, SAVEPOINT, WRITES, Instant, time_order
from hudi_core.timeline.services import FileGroup, RetainedInstant, pending_work, savepoint, savepoints
from hudi_core.timeline.slice_building import read_archived_replacements
from hudi_core.timeline.timeline import Timeline

_ALL_VERSIONS: Final = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with what is known of its files: the list of all files of the table, and the versions to delete."""

    plan: CleanPlan
    files: FileList
    names: list[str]
    versions: tuple[Superfluous, ...] = ()

    @property
    def bytes(self) -> int:
        """The sizes of the files to delete, together."""
        rows = [row for one in self.versions for row in one.version.rows]
        return int(self.files.sizes[rows].sum()) if rows else 0


def plan_clean(table: Table, settings: CleanSettings, clock: Clock) -> Planned:
    """The plan of a clean of a table as it is.

    Raises `CorruptFileError` and `StorageError` where a savepoint or the plan of a pending service cannot be read: then nothing
    is known to be superfluous.
    """
    timeline = table.timeline
    earlier = earlier_cleans(timeline)
    retained = first_retained(timeline, settings, earlier, clock)
    partitions = partitions_to_look_at(timeline, settings, earlier, retained)
    rule = Rule(versions=settings.retained) if settings.policy.counts_versions else None
    if retained is not None:
        rule = Rule(since=retained.requested_time)
    if rule is None or partitions == frozenset():
        listing = table.snapshot().listing.select(np.zeros(0, np.int64))
        return Planned(_plan(table, settings, retained, (), (), []), listing, [])
    files = table.snapshot().listing
    names = string_list(files.names)
    groups = list(group_versions(files, timeline, partitions))
    versions = tuple(
        superfluous_versions(groups, rule, list_kept_files(timeline), replacements(timeline, groups), names),
    )
    looked_at = files.partitions if partitions is None else sorted(partitions.intersection(files.partitions))
    emptied = tuple(_find_emptied(table, looked_at, groups, versions, names))
    return Planned(_plan(table, settings, retained, versions, emptied, names), files, names, versions)


def _plan(
    table: Table,
    settings: CleanSettings,
    retained: Instant | None,
    versions: Sequence[Superfluous],
    emptied: tuple[str, ...],
    names: list[str],
) -> CleanPlan:
    deleted: dict[str, list[str]] = {}
    for one in versions:
        deleted.setdefault(one.group.partition, []).extend(names[row] for row in one.version.rows)
    commits = table.timeline.commits
    saved = savepoints(table.timeline) if table.config.partition_fields else []
    return CleanPlan(
        settings.policy,
        None
        if retained is None
        else RetainedInstant(timestamp=retained.requested_time, action=retained.action, state=retained.state.name),
        commits[-1].requested_time if commits else "",
        {partition: tuple(of_partition) for partition, of_partition in deleted.items()},
        emptied,
        {SAVED_TIMES: ",".join(saved)} if saved else {},
    )


def list_kept_files(timeline: Timeline) -> Kept:
    """The files of savepoints, and what pending services are going to read."""
    saved: dict[str, set[str]] = {}
    pinned = []
    for instant in timeline.instants:
        if instant.action == SAVEPOINT and instant.completed:
            for partition, of_partition in savepoint(timeline, instant).partitions.items():
                saved.setdefault(partition, set()).update(of_partition.files)
        elif instant.action == SAVEPOINT:
            pinned.append(instant.requested_time)
    frozen = {partition: frozenset(of_partition) for partition, of_partition in saved.items()}
    return Kept(frozen, _find_planned_from(timeline), tuple(pinned))


def _find_planned_from(timeline: Timeline) -> Mapping[FileGroup, str]:
    """The instant from which on slices of a file group are needed by a pending plan; the earliest of several plans."""
    needed: dict[FileGroup, str] = {}
    for work in pending_work(timeline):
        if not work.file_groups:
            continue
        starts = _find_planned_starts(timeline, work.instant)
        for group in work.file_groups:
            start = starts.get(group, _ALL_VERSIONS)
            known = needed.get(group)
            needed[group] = start if known is None else min(start, known, key=time_order)
    return needed


def _find_planned_starts(timeline: Timeline, instant: Instant) -> Mapping[FileGroup, str]:
    """The instants of the slices that a plan names, by file group; one without a base file may be any."""
    plan = timeline.plan(instant)
    if instant.action in (CLUSTERING, REPLACE_COMMIT):
        groups = (plan.get("clusteringPlan") or {}).get("inputGroups") or ()
        slices = [one for group in groups for one in group.get("slices") or ()]
        stated = [(one, _base_instant(resolve_planned_path("", one.get("dataFilePath") or ""))) for one in slices]
    else:
        stated = [(one, one.get("baseInstantTime")) for one in plan.get("operations") or ()]
    return {
        (partition_path(one.get("partitionPath") or ""), str(one.get("fileId") or "")): str(time)
        for one, time in stated
        if time
    }


def _base_instant(name: str) -> str | None:
    parsed = parse_base_file(name)
    return None if parsed is None else parsed.instant


def replacements(timeline: Timeline, groups: Sequence[GroupVersions]) -> Mapping[FileGroup, Replacement]:
    """What replaced file groups, by completed replace commits of the timeline and of its history."""
    instants = {version.instant for group in groups for version in group.versions}
    by_group = {
        group: Replacement(time, time_order(time), archived=True)
        for group, time in read_archived_replacements(timeline, instants).items()
    }
    for group, time in timeline.replaced.items():
        by_group[group] = Replacement(time, time_order(timeline.completion_time(time)))
    return by_group


def _find_emptied(
    table: Table,
    partitions: Collection[str],
    groups: Sequence[GroupVersions],
    versions: Sequence[Superfluous],
    names: list[str],
) -> Iterator[str]:
    """The partitions that have nothing but files to delete. While a write is pending there are none: it may be about to fill
    one."""
    if not table.config.partition_fields or any(one.completes_as in WRITES for one in table.timeline.pending):
        return
    left: dict[str, int] = {}
    for group in groups:
        left[group.partition] = left.get(group.partition, 0) + len(group.versions)
    deleted: dict[str, set[str]] = {}
    for one in versions:
        left[one.group.partition] -= 1
        deleted.setdefault(one.group.partition, set()).update(names[row] for row in one.version.rows)
    for partition in partitions:
        if partition and not left.get(partition) and has_only(table.storage, partition, deleted.get(partition, set())):
            yield partition


def has_only(storage: Storage, partition: str, names: Collection[str]) -> bool:
    """Whether a partition's folder holds these files at most, and what makes it a partition."""
    allowed = {PARTITION_METADATA, f".{PARTITION_METADATA}.crc", *names, *(f".{name}.crc" for name in names)}
    listed = storage.list(partition, recursive=True)
    return all(info.path == f"{partition}/{info.name}" and info.name in allowed for info in listed)
