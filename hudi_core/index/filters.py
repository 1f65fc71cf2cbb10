"""Many keys put to the bloom filters of file slices. Rule INDEX-22."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.hashes import bloom_filter_key, file_group_indexes
from hudi_core.formats.bloom import CACHED_ROUNDS, BloomFilter, HashedKeys
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.timeline.slices import FileSlice

Numbers = NDArray[np.int64]

_CLEARLY, _FEW = 2, 20
"""So many times the keys that pass by chance, and so many more, do not pass by chance."""


def lookup_order(metadata: MetadataTable | None, slices: Sequence[FileSlice]) -> list[int]:
    """The places of the slices in an order in which neighbours' filters are in neighbouring blocks."""
    keys = [bloom_filter_key(each.partition, each.base.name) if each.base else "" for each in slices]
    if metadata is None or not keys:
        return list(range(len(slices)))
    groups = file_group_indexes(keys, len(metadata.slices(BLOOM_FILTERS))).tolist()
    return sorted(range(len(slices)), key=lambda place: (groups[place], keys[place]))


def passing_keys(of: BloomFilter, keys: HashedKeys, asked: slice) -> Numbers:
    """The places of the keys, among all, that a filter lets pass.

    Where far more keys pass the first of its hashes than chance explains, the file holds some and is read in any case: the
    other hashes would rule out few of those that are left.
    """
    first: Numbers = asked.start + np.flatnonzero(of.may_contain(keys, asked, CACHED_ROUNDS))
    by_chance = (asked.stop - asked.start) * of.false_after(CACHED_ROUNDS)
    if len(first) > _CLEARLY * by_chance + _FEW:
        return first
    return first[of.may_contain(keys, first)]
