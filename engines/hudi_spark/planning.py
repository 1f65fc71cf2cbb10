"""Planning with more statistics than the driver should hold: shares of the slices are pruned on executors.

The rule is the core's, as it is on the driver (`hudi_core.table.shares`): a task reads the records of its share's files from
the metadata table, and gives back one code a slice.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

from hudi_core.table.scan import Scan
from hudi_core.table.shares import Pruning, shares
from hudi_spark.dealing import numbers_of_tasks

MOST_RECORDS = 4_000_000
"""Records of statistics, one for each file and column of a predicate, that the driver reads: some 250 MB at most."""
RECORDS_A_SHARE = 500_000
_SHARE, _SLICES, _FOUND = "share", "slices", "found"


def planned(spark: SparkSession, scan: Scan, most: int = MOST_RECORDS) -> Scan:
    """The scan with its plan. Above `most` records of statistics executors make it, in shares of `RECORDS_A_SHARE`.

    Where an index is asked the driver plans in any case: it reads the statistics of keys alone.
    """
    records = scan.records_to_read()
    work = scan.pruning() if records > most else None
    if work is None:
        return scan
    slices = scan.sources.snapshot.slices
    cut = shares(slices, -(-records // RECORDS_A_SHARE))
    numbers = numbers_of_tasks(len(cut))
    rows = [(number, bytearray(pickle.dumps(slices.chosen(share)))) for number, share in zip(numbers, cut, strict=True)]
    frame = spark.createDataFrame(rows, f"{_SHARE} int, {_SLICES} binary").repartition(len(cut), _SHARE)
    answers = frame.mapInArrow(_pruner(work), f"{_SHARE} int, {_FOUND} binary").collect()
    found = {answer[_SHARE]: pickle.loads(answer[_FOUND]) for answer in answers}
    note = f"{records:,} records read on executors in {len(cut)} shares"
    return scan.with_shares(cut, [found[number] for number in numbers], note)


def _pruner(work: Pruning) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number, share in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                found = pickle.dumps(work.prune(pickle.loads(share)))
                yield pa.record_batch({_SHARE: pa.array([number], pa.int32()), _FOUND: pa.array([found], pa.binary())})

    return run
