"""The memory that a clustering takes does not grow with the rows of a group. CLUSTER-12. By `make soak`."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.data_files.spool import MAX_ROWS_IN_MEMORY
from hudi_core.front.opening import create_table, open_table
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema([("id", pa.int64()), ("n", pa.int64()), ("x", pa.float64())])
PART, FILE_BYTES = 500_000, 4 << 20
FEW, MANY = 3 * PART, 12 * PART


def made(path: Path, rows: int) -> str:
    """One file for each half a million rows, in no order."""
    table, chance = create_table(path, TYPES, "id"), np.random.default_rng(2)
    for first in range(0, rows, PART):
        columns = {"id": np.arange(first, first + PART), "n": chance.integers(0, 1 << 40, PART)}
        table.append(pa.table({**columns, "x": chance.random(PART)}, schema=TYPES))
    return str(path)


def peak(path: str) -> int:
    """The most bytes of Arrow and of Python and NumPy while a table is clustered, each by itself."""
    tracemalloc.start()
    result = cluster(open_table(path), ClusterOptions(Strategy.ZORDER, ("n", "x"), FileSizes(FILE_BYTES, 1 << 40)))
    assert result.groups == 1
    assert result.files_out > 4
    return tracemalloc.get_traced_memory()[1] + pa.default_memory_pool().max_memory()


@pytest.mark.soak
def test_four_times_the_rows_take_about_as_much_memory(tmp_path: Path) -> None:
    assert FEW > MAX_ROWS_IN_MEMORY
    paths = [made(tmp_path / "few", FEW), made(tmp_path / "many", MANY)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        few, many = pool.map(peak, paths)
    assert many < 1.5 * few, (few, many)
