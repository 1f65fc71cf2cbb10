"""Whether a compaction is due. Rule COMPACT-355."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hudi_core.commit.statuses import COMPACT, LOG_COMPACT
from hudi_core.commit.times import time_of
from hudi_core.services.compaction.options import CompactionOptions, Trigger
from hudi_core.table.table import Table
from hudi_core.timeline.instants import (
    COMMIT,
    COMPACTION,
    DELTA_COMMIT,
    LOG_COMPACTION,
    Instant,
    name_completed_action,
    time_order,
)
from hudi_core.timeline.timeline import Timeline


def is_due(table: Table, options: CompactionOptions) -> bool:
    """Whether the options' trigger asks for a compaction, or with `of_logs` for a log compaction, of the table as it is."""
    timeline = table.timeline
    deltas = [instant for instant in timeline.completed if instant.action == DELTA_COMMIT]
    last = last_compaction(timeline)
    if last is None and not deltas:
        return False
    since = deltas if last is None else _list_completed_after(deltas, last.requested_time)
    if options.of_logs:
        return min(len(since), _since_log_compaction(timeline, deltas)) >= options.min_log_blocks
    begun = last or deltas[0]
    enough = len(since) >= options.max_delta_commits
    now = time_of(options.clock(), timeline.zone)
    late = _seconds(now) - _seconds(begun.requested_time) >= options.max_delta_seconds
    match options.trigger:
        case Trigger.NUM_COMMITS:
            return enough
        case Trigger.NUM_COMMITS_AFTER_LAST_REQUEST:
            return _since_request(timeline, last) >= options.max_delta_commits
        case Trigger.TIME_ELAPSED:
            return late
        case Trigger.NUM_AND_TIME:
            return enough and late
        case Trigger.NUM_OR_TIME:
            return enough or late


def last_compaction(timeline: Timeline) -> Instant | None:
    """The latest completed compaction, by its requested time. A commit of another operation is none: bulk inserts may complete as
    commits too."""
    commits = (instant for instant in reversed(timeline.completed) if instant.action == COMMIT)
    return next((instant for instant in commits if timeline.operation(instant) == COMPACT), None)


def _since_log_compaction(timeline: Timeline, deltas: Sequence[Instant]) -> int:
    """Delta commits since the last log compaction; none while one is pending."""
    if any(instant.action == LOG_COMPACTION for instant in timeline.pending):
        return 0
    merges = (instant for instant in reversed(deltas) if timeline.operation(instant) == LOG_COMPACT)
    last = next(merges, None)
    return len(deltas if last is None else _list_completed_after(deltas, last.requested_time))


def _since_request(timeline: Timeline, last: Instant | None) -> int:
    """Delta commits requested since a compaction was, whatever became of them."""
    scheduled = [instant for instant in timeline.pending if instant.action == COMPACTION]
    begun = scheduled[-1] if scheduled else last
    deltas = [i.requested_time for i in timeline.instants if name_completed_action(i.action) == DELTA_COMMIT]
    return sum(begun is None or time_order(time) > time_order(begun.requested_time) for time in deltas)


def _list_completed_after(deltas: Sequence[Instant], time: str) -> list[Instant]:
    return [one for one in deltas if time_order(one.completion_time or one.requested_time) > time_order(time)]


def _seconds(time: str) -> int:
    return int((datetime.strptime(time[:14], "%Y%m%d%H%M%S") - datetime(1970, 1, 1)).total_seconds())
