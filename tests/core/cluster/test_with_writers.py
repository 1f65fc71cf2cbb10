"""A table that is clustered while others write to it: every commit that is reported is there, once, and nothing else.

CLUSTER-40, CLUSTER-41, CLUSTER-54, CONFLICT-3. Threads in every run; processes, for a minute, by `make soak`.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count, takewhile
from pathlib import Path
from time import monotonic

import pyarrow as pa
import pytest

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.errors import ConflictError
from hudi_core.front.opening import create_table, open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.plan import FileSizes
from tests.core.transactions.test_writers_together import SHARED, TYPES, Reported, expect

STRATEGIES = tuple(Strategy)


def writes(path: str, writer: int, runs: int, seconds: float) -> Reported:
    """Adds rows in files of their own, and changes these and one that all change, until it has done so often or the time is
    over."""
    instants: list[str] = []
    rows: dict[str, int] = {}
    begun = monotonic()
    for number in takewhile(lambda number: number < runs and monotonic() - begun < seconds, count()):
        key = f"{writer}-{number - number % 3}"
        batch, op = [{"id": key, "p": "xy"[writer % 2], "n": number}], "append"
        if number % 3:
            op = "upsert"
            batch += [{"id": SHARED, "p": "x", "n": number}]
            if key not in rows:
                continue  # its append was refused
        try:
            result = open_table(path).write(pa.Table.from_pylist(batch, TYPES), op, WriteOptions(attempts=6))
        except ConflictError:
            continue  # is not reported, so nothing of it may be seen
        instants.append(result.instant)
        rows[key] = number
    return Reported(instants, rows)


def clusterings(path: str, runs: int, seconds: float) -> Reported:
    """Clusters with another order each time, until it has done so often or the time is over."""
    instants: list[str] = []
    begun = monotonic()
    for number in takewhile(lambda number: number < runs and monotonic() - begun < seconds, count()):
        strategy, sizes = STRATEGIES[number % len(STRATEGIES)], FileSizes(1 << 20, 1 << 20)
        options = ClusterOptions(strategy, ("n", "id")[:: 1 - 2 * (number % 2)], sizes)
        try:
            result = cluster(open_table(path), options)
        except ConflictError:
            continue  # is not reported, so nothing of it may be seen
        if result.instant is not None:
            instants.append(result.instant)
    return Reported(instants, {})


def at_once(folder: Path, pool: Executor, kind: str, writers: int, *, runs: int, seconds: float) -> Reported:
    """What the clusterings report, that ran while so many wrote."""
    path = str(folder / "t")
    create_table(path, TYPES, "id", partition_by="p", type=kind, indexes=("column_stats", "record_index"))
    first = [writes(path, writers + part, 4, seconds) for part in range(2)]
    running = pool.submit(clusterings, path, runs, seconds)
    reports = list(pool.map(writes, [path] * writers, range(writers), [runs] * writers, [seconds] * writers))
    clustered = running.result()
    expect(path, [*first, *reports, clustered])
    table, listed = (open_table(path, metadata=mode) for mode in (MetadataMode.REQUIRE, MetadataMode.OFF))
    rows = [sorted(map(str, one.scan(meta=False).to_json_rows())) for one in (table, listed)]
    assert rows[0] == rows[1]
    keys = [row["id"] for row in table.scan(columns=["id"]).to_json_rows()][:50]
    assert [table.scan(f"id = '{key}'").count() for key in keys] == [1] * len(keys)
    return clustered


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_threads_that_write_and_cluster_lose_and_repeat_no_commit(tmp_path: Path, kind: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert at_once(tmp_path, pool, kind, 1, runs=4, seconds=20).instants


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_processes_that_write_and_cluster_lose_and_repeat_no_commit(tmp_path: Path, kind: str) -> None:
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        clustered = at_once(tmp_path, pool, kind, 2, runs=1 << 30, seconds=60)
    assert len(clustered.instants) > 5
