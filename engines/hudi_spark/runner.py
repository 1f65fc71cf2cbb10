"""Tasks on Spark's executors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from hudi_core.errors import HudiError, StorageError
from hudi_core.parallel.flow import Packet
from hudi_core.parallel.reach import Reach
from hudi_spark.dealing import parallelism_of, partition_keys
from hudi_spark.packets import AS_PLANNED, FIELDS, SparkFlow, packet_rows
from hudi_spark.settings import settings
from hudi_spark.workers import in_worker

_KEY: Final = "key"
_NUMBER: Final = "number"
_TASK: Final = "task"
_RESULT: Final = "result"

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class SparkRunner:
    """`hudi_core.engine.Runner` of a session: each task is a task of one Spark job."""

    spark: SparkSession

    @property
    def parallelism(self) -> int:
        return parallelism_of(self.spark)

    @property
    def reach(self) -> Reach:
        """Local files where the session's executors run on this machine; of a session elsewhere nothing is known."""
        master = self.spark.sparkContext.master or "" if hasattr(self.spark, "sparkContext") else ""
        return Reach.FILES if master.startswith("local") else Reach.NOTHING

    def run(self, work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
        """As the protocol. A `HudiError` is raised as it is, and its task is not tried again, unless it is one of storage. Raises
        Spark's error, which quotes the task's, once a task has failed as often as Spark tries it."""
        if not tasks:
            return []
        frame = self._frame(tasks)
        done = frame.mapInArrow(in_worker(_on_executor(work)), f"{_NUMBER} int, {_RESULT} binary")
        with settings(self.spark, AS_PLANNED):
            answers = done.collect()
        results = {answer[_NUMBER]: pickle.loads(answer[_RESULT]) for answer in answers}
        refused = [results[number].error for number in range(len(tasks)) if isinstance(results[number], _Refusal)]
        if refused:
            raise refused[0]
        return [results[number] for number in range(len(tasks))]

    def flow(self, work: Callable[[int, T], Iterator[Packet]], tasks: Sequence[T]) -> SparkFlow:
        """As `hudi_core.parallel.flow.FlowRunner`."""

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for number, task in _read_sent(batches):
                yield from packet_rows(work(number, task))

        return SparkFlow(self.spark, self._frame(tasks).mapInArrow(in_worker(run), FIELDS))

    def _frame(self, tasks: Sequence[Any]) -> DataFrame:
        """The tasks as rows, each in a partition of its own."""
        keys = partition_keys(max(len(tasks), 1))
        rows = [
            (key, number, bytearray(pickle.dumps(task)))
            for number, (key, task) in enumerate(zip(keys, tasks, strict=False))
        ]
        frame = self.spark.createDataFrame(rows, f"{_KEY} int, {_NUMBER} int, {_TASK} binary")
        return frame.repartition(len(keys), _KEY)


@dataclass(frozen=True)
class _Refusal:
    """The error of a task that another attempt would end with, too."""

    error: HudiError


def _on_executor(work: Callable[[T], R]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def results(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number, task in _read_sent(batches):
            content = pickle.dumps(_outcome(work, task))
            yield pa.record_batch({_NUMBER: pa.array([number], pa.int32()), _RESULT: pa.array([content], pa.binary())})

    return results


def _outcome(work: Callable[[T], R], task: T) -> R | _Refusal:
    try:
        return work(task)
    except HudiError as error:
        if isinstance(error, StorageError):
            raise
        return _Refusal(error)


def _read_sent(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Any]]:
    """The numbers and tasks that rows hold."""
    for batch in batches:
        for number, task in zip(batch.column(1).to_pylist(), batch.column(2).to_pylist(), strict=True):
            yield number, pickle.loads(task)
