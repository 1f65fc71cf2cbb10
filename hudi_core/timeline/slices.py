"""File slices: which base file and log files together hold a file group's rows (Hudi's file-system view).

Rules TIME-12 to TIME-14.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field

from hudi_core.engine import FileInfo
from hudi_core.formats.names import LogFileName, parse_base_file, parse_log_file
from hudi_core.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True)
class FileSlice:
    """One version of a file group: a base file, or none yet, and the log files to merge onto it, oldest first.

    `instant` is the requested time of the commit that opened the slice. `partition` is the relative path, empty for a table
    without partitions.
    """

    partition: str
    file_id: str
    instant: str
    base: FileInfo | None
    logs: tuple[FileInfo, ...] = ()

    @property
    def files(self) -> tuple[FileInfo, ...]:
        """Base file first."""
        return (self.base, *self.logs) if self.base else self.logs


@dataclass(frozen=True, slots=True)
class Visibility:
    """What of a folder's files a query may see: the timeline, as far as slices need it.

    `committed` tells of a requested time whether its files count; `completed_at` gives its completion time (the requested
    time itself where the layout has none); `pending_compactions` are requested times that opened a slice without a base
    file yet; `replaced` are the file groups (partition, file id) that a completed replace commit took away.
    """

    layout: int
    committed: Callable[[str], bool]
    completed_at: Callable[[str], str]
    pending_compactions: Set[str] = frozenset()
    replaced: Set[tuple[str, str]] = frozenset()


def visibility(timeline: Timeline) -> Visibility:
    """What a query of the table at the timeline's instant may see."""
    return Visibility(
        timeline.layout,
        timeline.committed,
        timeline.completion_time,
        timeline.pending_compactions,
        timeline.replaced.keys(),
    )


@dataclass(slots=True)
class _Group:
    bases: dict[str, FileInfo] = field(default_factory=dict)
    logs: list[tuple[LogFileName, FileInfo]] = field(default_factory=list)


def latest_slices(partitions: Mapping[str, Iterable[FileInfo]], visible: Visibility) -> list[FileSlice]:
    """The latest slice of every live file group, by partition and file id. Other files than base and log files are passed over.

    A base file opens a slice keyed by its instant. Layout 1: a log file names the slice's instant. Layout 2: it names the
    delta commit that wrote it, and belongs to the slice with the greatest instant not above that commit's completion time;
    when there is none it opens a slice without a base file. A pending compaction opens a slice too, which a query reads
    together with the one before it.
    """
    found: list[FileSlice] = []
    for partition in sorted(partitions):
        groups: dict[str, _Group] = {}
        for info in partitions[partition]:
            _sort_in(groups, info, visible)
        for file_id in sorted(groups):
            if (partition, file_id) not in visible.replaced:
                latest = _latest(partition, file_id, groups[file_id], visible)
                found += [latest] if latest else []
    return found


def _sort_in(groups: dict[str, _Group], info: FileInfo, visible: Visibility) -> None:
    base = parse_base_file(info.name)
    if base is not None:
        if visible.committed(base.instant):
            groups.setdefault(base.file_id, _Group()).bases[base.instant] = info
        return
    log = parse_log_file(info.name)
    # Logs of changes are for readers of changes. In layout 1 a log file collects blocks of many instants: those that do not
    # count are left out when its blocks are read.
    if log is not None and not log.is_cdc and (visible.layout == 1 or visible.committed(log.instant)):
        groups.setdefault(log.file_id, _Group()).logs.append((log, info))


def _latest(partition: str, file_id: str, group: _Group, visible: Visibility) -> FileSlice | None:
    if not group.logs:
        newest = max(group.bases, default=None)
        return FileSlice(partition, file_id, newest, group.bases[newest]) if newest else None
    slices: dict[str, list[FileInfo]] = {instant: [] for instant in group.bases}
    for log, info in sorted(group.logs, key=lambda entry: entry[0].order):
        slices.setdefault(_slice_of(log, slices, visible), []).append(info)
    opened = sorted(i for i in slices if i in visible.pending_compactions or visible.committed(i))
    if not opened:
        return None
    # Slices that wait for their compaction are read together with the one before them.
    first = len(opened) - 1
    while first and opened[first] in visible.pending_compactions and opened[first] not in group.bases:
        first -= 1
    instant = opened[first]
    logs = tuple(info for each in opened[first:] for info in slices[each])
    return FileSlice(partition, file_id, instant, group.bases.get(instant), logs)


def _slice_of(log: LogFileName, slices: Collection[str], visible: Visibility) -> str:
    if visible.layout == 1:
        return log.instant
    if not visible.pending_compactions and slices and (newest := max(slices)) <= log.instant:
        return newest  # nothing began after the write did: when it completed, which may be far to seek, does not matter
    completed = visible.completed_at(log.instant)
    begun = [instant for instant in slices if instant <= completed]
    scheduled = [instant for instant in visible.pending_compactions if begun and min(begun) < instant <= completed]
    return max([*begun, *scheduled], default=log.instant)
