"""Tasks on Spark's executors: the runner, and partition keys, by which rows are sent to the task of one's choice."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import SparkSession

from hudi_core.parallel.reach import Reach
from hudi_spark.workers import in_worker

_SEED = 42
_KEY, _TASK, _RESULT = "key", "task", "result"
_UNKNOWN_PARALLELISM = 8
"""Over Spark Connect, where neither a context nor a setting states how many cores there are."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class SparkRunner:
    """`hudi_core.engine.Runner` of a session: each task is a task of one Spark job."""

    spark: SparkSession

    @property
    def parallelism(self) -> int:
        """Tasks that run at the same time, as far as the session states."""
        setting: Any = self.spark.conf.get("spark.sql.leafNodeDefaultParallelism", None)
        if setting is None and hasattr(self.spark, "sparkContext"):
            return int(self.spark.sparkContext.defaultParallelism)
        return int(setting or _UNKNOWN_PARALLELISM)

    @property
    def reach(self) -> Reach:
        """Local files where the session's executors run on this machine; of a session elsewhere nothing is known."""
        master = self.spark.sparkContext.master or "" if hasattr(self.spark, "sparkContext") else ""
        return Reach.FILES if master.startswith("local") else Reach.NOTHING

    def run(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """As the protocol. Raises Spark's error, which quotes the task's, once a task has failed as often as Spark tries it."""
        if not tasks:
            return []
        keys = partition_keys(len(tasks))
        rows = [(key, bytearray(pickle.dumps(task))) for key, task in zip(keys, tasks, strict=True)]
        frame = self.spark.createDataFrame(rows, f"{_KEY} int, {_TASK} binary").repartition(len(tasks), _KEY)
        answers = frame.mapInArrow(in_worker(_on_executor(work)), f"{_KEY} int, {_RESULT} binary").collect()
        results = {answer[_KEY]: pickle.loads(answer[_RESULT]) for answer in answers}
        return [results[key] for key in keys]


def _on_executor(work: Callable[[T], R]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def results(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for key, task in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                result = pickle.dumps(work(pickle.loads(task)))
                yield pa.record_batch({_KEY: pa.array([key], pa.int32()), _RESULT: pa.array([result], pa.binary())})

    return results


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


def _murmur3(integers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Spark's hash of ints: Murmur3 for 32 bits, one word each, as signed integers."""
    word = integers.astype(np.uint32) * np.uint32(0xCC9E2D51)
    word = _rotate(word, 15) * np.uint32(0x1B873593)
    digest = _rotate(np.uint32(_SEED) ^ word, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    digest ^= np.uint32(4)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        digest = (digest ^ (digest >> np.uint32(shift))) * np.uint32(factor)
    digest ^= digest >> np.uint32(16)
    return digest.view(np.int32).astype(np.int64)


def _rotate(words: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """The words rotated to the left."""
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))
