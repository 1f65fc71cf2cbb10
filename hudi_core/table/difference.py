"""What lies between two instants of a table: commits, schema changes, file slices, and rows as writers recorded them.

Rule TABLE-674.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hudi_core.errors import UsageError, list_times
from hudi_core.evolve.diff import differences
from hudi_core.notebook import show_briefly
from hudi_core.table.summaries import CommitSummary, commits
from hudi_core.table.table import Table
from hudi_core.tally import Tally
from hudi_core.timeline.instants import Instant, time_order
from hudi_core.timeline.slices import FileSlice


@show_briefly
@dataclass(frozen=True, slots=True)
class TableDifference:
    """The difference between a table at one instant and at a later one.

    `inserted`, `updated` and `deleted` count rows as the commits between have them: a row that several of them changed counts
    several times. They are None where a writer recorded none. Files are those of the latest slices.
    """

    since: str
    until: str
    commits: int
    operations: tuple[str, ...]
    inserted: int | None
    updated: int | None
    deleted: int | None
    schema_changes: tuple[str, ...]
    partitions: tuple[str, ...]
    """The partitions in which a file slice is new, gone or another one."""
    slices_added: int
    slices_removed: int
    slices_rewritten: int
    bytes_before: int
    bytes_after: int

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def difference(table: Table, since: str, until: str, tally: Tally | None = None) -> TableDifference:
    """What the commits after one instant, up to and with another, made of the table; `tally` gets how many commits are read.

    Raises `UsageError` for what is no completed write, for the later one first, and where files are cleaned away.
    """
    first, last = (_commit(table, name, time) for name, time in (("A", since), ("B", until)))
    if time_order(last.requested_time) < time_order(first.requested_time):
        raise UsageError("diff", expected="the earlier instant first", found=f"{since} {until}")
    before, after = table.snapshot(first.requested_time), table.snapshot(last.requested_time)
    between = [
        commit
        for commit in commits(table, tally)
        if time_order(first.requested_time) < time_order(commit.requested_time) <= time_order(last.requested_time)
    ]
    old, new = _groups(before.slices), _groups(after.slices)
    rewritten = [group for group in old.keys() & new.keys() if _paths(old[group]) != _paths(new[group])]
    changed = {*rewritten, *(old.keys() ^ new.keys())}
    return TableDifference(
        first.requested_time,
        last.requested_time,
        len(between),
        tuple(dict.fromkeys(commit.operation or commit.action for commit in between)),
        *_sums(between),
        tuple(map(str, differences(before.schema, after.schema))),
        tuple(sorted({partition for partition, _ in changed})),
        len(new.keys() - old.keys()),
        len(old.keys() - new.keys()),
        len(rewritten),
        _bytes(before.slices),
        _bytes(after.slices),
    )


def read_changed_rows(table: Table, since: str, until: str) -> Iterator[dict[str, Any]]:
    """The changes of rows, commit by commit, in the form of `changes`. Raises as `difference`, and as reading does."""
    first, last = (_commit(table, name, time) for name, time in (("A", since), ("B", until)))
    begin, end = (instant.completion_time or instant.requested_time for instant in (first, last))
    return table.changes(begin, end, meta=False).to_json_rows()


def _commit(table: Table, name: str, time: str) -> Instant:
    """The completed write of this requested or completion time."""
    for instant in table.timeline.commits:
        if time in (instant.requested_time, instant.completion_time):
            return instant
    there = list_times([instant.requested_time for instant in table.timeline.commits])
    raise UsageError(f"instant {name}", expected=f"a completed write of the timeline ({there})", found=repr(time))


def _sums(summaries: Sequence[CommitSummary]) -> tuple[int | None, int | None, int | None]:
    columns = ([summary.inserted, summary.updated, summary.deleted] for summary in summaries)
    sums: list[int | None] = [0, 0, 0]
    for column in columns:
        sums = [
            None if total is None or part is None else total + part for total, part in zip(sums, column, strict=True)
        ]
    return sums[0], sums[1], sums[2]


def _groups(slices: Sequence[FileSlice]) -> dict[tuple[str, str], FileSlice]:
    return {(file_slice.partition, file_slice.file_id): file_slice for file_slice in slices}


def _paths(file_slice: FileSlice) -> list[tuple[str, int]]:
    return [(file.path, file.size) for file in file_slice.files]


def _bytes(slices: Sequence[FileSlice]) -> int:
    return sum(file.size for file_slice in slices for file in file_slice.files)
