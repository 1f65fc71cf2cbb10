"""Rows dealt to chosen tasks: numbers that Spark's hash partitioning sends to one task each; and work done piece by piece."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import SparkSession

_SEED = 42
_NUMBER, _PIECE, _ANSWER = "number", "piece", "answer"

P = TypeVar("P")
R = TypeVar("R")


def on_executors(spark: SparkSession, pieces: Sequence[P], run: Callable[[P], R]) -> list[R]:
    """What `run` makes of each piece, in their order: a task for each. Pieces and answers are pickled, so is `run`."""
    numbers = numbers_of_tasks(len(pieces))
    rows = [(number, bytearray(pickle.dumps(piece))) for number, piece in zip(numbers, pieces, strict=True)]
    frame = spark.createDataFrame(rows, f"{_NUMBER} int, {_PIECE} binary").repartition(len(pieces), _NUMBER)
    answers = frame.mapInArrow(_runner(run), f"{_NUMBER} int, {_ANSWER} binary").collect()
    found = {answer[_NUMBER]: pickle.loads(answer[_ANSWER]) for answer in answers}
    return [found[number] for number in numbers]


def _runner(run: Callable[[P], R]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def answers(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number, piece in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                answer = pickle.dumps(run(pickle.loads(piece)))
                yield pa.record_batch(
                    {_NUMBER: pa.array([number], pa.int32()), _ANSWER: pa.array([answer], pa.binary())}
                )

    return answers


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
