"""Incremental queries: which commits lie between two times, and the timeline at the end of them. Rules QUERY-5 to QUERY-10,
QUERY-1043, QUERY-1432, QUERY-1655.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hudi_core.arguments import warn_caller
from hudi_core.errors import ConditionWarning, ConflictError, UnsupportedError, UsageError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.options import TableConfig, TableType
from hudi_core.planning.sources.commits import CommitTimes
from hudi_core.snapshot.time_travel import is_ahead
from hudi_core.timeline.instants import DELTA_COMMIT, WRITES, Instant, time_order
from hudi_core.timeline.services import is_planned_clustering
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline
from hudi_core.timeline.times import EARLIEST

_FROM_THE_BEGINNING = "earliest"
_LOG_COMPACT = "LOG_COMPACT"


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The writes between two times: `commits` are those whose rows are requested, None for all; `instants` are the same
    in the order of completion, `timeline` is cut at the end."""

    timeline: Timeline
    commits: CommitTimes | None
    instants: tuple[Instant, ...]


def between(timeline: Timeline, config: TableConfig, since: str | None, until: str | None) -> CommitRange:
    """The writes after `since`, up to and with `until`; None is the beginning, and the end.

    Writes are ordered by their completion time, in layout 1, which has none, by their requested time. `since` may be
    `earliest`; one that is yet to come warns: rule QUERY-1632. Archived instants are included where the active timeline does
    not reach back to `since`, and those that completed after it though they were requested before the active timeline's start.
    Raises `UsageError` for strings that are no times and an end before the beginning, `UnsupportedError` for a table with virtual
    keys, and in layout 1 `ConflictError` where a write is pending that will lie before the end.
    """
    if not config.stores_commit_times:
        raise UnsupportedError(
            timeline.storage.uri,
            expected="a table that stores the commit of each row",
            found="a table with virtual keys",
        )
    begin = _exact_begin(_begin(since, timeline), timeline)
    if is_ahead(timeline, begin):
        warn_caller(f"since {begin}, which is yet to come, no row changed", ConditionWarning)
    end = None if until is None else timeline.query_time(until, "until")
    if end is not None and time_order(end) < time_order(begin):
        raise UsageError("until", expected=f"a time from {begin} on", found=end)
    _refuse_gap(timeline, end)
    # The active timeline has the slices; commits before it are in the history alone.
    cut = timeline.as_completed(end)
    history = timeline.with_completed_after(begin)
    log_compactions = _log_compactions(cut, config)
    later = [
        instant for instant in history.as_completed(end).commits if time_order(order_time(instant)) > time_order(begin)
    ]
    inside = [instant for instant in later if instant.requested_time not in log_compactions]
    instants = tuple(sorted(inside, key=lambda instant: (time_order(order_time(instant)), instant.order)))
    cut = replace(cut, excluded_times=log_compactions)
    if begin == EARLIEST:
        return CommitRange(cut, None, instants)
    first = next((instant.requested_time for instant in history.commits), None)
    description = f"committed after {begin}" + (f" up to {end}" if end is not None else "")
    # A compaction after a log compaction leaves its time to rows of base files: they would be in no range.
    times = frozenset(instant.requested_time for instant in later)
    return CommitRange(cut, CommitTimes(description, times, begin, first), instants)


def refuse_lost(commit_range: CommitRange, slices: Sequence[FileSlice], cleaned: UsageError) -> None:
    """Raises `UsageError` where a file that holds rows of the range is missing among the slices at its end, or may be: some of
    that end may be `cleaned` away, as that error says. All rows of the range are in files that its commits wrote. Rule
    QUERY-1655."""
    if (commits := commit_range.commits) is None or commits.may_have_unknown:
        raise cleaned
    there = {(one.partition, one.file_id): one for one in slices}
    replaced = commit_range.timeline.with_archived().replaced
    for instant in commit_range.instants:
        for partition, stats in commit_range.timeline.metadata(instant).stats.items():
            for stat in stats:
                group = partition, stat.file_id
                if group not in replaced and not _holds(there.get(group), stat.path.rpartition("/")[2]):
                    expected = "a later end of the range, or none: rows that changed come in their latest state"
                    found = f"one whose file in {'/'.join(group).lstrip('/')} was cleaned away"
                    raise UsageError("until", expected=expected, found=found) from cleaned


def _holds(slice: FileSlice | None, name: str) -> bool:
    """Whether a slice is made of a file that was written to its file group, or of a later one. Change logs do not count."""
    base, log = parse_base_file(name), parse_log_file(name)
    if base is None and (log is None or log.is_cdc):
        return True
    if slice is None:
        return False
    if base is not None:
        return time_order(slice.instant) >= time_order(base.instant)
    assert log is not None
    is_merged = slice.base is not None and time_order(slice.instant) > time_order(log.instant)
    return is_merged or any(one.name == name for one in slice.logs)


def find_end(timeline: Timeline) -> str | None:
    """The time up to which a range has all writes that will ever lie in it: no row is left out where the next range begins there.
    That of the last write, in layout 1 of the last one before the first that is pending; None where there is none."""
    pending = _first_pending(timeline)
    times = [order_time(instant) for instant in timeline.commits]
    if pending is not None:
        times = [time for time in times if time_order(time) < time_order(pending.requested_time)]
    return max(times, key=time_order, default=None)


def _refuse_gap(timeline: Timeline, end: str | None) -> None:
    """Raises `ConflictError` where a pending write of layout 1 was requested before the end of a range: its rows would be in no
    range of a reader that begins there the next time."""
    pending = _first_pending(timeline)
    last = end or max((order_time(instant) for instant in timeline.commits), key=time_order, default=None)
    if pending is None or last is None or time_order(last) < time_order(pending.requested_time):
        return
    until = find_end(timeline)
    raise ConflictError(
        timeline.storage.uri,
        expected="a range before the first pending write, whose rows would be in no later one"
        + (f" (until {until})" if until is not None else ""),
        found=f"{pending.action} {pending.requested_time}, which is pending; try again when it has completed, or was rolled back",
    )


def _first_pending(timeline: Timeline) -> Instant | None:
    """The first pending write of layout 1, whose writes are ordered by the times at which they began. A clustering changes no
    row."""
    if timeline.layout > 1:
        return None
    writes = (instant for instant in timeline.pending if instant.action in WRITES)
    return next((instant for instant in writes if not is_planned_clustering(timeline, instant)), None)


def _log_compactions(timeline: Timeline, config: TableConfig) -> frozenset[str]:
    """Requested times of log compactions. They change no row, but rewrite rows under their own time: their inputs are read
    instead."""
    if config.type is TableType.COPY_ON_WRITE:
        return frozenset()
    return frozenset(
        instant.requested_time
        for instant in timeline.commits
        if instant.completes_as == DELTA_COMMIT and timeline.metadata(instant).operation == _LOG_COMPACT
    )


def _begin(since: str | None, timeline: Timeline) -> str:
    text = EARLIEST if since is None else since.strip()
    # Users of Apache Hudi write one or more zeros for the beginning.
    if text.lower() == _FROM_THE_BEGINNING or (text and not text.strip("0")):
        return EARLIEST
    return timeline.query_time(text, "since")


def _exact_begin(begin: str, timeline: Timeline) -> str:
    """The begin of the range; that of the second for one of 14 digits which is the time of no write. Writes of whole seconds,
    as old writers have them, stand for the end of theirs (`time_order`): others of the second would be left out."""
    if len(begin) != len(time_order(begin)):
        second = f"{begin}000"
        if all(order_time(instant) != begin for instant in timeline.with_completed_after(second).commits):
            return second
    return begin


def order_time(instant: Instant) -> str:
    """The time by which writes are ordered."""
    return instant.completion_time or instant.requested_time
