"""Keys that are to be located, in which file slices they may be by their partition, and where they were found: columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hudi_core.arrays import Numbers, Numbers32
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.timeline.slices import FileSlice

NOWHERE = -1
"""In place of the number of a slice or a row: none, or not known."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyColumns:
    """`HoodieKey`s as columns: record keys, none of them null, and for each the number of its partition in `paths`."""

    records: StringColumn
    partitions: Numbers32
    paths: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.partitions)

    def count_by_path(self) -> dict[str, int]:
        """How many keys each partition has, by its path."""
        return dict(zip(self.paths, np.bincount(self.partitions, minlength=len(self.paths)).tolist(), strict=True))

    def by_partition(self) -> Iterator[tuple[str, Numbers]]:
        """The rows of the keys in each partition."""
        # numbers of two bytes are sorted by their digits
        numbers = self.partitions.astype(np.uint16) if len(self.paths) < 1 << 16 else self.partitions
        order = np.argsort(numbers, kind="stable")
        bounds = np.searchsorted(self.partitions[order], np.arange(len(self.paths) + 1))
        for path, (start, end) in zip(self.paths, pairwise(bounds.tolist()), strict=True):
            if start < end:
                yield path, order[start:end]


def take_keys(keys: KeyColumns, rows: Numbers) -> KeyColumns:
    """The keys of some rows, with the partitions that they have."""
    numbers, partitions = np.unique(keys.partitions[rows], return_inverse=True)
    paths = tuple(keys.paths[number] for number in numbers.tolist())
    return KeyColumns(take_strings(keys.records, rows), partitions.astype(np.int32), paths)


def concat_keys(parts: Sequence[KeyColumns]) -> KeyColumns:
    """The keys of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    paths = {path: number for number, path in enumerate(dict.fromkeys(path for part in parts for path in part.paths))}
    numbers = [np.array([paths[path] for path in part.paths], np.int32)[part.partitions] for part in parts]
    partitions = np.concatenate(numbers) if numbers else np.zeros(0, np.int32)
    return KeyColumns(concat_strings([part.records for part in parts]), partitions, tuple(paths))


@dataclass(frozen=True, slots=True, eq=False)
class Locations:
    """Where each key was found: the number of the file slice in the snapshot and, where it is known, of the row in its base
    file, counted from 0; `NOWHERE` otherwise."""

    slices: Numbers
    positions: Numbers

    @staticmethod
    def nowhere(count: int) -> Locations:
        return Locations(np.full(count, NOWHERE, np.int64), np.full(count, NOWHERE, np.int64))

    def put(self, rows: Numbers, slice_number: int, positions: Numbers) -> int:
        """Keys found in a slice; those that are in an earlier one already stay there. Gives the number of those."""
        free = (self.slices[rows] == NOWHERE) | (self.slices[rows] > slice_number)
        known_count = int(np.count_nonzero(self.slices[rows] != NOWHERE))
        self.slices[rows[free]] = slice_number
        self.positions[rows[free]] = positions[free]
        return known_count

    @property
    def located_count(self) -> int:
        return int(np.count_nonzero(self.slices != NOWHERE))


def join_locations(parts: Sequence[Locations]) -> Locations:
    """The locations of all parts, in order."""
    return Locations(
        np.concatenate([part.slices for part in parts]), np.concatenate([part.positions for part in parts])
    )


def all_slices(keys: KeyColumns, slices: Sequence[FileSlice]) -> list[tuple[Numbers, Numbers]]:
    """Each key in any slice."""
    return [(np.arange(len(keys), dtype=np.int64), np.arange(len(slices), dtype=np.int64))]


def slices_of_partitions(keys: KeyColumns, slices: Sequence[FileSlice]) -> list[tuple[Numbers, Numbers]]:
    """Each key in the slices of its partition; keys of partitions without slices are left out."""
    members: dict[str, list[int]] = {}
    for index, file_slice in enumerate(slices):
        members.setdefault(file_slice.partition, []).append(index)
    return [(rows, np.array(members[path], np.int64)) for path, rows in keys.by_partition() if path in members]
