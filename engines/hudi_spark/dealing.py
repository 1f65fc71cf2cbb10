"""Rows dealt to chosen tasks: numbers that Spark's hash partitioning sends to one task each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SEED = 42


def numbers_of_tasks(count: int) -> list[int]:
    """For each of so many tasks a number, of Spark's type `int`, whose rows `repartition(count, number)` sends there.

    The numbers 0, 1, 2 themselves would leave a third of the tasks without rows, and give others twice as many.
    """
    found = np.full(count, -1, np.int64)
    first = 0
    while (found < 0).any():
        numbers = np.arange(first, first + 16 * count, dtype=np.int64)
        tasks = np.mod(_murmur3(numbers), count)
        reached, at = np.unique(tasks, return_index=True)
        fresh = found[reached] < 0
        found[reached[fresh]] = numbers[at[fresh]]
        first += len(numbers)
    return [int(number) for number in found]


def _murmur3(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Spark's hash of ints: Murmur3 for 32 bits, one word each, as signed numbers."""
    word = numbers.astype(np.uint32) * np.uint32(0xCC9E2D51)
    word = _rotated(word, 15) * np.uint32(0x1B873593)
    found = _rotated(np.uint32(_SEED) ^ word, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    found ^= np.uint32(4)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        found = (found ^ (found >> np.uint32(shift))) * np.uint32(factor)
    found ^= found >> np.uint32(16)
    return found.view(np.int32).astype(np.int64)


def _rotated(words: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    return (words << np.uint32(by)) | (words >> np.uint32(32 - by))
