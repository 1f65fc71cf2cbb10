"""How files form slices: the latest slice of every file group (Hudi's file-system view), computed for all groups at once.

Rules TIME-12 to TIME-14, TIME-1386, TIME-1429.

Instants compare as strings; here they are integers in the same order.

File groups that archived replace commits replaced, and whose files still exist, are left out. Rule TIME-25.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import concat_strings, string_column, string_list, take_strings
from hudi_core.formats.name_columns import base_names
from hudi_core.formats.names import LogFileName, parse_log_file
from hudi_core.pruning.ranks import ranks
from hudi_core.timeline.files import FileList
from hudi_core.timeline.instants import REPLACE_COMMIT, time_order
from hudi_core.timeline.services import FileGroup, latest_clean, savepoints
from hudi_core.timeline.slices import NO_BASE, Slices
from hudi_core.timeline.timeline import Timeline


def read_archived_replacements(timeline: Timeline, instants: Collection[str]) -> Mapping[FileGroup, str]:
    """The file groups that archived replace commits replaced, in this cut of the timeline, with the requested times.

    `instants` are those in the names of the table's files. The history is read only where one of them is archived, and no clean
    has removed all files that were replaced before the active timeline's start. Raises `CorruptFileError` and
    `StorageError`, which name the file of the history.
    """
    archived_times = [time_order(time) for time in instants if timeline.is_archived(time)]
    if not archived_times or timeline.history is None or _is_cleaned_to_start(timeline):
        return {}
    timeline_with_archived, oldest = timeline.with_archived(), min(archived_times)
    return {
        (partition, file_id): instant.requested_time
        for instant in timeline_with_archived.commits
        if instant.archived and instant.action == REPLACE_COMMIT and time_order(instant.requested_time) > oldest
        for partition, file_ids in timeline_with_archived.metadata(instant).replaced.items()
        for file_id in file_ids
    }


def read_recorded_paths(timeline: Timeline, requested_time: str) -> Set[str]:
    """The paths of files that a completed write of the active timeline names; none of another. Raises as `Timeline.metadata`."""
    writes = (one for one in timeline.commits if one.requested_time == requested_time and not one.archived)
    return {
        stat.path for one in writes for stats in timeline.metadata(one).stats.values() for stat in stats if stat.path
    }


def _is_cleaned_to_start(timeline: Timeline) -> bool:
    """Whether a clean by time has removed all files replaced before the active timeline's start; no savepoint keeps one."""
    last = latest_clean(timeline)
    if last is None or last.earliest_retained is None or savepoints(timeline):
        return False
    return timeline.start is not None and time_order(last.earliest_retained) >= time_order(timeline.start)


@dataclass(frozen=True, slots=True)
class Visibility:
    """Which files of a folder a query may see: the part of the timeline that slices depend on.

    `is_committed` is true of a requested time whose files count; `completion_time` gives its completion time (the requested
    time itself where the layout has none); `pending_compactions` are requested times that opened a slice without a base
    file yet; `replaced` are the file groups (partition, file id) that a completed replace commit replaced, and
    `replaced_before` gives, for the instants in names of files, those that archived ones replaced, with the requested time:
    younger files still count. `recorded` gives the paths of files that a write names which is completed and not archived: where
    a task ran twice, a file of the run that was given up may be left.
    """

    layout: int
    is_committed: Callable[[str], bool]
    completion_time: Callable[[str], str]
    pending_compactions: Set[str] = frozenset()
    replaced: Set[tuple[str, str]] = frozenset()
    replaced_before: Callable[[Collection[str]], Mapping[tuple[str, str], str]] = lambda _: {}
    recorded: Callable[[str], Set[str]] = lambda _: frozenset()


def visibility(timeline: Timeline) -> Visibility:
    """The visible files of the table at the timeline's instant."""
    return Visibility(
        timeline.layout,
        timeline.is_committed,
        timeline.completion_time,
        timeline.pending_compactions,
        timeline.replaced.keys(),
        partial(read_archived_replacements, timeline),
        partial(read_recorded_paths, timeline),
    )


def latest_slices(files: FileList, visible: Visibility) -> Slices:
    """The latest slice of every live file group, by partition and file id. Other files than base and log files are ignored.

    A base file opens a slice keyed by its instant. Layout 1: a log file names the slice's instant, unless it was written before a
    downgrade. Layout 2: it names the delta commit that wrote it, and belongs to the slice with the greatest instant not above
    that commit's completion time; when there is none it opens a slice without a base file. A pending compaction opens a slice
    too, which a query reads together with the one before it.
    """
    bases = base_names(files.names)
    log_rows, logs = _logs(files, bases.rows)
    distinct, distinct_of_base = _distinct(bases.instants)
    instants = sorted({*distinct, *(log.instant for log in logs), *visible.pending_compactions})
    number_of_instant = {instant: number for number, instant in enumerate(instants)}
    is_committed = np.array([visible.is_committed(instant) for instant in instants], np.bool_)
    ids = concat_strings([bases.ids, string_column([log.file_id for log in logs])])
    of_bases = np.array([number_of_instant[instant] for instant in distinct], np.int64)[distinct_of_base]
    of_logs = np.array([number_of_instant[log.instant] for log in logs], np.int64)
    rows, replaced_until = np.concatenate([bases.rows, log_rows]), dict.fromkeys(visible.replaced, len(instants))
    for replaced, time in visible.replaced_before(instants).items():
        replaced_until.setdefault(replaced, bisect_right(instants, time))
    groups, group_of = _groups(files, rows, ids, np.concatenate([of_bases, of_logs]), replaced_until)
    counting = np.flatnonzero(is_committed[of_bases] & (group_of[: len(bases.rows)] >= 0))

    paths_of = cache(visible.recorded)

    def is_recorded(row: int, instant: int) -> bool:
        return files.info(row).path in paths_of(instants[instant])

    base_index = _BaseIndex.build(
        group_of[counting], of_bases[counting], bases.rows[counting], len(instants), is_recorded
    )
    # In layout 1 a log file collects blocks of many instants: those that do not count are left out when its blocks are read.
    counting = np.flatnonzero((is_committed[of_logs] | (visible.layout == 1)) & (group_of[len(bases.rows) :] >= 0))
    order = sorted(counting.tolist(), key=lambda row: logs[row].order)
    counting = (
        np.array(order, np.int64)[np.argsort(group_of[len(bases.rows) :][order], kind="stable")] if order else counting
    )
    group, instant = group_of[len(bases.rows) :][counting], of_logs[counting]
    pending = np.array(sorted(number_of_instant[time] for time in visible.pending_compactions), np.int64)
    if visible.layout == 1:
        opened = _find_named(base_index, group, instant, is_committed, pending, len(groups))
    else:
        opened = _find_opened(base_index, group, instant, pending, instants, visible)
    first, chosen = _latest(base_index, group, opened, is_committed, pending, len(groups))
    live = np.flatnonzero(first >= 0)
    renumbered = np.cumsum(first >= 0) - 1
    by_slice = chosen[np.lexsort((opened[chosen], group[chosen]))]
    numbers = files.partition_of[rows[groups[live]]]
    used, partition_of = np.unique(numbers, return_inverse=True)
    return Slices(
        files,
        tuple(files.partitions[number] for number in used.tolist()),
        partition_of.astype(np.int64),
        take_strings(ids, groups[live]),
        tuple(instants),
        first[live],
        base_index.rows_at(live, first[live]),
        np.searchsorted(renumbered[group[by_slice]], np.arange(len(live) + 1)),
        log_rows[counting[by_slice]],
        instant[by_slice],
    )


def _logs(files: FileList, bases: Numbers) -> tuple[Numbers, list[LogFileName]]:
    """The rows of log files, and their parsed names, without CDC logs."""
    is_other = np.ones(len(files), np.bool_)
    is_other[bases] = False
    parsed = [(row, parse_log_file(files.name(row))) for row in np.flatnonzero(is_other).tolist()]
    logs = [(row, log) for row, log in parsed if log is not None and not log.is_cdc]
    return np.array([row for row, _ in logs], np.int64), [log for _, log in logs]


def _distinct(texts: StringColumn) -> tuple[list[str], Numbers]:
    """The distinct strings, and for each row the number of its string."""
    first, numbers = np.unique(index_strings(texts).first, return_inverse=True)
    return string_list(take_strings(texts, first)), numbers.astype(np.int64)


def _groups(
    files: FileList, rows: Numbers, ids: StringColumn, instants: Numbers, replaced: Mapping[tuple[str, str], int]
) -> tuple[Numbers, Numbers]:
    """File groups by partition and file id: for each the place of a file of it in `rows`, and for each of these the number of
    its group; -1 where the group was replaced, by the number of the first instant that it is not. `ids` and `instants` are
    those of the rows."""
    if not len(rows):
        return rows, rows
    rank = ranks(ByteStrings(ids.offsets, ids.data))[0].astype(np.int64)
    _, groups, group_of = np.unique(
        files.partition_of[rows] * (int(rank.max()) + 1) + rank, return_index=True, return_inverse=True
    )
    group_of = group_of.astype(np.int64)
    if replaced:
        partition_numbers = {partition: number for number, partition in enumerate(files.partitions)}
        known_replaced = [
            (partition_numbers[partition], file_id, end)
            for (partition, file_id), end in replaced.items()
            if partition in partition_numbers
        ]
        file_id_rows = index_strings(ids).find(string_column([file_id for _, file_id, _ in known_replaced]))
        keys = (
            np.array([number for number, _, _ in known_replaced], np.int64) * (int(rank.max()) + 1) + rank[file_id_rows]
        )
        ends = np.array([end for _, _, end in known_replaced], np.int64)[file_id_rows >= 0]
        order = np.argsort(keys[file_id_rows >= 0])
        keys, ends = keys[file_id_rows >= 0][order], np.append(ends[order], 0)
        own = files.partition_of[rows] * (int(rank.max()) + 1) + rank
        places = np.searchsorted(keys, own)
        group_of[(np.append(keys, -1)[places] == own) & (instants < ends[places])] = -1
    return groups.astype(np.int64), group_of


@dataclass(frozen=True, slots=True, eq=False)
class _BaseIndex:
    """The base files that count, at most one for each group and instant: keys `group * instants + instant`, ascending."""

    keys: Numbers
    rows: Numbers
    instants: int

    @staticmethod
    def build(
        groups: Numbers, instants: Numbers, rows: Numbers, count: int, is_recorded: Callable[[int, int], bool]
    ) -> _BaseIndex:
        """Rows of one group and instant are the same file written twice: the last counts of those that the write records, or of
        all where it records none of them. Rule TIME-1429."""
        keys = groups * count + instants
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):
            recorded = np.zeros(len(keys), np.bool_)
            for place in np.union1d(again, again + 1).tolist():
                recorded[place] = is_recorded(int(rows[order[place]]), int(instants[order[place]]))
            order = order[np.lexsort((recorded, keys))]
        last = np.append(keys[1:] != keys[:-1], True) if len(keys) else np.zeros(0, np.bool_)
        return _BaseIndex(keys[last], rows[order][last], count)

    def rows_at(self, groups: Numbers, instants: Numbers) -> Numbers:
        """The rows of files, or `NO_BASE`."""
        keys = groups * self.instants + instants
        places = np.searchsorted(self.keys, keys)
        return np.where(np.append(self.keys, -1)[places] == keys, np.append(self.rows, NO_BASE)[places], NO_BASE)

    def least(self, groups: Numbers) -> Numbers:
        """The first instant in each of the groups, which means nothing for one without a base file."""
        starts = groups * self.instants
        return np.append(self.keys, -1)[np.searchsorted(self.keys, starts)] - starts

    def greatest(self, groups: Numbers, until: Numbers | int) -> Numbers:
        """The last instant not above `until` in each of the groups; negative where there is none."""
        places = np.searchsorted(self.keys, groups * self.instants + until, side="right")
        offsets = np.append(-1, self.keys)[places] - groups * self.instants
        return np.where(offsets < 0, -1, offsets)


def _find_named(
    bases: _BaseIndex, group: Numbers, instant: Numbers, committed: Bools, pending: Numbers, groups: int
) -> Numbers:
    """Layout 1: the instant of the slice that each log file belongs to, which is that in its name. One that names a delta commit
    behind the beginning of its group was written in layout 2, and belongs to the slice before. Rule TIME-1386."""
    has_slice = ~committed[instant] | np.isin(instant, pending) | (bases.rows_at(group, instant) != NO_BASE)
    begun = bases.greatest(group, instant)
    first = np.full(groups, bases.instants)
    alone = np.flatnonzero(~has_slice & (begun < 0))
    np.minimum.at(first, group[alone], instant[alone])
    named: Numbers = np.where(has_slice, instant, np.where(begun < 0, first[group], begun))
    return named


def _find_opened(
    bases: _BaseIndex, group: Numbers, instant: Numbers, pending: Numbers, instants: Sequence[str], visible: Visibility
) -> Numbers:
    """Layout 2: the instant of the slice that each log file belongs to. Logs stand by group, and in a group in their order."""
    if not len(group):
        return group
    last = int(pending[-1]) if len(pending) else -1
    # The completion time, which may need the history, matters only where a slice began after the write did.
    later = np.maximum(bases.greatest(group, len(instants) - 1), last) > instant
    completed = instant.copy()
    for number in np.unique(instant[later]).tolist():
        until = bisect_right(instants, visible.completion_time(instants[number])) - 1
        completed[later & (instant == number)] = max(number, until)
    least, begun = bases.least(group), bases.greatest(group, completed)
    # The first log of a group before which nothing began opens a slice, to which those after it may belong.
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    of_group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(group))))
    rows = np.arange(len(group))
    opener = np.minimum.reduceat(np.where(begun < 0, rows, len(group)), starts)[of_group]
    own = np.append(instant, -1)[opener]  # of the logs before it too: base files began later, by which these go
    beginning = np.minimum(np.where(begun < 0, len(instants), least), np.where(own < 0, len(instants), own))
    scheduled = np.append(-1, pending)[np.searchsorted(pending, completed, side="right")]
    scheduled = np.where((scheduled > beginning) & (rows != opener), scheduled, -1)
    opened: Numbers = np.maximum(np.maximum(begun, own), scheduled)
    return opened


def _latest(
    bases: _BaseIndex, group: Numbers, opened: Numbers, committed: Bools, pending: Numbers, groups: int
) -> tuple[Numbers, Numbers]:
    """The instant of each group's latest slice, negative where it has none; and the places of the log files to read with it,
    in their order."""
    is_pending = np.zeros(len(committed) + 1, np.bool_)
    is_pending[pending] = True
    counts = np.flatnonzero((committed | is_pending[:-1])[opened])
    is_pending_slice = is_pending[opened[counts]] & (bases.rows_at(group[counts], opened[counts]) == NO_BASE)
    first = bases.greatest(np.arange(groups), bases.instants - 1) if bases.instants else np.full(groups, -1)
    settled = counts[~is_pending_slice]
    np.maximum.at(first, group[settled], opened[settled])
    # Slices that wait for their compaction are read together with the one before them; or alone, where there is none.
    alone = counts[is_pending_slice & (first[group[counts]] < 0)]
    least = np.full(groups, len(committed))
    np.minimum.at(least, group[alone], opened[alone])
    first = np.where(least < len(committed), least, first)
    return first, counts[opened[counts] >= first[group[counts]]]
