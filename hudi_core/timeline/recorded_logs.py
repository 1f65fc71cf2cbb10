"""What completed writes record of the log files that they wrote: their sizes, and how many bytes are theirs.

Rules LOG-260, LOG-261.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hudi_core.formats.log import HeaderKey, LogBlock
from hudi_core.formats.names import parse_log_file
from hudi_core.timeline.instants import Instant
from hudi_core.timeline.slices import Slices
from hudi_core.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True)
class LogWrite:
    """A completed write of the active timeline that names a log file: the file's size behind it, and the bytes that it added."""

    instant: str
    size: int
    added: int


def is_other_size(layout: int, recorded: int, actual: int) -> bool:
    """Whether a log file has a size that it cannot have. In layout 1 writes that are pending or died may have made it grow."""
    return actual < recorded if layout == 1 else actual != recorded


def writes_of(timeline: Timeline, path: str) -> list[LogWrite]:
    """The completed writes of the active timeline that name this log file. Raises as `Timeline.metadata`."""
    instant = _instant_of(timeline, path)
    instants = (
        timeline.commits if instant is None else (one for one in timeline.commits if one.requested_time == instant)
    )
    return [write for one in instants for named, write in _writes(timeline, one) if named == path]


def is_recorded(timeline: Timeline, path: str) -> bool:
    """Whether a log file that one write made is that of a completed one: its commit names it, or is archived.

    A task that was given up may leave a file with the time of a write that completed without it.
    """
    instant = _instant_of(timeline, path)
    known = {one.requested_time for one in timeline.commits}
    return instant is not None and (instant not in known or bool(writes_of(timeline, path)))


def lacks_written(timeline: Timeline, path: str, blocks: Sequence[LogBlock]) -> bool:
    """Whether parts of a log file that are no block stand for some that a completed write wrote. What a writer left that died is
    none. `blocks` are those of the file. Rule LOG-261. Raises as `Timeline.metadata`."""
    if timeline.layout > 1:
        return is_recorded(timeline, path)
    there = Counter[str]()
    for block in blocks:
        there[block.header.get(HeaderKey.INSTANT_TIME, "")] += block.length
    return any(there[write.instant] < write.added for write in writes_of(timeline, path))


def knows_writers(timeline: Timeline, path: str) -> bool:
    """Whether the active timeline has all completed writes that may have written to a log file: in layout 1 those since its
    slice began, which are archived behind the write that began it."""
    name = parse_log_file(path.rpartition("/")[2])
    if name is None or timeline.layout > 1:
        return name is not None
    return any(instant.requested_time == name.instant for instant in timeline.commits)


def with_recorded_sizes(slices: Slices, timeline: Timeline) -> Slices:
    """Slices of listed folders, with the sizes of log files that completed writes of the active timeline record: of a file that
    several appended to the greatest, and no less than its size in the folder. Raises as `Timeline.metadata`."""
    if not len(slices.logs):
        return slices
    writers = _writers(slices, timeline)
    timeline.expect_contents(writers)
    recorded: dict[str, int] = {}
    for instant in writers:
        for path, write in _writes(timeline, instant):
            recorded[path] = max(write.size, recorded.get(path, 0))
    sizes = slices.files.sizes.copy()
    for row in slices.logs.tolist():
        listed = slices.files.info(row)
        size = recorded.get(listed.path, listed.size)
        sizes[row] = max(size, listed.size) if timeline.layout == 1 else size
    return replace(slices, files=replace(slices.files, sizes=sizes))


def _writers(slices: Slices, timeline: Timeline) -> list[Instant]:
    """The writes that may have written the slices' log files."""
    if timeline.layout == 1:
        first = slices.instants[int(slices.log_instants.min())]
        return [instant for instant in timeline.commits if instant.requested_time >= first]
    named = {slices.instants[number] for number in np.unique(slices.log_instants).tolist()}
    return [instant for instant in timeline.commits if instant.requested_time in named]


def _instant_of(timeline: Timeline, path: str) -> str | None:
    """The instant of the one write that made a log file; None in layout 1, where several append to one."""
    name = parse_log_file(path.rpartition("/")[2])
    return None if name is None or timeline.layout == 1 else name.instant


def _writes(timeline: Timeline, instant: Instant) -> Iterator[tuple[str, LogWrite]]:
    """What a write records, by the path of the log file."""
    for stats in timeline.metadata(instant).stats.values():
        for stat in stats:
            if stat.file_size and not stat.errors and (".log." in stat.path or ".deletes." in stat.path):
                added = max(stat.file_size - (stat.log_offset or 0), 0)
                yield stat.path, LogWrite(instant.requested_time, stat.file_size, added)
