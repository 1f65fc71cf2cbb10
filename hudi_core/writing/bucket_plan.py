"""The tasks of a write to a table of buckets: each row goes to the file group that the hash of its key names. Rules WRITE-579 to
WRITE-582."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.errors import UsageError
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.bucket_layout import BUCKETS, HASH_FIELDS, BucketLayout
from hudi_core.tagging.buckets import bucket_numbers, hash_inputs, hashing_nodes, node_places
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.tagging.slice_keys import SliceKeyReader
from hudi_core.writing.bucket_places import BucketPlaces
from hudi_core.writing.plan import Planner, Routes
from hudi_core.writing.task_rows import NONE, Places, group_rows, in_order_of_keys, with_rows
from hudi_core.writing.tasks import NewFile, RewriteFile, Task

_CHECKED: Final = 4
"""Slices whose first key shows whether the number of buckets is theirs."""


@dataclass(frozen=True, slots=True)
class BucketUse:
    """What an operation does with the rows that it puts into buckets."""

    logs: bool
    """Rows for a file group that is there go to a log file."""
    combine: bool
    """Rows of one key are merged; else they are added to copy-on-write files as they are."""
    anew: bool
    """Each bucket gets a new file group, for those that are there are replaced."""

    def looks_up(self, *, removes: bool) -> bool:
        """Whether rows are located: a log file records which of its keys are new, and keys are removed where they are."""
        return (self.logs or removes) and not self.anew


def route_buckets(
    planner: Planner, places: BucketPlaces, counts: Mapping[int, int], leaving: Set[int], use: BucketUse
) -> Routes:
    """The tasks of a write, and the way of rows to them. `counts` has the rows of each place; keys are deleted from the slices of
    `leaving`."""
    there = {place: count for place, count in counts.items() if place < places.slices}
    routes = planner.upsert(there, leaving, {}, logs=use.logs)
    # Rows are merged with log files, whatever the operation.
    combine = use.combine or use.logs
    tasks = [replace(task, combine=combine) if isinstance(task, RewriteFile) else task for task in routes.tasks]
    of_places = dict(routes.of_slices)
    for place in sorted(counts.keys() - there.keys()):
        partition, file_id = places.new_group(place, planner.sources.snapshot)
        of_places[place] = len(tasks)
        tasks.append(planner.new_group(partition, file_id, counts[place], combine=use.combine))
    return Routes(tuple(tasks), of_places, {})


def plan_buckets(
    planner: Planner, keys: KeyColumns, places: BucketPlaces, held: Places, use: BucketUse
) -> tuple[Task, ...]:
    """The tasks of a write with their rows. `held` has the slices that hold their keys: of a slice these and new rows go into one
    file, in log files with positions where all are known."""
    placed = places.place(keys, held)
    routes = route_buckets(planner, places, placed.updates, set(held.leaving), use)
    rows_of = dict(group_rows(placed.slices))
    tasks: list[Task] = []
    for place, number in sorted(routes.of_slices.items(), key=lambda route: route[1]):
        task, rows = routes.tasks[number], rows_of.get(place, NONE)
        if isinstance(task, NewFile) and use.combine:
            rows = in_order_of_keys(keys.records, rows)
        tasks.append(with_rows(task, keys.records, rows, placed, held.leaving.get(place)))
    return tuple(tasks)


def refuse_other_buckets(snapshot: Snapshot, layout: BucketLayout) -> None:
    """Raises `UsageError` where stored keys are not in the buckets that the number of buckets and the hash fields name."""
    numbers = np.unique(np.linspace(0, max(len(snapshot.slices) - 1, 0), _CHECKED).astype(np.int64)).tolist()
    stored = SliceKeyReader(Sources(snapshot))
    for number in numbers if len(snapshot.slices) else []:
        file_slice = snapshot.slices[number]
        keys = next((column for column in stored.of_slice(file_slice) if len(column.offsets) > 1), None)
        if keys is None:
            continue
        first = take_strings(keys, np.zeros(1, np.int64))
        named = _name_by(snapshot, layout, first, file_slice.partition)
        if not file_slice.file_id.startswith(named):
            raise UsageError(
                f"{BUCKETS}, {HASH_FIELDS}",
                expected=f"the buckets of file group {file_slice.file_id}",
                found=f"{layout.buckets} by {', '.join(layout.hash_fields)}, which put one of its keys into bucket {named}",
            )


def _name_by(snapshot: Snapshot, layout: BucketLayout, key: StringColumn, partition: str) -> str:
    """What the file id of a key's bucket begins with."""
    hashed = hash_inputs(key, layout.hash_fields)
    if not layout.consistent:
        assert layout.buckets is not None
        return f"{int(bucket_numbers(hashed, layout.buckets)[0]):08d}"
    nodes = hashing_nodes(snapshot.storage, snapshot.timeline, partition) or []
    if not nodes:
        return ""
    return nodes[int(node_places(hashed, np.zeros(1, np.int64), [value for value, _ in nodes])[0])][1]
