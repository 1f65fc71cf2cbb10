"""The files of a metadata partition: those that instants of the metadata table record as written. Rules META-4,
META-1482.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hudi_core.formats.names import BaseFileName, parse_base_file, parse_log_file
from hudi_core.parallel.ordered import in_order, request_threads
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.instants import COMMIT, Instant, time_order
from hudi_core.timeline.recorded_logs import is_other_size
from hudi_core.timeline.timeline import Timeline

BUILT: Final = "BULK_INSERT_PREPPED"
"""The operation of a commit that makes metadata partitions. One that waits for rows has an entry without files."""


@dataclass(frozen=True, slots=True)
class LostFile:
    """A file, from the metadata table's root, that is not there as it was written, and what is there."""

    path: str
    expected: str
    found: str

    @property
    def is_gone(self) -> bool:
        """Whether there is no such file: nothing states which file group it is of."""
        return self.found == "none"


def find_lost_files(
    timeline: Timeline,
    counts: Callable[[str], bool],
    partition: str,
    present: Mapping[str, int],
    opened: Collection[str],
) -> Iterator[LostFile]:
    """The files of a partition that slices read now need, and that are not there, and log files of another size than their write
    records.

    `counts` decides of a requested time whether its instant counts; `present` are sizes of files by name, `opened` the instants
    of the partition's slices. Raises `CorruptFileError` and `StorageError`.
    """
    bases = [base for name in present if (base := parse_base_file(name)) is not None]
    for stat in _list_written(timeline, counts, partition):
        name = stat.path.rpartition("/")[2]
        log = parse_log_file(name)
        # In layout 1 a log file names its slice; one of another slice went with that when the partition was made again.
        if log is not None and timeline.layout == 1 and log.instant not in opened:
            continue
        stated, there = stat.file_size, present.get(name)
        if there is None and timeline.layout == 1 and _is_of_earlier_life(stat, bases):
            continue
        if there is None:
            yield LostFile(stat.path, "a file that a completed instant of the metadata table wrote", "none")
        elif log is not None and stated and is_other_size(timeline.layout, stated, there):
            yield LostFile(stat.path, f"{stated:,} bytes, as its instant records", f"{there:,} bytes")


def _is_of_earlier_life(stat: WriteStat, bases: Sequence[BaseFileName]) -> bool:
    """Whether a base file went with its partition, which was made again under an earlier time, as in layout 1: one of the base
    files that are there has a time between that of the slice which the file continued, its last then, and the file's own."""
    gone, previous = parse_base_file(stat.path.rpartition("/")[2]), stat.previous or ""
    return gone is not None and any(
        base.file_id == gone.file_id and previous < base.instant < gone.instant for base in bases
    )


def expect_written(timeline: Timeline, counts: Callable[[str], bool]) -> None:
    """Announces to the storage that `find_lost_files` will be called next."""
    timeline.expect_contents(_since_compaction(_counting(timeline, counts)))


def _counting(timeline: Timeline, counts: Callable[[str], bool]) -> list[Instant]:
    return [instant for instant in timeline.commits if counts(instant.requested_time)]


def _list_written(timeline: Timeline, counts: Callable[[str], bool], partition: str) -> Iterator[WriteStat]:
    """What was written since the last compaction, by that, or since the partition was made, whichever came last."""
    since = _since_compaction(_counting(timeline, counts))
    threads = request_threads(timeline.storage)
    for instant, metadata in zip(since, list(in_order(timeline.metadata, since, threads)), strict=True):
        recorded = metadata.stats.get(partition)
        stats = [stat for stat in recorded or () if stat.path]
        yield from stats
        is_unfilled = recorded is not None and not recorded and metadata.operation == BUILT
        if is_unfilled or any(_begins(instant, stat) for stat in stats):
            return


def _begins(instant: Instant, stat: WriteStat) -> bool:
    """Whether what the file group had before does not count with this file. The base file of a partition that was built while
    writers went on continues what these wrote; it began with an empty log file."""
    if parse_base_file(stat.path.rpartition("/")[2]) is not None:
        return instant.action == COMMIT or stat.previous is None
    return stat.rows == 0 and not stat.deletes


def _since_compaction(commits: Sequence[Instant]) -> list[Instant]:
    """The latest commits down to a compaction, those first that completed last. A partition that is made again gets an instant
    time from before all others."""
    later: list[Instant] = []
    for instant in sorted(
        commits, key=lambda commit: time_order(commit.completion_time or commit.requested_time), reverse=True
    ):
        later.append(instant)
        if instant.action == COMMIT:
            break
    return later
