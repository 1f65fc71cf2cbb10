"""The tasks of a write to a table of buckets: each row goes to the file group that the hash of its key names. Rules WRITE-579 to
WRITE-582."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings
from hudi_core.commit.steps import Ensure
from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.bucket_layout import BUCKETS, HASH_FIELDS, BucketLayout
from hudi_core.tagging.buckets import bucket_numbers, bucket_of_file, hash_inputs, hashing_nodes, node_places
from hudi_core.tagging.hashing_metadata import first_nodes, hashing_content, hashing_path
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.tagging.stored_keys import StoredKeys
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.plan import Planner
from hudi_core.writing.task_rows import NONE, Places, in_order_of_keys, with_rows
from hudi_core.writing.tasks import RewriteFile, Task

_CHECKED: Final = 4
"""Slices whose first key shows whether the number of buckets is theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class Bucket:
    """A bucket that a write puts rows into: its file group, the number of its slice (`NOWHERE` for a new one), and the rows."""

    partition: str
    file_id: str
    slice: int
    rows: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """The buckets of a write's rows, and the files of hashing nodes that new partitions need before their first file."""

    buckets: tuple[Bucket, ...]
    steps: tuple[Ensure, ...] = ()


def buckets_of_rows(snapshot: Snapshot, keys: KeyColumns, layout: BucketLayout, *, anew: bool = False) -> Buckets:
    """The bucket of each row; with `anew` each gets a new file group, for those that are there are replaced.

    Raises `CorruptFileError` where two file groups are one bucket, `UsageError` where nobody states the number of buckets of a
    new partition, `UnsupportedError` where consistent hashing would bring a replaced file group back.
    """
    hashed = hash_inputs(keys.records, layout.hash_fields)
    if not layout.consistent:
        assert layout.buckets is not None
        numbers = bucket_numbers(hashed, layout.buckets)
        return Buckets(tuple(_simple(snapshot, keys, numbers, anew=anew)))
    buckets: list[Bucket] = []
    steps: list[Ensure] = []
    members = _by_partition(snapshot)
    for partition, rows in keys.by_partition():
        nodes = hashing_nodes(snapshot.storage, snapshot.timeline, partition)
        if nodes is None:
            nodes = _nodes_of_new_partition(layout, partition)
            steps.append(Ensure(hashing_path(partition), hashing_content(partition, nodes)))
        places = node_places(hashed, rows, [value for value, _ in nodes])
        for place, of_node in _group(places, rows):
            file_id = f"{nodes[place][1]}-0"
            if (partition, file_id) in snapshot.timeline.replaced:
                raise UnsupportedError(
                    snapshot.storage.uri,
                    expected="hashing nodes whose file groups are there",
                    found=f"the replaced file group {file_id} of partition {partition!r}",
                )
            there = members.get(partition, {}).get(file_id, NOWHERE)
            buckets.append(Bucket(partition, file_id, there, of_node))
    return Buckets(tuple(buckets), tuple(steps))


def plan_buckets(
    planner: Planner, keys: KeyColumns, buckets: Sequence[Bucket], held: Places, *, logs: bool, combine: bool
) -> tuple[Task, ...]:
    """The tasks of a write with their rows. `held` has the slices that hold their keys: of a slice these and new rows go into one
    file, in log files with positions where all are known. With `combine` rows of one key are merged."""
    slices = np.full(len(keys), NOWHERE, np.int64)
    kept = [replace(bucket, rows=bucket.rows[held.slices[bucket.rows] >= NOWHERE]) for bucket in buckets]
    counts: dict[int, int] = {}
    for bucket in kept:
        if bucket.slice != NOWHERE and len(bucket.rows):
            slices[bucket.rows] = bucket.slice
            counts[bucket.slice] = len(bucket.rows)
    routes = planner.upsert(counts, set(held.leaving), {}, logs=logs)
    # Rows whose keys the slice does not hold: their task reports them as new.
    places = replace(held, slices=slices, deleted=held.slices == NOWHERE)
    rows_of = {bucket.slice: bucket.rows for bucket in kept if bucket.slice != NOWHERE}
    tasks: list[Task] = []
    for number in sorted({*counts, *held.leaving}):
        task = routes.tasks[routes.of_slices[number]]
        if isinstance(task, RewriteFile):
            task = replace(task, combine=combine or logs)  # rows are merged with log files
        tasks.append(with_rows(task, keys.records, rows_of.get(number, NONE), places, held.leaving.get(number)))
    for bucket in kept:
        if bucket.slice == NOWHERE and len(bucket.rows):
            rows = in_order_of_keys(keys.records, bucket.rows) if combine else bucket.rows
            new = planner.new_group(bucket.partition, bucket.file_id, len(rows), combine=combine)
            tasks.append(with_rows(new, keys.records, rows, places, None))
    return tuple(tasks)


def refuse_other_buckets(snapshot: Snapshot, layout: BucketLayout) -> None:
    """Raises `UsageError` where stored keys are not in the buckets that the number of buckets and the hash fields name."""
    numbers = np.unique(np.linspace(0, max(len(snapshot.slices) - 1, 0), _CHECKED).astype(np.int64)).tolist()
    stored = StoredKeys(Sources(snapshot))
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


def _simple(snapshot: Snapshot, keys: KeyColumns, numbers: Numbers, *, anew: bool) -> Iterator[Bucket]:
    members: dict[str, dict[int, int]] = {}
    for index, file_slice in enumerate(snapshot.slices):
        bucket = bucket_of_file(file_slice.file_id)
        if bucket is None:
            raise UsageError(
                snapshot.storage.uri, expected="file groups of a bucket index", found=f"file id {file_slice.file_id}"
            )
        of_partition = members.setdefault(file_slice.partition, {})
        if bucket in of_partition:
            _refuse_two(snapshot, snapshot.slices[of_partition[bucket]], file_slice)
        of_partition[bucket] = index
    for partition, rows in keys.by_partition():
        there = {} if anew else members.get(partition, {})
        for number, of_bucket in _group(numbers[rows], rows):
            index = there.get(number, NOWHERE)
            new = f"{number:08d}{str(uuid.uuid4())[8:]}-0"
            file_id = new if index == NOWHERE else snapshot.slices[index].file_id
            yield Bucket(partition, file_id, index, of_bucket)


def _refuse_two(snapshot: Snapshot, one: FileSlice, other: FileSlice) -> None:
    raise CorruptFileError(
        f"{snapshot.storage.uri}/{one.partition}",
        expected="one file group for each bucket",
        found=f"{one.file_id} and {other.file_id}; roll back what wrote one of them",
    )


def _by_partition(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    members: dict[str, dict[str, int]] = {}
    for index, file_slice in enumerate(snapshot.slices):
        members.setdefault(file_slice.partition, {})[file_slice.file_id] = index
    return members


def _nodes_of_new_partition(layout: BucketLayout, partition: str) -> list[tuple[int, str]]:
    if layout.buckets is None:
        raise UsageError(BUCKETS, expected=f"the number of buckets of the new partition {partition!r}", found="none")
    return first_nodes(partition, layout.buckets)


def _group(numbers: Numbers, rows: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The rows of each number, in their order."""
    order = np.argsort(numbers, kind="stable")
    begins = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=False):
        yield int(numbers[order[begin]]), rows[order[begin:end]]
