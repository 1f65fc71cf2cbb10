"""Sums of keys: rows that a part gives again are those that it gave when they were counted. Rule WRITE-1500.

Whoever runs a flow computes packets again that are lost. A plan is made of counts of the first ones: with other rows than these
some would be lost, others doubled or written to files of another partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from hudi_core.arrays import Words64
from hudi_core.columns.string_index import hash_strings
from hudi_core.columns.strings import string_column
from hudi_core.errors import UsageError
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.writing.spread.packs import PackRun

_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_HALF: Final = np.uint64(32)
_MASK: Final = (1 << 64) - 1


class KeySum:
    """The sum of the keys that a part gives."""

    def __init__(self) -> None:
        self.value = 0

    def add(self, keys: KeyColumns) -> None:
        self.value = (self.value + sum_keys(keys)) & _MASK


def sum_keys(keys: KeyColumns) -> int:
    """A sum over keys and their partitions, which is the same in any order: rows of a shuffle have none."""
    paths = hash_strings(string_column(keys.paths))[keys.partitions]
    hashes: Words64 = hash_strings(keys.records) ^ (paths * _FACTOR)
    hashes += _FACTOR  # the empty key counts
    hashes ^= hashes >> _HALF  # so that two keys which change partitions with each other do not have the same sum
    hashes *= _FACTOR
    hashes ^= hashes >> _HALF
    return int(hashes.sum(dtype=np.uint64))


def check_sums(part: int, runs: Iterator[PackRun], sums: Mapping[int, int]) -> Iterator[PackRun]:
    """The runs of a part. Raises `UsageError` at their end where their keys have another sum than the part had when its rows were
    counted. It is no report: a step that was done before would not look at it."""
    summed = KeySum()
    for run in runs:
        for pack in run.packs:
            summed.add(pack.keys)
        yield run
    if summed.value != sums.get(part, 0):
        found = f"others in part {part + 1}, whose rows were lost and computed again"
        hint = "a checkpoint() of such rows before the write keeps them"
        raise UsageError("rows", expected="the same rows each time they are computed", found=found, hint=hint)
