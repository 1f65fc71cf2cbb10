"""Packets between tasks of Spark's executors: a DataFrame with a row for each."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import StorageLevel, TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

from hudi_core.parallel.flow import Packet, PartWork
from hudi_spark.dealing import parallelism_of, partition_keys
from hudi_spark.settings import settings
from hudi_spark.workers import in_worker

FIELDS: Final = StructType(
    [
        StructField("part", IntegerType()),
        StructField("sequence", IntegerType()),
        StructField("source", IntegerType()),
        StructField("number", LongType()),
        StructField("content", BinaryType()),
    ]
)
_ARROW: Final = pa.schema(
    [
        ("part", pa.int32()),
        ("sequence", pa.int32()),
        ("source", pa.int32()),
        ("number", pa.int64()),
        ("content", pa.binary()),
    ]
)
_PACKETS_AT_ONCE: Final = "32"
"""Packets in an Arrow batch while steps run: each may be some megabytes."""
_BATCH_SETTING: Final = "spark.sql.execution.arrow.maxRecordsPerBatch"
AS_PLANNED: Final = {"spark.sql.adaptive.enabled": "false"}
"""Nothing of a step is left to adapt: its parts are given. Adaptive execution would run each shuffle, and each use of what is
kept, as a job of its own. Rule ENGINE-1171."""


@dataclass(frozen=True)
class SparkFlow:
    """`hudi_core.parallel.flow.Flow` of a session. `takes_packets`: a step of it is Python's, on packets."""

    spark: SparkSession
    frame: DataFrame
    takes_packets: bool = False

    @property
    def parallelism(self) -> int:
        return parallelism_of(self.spark)

    def map(self, work: PartWork) -> SparkFlow:
        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return packet_rows(work(task_number(), _packets(batches)))

        moved = self.frame.where("part >= 0").mapInArrow(in_worker(run), FIELDS)
        return replace(self, frame=moved, takes_packets=True)

    def deal(self, parts: int) -> SparkFlow:
        keys = F.array(*[F.lit(key) for key in partition_keys(parts)])
        key = F.element_at(keys, F.col("part") + 1)
        return self._in_order(self.frame.where("part >= 0").repartition(parts, key))

    def gather(self) -> SparkFlow:
        return self._in_order(self.frame.where("part >= 0").repartition(1))

    def _in_order(self, moved: DataFrame) -> SparkFlow:
        return replace(self, frame=moved.sortWithinPartitions("sequence", "source", "number"))

    @contextmanager
    def keep(self) -> Iterator[SparkFlow]:
        """The packets are persisted in memory and on disk; those that are lost with an executor are computed again. A session
        that ends before they are let go of is no error of a write, which may be complete. Rule WRITE-1534."""
        # The plan of a given DataFrame adapts as the session has it.
        with settings(self.spark, AS_PLANNED if self.takes_packets else {}):
            kept = _hold(self.frame.persist())
        try:
            yield replace(self, frame=kept)
        finally:
            _let_go(kept)

    def reports(self) -> Sequence[Packet]:
        frame = self.frame.where("part < 0")
        few = {_BATCH_SETTING: _PACKETS_AT_ONCE} if self.takes_packets else {}
        with settings(self.spark, {**AS_PLANNED, **few}):
            rows = frame.collect()
        made = [Packet(row[0], row[1], row[2], row[3], bytes(row[4])) for row in rows]
        return sorted(made, key=lambda packet: (packet.source, packet.number))


def _hold(kept: DataFrame) -> DataFrame:
    """The DataFrame with one plan. A server of Spark Connect makes the plan anew for each use, with another seed for `uuid` and
    `rand`, and does not take what it keeps for rows of it: then it holds the plan that it has made. Rule ENGINE-1662."""
    if hasattr(kept, "_jdf") or not hasattr(kept, "localCheckpoint") or kept.storageLevel != StorageLevel.NONE:
        return kept
    held: DataFrame = kept.localCheckpoint(eager=False)
    return held


def _let_go(kept: DataFrame) -> None:
    try:
        kept.unpersist()
    except (Py4JError, PySparkException, OSError) as error:  # of a session that was stopped, or whose JVM is gone
        first_line = str(error).partition("\n")[0]
        warnings.warn(f"Spark did not let go of rows that it kept for a write: {first_line}", stacklevel=2)


def task_number() -> int:
    """The number of the partition that this task of Spark works on."""
    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _packets(batches: Iterable[pa.RecordBatch]) -> Iterator[Packet]:
    for batch in batches:
        heads = zip(*(batch.column(place).to_pylist() for place in range(4)), strict=True)
        content = batch.column(4)
        for row, head in enumerate(heads):
            yield Packet(head[0], head[1], head[2], head[3], content[row].as_py())


def packet_rows(packets: Iterator[Packet]) -> Iterator[pa.RecordBatch]:
    """Packets as rows of Spark, a batch for each."""
    for packet in packets:
        values = ([packet.part], [packet.group], [packet.source], [packet.number], [packet.content])
        yield pa.RecordBatch.from_arrays(
            [pa.array(value, field.type) for value, field in zip(values, _ARROW, strict=True)], schema=_ARROW
        )
