"""Streams into tables: what `foreachBatch` of a stream calls, so that each batch is written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

from pyspark.sql import DataFrame

from hudi_core.errors import UsageError
from hudi_core.front.keywords import WriteKeywords, options_from
from hudi_core.transactions.stream_batches import DEFAULT_STREAM, StreamBatch
from hudi_core.writing.operation import WriteOptions, operation_of
from hudi_spark.front.queries import running_query
from hudi_spark.front.table import SparkTable


def stream_writer(
    table: SparkTable,
    op: str = "upsert",
    *,
    stream: str = DEFAULT_STREAM,
    options: WriteOptions | None = None,
    **named: Unpack[WriteKeywords],
) -> Callable[[DataFrame, int], Any]:
    """Writes the batches of a stream: `frame.writeStream.foreachBatch(hudi_spark.stream_writer(table))`.

    Each batch is one commit, which has the batch's number under the name `stream`: a batch that comes again, after a crash at any
    moment, is not written again. Streams that write to one table have different names, and each its own checkpoint folder.

    Raises `UsageError` for an unknown operation or option, for a batch and for a dry run; the writer raises as
    `SparkTable.write`, and `UsageError` for a batch that the table has of another query under the name `stream`.
    """
    operation = operation_of(op)
    settings = options_from(WriteOptions, options, named) or WriteOptions()
    StreamBatch(0, stream)
    if settings.batch is not None:
        raise UsageError("batch", expected="none: a stream numbers its batches itself", found=repr(settings.batch))
    if settings.dry_run:
        found = "a dry run, after which Spark takes a batch for done"
        raise UsageError("dry_run", expected="a stream whose batches are written", found=found)

    def write(frame: DataFrame, number: int) -> None:
        batch = StreamBatch(number, stream, running_query(frame.sparkSession))
        table.write(frame, operation, replace(settings, batch=batch))

    return write
