"""What the commits of a table wrote, and what its partitions hold. Rules TABLE-470, TABLE-471.

Both come from the timeline and from footers; rows are read only where log files have to be merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from hudi_core.commit.statuses import CLUSTER, COMPACTIONS
from hudi_core.notebook import show_briefly
from hudi_core.table.table import Table
from hudi_core.tally import READING_COMMITS, Tally
from hudi_core.timeline.commits import WriteStat
from hudi_core.timeline.instants import Instant

REWRITES: Final = frozenset({CLUSTER, *COMPACTIONS})
"""Operations that write rows to other files as they are."""
SMALL_BYTES = 100 << 20
"""Apache Hudi's `hoodie.parquet.small.file.limit`: base files below it get new rows first."""


@show_briefly
@dataclass(frozen=True, slots=True)
class CommitSummary:
    """What one completed write did, as its writer recorded it; counts are None where it recorded none.

    `inserted`, `updated` and `deleted` count rows, `files` the files written, `replaced` the file groups that it replaced. A
    clustering and a compaction change no row: their counts are 0, whatever their writers recorded.
    """

    requested_time: str
    completion_time: str | None
    action: str
    operation: str | None
    partitions: int
    files: int
    replaced: int
    inserted: int | None
    updated: int | None
    deleted: int | None
    bytes: int | None

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@show_briefly
@dataclass(frozen=True, slots=True)
class PartitionSummary:
    """What a partition holds now. `small_files` counts base files below Apache Hudi's limit of small files."""

    partition: str
    rows: int
    file_slices: int
    base_files: int
    small_files: int
    log_files: int
    bytes: int

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def commits(table: Table, tally: Tally | None = None) -> list[CommitSummary]:
    """Lists the completed writes of the active timeline, oldest first; `tally` gets how many of them are read.

    Raises `CorruptFileError` for one that cannot be read.
    """
    listed = table.timeline.commits
    if tally is None:
        return [_summary(table, commit) for commit in listed]
    tally.enter(READING_COMMITS, len(listed))
    made = []
    for commit in listed:
        made.append(_summary(table, commit))
        tally.add(done=1)
    return made


def _summary(table: Table, commit: Instant) -> CommitSummary:
    metadata = table.timeline.metadata(commit)
    stats = [stat for of_partition in metadata.stats.values() for stat in of_partition]
    changes = [] if metadata.operation in REWRITES else stats
    return CommitSummary(
        commit.requested_time,
        commit.completion_time,
        commit.action,
        metadata.operation,
        len({*metadata.stats, *metadata.replaced}),
        sum(bool(stat.path) for stat in stats),
        sum(map(len, metadata.replaced.values())),
        _total(changes, lambda stat: stat.inserts),
        _total(changes, lambda stat: stat.updates),
        _total(changes, lambda stat: stat.deletes),
        _total(stats, lambda stat: stat.bytes_written),
    )


def _total(stats: Iterable[WriteStat], count: Callable[[WriteStat], int | None]) -> int | None:
    """The sum of a count; None where a writer did not record it."""
    total = 0
    for stat in stats:
        number = count(stat)
        if number is None:
            return None
        total += number
    return total


def partitions(table: Table, tally: Tally | None = None) -> list[PartitionSummary]:
    """Lists the partitions by path. Rows are counted by footers, and read only where log files have to be merged.

    `tally` gets how many of the file slices that are merged are read, and their rows.
    """
    scan = table.scan()
    scan.tally = tally
    of_partition: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    for file_slice, rows in zip(scan.plan.slices, scan.counts(), strict=True):
        base = file_slice.base
        numbers = (
            rows,
            1,
            int(base is not None),
            int(base is not None and base.size < SMALL_BYTES),
            len(file_slice.logs),
            sum(file.size for file in file_slice.files),
        )
        sums = of_partition[file_slice.partition]
        for place, number in enumerate(numbers):
            sums[place] += number
    return [PartitionSummary(partition, *of_partition[partition]) for partition in sorted(of_partition)]
