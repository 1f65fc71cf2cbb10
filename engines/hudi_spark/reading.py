"""The rows of a scan as a DataFrame: Spark's own reader where it can, else the Arrow reader on executors."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from hudi_core.expr.predicate import Predicate
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.remote import RemoteScan, SliceRead
from hudi_core.reading.selection import Selection
from hudi_core.schema.schema import Schema
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_spark.arrow_form import batch_form
from hudi_spark.native import NativeReading, forms_of
from hudi_spark.readable import OTHERWISE, ReadableFiles, judged
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import nullable_struct

MOST_FOOTERS = 4096
"""Footers that the driver reads to find which files have one schema; those of a scan of more files are read on executors."""
_FOOTERS_A_TASK = 1_000
_FOOTERS_AT_ONCE = 64
_TASKS_A_CORE = 4
TASK_BYTES = 128 << 20
"""Bytes of files that a task of the Arrow reader takes, if there are enough."""


def frame_of(spark: SparkSession, scan: Scan) -> DataFrame:
    """The scan's rows. Nothing is read yet but footers; rows have no order."""
    parts = scan.parts() if scan.limit is None else _enough(scan, scan.parts(), scan.limit)
    files, wanted = BaseFiles(scan.sources), _wanted(scan.sources, scan.schema, scan.predicate)
    native, forms = NativeReading(files, wanted), forms_of(spark)
    few = len(parts) <= MOST_FOOTERS
    found = judged(files, wanted, parts) if few else _judged_on_executors(spark, scan.remote_scan(), parts)
    groups, others = native.groups(parts, found)
    frames = [native.rows(forms, group) for group in groups]
    schema = forms.struct(scan.schema)
    if others or not frames:
        frames.append(_by_arrow(spark, scan.remote_scan(), others, schema))
    rows = frames[0] if len(frames) == 1 else reduce(lambda one, other: one.unionAll(other), frames).to(schema)
    return rows if scan.limit is None else rows.limit(scan.limit)


def _wanted(sources: Sources, schema: Schema, predicate: Predicate) -> Selection:
    snapshot = sources.snapshot
    return Selection(snapshot.engine, snapshot.schema, schema, predicate)


def _judged_on_executors(spark: SparkSession, shipped: RemoteScan, parts: Sequence[SliceRead]) -> ReadableFiles:
    """As `judged`, each footer read by one of many tasks."""

    def judge(share: list[SliceRead]) -> ReadableFiles:
        sources = shipped.sources(share)
        return judged(BaseFiles(sources), _wanted(sources, shipped.wanted, shipped.predicate), share)

    count = max(SparkRunner(spark).parallelism, -(-len(parts) // _FOOTERS_A_TASK))
    cut = [each for each in np.array_split(np.arange(len(parts)), count) if len(each)]
    found = SparkRunner(spark).run(judge, [[parts[number] for number in share.tolist()] for share in cut])
    places: dict[Schema, int] = {}
    numbers = np.full(len(parts), OTHERWISE, np.int32)
    for share, each in zip(cut, found, strict=True):
        own = [places.setdefault(schema, len(places)) for schema in each.schemas]
        numbers[share] = np.array([*own, OTHERWISE], np.int32)[each.numbers]
    return ReadableFiles(list(places), numbers)


def _enough(scan: Scan, parts: Sequence[SliceRead], limit: int) -> Sequence[SliceRead]:
    """The first parts that give so many rows, as their footers tell; all parts where rows are to be asked or merged first."""
    told = [(part, part.slice.base) for part in parts if part.slice.base and not part.slice.logs and not part.filtered]
    rows = 0
    for begin in range(0, min(len(told), MOST_FOOTERS), _FOOTERS_AT_ONCE):
        some = told[begin : begin + _FOOTERS_AT_ONCE]
        footers = scan.sources.headers.footers([base for _, base in some])
        for number, (_, base) in enumerate(some, start=begin + 1):
            rows += footers[base.path].rows if base.path in footers else 0
            if rows >= limit:
                return [part for part, _ in told[:number]]
    return parts


def frame_of_changes(spark: SparkSession, table: Table, **asked: Any) -> DataFrame:
    """The changes that `Table.changes` tells of, compared on executors file group by file group; rows have no order."""
    found = table.changes(**asked)
    pieces = found.pieces()
    record = found.schema.record
    count = max(min(len(pieces), _TASKS_A_CORE * SparkRunner(spark).parallelism), 1)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for piece in pieces[number::count]:
                    for rows in found.piece_batches(*piece):
                        yield batch_form(rows, record)

    frame = spark.range(0, count if pieces else 0, 1, count).mapInArrow(read, nullable_struct(found.schema))
    return frame if found.limit is None else frame.limit(found.limit)


def buckets(parts: Sequence[SliceRead], count: int) -> list[list[SliceRead]]:
    """The parts in at most `count` heaps of about equal size, the largest part first into the smallest heap."""
    found: list[list[SliceRead]] = [[] for _ in range(min(count, len(parts)))]
    heap = [(0, number) for number in range(len(found))]
    for part in sorted(parts, key=lambda part: part.size, reverse=True):
        size, number = heap[0]
        found[number].append(part)
        heapq.heapreplace(heap, (size + max(part.size, 1), number))
    return found


def _by_arrow(
    spark: SparkSession, remote_scan: RemoteScan, parts: Sequence[SliceRead], schema: StructType
) -> DataFrame:
    """The parts read by the Arrow reader, a task for each bucket."""
    total = sum(part.size for part in parts)
    tasks = buckets(parts, max(SparkRunner(spark).parallelism, -(-total // TASK_BYTES)))
    record = remote_scan.wanted.record

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for rows in remote_scan.read(tasks[number]):
                    yield batch_form(rows, record)

    return spark.range(0, len(tasks), 1, max(len(tasks), 1)).mapInArrow(read, schema)
