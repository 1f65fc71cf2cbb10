"""File groups that archived replace commits replaced, and whose files still exist. Rule TIME-25."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hudi_core.timeline.instants import REPLACE_COMMIT, time_order
from hudi_core.timeline.services import FileGroup, latest_clean, savepoints
from hudi_core.timeline.timeline import Timeline


def archived_replacements(timeline: Timeline, instants: Collection[str]) -> Mapping[FileGroup, str]:
    """The file groups that archived replace commits replaced, in this cut of the timeline, with the requested times.

    `instants` are those in the names of the table's files. The history is read only where one of them is archived, and no clean
    has removed all files that were replaced before the active timeline's start. Raises `CorruptFileError` and
    `StorageError`, which name the file of the history.
    """
    archived_times = [time_order(time) for time in instants if timeline.is_archived(time)]
    if not archived_times or timeline.history is None or _cleaned_to_start(timeline):
        return {}
    timeline_with_archived, oldest = timeline.with_archived(), min(archived_times)
    return {
        (partition, file_id): instant.requested_time
        for instant in timeline_with_archived.commits
        if instant.archived and instant.action == REPLACE_COMMIT and time_order(instant.requested_time) > oldest
        for partition, file_ids in timeline_with_archived.metadata(instant).replaced.items()
        for file_id in file_ids
    }


def _cleaned_to_start(timeline: Timeline) -> bool:
    """Whether a clean by time has removed all files replaced before the active timeline's start; no savepoint keeps one."""
    last = latest_clean(timeline)
    if last is None or last.earliest_retained is None or savepoints(timeline):
        return False
    return timeline.start is not None and time_order(last.earliest_retained) >= time_order(timeline.start)
