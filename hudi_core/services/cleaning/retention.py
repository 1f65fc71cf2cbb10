"""The first write that a clean retains, and the partitions that it has to look at. Rules CLEAN-382 to CLEAN-385."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from hudi_core.commit.times import Clock, time_of
from hudi_core.services.cleaning.options import CleanPolicy, CleanSettings
from hudi_core.timeline.instants import CLEAN, CLUSTERING, COMPACTION, SAVEPOINT, WRITES, Instant, time_order
from hudi_core.timeline.services import CleanMetadata, clean, savepoints
from hudi_core.timeline.timeline import Timeline

SAVED_TIMES: Final = "savepointed_timestamps"
"""The key in a clean's `extraMetadata` with the savepoints that there were."""
_MOST_HOURS: Final = 1_000_000
"""More than a hundred years, before all writes of Apache Hudi: as good as any greater number, and a time that can be reckoned."""
_BOUNDING: Final = WRITES | {COMPACTION, CLUSTERING}
"""Actions that need what there was when they began, until they are completed."""


@dataclass(frozen=True, slots=True)
class EarlierCleans:
    """What the completed cleans of the timeline leave to the next one: the record of the last one with its time, and the latest
    time from which on any of them kept every state."""

    last: CleanMetadata | None
    last_time: str | None
    retained: str | None


def earlier_cleans(timeline: Timeline) -> EarlierCleans:
    """The completed cleans of a timeline. An empty one, which a writer left that died, is none."""
    last: CleanMetadata | None = None
    last_time = retained = None
    for instant in timeline.instants:
        if instant.action == CLEAN and instant.completed and instant.size != 0:
            last, last_time = clean(timeline, instant), instant.requested_time
            if last.earliest_retained is not None:
                retained = max(retained or "", last.earliest_retained, key=time_order)
    return EarlierCleans(last, last_time, retained)


def first_retained(timeline: Timeline, settings: CleanSettings, earlier: EarlierCleans, clock: Clock) -> Instant | None:
    """The first write whose state stays readable; None where a clean by time has nothing to do, and under a policy that is not by
    time.

    It is not later than the last write before the first one that is pending, nor than a savepoint that is being made, and it
    never moves back.
    """
    commits = timeline.commits
    if settings.policy is CleanPolicy.VERSIONS or not commits:
        return None
    if settings.policy is CleanPolicy.COMMITS:
        place = len(commits) - settings.retained
        if place <= 0:
            return None
    else:
        earliest = time_of(clock() - timedelta(hours=min(settings.retained, _MOST_HOURS)), timeline.zone)
        place = next(
            (number for number, one in enumerate(commits) if time_order(one.requested_time) >= earliest), len(commits)
        )
        if place == len(commits):
            return None
    place = min(place, _last_before_pending(timeline, commits))
    if settings.max_commits is not None and earlier.retained is not None:
        before = sum(time_order(one.requested_time) < time_order(earlier.retained) for one in commits)
        place = min(place, before + settings.max_commits)
    if place < 0:
        return None
    chosen = commits[place]
    if earlier.retained is not None and time_order(chosen.requested_time) < time_order(earlier.retained):
        return None
    return chosen


def _last_before_pending(timeline: Timeline, commits: tuple[Instant, ...]) -> int:
    """The place of the last write before the first one that is pending."""
    pending = [time_order(one.requested_time) for one in timeline.pending if one.action in _BOUNDING]
    saved = [time_order(one.requested_time) for one in timeline.pending if one.action == SAVEPOINT]
    before = sum(time_order(one.requested_time) < min(pending) for one in commits) if pending else len(commits)
    until = sum(time_order(one.requested_time) <= min(saved) for one in commits) if saved else len(commits)
    return min(before, until) - 1


def partitions_to_look_at(
    timeline: Timeline, settings: CleanSettings, earlier: EarlierCleans, retained: Instant | None
) -> frozenset[str] | None:
    """The partitions in which files may have become superfluous since the last clean; None: all.

    Those of writes that completed since the first one that the last clean retained. Where the timeline does not reach back so
    far, the last clean was of another policy, or a savepoint was deleted since, it may be anywhere.
    """
    before = None if earlier.last is None else earlier.last.earliest_retained
    if not settings.incremental or retained is None or before is None or earlier.last is None:
        return None
    saved = {time for time in earlier.last.extra.get(SAVED_TIMES, "").split(",") if time}
    if timeline.starts_after(before) or saved.difference(savepoints(timeline)):
        return None
    first, end = time_order(before), time_order(retained.requested_time)
    return frozenset(
        partition
        for instant in timeline.commits
        if first <= get_completion_time(instant) < end
        for partition in _partitions_of(timeline, instant)
    )


def _partitions_of(timeline: Timeline, instant: Instant) -> Iterator[str]:
    metadata = timeline.metadata(instant)
    yield from metadata.stats
    yield from metadata.replaced


def get_completion_time(instant: Instant) -> str:
    """When a write was there for readers, as far as its timeline records it, for comparisons."""
    return time_order(instant.completion_time or instant.requested_time)
