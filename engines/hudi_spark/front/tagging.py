"""`tagLocation` on Spark: keys in a DataFrame, and for each the file that holds its record.

The core decides what tasks have of their own (`hudi_core.tagging.distributed`): a range of the keys, buckets of them, or some of
the files. These tasks get all keys, packed and sorted, and the locations they give are joined to the keys.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from hudi_core.errors import UsageError
from hudi_core.table.table import Table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.distributed import (
    Distribution,
    RemoteTagging,
    distribution,
    remote_tagging,
    slice_tasks,
    task_of_slices,
)
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.tagging.key_reader import PARTITION_PATH, RECORD_KEY
from hudi_core.tagging.tag import LOCATION, TagOptions
from hudi_core.timeline.times import Time
from hudi_spark.arrow_form import batch_form
from hudi_spark.dealing import partition_keys
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import refuse_other_frame
from hudi_spark.workers import in_worker, map_rows

DEFAULT = TagOptions()
_ROWS_AT_ONCE = 1 << 18
LOCATION_TYPE = StructType(
    [
        StructField("partition_path", StringType()),
        StructField("file_id", StringType()),
        StructField("instant", StringType()),
        StructField("position", LongType()),
    ]
)
_TASK, _KEYS = "task", "keys"
_AS_STORED = "UTF8_BINARY"
"""The collation of keys: bytes are compared."""


def tag(
    spark: SparkSession,
    table: Table,
    keys: DataFrame,
    options: TagOptions = DEFAULT,
    *,
    tasks: int | None = None,
    as_of: Time | None = None,
) -> DataFrame:
    """The rows with one more column `location`, null where the record is in no file; in no order.

    `keys` has columns `record_key` and `partition_path`, the second may be left out where the whole table is searched. It is
    run twice, once to find the ranges: cache it when it is costly. `tasks` is how many parts the keys are cut into; each
    should have at most a few million of them. Where the table does not record the bounds of files' keys, their footers
    are read before this returns, those of many files by a job. Raises as `index.tag.Tagger`, errors of rows when an
    action runs.
    """
    refuse_other_frame(keys, "keys", "writeStream.foreachBatch gives the batches of one")
    names = [RECORD_KEY] if options.whole_table else [RECORD_KEY, PARTITION_PATH]
    missing = [name for name in names if name not in keys.columns]
    taken = [name for name in keys.columns if name.lower() == LOCATION]
    if missing or taken:
        found = f"no {missing[0]}" if missing else taken[0]
        raise UsageError("keys", expected=f"columns {', '.join(names)} and none called {LOCATION}", found=found)
    for name in names:
        if not isinstance(keys.schema[name].dataType, StringType):
            raise UsageError(name, expected="strings", found=keys.schema[name].dataType.simpleString())
    if options.index is IndexType.BUCKET and options.whole_table:
        raise UsageError("bucket index", expected="keys in their own partitions", found="a look at the whole table")
    runner = SparkRunner(spark)
    count = tasks or runner.parallelism
    kind, remote = distribution(remote_tagging(table, options, as_of), runner, count)
    if kind is Distribution.FILES:
        return _by_files(keys, remote, names, count)
    if kind is Distribution.BUCKETS:
        dealt = _by_buckets(keys, remote, count)
    else:
        by_key_alone = options.whole_table or options.index.has_places
        dealt = _by_ranges(keys, [RECORD_KEY] if by_key_alone else [PARTITION_PATH, RECORD_KEY], count)
    return map_rows(dealt, _tagger(remote), StructType([*keys.schema.fields, StructField(LOCATION, LOCATION_TYPE)]))


def _by_ranges(keys: DataFrame, names: list[str], count: int) -> DataFrame:
    return keys.repartitionByRange(count, *[_text(keys, name) for name in names]) if count > 1 else keys.coalesce(1)


def _text(keys: DataFrame, name: str) -> Column:
    """The texts of a column as they are in files: texts that a collation of Spark 4 takes for the same are two keys."""
    if keys.schema[name].dataType == StringType():
        return keys[name]
    collate: Any = getattr(F, "collate")  # noqa: B009  # of Spark 4
    plain: Column = collate(keys[name], _AS_STORED)
    return plain.alias(name)


def _tagger(remote: RemoteTagging) -> Any:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting: deque[pa.RecordBatch] = deque()

        def keys() -> Iterator[pa.RecordBatch]:
            for rows in _large(batches):
                waiting.append(rows)
                yield _keys(rows)

        reader = _reader(keys())
        if reader is not None:
            tagged = remote.tag(reader)
            for batch in tagged.batches:  # one for each that was given, in their order
                location = batch_form(batch, tagged.schema.record).column(LOCATION)
                yield waiting.popleft().append_column(LOCATION, location)

    return run


def _keys(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The columns of keys alone: the types of the others need no form in the core."""
    return rows.select([name for name in (RECORD_KEY, PARTITION_PATH) if name in rows.schema.names])


def _large(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in batches that are worth a column at a time; Spark's have some thousand rows."""
    pending: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        pending.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS_AT_ONCE:
            yield from pa.Table.from_batches(pending).combine_chunks().to_batches()
            pending, rows = [], 0
    if pending:
        yield from pa.Table.from_batches(pending).combine_chunks().to_batches()


def _reader(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatchReader | None:
    """The batches as one stream; None when there are none."""
    remaining = iter(batches)
    first = next(remaining, None)
    return None if first is None else pa.RecordBatchReader.from_batches(first.schema, chain([first], remaining))


def _by_buckets(keys: DataFrame, remote: RemoteTagging, count: int) -> DataFrame:
    """The keys of a bucket in the task that has its files; files are dealt out by size."""
    count, task_indexes = task_of_slices(remote.slices, count)
    if count < 2:
        return keys.coalesce(1)
    partitions, number = np.array(partition_keys(count), np.int32), _free_name(_TASK, keys)

    def with_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, tagger = remote.table.engine.rows, remote.tagger()
        for batch in _large(batches):
            keys_of_batch = _keys(batch)
            given = rows.read_given(pa.RecordBatchReader.from_batches(keys_of_batch.schema, [keys_of_batch]))
            parts = tagger.first_slices(given)
            slices = np.concatenate([np.zeros(0, np.int64), *parts])
            task = partitions[np.where(slices == NOWHERE, 0, task_indexes[slices])]
            yield batch.append_column(number, pa.array(task, pa.int32()))

    fields = StructType([*keys.schema.fields, StructField(number, IntegerType())])
    return map_rows(keys, with_task, fields).repartition(count, number).drop(number)


def _free_name(name: str, keys: DataFrame) -> str:
    """A name that no column of the keys has, in whatever case."""
    taken = {other.lower() for other in keys.columns}
    while name in taken:
        name += "_"
    return name


def _by_files(keys: DataFrame, remote: RemoteTagging, names: list[str], count: int) -> DataFrame:
    """Each task has some files and gets all keys, packed; the locations it gives are joined to the keys."""
    slices = slice_tasks(remote.slices, count)
    tasks = dict(zip(partition_keys(len(slices)), slices, strict=True))

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reader = _reader(batches)
        if reader is None:
            return
        table = reader.read_all().combine_chunks()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
        content = sink.getvalue().to_pybytes()
        for task in tasks:
            yield pa.record_batch({_TASK: pa.array([task], pa.int32()), _KEYS: pa.array([content], pa.binary())})

    def look_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tables: dict[int, list[Any]] = {}
        for batch in batches:
            for task, content in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                tables.setdefault(task, []).append(pa.ipc.open_stream(content).read_all())
        for task, packed in tables.items():
            tagged = remote.of_slices(tasks[task]).tag(pa.concat_tables(packed).to_reader())
            for batch in tagged.batches:
                rows = batch_form(batch, tagged.schema.record)
                yield rows.filter(rows.column(rows.num_columns - 1).is_valid())

    distinct = keys.select(*[_text(keys, name) for name in names]).distinct()
    blocks = distinct.mapInArrow(in_worker(pack), f"{_TASK} int, {_KEYS} binary")
    fields = [StructField(name, StringType()) for name in names]
    hits = blocks.repartition(len(tasks), _TASK).mapInArrow(
        in_worker(look_up), StructType([*fields, StructField(LOCATION, LOCATION_TYPE)])
    )
    # A key that is in several files is where the first of them by partition and file id has it.
    located = hits.groupBy(*names).agg(F.min(LOCATION).alias(LOCATION))
    # By columns of names of their own: a look-up of all columns by name would take `a.b` for a field of `a`.
    own = {name: _free_name(f"located_{name}", keys) for name in names}
    located = located.select(*[F.col(name).alias(own[name]) for name in names], LOCATION)
    is_same = [_text(keys, name) == located[own[name]] for name in names]
    return keys.join(located, is_same, "left").drop(*own.values())
