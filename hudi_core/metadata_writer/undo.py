"""Removing a commit of the table from the metadata table, as if it had never been there. Rule META-86."""

from __future__ import annotations

from collections.abc import Iterator

from hudi_core.commit.statuses import LOG_COMPACT
from hudi_core.commit.steps import Delete, DeleteMany, Step
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.names import parse_log_file
from hudi_core.formats.properties import parse_properties
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.metadata.written import BUILT
from hudi_core.metadata_writer.delta_commit import REPEATS
from hudi_core.options import FOLDER, PROPERTIES_PATH, table_config
from hudi_core.timeline.instants import (
    COMMIT,
    COMPACTION,
    DELTA_COMMIT,
    LOG_COMPACTION,
    Instant,
    InstantFiles,
    InstantState,
    time_order,
)
from hudi_core.timeline.timeline import Timeline, timeline_in


def undo_steps(storage: Storage, requested_time: str) -> Iterator[Step]:
    """The steps that remove the records of a commit from the metadata table, those that a second delta commit repeats among them;
    none where it has no records of it.

    They come while the commit is pending on the table's timeline: until its files are gone, readers ignore their records.
    Raises `UnsupportedError` when a compaction of the metadata table came after it: base files then hold its records.
    """
    timeline = metadata_timeline(storage)
    if timeline is None:
        return
    own = [instant for instant in timeline.instants if instant.requested_time == requested_time]
    if not own:
        return
    completed = next((instant for instant in own if instant.completed), None)
    if completed is not None:
        _refuse_compacted(storage, timeline, completed)
    files_there = storage.list(METADATA_FOLDER, recursive=True, without=FOLDER)
    # The first delta commit leads to the second one: it goes last.
    for time in [*_list_repeats(timeline, requested_time), requested_time]:
        for instant in timeline.completed:
            if instant.requested_time == time:
                yield Delete(f"{timeline.folder}/{instant.file}")
        of_time = (info for info in files_there if _is_of(storage, info, time, timeline.layout))
        yield DeleteMany(tuple(info.path for info in of_time))
        files = InstantFiles(timeline.folder, timeline.layout, time, DELTA_COMMIT)
        yield Delete(files.inflight)
        yield Delete(files.requested)


def _list_repeats(timeline: Timeline, requested_time: str) -> list[str]:
    """The times of delta commits that repeat records of a commit of the table, completed or not. Rule META-1125."""
    later = [
        one
        for one in timeline.instants
        if one.action == DELTA_COMMIT
        and one.requested_time > requested_time
        and one.state is not InstantState.REQUESTED
    ]
    return [one.requested_time for one in later if timeline.extra(one).get(REPEATS) == requested_time]


def refuse_mixed(storage: Storage, undone: Instant) -> None:
    """Raises `UnsupportedError` where files of the metadata table hold a completed write of the table together with others: one
    of its indexes was built since, or its log files were compacted, or are about to be."""
    refuse_built_since(storage, undone)
    timeline = metadata_timeline(storage)
    if timeline is None:
        return
    own = [instant for instant in timeline.completed if instant.requested_time == undone.requested_time]
    for instant in own:
        _refuse_compacted(storage, timeline, instant)
    completed_at = _get_completion_time(own[-1] if own else undone)
    for later in timeline.instants:
        merged = later.action == DELTA_COMMIT and later.completed and _get_completion_time(later) > completed_at
        if (merged and timeline.operation(later) == LOG_COMPACT) or later.action in (COMPACTION, LOG_COMPACTION):
            raise UnsupportedError(
                f"{storage.uri}/{timeline.folder}",
                expected=f"no compaction of the metadata table since {undone.requested_time}",
                found=f"{later.action} {later.requested_time}",
            )


def refuse_built_since(storage: Storage, undone: Instant) -> None:
    """Raises `UnsupportedError` when an index was built since a write of the table completed: its base files hold what the write
    left. Rule META-105."""
    timeline = metadata_timeline(storage)
    if timeline is None:
        return
    completed_at = _get_completion_time(undone)
    for instant in timeline.commits:
        if _get_completion_time(instant) > completed_at and timeline.operation(instant) == BUILT:
            built = ", ".join(sorted(timeline.metadata(instant).stats)) or "indexes"
            raise UnsupportedError(
                f"{storage.uri}/{timeline.folder}",
                expected=f"no index built since {undone.requested_time}; drop it first",
                found=f"{built} built at {instant.requested_time}",
            )


def metadata_timeline(storage: Storage) -> Timeline | None:
    """The timeline of the metadata table; None where there is none."""
    path = f"{METADATA_FOLDER}/{PROPERTIES_PATH}"
    if not storage.exists(path):
        return None
    where = f"{storage.uri}/{path}"
    config = table_config(parse_properties(storage.read(path), where), where)
    return timeline_in(storage, f"{METADATA_FOLDER}/{config.timeline_folder}", config.layout)


def _get_completion_time(instant: Instant) -> str:
    return time_order(instant.completion_time or instant.requested_time)


def _refuse_compacted(storage: Storage, timeline: Timeline, undone: Instant) -> None:
    """A compaction holds what had completed when it was requested."""
    completed_at = _get_completion_time(undone)
    later = [
        instant.requested_time
        for instant in timeline.completed
        if instant.action == COMMIT and time_order(instant.requested_time) > completed_at
    ]
    if later:
        raise UnsupportedError(
            f"{storage.uri}/{timeline.folder}",
            expected=f"no compaction of the metadata table since {undone.requested_time}",
            found=later[0],
        )


def _is_of(storage: Storage, info: FileInfo, requested_time: str, layout: int) -> bool:
    """A log file that the commit wrote. In layout 1 only its blocks state the commit."""
    log = parse_log_file(info.name)
    if log is None:
        return False
    if layout > 1:
        return log.instant == requested_time
    blocks = read_blocks(storage.open(info.path))
    return {block.header.get(HeaderKey.INSTANT_TIME) for block in blocks} == {requested_time}
