"""Streams into tables: what `foreachBatch` of a stream calls, so that each batch is written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

from pyspark.sql import DataFrame

from hudi_core.front.keywords import WriteKeywords, options_from
from hudi_core.transactions.stream_batches import DEFAULT_STREAM, StreamBatch
from hudi_core.writing.operation import WriteOptions, operation_of
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

    Raises `UsageError` for an unknown operation or option; the writer raises as `SparkTable.write`.
    """
    operation = operation_of(op)
    settings = options_from(WriteOptions, options, named) or WriteOptions()
    StreamBatch(0, stream)

    def write(frame: DataFrame, number: int) -> None:
        batch = StreamBatch(number, stream)
        replace(table, spark=frame.sparkSession).write(frame, operation, replace(settings, batch=batch))

    return write
