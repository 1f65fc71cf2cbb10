"""Packets between tasks of Spark's executors: a DataFrame with a row for each. Rows of DataFrames are what a flow begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hudi_core.engine import Engine
from hudi_core.parallel.flow import Packet, PartWork
from hudi_core.reading.tasks import tasks_of_size
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan
from hudi_spark.runner import SparkRunner, partition_keys
from hudi_spark.structs import arrow_schema
from hudi_spark.workers import in_worker

_FIELDS: Final = "part int, sequence int, source int, number long, content binary"
_ARROW: Final = pa.schema(
    [
        ("part", pa.int32()),
        ("sequence", pa.int32()),
        ("source", pa.int32()),
        ("number", pa.int64()),
        ("content", pa.binary()),
    ]
)
_ROWS_AT_ONCE: Final = 1 << 16
_BYTES_AT_ONCE: Final = 1 << 22
"""The bytes in memory of the rows of a packet: Spark puts packets together in one Arrow batch, which holds 2 GB at most."""
_PACKETS_AT_ONCE: Final = "32"
_BATCH_SETTING: Final = "spark.sql.execution.arrow.maxRecordsPerBatch"


@dataclass(frozen=True)
class SparkFlow:
    """`hudi_core.parallel.flow.Flow` of a session. `takes_packets`: a step of it is Python's, on packets."""

    spark: SparkSession
    frame: DataFrame
    takes_packets: bool = False

    @property
    def parallelism(self) -> int:
        return SparkRunner(self.spark).parallelism

    def mapped(self, work: PartWork) -> SparkFlow:
        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return _rows(work(_part(), _packets(batches)))

        moved = self.frame.where("part >= 0").mapInArrow(in_worker(run), _FIELDS)
        return replace(self, frame=moved, takes_packets=True)

    def dealt(self, parts: int) -> SparkFlow:
        keys = F.array(*[F.lit(key) for key in partition_keys(parts)])
        key = F.element_at(keys, F.col("part") + 1)
        moved = self.frame.where("part >= 0").repartition(parts, key)
        return replace(self, frame=moved.sortWithinPartitions("sequence", "source", "number"))

    @contextmanager
    def kept(self) -> Iterator[SparkFlow]:
        """The packets are persisted in memory and on disk; those that are lost with an executor are computed again."""
        kept = self.frame.persist()
        try:
            yield replace(self, frame=kept)
        finally:
            kept.unpersist()

    def reports(self) -> Sequence[Packet]:
        frame = self.frame.where("part < 0")
        with _small_batches(self.spark) if self.takes_packets else _unchanged():
            rows = frame.collect()
        made = [Packet(row[0], row[1], row[2], row[3], bytes(row[4])) for row in rows]
        return sorted(made, key=lambda packet: (packet.source, packet.number))


@dataclass(frozen=True)
class SparkRows:
    """`hudi_core.parallel.flow.SpreadRows` of a DataFrame: its partitions are the parts."""

    spark: SparkSession
    engine: Engine[Any, Any, Any]
    frame: DataFrame

    @property
    def schema(self) -> Schema:
        """The schema of the rows. Raises PySpark's error for a type without an Arrow type."""
        schema: Schema = self.engine.rows.given(self._arrow.empty_table()).schema
        return schema

    @property
    def runner(self) -> SparkRunner:
        return SparkRunner(self.spark)

    def mapped(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> SparkFlow:
        engine, schema = self.engine, self._arrow

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return _rows(work(_part(), _given(engine, schema, batches)))

        return SparkFlow(self.spark, self.frame.mapInArrow(in_worker(run), _FIELDS))

    @cached_property
    def _arrow(self) -> pa.Schema:
        return arrow_schema(self.frame.schema)


@dataclass(frozen=True)
class ScanRows:
    """`hudi_core.parallel.flow.SpreadRows` of a scan, which executors read by the engine's own reader: rows are the core's, with
    all its types."""

    spark: SparkSession
    scan: Scan

    @property
    def schema(self) -> Schema:
        return self.scan.schema

    @property
    def runner(self) -> SparkRunner:
        return SparkRunner(self.spark)

    def mapped(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> SparkFlow:
        remote, tasks = self.scan.remote_scan(), tasks_of_size(self.scan.parts(), self.runner.parallelism)

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for task in batch.column(0).to_pylist():
                    yield from _rows(work(task, remote.read(tasks[task])))

        return SparkFlow(
            self.spark, self.spark.range(0, len(tasks), 1, max(len(tasks), 1)).mapInArrow(in_worker(run), _FIELDS)
        )


def _part() -> int:
    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _given(engine: Engine[Any, Any, Any], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    """The rows as batches of the engine, as many in each as make a packet."""
    for rows in _large(batches):
        reader = rows.cast(schema).to_reader()  # Spark names the session's zone in the types of its batches
        yield from engine.rows.given(reader).batches


def _large(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    pending: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        parts = max(1, -(-batch.nbytes // _BYTES_AT_ONCE))
        share = -(-batch.num_rows // parts)
        for start in range(0, batch.num_rows, max(share, 1)):
            piece = batch.slice(start, share)
            pending.append(piece)
            rows, size = rows + piece.num_rows, size + batch.nbytes // parts
            if rows >= _ROWS_AT_ONCE or size >= _BYTES_AT_ONCE:
                yield pa.Table.from_batches(pending).combine_chunks()
                pending, rows, size = [], 0, 0
    if pending:
        yield pa.Table.from_batches(pending).combine_chunks()


def _packets(batches: Iterable[pa.RecordBatch]) -> Iterator[Packet]:
    for batch in batches:
        heads = zip(*(batch.column(place).to_pylist() for place in range(4)), strict=True)
        content = batch.column(4)
        for row, head in enumerate(heads):
            yield Packet(head[0], head[1], head[2], head[3], content[row].as_py())


def _rows(packets: Iterator[Packet]) -> Iterator[pa.RecordBatch]:
    for packet in packets:
        values = ([packet.part], [packet.group], [packet.source], [packet.number], [packet.content])
        yield pa.RecordBatch.from_arrays(
            [pa.array(value, field.type) for value, field in zip(values, _ARROW, strict=True)], schema=_ARROW
        )


@contextmanager
def _small_batches(spark: SparkSession) -> Iterator[None]:
    """Few packets in an Arrow batch, while steps run: each may be some megabytes."""
    before: Any = spark.conf.get(_BATCH_SETTING, None)
    spark.conf.set(_BATCH_SETTING, _PACKETS_AT_ONCE)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(_BATCH_SETTING)
        else:
            spark.conf.set(_BATCH_SETTING, before)


@contextmanager
def _unchanged() -> Iterator[None]:
    yield
