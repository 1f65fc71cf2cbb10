"""Planning with more statistics than the driver should hold: shares of the slices are pruned on executors.

The rule is the core's, as it is on the driver (`hudi_core.planning.shares`): a task reads the records of its share's files from
the metadata table, and gives back one code a slice.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

from hudi_core.planning.shares import shares
from hudi_core.table.scan import Scan
from hudi_spark.runner import SparkRunner

MOST_RECORDS = 4_000_000
"""Records of statistics, one for each file and column of a predicate, that the driver reads: some 250 MB at most."""
RECORDS_A_SHARE = 500_000


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
    found = SparkRunner(spark).run(work.prune, [slices.chosen(share) for share in cut])
    return scan.with_shares(cut, found, f"{records:,} records read on executors in {len(cut)} shares")
