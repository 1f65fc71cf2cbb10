"""In which file slices a key may be, by its partition alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hudi_core.index.key_columns import KeyColumns
from hudi_core.timeline.slices import FileSlice

Numbers = NDArray[np.int64]


def all_slices(keys: KeyColumns, slices: Sequence[FileSlice]) -> list[tuple[Numbers, Numbers]]:
    """Each key in any slice."""
    return [(np.arange(len(keys), dtype=np.int64), np.arange(len(slices), dtype=np.int64))]


def slices_of_partitions(keys: KeyColumns, slices: Sequence[FileSlice]) -> list[tuple[Numbers, Numbers]]:
    """Each key in the slices of its partition; keys of partitions without slices are left out."""
    members: dict[str, list[int]] = {}
    for index, file_slice in enumerate(slices):
        members.setdefault(file_slice.partition, []).append(index)
    return [(rows, np.array(members[path], np.int64)) for path, rows in keys.by_partition() if path in members]
