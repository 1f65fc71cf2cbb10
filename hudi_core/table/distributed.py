"""Planning a scan with more statistics than one process should hold: shares of the file slices are pruned by a runner's tasks.

A task reads the records of its share's files from the metadata table, and gives back one code a slice. Rule SOURCE-20.
"""

from __future__ import annotations

from typing import Final

from hudi_core.engine import Runner
from hudi_core.planning.shares import shares
from hudi_core.table.scan import Scan

MAX_RECORDS: Final = 4_000_000
"""Records of statistics, one for each file and column of a predicate, that one process reads: some 250 MB at most."""
RECORDS_PER_SHARE: Final = 500_000


def plan_in_shares(
    scan: Scan, runner: Runner, max_records: int = MAX_RECORDS, records_per_share: int = RECORDS_PER_SHARE
) -> Scan:
    """The scan with its plan. Above `max_records` records of statistics the runner makes it, in shares of the slices.

    Where an index is looked up the calling process plans in any case: it reads the statistics of keys alone.
    """
    records = scan.records_to_read()
    pruning = scan.pruning() if records > max_records else None
    if pruning is None:
        return scan
    slices = scan.sources.snapshot.slices
    slice_shares = shares(slices, -(-records // records_per_share))
    pruned = runner.run(pruning.prune, [slices.select(share) for share in slice_shares])
    return scan.with_shares(slice_shares, pruned, f"{records:,} records read in {len(slice_shares)} shares")
