"""Many keys put to the bloom filters of file slices. Rule INDEX-22."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.hashes import bloom_filter_key, file_group_indexes
from hudi_core.formats.bloom import CACHED_ROUNDS, BloomFilter, HashedKeys
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.timeline.slices import FileSlice

_CLEARLY, _FEW = 2, 20
"""So many times the keys that pass by chance, and so many more, do not pass by chance."""


def lookup_order(metadata: MetadataTable | None, slices: Sequence[FileSlice]) -> list[int]:
    """The places of the slices in an order in which neighbours' filters are in neighbouring blocks."""
    keys = [
        bloom_filter_key(file_slice.partition, file_slice.base.name) if file_slice.base else "" for file_slice in slices
    ]
    if metadata is None or not keys:
        return list(range(len(slices)))
    groups = file_group_indexes(keys, len(metadata.slices(BLOOM_FILTERS))).tolist()
    return sorted(range(len(slices)), key=lambda index: (groups[index], keys[index]))


def passing_keys(bloom_filter: BloomFilter, keys: HashedKeys, rows: slice) -> Numbers:
    """The places of the keys, among all, that a filter lets pass.

    Where far more keys pass the first of its hashes than chance explains, the file holds some and is read in any case: the
    other hashes would rule out few of those that are left.
    """
    passed: Numbers = rows.start + np.flatnonzero(bloom_filter.may_contain(keys, rows, CACHED_ROUNDS))
    by_chance = (rows.stop - rows.start) * bloom_filter.false_after(CACHED_ROUNDS)
    if len(passed) > _CLEARLY * by_chance + _FEW:
        return passed
    return passed[bloom_filter.may_contain(keys, passed)]
