"""The rows of a scan as a DataFrame: Spark's own reader where it can, else the Arrow reader on executors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from hudi_core.changes.changes import Changes
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.file_schemas import read_file_schemas, read_file_schemas_by
from hudi_core.reading.remote import RemoteScan, SliceRead
from hudi_core.reading.selection import Selection
from hudi_core.reading.tasks import MAX_FOOTERS, parts_for_limit, tasks_of_size
from hudi_core.table.scan import Scan
from hudi_spark.arrow_form import batch_form
from hudi_spark.native import NativePlans, NativeReading, forms_of
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import nullable_struct
from hudi_spark.workers import map_tasks

_TASKS_PER_CORE = 4


def frame_of(spark: SparkSession, scan: Scan) -> DataFrame:
    """The scan's rows. Nothing is read yet but footers; rows have no order."""
    parts = scan.parts() if scan.limit is None else parts_for_limit(scan.sources, scan.parts(), scan.limit)
    snapshot, files = scan.sources.snapshot, BaseFiles(scan.sources)
    wanted = Selection(snapshot.engine, snapshot.schema, scan.schema, scan.predicate)
    if len(parts) <= MAX_FOOTERS:
        schemas = read_file_schemas(files, wanted, parts)
    else:
        schemas = read_file_schemas_by(SparkRunner(spark), scan.remote_scan(), parts)
    forms = forms_of(spark)
    native = NativeReading(files, wanted, moves_int96=forms.moves_int96)
    groups, others = native.groups(parts, schemas)
    frames = [native.rows(forms, group) for group in groups]
    schema = forms.struct(scan.schema)
    if others or not frames:
        frames.append(_by_arrow(forms, scan.remote_scan(), others, schema))
    rows = frames[0] if len(frames) == 1 else reduce(lambda one, other: one.unionAll(other), frames).to(schema)
    return rows if scan.limit is None else rows.limit(scan.limit)


def frame_of_changes(spark: SparkSession, changes: Changes) -> DataFrame:
    """The changes as rows in no order, compared on executors file group by file group."""
    pieces = changes.pieces()
    record = changes.schema.record
    count = max(min(len(pieces), _TASKS_PER_CORE * SparkRunner(spark).parallelism), 1)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for piece in pieces[task::count]:
                    for rows in changes.piece_batches(*piece):
                        yield batch_form(rows, record)

    numbers = forms_of(spark).tasks(count if pieces else 0, None)
    frame = map_tasks(numbers, read, nullable_struct(changes.schema))
    return frame if changes.limit is None else frame.limit(changes.limit)


def _by_arrow(forms: NativePlans, remote: RemoteScan, parts: Sequence[SliceRead], schema: StructType) -> DataFrame:
    """The parts read by the engine's own reader of files, in tasks of about equal size."""
    tasks = tasks_of_size(parts, SparkRunner(forms.spark).parallelism)
    record = remote.wanted.record

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for rows in remote.read(tasks[task]):
                    yield batch_form(rows, record)

    return map_tasks(forms.tasks(len(tasks), sum(part.size for part in parts)), read, schema)
