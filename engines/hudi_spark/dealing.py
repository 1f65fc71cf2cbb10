"""Rows sent to chosen tasks of Spark: keys by which it deals them out, and how many tasks run at the same time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from pyspark.sql import SparkSession

from hudi_core.arrays import Numbers, Words32

_SEED: Final = 42
_UNKNOWN_PARALLELISM: Final = 8
"""Over Spark Connect, where neither a context nor a setting states how many cores there are."""


def parallelism_of(spark: SparkSession) -> int:
    """Tasks that run at the same time, as far as the session states."""
    setting: Any = spark.conf.get("spark.sql.leafNodeDefaultParallelism", None)
    if setting is None and hasattr(spark, "sparkContext"):
        return int(spark.sparkContext.defaultParallelism)
    return int(setting or _UNKNOWN_PARALLELISM)


def partition_keys(count: int) -> list[int]:
    """For each of `count` tasks a key, of Spark's type `int`, whose rows `repartition(count, key)` sends there.

    The keys 0, 1, 2 themselves would leave a third of the tasks without rows, and give others twice as many.
    """
    keys = np.full(count, -1, np.int64)
    start = 0
    while (keys < 0).any():
        candidates = np.arange(start, start + 16 * count, dtype=np.int64)
        tasks, firsts = np.unique(np.mod(_murmur3(candidates), count), return_index=True)
        is_new = keys[tasks] < 0
        keys[tasks[is_new]] = candidates[firsts[is_new]]
        start += len(candidates)
    return [int(key) for key in keys]


def _murmur3(integers: Numbers) -> Numbers:
    """Spark's hash of ints: Murmur3 for 32 bits, one word each, as signed integers."""
    word = integers.astype(np.uint32) * np.uint32(0xCC9E2D51)
    word = _rotate(word, 15) * np.uint32(0x1B873593)
    digest = _rotate(np.uint32(_SEED) ^ word, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    digest ^= np.uint32(4)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        digest = (digest ^ (digest >> np.uint32(shift))) * np.uint32(factor)
    digest ^= digest >> np.uint32(16)
    return digest.view(np.int32).astype(np.int64)


def _rotate(words: Words32, bits: int) -> Words32:
    """The words rotated to the left."""
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))
