"""The memory that a compaction takes: COMPACT-379."""

from __future__ import annotations

import multiprocessing
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.engine import ArrowEngine
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.front.opening import create_table, open_table
from hudi_core.reading.merged_slices import MAX_LOG_BYTES
from hudi_core.services.compaction import tasks
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.tasks import MAX_BYTES, runner_of
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.plan import FileSizes
from tests.support.spilling import spilled

ROWS, FILES, MEBIBYTE = 1_500_000, 2, 1 << 20
NAMES = [f"c{number}" for number in range(9)]
TYPES = pa.schema([("id", pa.int64()), *((name, pa.int64()) for name in NAMES)])


@pytest.mark.parametrize(("base", "log", "at_once"), [(120, 30, 1), (30, 2, 2), (120, 600, 1), (0, 0, 2)])
def test_large_slices_are_compacted_one_at_a_time(base: int, log: int, at_once: int) -> None:
    slices = [
        FileSlice("", "f", "1", FileInfo("f", base * MEBIBYTE), (FileInfo("l", log * MEBIBYTE),)) for _ in range(3)
    ]
    assert min(runner_of(ArrowEngine(), ArrowStorage("/tmp"), slices).parallelism, 2) == at_once


def rows(ids: Any, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table({"id": ids, **{name: chance.integers(0, 1 << 40, len(ids)) for name in NAMES}}, schema=TYPES)


@pytest.mark.parametrize("spills", [False, True])
def test_fewer_rows_wait_to_be_written_beside_large_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spills: bool
) -> None:
    """COMPACT-379."""
    monkeypatch.setattr(tasks, "_HELD_BESIDE_LOGS", 1)
    table = create_table(tmp_path, TYPES, "id", type="mor")
    table.append(rows(np.arange(100), 1))
    table.refresh().upsert(rows(np.arange(50), 2), sizes=FileSizes(small=0))
    with spilled(10, 30) if spills else nullcontext():
        assert compact(table.refresh()).rows == 100
    ((path,),) = ([one.base.path for one in table.refresh().slices() if one.base is not None],)
    assert (pq.read_metadata(tmp_path / path).num_row_groups > 1) == spills
    assert table.refresh().scan(columns=["id"]).to_arrow().column(0).to_pylist() == list(range(100))


def peak(path: str, compacted: int = ROWS * FILES) -> int:
    """The most bytes of Arrow and of Python and NumPy while a table is compacted, each by itself."""
    tracemalloc.start()
    assert compact(open_table(path)).rows == compacted
    pools = pa.default_memory_pool(), pa.system_memory_pool()
    return tracemalloc.get_traced_memory()[1] + sum(pool.max_memory() for pool in pools)


@pytest.mark.soak
def test_a_compaction_of_large_files_stays_below_half_a_gigabyte(tmp_path: Path) -> None:
    table = create_table(tmp_path, TYPES, "id", type="mor", indexes=["column_stats", "bloom_filters"])
    for number in range(FILES):
        table.append(rows(np.arange(ROWS) + number * ROWS, number))
    changed = np.unique(np.random.default_rng(9).integers(0, ROWS * FILES, ROWS * FILES // 10))
    table.refresh().upsert(rows(changed, 9), sizes=FileSizes(small=0))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        assert next(pool.map(peak, [str(tmp_path)])) < MAX_BYTES


@pytest.mark.soak
def test_a_compaction_of_large_logs_stays_below_half_a_gigabyte(tmp_path: Path) -> None:
    """MERGE-862: in memory these logs would take twice as much."""
    count, commits = 1_000_000, 5
    table = create_table(tmp_path, TYPES, "id", type="mor", indexes=["column_stats"])
    table.append(rows(np.arange(count), 0))
    for number in range(commits):
        changed = np.unique(np.random.default_rng(number).integers(0, count, count * 2))
        table = table.refresh()
        table.upsert(rows(changed, number), sizes=FileSizes(small=0))
    (file_slice,) = table.refresh().slices()
    assert sum(log.size for log in file_slice.logs) > 8 * MAX_LOG_BYTES
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        assert next(pool.map(peak, [str(tmp_path)], [count])) < MAX_BYTES
