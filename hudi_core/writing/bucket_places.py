"""Where the keys of a write go in a table of buckets: to the slice of their bucket, or to a new file group. Rules WRITE-579 to
WRITE-582, WRITE-1151."""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.commit.steps import Ensure
from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.tagging.bucket_layout import BUCKETS, BucketLayout
from hudi_core.tagging.buckets import bucket_numbers, bucket_of_file, hash_inputs, hashing_nodes, node_places
from hudi_core.tagging.hashing_metadata import first_nodes, hashing_content, hashing_path
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.task_rows import Places


@dataclass(frozen=True, slots=True, eq=False)
class _Partition:
    """The buckets of a partition, in the order of their own numbers or of the values of nodes."""

    numbers: Numbers
    """The number of the slice of each, or what stands for its new file group."""
    nodes: Sequence[tuple[int, str]]
    """The nodes of consistent hashing."""


@dataclass(frozen=True, slots=True, eq=False)
class BucketPlaces:
    """The place of each key that a write may have: the number of a slice, or a larger one for a new file group. It can be
    pickled."""

    layout: BucketLayout
    slices: int
    """How many slices the table has."""
    partitions: Mapping[str, _Partition]
    paths: Sequence[str]
    firsts: Sequence[int]
    """What stands for a new file group of the first bucket of each partition; those of its others follow."""

    def find_places(self, keys: KeyColumns) -> Numbers:
        """The place of each key."""
        hashed, places = hash_inputs(keys.records, self.layout.hash_fields), np.empty(len(keys), np.int64)
        buckets = None if self.layout.consistent else bucket_numbers(hashed, _get_count(self.layout))
        for path, rows in keys.by_partition():
            partition = self.partitions[path]
            values = [value for value, _ in partition.nodes]
            of_rows = node_places(hashed, rows, values) if buckets is None else buckets[rows]
            places[rows] = partition.numbers[of_rows]
        return places

    def place(self, keys: KeyColumns, held: Places) -> Places:
        """The places of rows. `held` has the slices that hold their keys, and which of them are left out: the task of a slice
        reports those that it does not hold as new."""
        slices = np.where(held.slices >= NOWHERE, self.find_places(keys), held.slices)
        return replace(held, slices=slices, new=held.slices == NOWHERE)

    def new_group(self, place: int, snapshot: Snapshot) -> tuple[str, str]:
        """The partition and the file id of a new file group. Raises `UnsupportedError` where consistent hashing would bring a
        replaced one back."""
        number = bisect_right(self.firsts, place) - 1
        path, bucket = self.paths[number], place - self.firsts[number]
        if not self.layout.consistent:
            return path, f"{bucket:08d}{str(uuid.uuid4())[8:]}-0"
        file_id = f"{self.partitions[path].nodes[bucket][1]}-0"
        if (path, file_id) in snapshot.timeline.replaced:
            raise UnsupportedError(
                snapshot.storage.uri,
                expected="hashing nodes whose file groups are there",
                found=f"the replaced file group {file_id} of partition {path!r}",
            )
        return path, file_id


@dataclass(frozen=True, slots=True)
class BucketParts:
    """The part of a spread write that each key goes to: all of a bucket go to one, which alone reads its file group."""

    places: BucketPlaces
    parts: int

    def targets(self, keys: KeyColumns) -> Numbers:
        """The part of each key."""
        return self.places.find_places(keys) % self.parts


def bucket_places(
    snapshot: Snapshot, paths: Iterable[str], layout: BucketLayout, *, anew: bool = False
) -> tuple[BucketPlaces, tuple[Ensure, ...]]:
    """The places of the keys of some partitions, and the files of hashing nodes that new partitions need before their first file.
    With `anew` each bucket gets a new file group, for those that are there are replaced.

    Raises `CorruptFileError` where two file groups are one bucket, `UsageError` where nobody states how many buckets a new
    partition has.
    """
    there = _simple_slices(snapshot) if not layout.consistent else _slices_by_id(snapshot)
    partitions: dict[str, _Partition] = {}
    steps: list[Ensure] = []
    firsts = [len(snapshot.slices)]
    for path in dict.fromkeys(paths):
        nodes: Sequence[tuple[int, str]] = ()
        if layout.consistent:
            stored = hashing_nodes(snapshot.storage, snapshot.timeline, path)
            nodes = _nodes_of_new_partition(layout, path) if stored is None else stored
            if stored is None:
                steps.append(Ensure(hashing_path(path), hashing_content(path, list(nodes))))
        names: Sequence[int | str] = [f"{prefix}-0" for _, prefix in nodes] or range(_get_count(layout))
        numbers = np.arange(firsts[-1], firsts[-1] + len(names), dtype=np.int64)
        of_path = {} if anew else there.get(path, {})
        for bucket, name in enumerate(names) if of_path else ():
            numbers[bucket] = of_path.get(name, numbers[bucket])
        partitions[path] = _Partition(numbers, nodes)
        firsts.append(firsts[-1] + len(names))
    return BucketPlaces(layout, len(snapshot.slices), partitions, tuple(partitions), firsts[:-1]), tuple(steps)


def _get_count(layout: BucketLayout) -> int:
    assert layout.buckets is not None
    return layout.buckets


def _simple_slices(snapshot: Snapshot) -> dict[str, dict[int | str, int]]:
    """The number of the slice of each bucket, by partition."""
    members: dict[str, dict[int | str, int]] = {}
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
    return members


def _slices_by_id(snapshot: Snapshot) -> dict[str, dict[int | str, int]]:
    members: dict[str, dict[int | str, int]] = {}
    for index, file_slice in enumerate(snapshot.slices):
        members.setdefault(file_slice.partition, {})[file_slice.file_id] = index
    return members


def _refuse_two(snapshot: Snapshot, one: FileSlice, other: FileSlice) -> None:
    raise CorruptFileError(
        f"{snapshot.storage.uri}/{one.partition}",
        expected="one file group for each bucket",
        found=f"{one.file_id} and {other.file_id}; roll back what wrote one of them",
    )


def _nodes_of_new_partition(layout: BucketLayout, partition: str) -> list[tuple[int, str]]:
    if layout.buckets is None:
        raise UsageError(BUCKETS, expected=f"the number of buckets of the new partition {partition!r}", found="none")
    return first_nodes(partition, layout.buckets)
