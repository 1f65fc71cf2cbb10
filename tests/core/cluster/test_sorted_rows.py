"""Rows that are put in order in runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hudi_core.cluster.sorted_rows import RowRuns, sort_rows
from hudi_core.metadata.table import RECORD_INDEX
from tests.core.cluster.test_operations import made


def test_rows_are_distributed_in_sorted_runs(tmp_path: Path) -> None:
    """CLUSTER-12, CLUSTER-13: several runs; files are split by number where their rows are alike."""
    table = made(tmp_path)
    scan = table.scan(columns=["n", "x"])
    batches = list(scan.batches())
    drawn = sort_rows(table.engine, scan.schema, batches, None, (), run_rows=100)
    assert sum(runs.rows for runs in drawn.files) == 1200
    parts = drawn.files[0].split(500)
    assert [part.rows for part in parts] == [400, 400, 400]
    assert np.concatenate([part.numbers() for part in parts]).tolist() == list(range(1200))
    assert RowRuns(np.array([3, 9]), np.array([2, 1])).numbers().tolist() == [3, 4, 9]
    assert RECORD_INDEX not in table.config.metadata_partitions
