"""`tagLocation` on Spark: keys in a DataFrame, and for each the file that holds its record.

Keys are sorted into ranges, one for each task: of files with clustered keys, and of the blocks of the record index, each task
reads those of its range and no other. Keys of the bucket index go to the task that has their bucket's files. Where keys are so
spread that every file may hold any of them, it is files that are dealt out instead: each task has some of them and gets all
keys, packed and sorted, and what it finds is joined to the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from hudi_core.engine import InputRows
from hudi_core.errors import HudiError, UsageError
from hudi_core.index.choose import IndexKind
from hudi_core.index.key_columns import NOWHERE
from hudi_core.index.key_reader import PARTITION_PATH, RECORD_KEY
from hudi_core.index.stored import KeyBounds, StoredKeys, footer_bounds
from hudi_core.index.tag import LOCATION, Tagger, TagOptions
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.remote import SliceRead
from hudi_core.reading.tasks import balanced_tasks
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.timeline.times import Time
from hudi_spark.arrow_form import batch_form
from hudi_spark.runner import SparkRunner, partition_keys

DEFAULT = TagOptions()
WIDE = 0.25
"""Of a partition's files the share that may hold a key of it, beyond which files are dealt out rather than keys."""
FEW = 100
"""Files without recorded bounds whose footers the driver reads."""
_ROWS_AT_ONCE = 1 << 18
_SAMPLED = 1_000
"""Files of which overlaps are measured."""
LOCATION_TYPE = StructType(
    [
        StructField("partition_path", StringType()),
        StructField("file_id", StringType()),
        StructField("instant", StringType()),
        StructField("position", LongType()),
    ]
)
_TASK, _KEYS = "task", "keys"


@dataclass(frozen=True)
class RemoteTagging:
    """All that tagging on an executor needs; it can be pickled."""

    table: Table
    snapshot: Snapshot
    slices: tuple[FileSlice, ...]
    options: TagOptions
    bounds: KeyBounds | None = None
    """Of the keys of these slices, where more is known than the table records."""

    def tagged(self, reader: pa.RecordBatchReader) -> InputRows[Any]:
        """Rows with their location."""
        return self.tagger().tag(self.table.engine.rows.given(reader))

    def tagger(self) -> Tagger:
        """What locates keys in these slices."""
        return Tagger(self.table, self.options, preset=self.stored())

    def stored(self) -> StoredKeys:
        """What reads the keys of these slices."""
        return StoredKeys(Sources(self.snapshot.of_slices(slices_of(self.slices))), self.bounds)


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
    are read before this returns, those of many files by a job. Raises as `index.tag.Tagger`, what rows say wrong when an
    action runs.
    """
    wanted = [RECORD_KEY] if options.whole_table else [RECORD_KEY, PARTITION_PATH]
    missing = [name for name in wanted if name not in keys.columns]
    if missing or LOCATION in keys.columns:
        found = f"no {missing[0]}" if missing else LOCATION
        raise UsageError("keys", expected=f"columns {', '.join(wanted)} and none called {LOCATION}", found=found)
    if options.index is IndexKind.BUCKET and options.whole_table:
        raise UsageError("bucket index", expected="keys in their own partitions", found="a look at the whole table")
    sources = Sources(table.snapshot(as_of))
    count = tasks or SparkRunner(spark).parallelism
    shipped = _shipment(table, sources, options)
    by_record_index = options.index is IndexKind.RECORD_INDEX
    if options.index is IndexKind.BUCKET:
        dealt = _by_buckets(keys, shipped, count)
    elif by_record_index:
        dealt = _by_ranges(keys, [RECORD_KEY], count)
    else:
        bounds = _bounds(spark, shipped, count)
        if is_wide(shipped.slices, bounds, count):
            return _by_files(keys, shipped, wanted, count)
        shipped = replace(shipped, bounds=bounds)
        dealt = _by_ranges(keys, [RECORD_KEY] if options.whole_table else [PARTITION_PATH, RECORD_KEY], count)
    return dealt.mapInArrow(_tagger(shipped), StructType([*keys.schema.fields, StructField(LOCATION, LOCATION_TYPE)]))


def _by_ranges(keys: DataFrame, names: list[str], count: int) -> DataFrame:
    return keys.repartitionByRange(count, *[F.col(name) for name in names]) if count > 1 else keys.coalesce(1)


def _bounds(spark: SparkSession, shipped: RemoteTagging, tasks: int) -> KeyBounds:
    """The bounds of the slices' keys as recorded, else as their footers tell. Those of many are read on executors."""
    recorded = shipped.stored().recorded_bounds(np.arange(len(shipped.slices)))
    unknown = [
        number
        for number in np.flatnonzero(~recorded.known & ~recorded.empty).tolist()
        if shipped.slices[number].base is not None and not shipped.slices[number].logs
    ]
    if tasks < 2 or not unknown:
        return recorded

    def read(numbers: list[int]) -> dict[int, tuple[bytes, bytes]]:
        stored = shipped.stored()

        def ends(number: int) -> tuple[bytes, bytes] | None:
            try:
                footer = stored.footer(shipped.slices[number])
            except HudiError:  # bounds stay unknown; the task that needs the file tries again, or says what is wrong
                return None
            return None if footer is None else footer_bounds(footer)

        told = zip(numbers, in_order(ends, numbers, STORAGE_REQUESTS), strict=True)
        return {number: found for number, found in told if found is not None}

    if len(unknown) <= FEW:
        return recorded.completed_with(read(unknown))
    found = SparkRunner(spark).run(read, [unknown[number::tasks] for number in range(tasks)])
    return recorded.completed_with({number: ends for each in found for number, ends in each.items()})


def is_wide(slices: Sequence[FileSlice], bounds: KeyBounds, tasks: int) -> bool:
    """Whether most files would be read by most tasks if each had a range of keys, as far as the files' bounds tell."""
    if tasks < 2 or len(slices) < 2:
        return False
    members: dict[str, list[int]] = {}
    for number, each in enumerate(slices):
        members.setdefault(each.partition, []).append(number)
    step = max(len(slices) // _SAMPLED, 1)
    shares = []
    for numbers in members.values():
        shares += _overlaps(bounds.take(np.array(numbers, np.int64)), step)
    # A partition of one file is one range at most, whatever its keys.
    return bool(shares) and float(np.mean(shares)) > WIDE and max(map(len, members.values())) > 2 * tasks


def _overlaps(bounds: KeyBounds, step: int) -> list[float]:
    """For some files of a partition, which share of its files may hold the file's least key."""
    some = [(bounds.lower[at], bounds.upper[at]) for at in range(0, len(bounds.known), step) if bounds.known[at]]
    if not some:
        return [1.0]
    lows, highs = sorted(low for low, _ in some), sorted(high for _, high in some)
    below = np.searchsorted(np.array(lows, object), np.array(lows, object), "right")
    ended = np.searchsorted(np.array(highs, object), np.array(lows, object), "left")
    return list((below - ended) / len(some))


def _shipment(table: Table, sources: Sources, options: TagOptions) -> RemoteTagging:
    snapshot = sources.snapshot
    elsewhere = replace(table, footer_cache=None, earlier=None)
    return RemoteTagging(elsewhere, snapshot.without_slices(), tuple(snapshot.slices), options)


def _tagger(shipped: RemoteTagging) -> Any:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reader = _reader(_large(batches))
        if reader is not None:
            tagged = shipped.tagged(reader)
            for batch in tagged.batches:
                yield batch_form(batch, tagged.schema.record)

    return run


def _large(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in batches that are worth a column at a time; Spark's have some thousand rows."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= _ROWS_AT_ONCE:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held = []
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def _reader(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatchReader | None:
    """The batches as one stream; None when there are none."""
    left = iter(batches)
    first = next(left, None)
    if first is None:
        return None

    def every() -> Iterator[pa.RecordBatch]:
        yield first
        yield from left

    return pa.RecordBatchReader.from_batches(first.schema, every())


def _by_buckets(keys: DataFrame, shipped: RemoteTagging, count: int) -> DataFrame:
    """The keys of a bucket in the task that has its files; files are dealt out by size."""
    places = {(each.partition, each.file_id): number for number, each in enumerate(shipped.slices)}
    heaps = balanced_tasks([SliceRead(each, False) for each in shipped.slices], count)
    if len(heaps) < 2:
        return keys.coalesce(1)
    tasks = np.empty(len(shipped.slices), np.int32)
    numbers = partition_keys(len(heaps))
    for number, heap in zip(numbers, heaps, strict=True):
        tasks[[places[part.slice.partition, part.slice.file_id] for part in heap]] = number

    def placed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows, tagger = shipped.table.engine.rows, shipped.tagger()
        for batch in _large(batches):
            firsts = tagger.first_slices(rows.given(pa.RecordBatchReader.from_batches(batch.schema, [batch])))
            first = np.concatenate([np.zeros(0, np.int64), *firsts])
            task = np.where(first == NOWHERE, numbers[0], tasks[first])
            yield pa.record_batch([*batch.columns, pa.array(task, pa.int32())], names=[*batch.schema.names, _TASK])

    fields = StructType([*keys.schema.fields, StructField(_TASK, IntegerType())])
    return keys.mapInArrow(placed, fields).repartition(len(heaps), _TASK).select(*keys.columns)


def _by_files(keys: DataFrame, shipped: RemoteTagging, names: list[str], count: int) -> DataFrame:
    """Each task has some files and gets all keys, packed; what it finds is joined to the keys."""
    parts = [SliceRead(each, False) for each in shipped.slices]
    heaps = [tuple(part.slice for part in heap) for heap in balanced_tasks(parts, count)]
    dealt = dict(zip(partition_keys(len(heaps)), heaps, strict=True))

    def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reader = _reader(batches)
        if reader is None:
            return
        whole = reader.read_all().combine_chunks()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, whole.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(whole)
        content = sink.getvalue().to_pybytes()
        for task in dealt:
            yield pa.record_batch({_TASK: pa.array([task], pa.int32()), _KEYS: pa.array([content], pa.binary())})

    def looked_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held: dict[int, list[Any]] = {}
        for batch in batches:
            for task, content in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                held.setdefault(task, []).append(pa.ipc.open_stream(content).read_all())
        for task, tables in held.items():
            mine = replace(shipped, slices=dealt[task])
            tagged = mine.tagged(pa.concat_tables(tables).to_reader())
            for batch in tagged.batches:
                rows = batch_form(batch, tagged.schema.record)
                yield rows.filter(rows.column(rows.num_columns - 1).is_valid())

    plain = keys.select(*names).distinct()
    blocks = plain.mapInArrow(packed, f"{_TASK} int, {_KEYS} binary")
    fields = [StructField(name, StringType()) for name in names]
    hits = blocks.repartition(len(dealt), _TASK).mapInArrow(
        looked_up, StructType([*fields, StructField(LOCATION, LOCATION_TYPE)])
    )
    # A key that is in several files is where the first of them by partition and file id has it.
    once = hits.groupBy(*names).agg(F.min(LOCATION).alias(LOCATION))
    return keys.join(once, names, "left").select(*keys.columns, LOCATION)
