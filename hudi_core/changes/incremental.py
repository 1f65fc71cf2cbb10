"""Incremental queries: which commits lie between two times, and the timeline at the end of them. Rules QUERY-5 to QUERY-10."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.options import TableConfig, TableType
from hudi_core.planning.sources.commits import CommitTimes
from hudi_core.timeline.instants import DELTA_COMMIT, Instant, time_order
from hudi_core.timeline.timeline import Timeline
from hudi_core.timeline.times import EARLIEST, query_time

_FROM_THE_BEGINNING = "earliest"
_LOG_COMPACT = "LOG_COMPACT"


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The writes between two times: `commits` are those whose rows are asked for, None for all there are; `instants` are they
    in the order of completion, `timeline` is cut at the end."""

    timeline: Timeline
    commits: CommitTimes | None
    instants: tuple[Instant, ...]


def between(timeline: Timeline, config: TableConfig, since: str | None, until: str | None) -> CommitRange:
    """The writes after `since`, up to and with `until`; None is the beginning, and the end.

    Writes are placed by their completion time, in layout 1, which has none, by their requested time. `since` may be
    `earliest`. Archived instants are brought in where the active timeline does not reach back to `since`, and those that
    completed after it though they were requested before the active timeline's start. Raises
    `UsageError` for texts that are no times and an end before the beginning, `UnsupportedError` where rows do not say which
    commit wrote them.
    """
    if not config.populate_meta_fields:
        raise UnsupportedError(
            timeline.storage.uri, expected="rows that say which commit wrote them", found="a table with virtual keys"
        )
    begin = _begin(since, timeline)
    end = None if until is None else query_time(until, timeline.zone)
    if end is not None and time_order(end) < time_order(begin):
        raise UsageError("until", expected=f"a time from {begin} on", found=end)
    # Which slices there are, the active timeline tells; which commits there were before it, only the history.
    cut = timeline.as_completed(end)
    known = timeline.with_completed_after(begin)
    made = _log_compactions(cut, config)
    inside = [
        each
        for each in known.as_completed(end).commits
        if time_order(placed(each)) > time_order(begin) and each.requested_time not in made
    ]
    instants = tuple(sorted(inside, key=lambda each: (time_order(placed(each)), each.order)))
    cut = replace(cut, excluded_times=made)
    if begin == EARLIEST:
        return CommitRange(cut, None, instants)
    first = next((each.requested_time for each in known.commits), None)
    text = f"committed after {begin}" + (f" up to {end}" if end is not None else "")
    times = frozenset(each.requested_time for each in instants)
    return CommitRange(cut, CommitTimes(text, times, begin, first), instants)


def _log_compactions(timeline: Timeline, config: TableConfig) -> frozenset[str]:
    """Requested times of log compactions. They change no row, yet write rows anew under their own time: what they were made
    from is read in their place."""
    if config.type is TableType.COPY_ON_WRITE:
        return frozenset()
    return frozenset(
        each.requested_time
        for each in timeline.commits
        if each.completes_as == DELTA_COMMIT and timeline.metadata(each).operation == _LOG_COMPACT
    )


def _begin(since: str | None, timeline: Timeline) -> str:
    said = EARLIEST if since is None else since.strip()
    # Apache Hudi's users write a zero or some for the beginning.
    if said.lower() == _FROM_THE_BEGINNING or (said and not said.strip("0")):
        return EARLIEST
    return query_time(said, timeline.zone)


def placed(instant: Instant) -> str:
    """The time by which a write counts as before or after another."""
    return instant.completion_time or instant.requested_time
