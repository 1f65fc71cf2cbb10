"""Keys of files in metadata partitions, where most files are those of an earlier time: only new names are hashed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers
from hudi_core.columns.hashes import bloom_filter_keys
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.string_index import index_strings
from hudi_core.columns.strings import take_strings
from hudi_core.timeline.files import FileList

Keys = NDArray[np.bytes_]


@dataclass(frozen=True, slots=True, eq=False)
class FileKeys:
    """The keys of these rows of `files`."""

    files: FileList
    rows: Numbers
    keys: Keys


def hash_keys(files: FileList, rows: Numbers) -> Keys:
    """For each of these files, the part of its keys after the column, which is its key in `bloom_filters` (FORMAT-10)."""
    return bloom_filter_keys(files.partitions, files.partition_of[rows], take_strings(files.names, rows))


def keys_of(partitions: Iterable[str], names: StringColumn) -> Keys:
    """The same of files by the partition and the name of each."""
    return bloom_filter_keys(*number_partitions(partitions), names)


def number_partitions(partitions: Iterable[str]) -> tuple[list[str], Numbers]:
    """The distinct partitions in ascending order, and the number among them of each that was given."""
    given = list(partitions)
    distinct = sorted(set(given))
    number_of = {partition: number for number, partition in enumerate(distinct)}
    return distinct, np.fromiter(map(number_of.__getitem__, given), np.int64, len(given))


def keys_beside(files: FileList, rows: Numbers, known: FileKeys) -> Keys:
    """The same where some are known: by partition and name."""
    place = {partition: number for number, partition in enumerate(known.files.partitions)}
    numbers = np.array([place.get(partition, -1) for partition in files.partitions], np.int64)
    places = index_strings(take_strings(known.files.names, known.rows)).find(take_strings(files.names, rows))
    # Files of two partitions may share a name, of which one is found: the other is hashed like a new one.
    there = np.flatnonzero(places >= 0)
    there = there[known.files.partition_of[known.rows[places[there]]] == numbers[files.partition_of[rows[there]]]]
    new = np.ones(len(rows), np.bool_)
    new[there] = False
    keys = np.empty(len(rows), known.keys.dtype)
    keys[there] = known.keys[places[there]]
    keys[new] = hash_keys(files, rows[new])
    return keys
