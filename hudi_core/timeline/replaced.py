"""File groups that archived replace commits took away, and whose files are still there. Rule TIME-25."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hudi_core.timeline.instants import REPLACE_COMMIT, time_order
from hudi_core.timeline.services import FileGroup, latest_clean, savepoints
from hudi_core.timeline.timeline import Timeline


def replaced_long_ago(timeline: Timeline, instants: Collection[str]) -> Mapping[FileGroup, str]:
    """The file groups that archived replace commits took away, as a query with this cut of the timeline sees it, and when.

    `instants` are those that the table's files name. The history is asked only when one of them is archived, and nothing says
    that what was replaced before the active timeline's start has been cleaned away since. Raises `CorruptFileError` and
    `StorageError`, which name the file of the history.
    """
    old = [time_order(each) for each in instants if timeline.archived(each)]
    if not old or timeline.history is None or _cleaned_to_start(timeline):
        return {}
    whole, first = timeline.with_archived(), min(old)
    return {
        (partition, file_id): instant.requested_time
        for instant in whole.commits
        if instant.archived and instant.action == REPLACE_COMMIT and time_order(instant.requested_time) > first
        for partition, file_ids in whole.metadata(instant).replaced.items()
        for file_id in file_ids
    }


def _cleaned_to_start(timeline: Timeline) -> bool:
    """No file that was replaced before the active timeline's start is there: cleans go by time, and savepoints keep none."""
    last = latest_clean(timeline)
    if last is None or last.earliest_retained is None or savepoints(timeline):
        return False
    return timeline.start is not None and time_order(last.earliest_retained) >= time_order(timeline.start)
