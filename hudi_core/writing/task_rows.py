"""The rows of tasks, where all rows of a write are here: by the routes of its plan. Rules: WRITE-16 to WRITE-20."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import equal_strings
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.tagging.sorted_keys import sort_keys
from hudi_core.writing.moves import LEFT_OUT
from hudi_core.writing.plan import Routes, Share
from hudi_core.writing.tasks import AppendLog, NewFile, RewriteFile, Task

NONE: Final = np.zeros(0, np.int64)


class RowOrder(StrEnum):
    """The order of new rows in the files of a partition. Rule WRITE-616."""

    GLOBAL = "global"
    """The order of their keys, over all files: each has a range of them."""
    PARTITION = "partition"
    """The order of their keys within each file; files have the rows as they come."""
    NONE = "none"
    """The order in which they come."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the rows of a write go: for each row the number of the slice that holds its key, `NOWHERE`, or `LEFT_OUT`."""

    slices: Numbers
    positions: Numbers | None = None
    """The position of each key's row in the base file of its slice, `NOWHERE` where unknown; None: not to be recorded."""
    new: Bools | None = None
    """The rows whose key their slice does not hold: its task reports it as new. None for no row."""
    deleted_in: Numbers | None = None
    """For each new row the slice whose base file has its key, or will have it by a planned compaction, though a log file
    deletes it, else `NOWHERE`; None where nobody asked."""
    unlogged: frozenset[int] = frozenset()
    """Slices whose base files are rewritten: in a log file, rows of theirs would bring deleted ones back."""
    leaving: Mapping[int, StringColumn] = field(default_factory=dict)
    """Keys to delete, by slice."""

    @property
    def new_rows(self) -> Numbers:
        """The rows whose keys no slice holds."""
        return np.flatnonzero(self.slices == NOWHERE)

    @property
    def updates(self) -> dict[int, int]:
        """How many rows each slice gets."""
        numbers, counts = np.unique(self.slices[self.slices > NOWHERE], return_counts=True)
        return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def without_removed(places: Places, records: StringColumn, removes: Bools) -> Places:
    """The places of a write some of whose rows stand for the deletion of their keys."""
    if not removes.any():
        return places
    rows = np.flatnonzero(removes & (places.slices > NOWHERE))
    places = with_deleted_places(places, take_strings(records, rows), places.slices[rows])
    return replace(places, slices=np.where(removes, LEFT_OUT, places.slices))


def with_deleted_places(places: Places, records: StringColumn, slices: Numbers) -> Places:
    """The places of a write that also deletes keys: those that a slice holds, by its number."""
    leaving = dict(places.leaving)
    for number, of_slice in group_rows(slices):
        keys = take_strings(records, of_slice)
        leaving[number] = concat_strings([leaving[number], keys]) if number in leaving else keys
    return replace(places, leaving=leaving)


def rows_of_tasks(routes: Routes, keys: KeyColumns, places: Places, order: RowOrder) -> tuple[Task, ...]:
    """The tasks with their rows. New rows of a partition go to its shares in an order; rows of a key that are merged stay
    together. Tasks that no row is left for are dropped."""
    updates = {routes.of_slices[number]: rows for number, rows in group_rows(places.slices)}
    new: dict[int, Numbers] = {}
    for partition, rows in group_by_partition(keys, places.new_rows):
        ordered = in_order_of_keys(keys.records, rows) if order is RowOrder.GLOBAL else rows
        new |= _deal(routes, keys.records, ordered, routes.of_partitions[partition])
    if order is RowOrder.PARTITION:
        new = {number: in_order_of_keys(keys.records, rows) for number, rows in new.items()}
    leaving = {routes.of_slices[number]: leaves for number, leaves in places.leaving.items()}
    tasks = []
    for number, task in enumerate(routes.tasks):
        rows = np.concatenate([updates.get(number, NONE), new.get(number, NONE)])
        leaves = leaving.get(number)
        if len(rows) or leaves is not None:
            tasks.append(with_rows(task, keys.records, rows, places, leaves))
    return tuple(tasks)


def deletes_of_tasks(routes: Routes, keys: KeyColumns, places: Places) -> tuple[Task, ...]:
    """The tasks with the keys that they delete: those that a slice holds."""
    return tuple(
        with_deletes(
            routes.tasks[routes.of_slices[number]], take_strings(keys.records, rows), _find_known(places, rows)
        )
        for number, rows in group_rows(places.slices)
    )


def with_rows(task: Task, records: StringColumn, rows: Numbers, places: Places, leaves: StringColumn | None) -> Task:
    """A task with its rows, those of slices before new ones, and the keys that leave its slice."""
    match task:
        case NewFile():
            distinct = task.combine and not _equal_to_previous(records, rows).any()
            return replace(task, rows=rows, distinct=distinct)
        case RewriteFile():
            return replace(task, rows=rows, deleted_keys=leaves)
        case AppendLog():
            positions = _find_known(places, rows) if leaves is None else None
            new = NONE if places.new is None else rows[places.new[rows]]
            new_keys = take_strings(records, new) if len(new) else None
            # Rows of some columns alone change rows that the slice holds.
            columns = task.columns if new_keys is None else None
            meets = places.deleted_in is not None and bool((places.deleted_in[rows] != NOWHERE).any())
            return replace(
                task, rows=rows, deleted_keys=leaves, positions=positions, new_keys=new_keys, columns=columns,
                meets_deletes=meets,
            )  # fmt: skip


def with_deletes(task: Task, deleted: StringColumn, positions: Numbers | None) -> Task:
    """A task that deletes keys. `positions` are their places in the base file of its slice, None where one is not known."""
    assert not isinstance(task, NewFile)
    if isinstance(task, AppendLog):
        return replace(task, rows=NONE, deleted_keys=deleted, positions=positions)
    return replace(task, rows=NONE, deleted_keys=deleted)


def _find_known(places: Places, rows: Numbers) -> Numbers | None:
    """The places of rows; None unless all are known."""
    positions = None if places.positions is None else places.positions[rows]
    return None if positions is None or (positions == NOWHERE).any() else positions


def _deal(
    routes: Routes, records: StringColumn, rows: Numbers, shares: Sequence[Share]
) -> Iterator[tuple[int, Numbers]]:
    """The rows of each share, in their order."""
    start = stop = 0
    for share in shares:
        stop += share.rows
        task = routes.tasks[share.task]
        end = (
            stop
            if isinstance(task, NewFile | RewriteFile) and not task.combine
            else _of_whole_keys(records, rows, stop)
        )
        yield share.task, rows[start:end]
        start = end


def in_order_of_keys(records: StringColumn, rows: Numbers) -> Numbers:
    """The rows in the order of their keys, those of one key in their own."""
    order = sort_keys(take_strings(records, rows)).order
    return rows[_stable(records, rows, order)]


def group_rows(slice_numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The rows of each slice that has some, in their order."""
    rows = np.flatnonzero(slice_numbers > NOWHERE)
    order = rows[np.argsort(slice_numbers[rows], kind="stable")]
    begins = np.flatnonzero(np.diff(slice_numbers[order], prepend=NOWHERE))
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=False):
        yield int(slice_numbers[order[begin]]), order[begin:end]


def group_by_partition(keys: KeyColumns, rows: Numbers) -> list[tuple[str, Numbers]]:
    """The partition paths of rows by number, each with its rows, in their order."""
    if len(keys.paths) == 1:  # as that of a table without partitions
        return [(keys.paths[0], rows)] if len(rows) else []
    partitions = keys.partitions[rows]
    order = np.argsort(partitions, kind="stable")
    begins = np.flatnonzero(np.diff(partitions[order], prepend=-1))
    ends: Sequence[int] = [*begins[1:].tolist(), len(order)]
    return [
        (keys.paths[partitions[order[begin]]], rows[order[begin:end]])
        for begin, end in zip(begins.tolist(), ends, strict=False)
    ]


def _stable(records: StringColumn, rows: Numbers, order: Numbers) -> Numbers:
    """An order of rows by key with rows of one key in their own order."""
    if len(order) < 2:
        return order
    runs = np.cumsum(np.append(True, ~_equal_to_previous(records, rows[order]))[: len(order)])
    return order[np.lexsort((order, runs))]


def _equal_to_previous(records: StringColumn, rows: Numbers) -> Bools:
    """For each row but the first, whether its key is that of the row before."""
    return equal_strings(records, rows[1:], records, rows[:-1])


def _of_whole_keys(records: StringColumn, rows: Numbers, count: int) -> int:
    """How many of rows in the order of their keys to take so that no key is split: `count`, or some fewer or more."""
    if count <= 0 or count >= len(rows):
        return max(0, min(count, len(rows)))
    tail = rows[count - 1 :]
    differs = np.flatnonzero(~_equal_to_previous(records, tail))
    return count + int(differs[0]) if len(differs) else len(rows)
