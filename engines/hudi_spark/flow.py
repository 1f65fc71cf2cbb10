"""Rows of DataFrames and of scans, which a flow of packets begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from hudi_core.engine import Engine
from hudi_core.parallel.flow import Packet
from hudi_core.reading.tasks import tasks_of_size
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan
from hudi_spark.arrow_form import take_types, with_offsets
from hudi_spark.packets import FIELDS, SparkFlow, packet_rows, task_number
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import arrow_schema, frame_struct
from hudi_spark.workers import in_worker, map_rows

_ROWS_AT_ONCE: Final = 1 << 16
_BYTES_AT_ONCE: Final = 1 << 22
"""The bytes in memory of the rows of a packet: Spark puts packets together in one Arrow batch, which holds 2 GB at most."""


@dataclass(frozen=True)
class SparkRows:
    """`hudi_core.parallel.flow.SpreadRows` of a DataFrame: its partitions are the parts."""

    spark: SparkSession
    engine: Engine[Any, Any, Any]
    frame: DataFrame
    types: Schema | None = None
    """The types of values that have none: those of columns of Spark's type `void`."""

    def like(self, schema: Schema) -> SparkRows:
        return replace(self, types=schema)

    @property
    def schema(self) -> Schema:
        """The schema of the rows. Raises `SchemaError` for a type whose values no table has."""
        schema: Schema = self.engine.rows.read_given(self._arrow.empty_table(), self.types).schema
        return schema

    @property
    def runner(self) -> SparkRunner:
        return SparkRunner(self.spark)

    def map(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> SparkFlow:
        engine, schema, types = self.engine, self._arrow, self.types

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return packet_rows(work(task_number(), _give(engine, schema, types, batches)))

        return SparkFlow(self.spark, map_rows(self.frame, run, FIELDS))

    @cached_property
    def _arrow(self) -> pa.Schema:
        return arrow_schema(frame_struct(self.frame))


@dataclass(frozen=True)
class ScanRows:
    """`hudi_core.parallel.flow.SpreadRows` of a scan, which executors read by the engine's own reader: rows are the core's, with
    all its types. Each batch comes with the number of its file slice."""

    spark: SparkSession
    scan: Scan

    @property
    def schema(self) -> Schema:
        return self.scan.schema

    @property
    def runner(self) -> SparkRunner:
        return SparkRunner(self.spark)

    def map(self, work: Callable[[int, Iterator[Any]], Iterator[Packet]]) -> SparkFlow:
        remote, tasks = self.scan.remote_scan(), tasks_of_size(self.scan.parts(), self.runner.parallelism)

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for task in batch.column(0).to_pylist():
                    yield from packet_rows(work(task, remote.read_numbered(tasks[task])))

        return SparkFlow(
            self.spark, self.spark.range(0, len(tasks), 1, max(len(tasks), 1)).mapInArrow(in_worker(run), FIELDS)
        )


def _give(
    engine: Engine[Any, Any, Any], schema: pa.Schema, types: Schema | None, batches: Iterable[pa.RecordBatch]
) -> Iterator[Any]:
    """The rows as batches of the engine, as many in each as make a packet. They are one input: its rows are counted through."""

    def large() -> Iterator[pa.RecordBatch]:
        for rows in _large(batches):
            yield from take_types(rows, schema).to_batches()

    yield from engine.rows.read_given(pa.RecordBatchReader.from_batches(schema, large()), types).batches


def _large(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    pending: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in map(with_offsets, batches):
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
