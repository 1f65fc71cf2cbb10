"""All versions of the file groups of a table: each slice that its files make, not only the latest. Rules CLEAN-386, CLEAN-387.

They are those of `timeline.slice_building`, which gives the latest one of each group for a query.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from hudi_core.columns.strings import string_list
from hudi_core.formats.names import LogFileName, parse_base_file, parse_log_file
from hudi_core.timeline.files import FileList
from hudi_core.timeline.instants import WRITES, time_order
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.timeline import Timeline

NEVER: Final = "~"
"""Sorts after every time: a slice whose write is not completed."""


@dataclass(frozen=True, slots=True)
class Version:
    """One slice of a file group. `completed` is when its write was there for readers, or `NEVER`; `rows` are the rows of its
    files in the list of all."""

    instant: str
    completed: str
    rows: tuple[int, ...]

    @property
    def is_waiting(self) -> bool:
        """Log files that a pending compaction will merge: they are read together with the version before."""
        return self.completed == NEVER


@dataclass(frozen=True, slots=True)
class GroupVersions:
    """A file group with its versions, oldest first."""

    partition: str
    file_id: str
    versions: tuple[Version, ...]


@dataclass(slots=True)
class _Files:
    """The files of one group, by row."""

    bases: list[tuple[str, int]] = field(default_factory=list)
    logs: list[tuple[LogFileName, int]] = field(default_factory=list)


class _Writes:
    """What the timeline says about the instants in names of files, asked once for each."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._counting: dict[str, bool] = {}
        self._completed: dict[str, str] = {}
        self.waiting = {time_order(time) for time in timeline.pending_compactions}

    def counts(self, instant: str) -> bool:
        """Whether files of the write count."""
        if instant not in self._counting:
            self._counting[instant] = self._timeline.is_committed(instant)
        return self._counting[instant]

    def get_completion_time(self, instant: str) -> str:
        """When a write that counts was there for readers."""
        if instant not in self._completed:
            timeline = self._timeline
            archived = self._archived.get(instant) if timeline.is_archived(instant) else None
            self._completed[instant] = time_order(archived or timeline.completion_time(instant))
        return self._completed[instant]

    @cached_property
    def _archived(self) -> Mapping[str, str]:
        """Completion times by requested time, as the history records them: in one reading, not one for each write."""
        history = self._timeline.history
        if history is None or self._timeline.layout == 1:
            return {}
        writes = (instant for instant in history.instants() if instant.completes_as in WRITES)
        return {write.requested_time: write.completion_time or write.requested_time for write in writes}


def group_versions(
    files: FileList, timeline: Timeline, partitions: Collection[str] | None = None
) -> Iterator[GroupVersions]:
    """The file groups of these partitions (None: all), by partition and file id. Files of writes that are not completed belong to
    no version."""
    writes = _Writes(timeline)
    by_group: dict[FileGroup, _Files] = {}
    wanted = [partitions is None or partition in partitions for partition in files.partitions]
    for row, (number, name) in enumerate(zip(files.partition_of.tolist(), string_list(files.names), strict=True)):
        if not wanted[number]:
            continue
        base = parse_base_file(name)
        if base is not None:
            group = by_group.setdefault((files.partitions[number], base.file_id), _Files())
            group.bases.append((base.instant, row))
        elif (log := parse_log_file(name)) is not None:
            by_group.setdefault((files.partitions[number], log.file_id), _Files()).logs.append((log, row))
    for partition, file_id in sorted(by_group):
        made = by_group[partition, file_id]
        versions = _read_named_versions(made, writes) if timeline.layout == 1 else _versions(made, writes)
        if versions:
            yield GroupVersions(partition, file_id, versions)


def _versions(files: _Files, writes: _Writes) -> tuple[Version, ...]:
    """Layout 2: a log file belongs to the last slice that began before its write completed."""
    opened: dict[str, tuple[str, list[int]]] = {}
    for instant, row in files.bases:
        if writes.counts(instant):
            opened.setdefault(time_order(instant), (instant, []))[1].append(row)
    begun = sorted(opened)
    first: str | None = None
    # Those of changes open no slice.
    for log, row in sorted(files.logs, key=lambda entry: (entry[0].is_cdc, entry[0].order)):
        if not writes.counts(log.instant):
            continue
        key = _slice_of(begun, time_order(log.instant), log.instant, writes) or first
        if key is None:
            if log.is_cdc:
                continue
            key = first = time_order(log.instant)
            opened.setdefault(key, (log.instant, []))
        opened[key][1].append(row)
    return _in_order(opened, writes)


def _slice_of(begun: Sequence[str], requested: str, instant: str, writes: _Writes) -> str | None:
    """The slice that a log file belongs to. When it completed matters only where a slice began after it did."""
    if not begun:
        return None
    until = requested if begun[-1] <= requested else writes.get_completion_time(instant)
    place = bisect_right(begun, until) - 1
    return begun[place] if place >= 0 else None


def _read_named_versions(files: _Files, writes: _Writes) -> tuple[Version, ...]:
    """Layout 1: a log file names its slice, which may wait for a compaction. One that names a delta commit behind the beginning
    of its group belongs to the slice before (TIME-1386)."""
    opened: dict[str, tuple[str, list[int]]] = {}
    for instant, row in files.bases:
        key = time_order(instant)
        if writes.counts(instant) or key in writes.waiting:
            opened.setdefault(key, (instant, []))[1].append(row)
    begun = sorted(opened)
    first: str | None = None
    named = [(time_order(log.instant), log.instant, row) for log, row in files.logs if not log.is_cdc]
    for key, instant, row in sorted(named):
        if writes.counts(instant) and key not in writes.waiting:
            key = _slice_of(begun, key, instant, writes) or first or key
            first = first or (key if key not in opened else None)
        elif key not in writes.waiting:
            continue
        opened.setdefault(key, (instant, []))[1].append(row)
    for log, row in files.logs:
        if log.is_cdc and (key := time_order(log.instant)) in opened:  # those of changes open no slice
            opened[key][1].append(row)
    return _in_order(opened, writes)


def _in_order(opened: Mapping[str, tuple[str, list[int]]], writes: _Writes) -> tuple[Version, ...]:
    """The versions, oldest first. When the only one completed does not matter."""
    return tuple(
        Version(instant, _find_completion(instant, writes, only=len(opened) == 1), tuple(rows))
        for _, (instant, rows) in sorted(opened.items())
    )


def _find_completion(instant: str, writes: _Writes, *, only: bool) -> str:
    if not writes.counts(instant):
        return NEVER
    return time_order(instant) if only else writes.get_completion_time(instant)
