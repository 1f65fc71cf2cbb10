"""The memory that a compaction takes: COMPACT-379."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.engine import ArrowEngine
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.front.keywords import IndexName
from hudi_core.front.opening import create_table, open_table
from hudi_core.reading.merged_slices import MAX_LOG_BYTES
from hudi_core.services.compaction import tasks
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.tasks import MAX_BYTES, runner_of
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.plan import FileSizes

ROWS, FILES, MEBIBYTE = 1_500_000, 4, 1 << 20
NAMES = [f"c{number}" for number in range(9)]
TYPES = pa.schema([("id", pa.int64()), *((name, pa.int64()) for name in NAMES)])


@pytest.mark.parametrize(("base", "log", "at_once"), [(120, 30, 1), (30, 2, 2), (120, 600, 1), (1, 0, 2), (0, 0, 1)])
def test_large_slices_are_compacted_one_at_a_time(base: int, log: int, at_once: int) -> None:
    """COMPACT-379, and WRITE-1611 of slices with few bytes."""
    slices = [
        FileSlice("", "f", "1", FileInfo("f", base * MEBIBYTE), (FileInfo("l", log * MEBIBYTE),)) for _ in range(3)
    ]
    assert min(runner_of(ArrowEngine(), ArrowStorage("/tmp"), slices).parallelism, 2) == at_once


def rows(ids: Any, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table({"id": ids, **{name: chance.integers(0, 1 << 40, len(ids)) for name in NAMES}}, schema=TYPES)


def test_a_row_group_has_few_rows_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """COMPACT-379."""
    monkeypatch.setattr(tasks, "_ROW_GROUP_BYTES", 1)
    table = create_table(tmp_path, TYPES, "id", type="mor")
    table.append(rows(np.arange(70_000), 1))
    table.refresh().upsert(rows(np.arange(50), 2), sizes=FileSizes(small=0))
    assert compact(table.refresh()).rows == 70_000
    ((path,),) = ([one.base.path for one in table.refresh().slices() if one.base is not None],)
    assert pq.read_metadata(tmp_path / path).num_row_groups > 1
    assert table.refresh().scan(columns=["id"]).to_arrow().column(0).to_pylist() == list(range(70_000))


def own_memory() -> int:
    """The bytes of this process that no file backs: what it allocated, and what its allocators keep of it."""
    text = Path("/proc/self/status").read_text("ascii")
    (line,) = (line for line in text.splitlines() if line.startswith("RssAnon:"))
    return int(line.split()[1]) << 10


def peak(path: str, compacted: int = ROWS * FILES) -> int:
    """The most memory of the process while a table is compacted, looked at every few milliseconds."""
    seen, done = [own_memory()], Event()

    def watch() -> None:
        while not done.wait(0.005):
            seen.append(own_memory())

    watcher = Thread(target=watch)
    watcher.start()
    try:
        assert compact(open_table(path)).rows == compacted
    finally:
        done.set()
        watcher.join()
    return max(seen)


def peak_of(path: Path, compacted: int) -> int:
    """As `peak`, in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        return next(pool.map(peak, [str(path)], [compacted]))


def texts(ids: Any, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    numbers = {f"s{number}": chance.integers(1 << 40, 1 << 60, len(ids)) for number in range(6)}
    numbers |= {"category": chance.integers(0, 50, len(ids))}
    long = ["x" * size for size in chance.integers(10, 200, len(ids)).tolist()]
    return pa.table({"id": ids, **{name: pa.array(of).cast(pa.string()) for name, of in numbers.items()}, "long": long})


def wide(ids: Any, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    return pa.table({"id": ids, **{f"c{number}": chance.integers(0, 1 << 40, len(ids)) for number in range(200)}})


linux = pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="asks Linux for the memory of a process")


@linux
@pytest.mark.soak
@pytest.mark.parametrize(("made", "of_file"), [(rows, ROWS), (texts, ROWS // 3), (wide, 80_000)])
def test_a_compaction_of_large_files_stays_below_half_a_gigabyte(
    tmp_path: Path, made: Callable[[Any, int], pa.Table], of_file: int
) -> None:
    """COMPACT-379."""
    indexes: list[IndexName] = ["column_stats", "bloom_filters"]
    table = create_table(tmp_path, made(np.arange(1), 0).schema, "id", type="mor", indexes=indexes)
    for number in range(FILES):
        table.append(made(np.arange(of_file) + number * of_file, number))
    changed = np.unique(np.random.default_rng(9).integers(0, of_file * FILES, of_file * FILES // 10))
    table.refresh().upsert(made(changed, 9), sizes=FileSizes(small=0))
    assert peak_of(tmp_path, of_file * FILES) < MAX_BYTES


@linux
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
    assert peak_of(tmp_path, count) < MAX_BYTES
