"""Clusterings with a real Apache Hudi: it reads what ours leaves, runs our plans, and we run its."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster, plan_only, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.plan import FileSizes
from tests.interop.test_writes import TYPES, rows

pytestmark = pytest.mark.interop

SIZES = FileSizes(20_000, 20_000)
CASES = [
    ("cow", 9, Strategy.HILBERT),
    ("mor", 9, Strategy.ZORDER),
    ("mor", 8, Strategy.HILBERT),
    ("cow", 8, Strategy.LINEAR),
    ("cow", 6, Strategy.ZORDER),
    ("mor", 6, Strategy.LINEAR),
]


def made(path: Path, kind: str, version: int, indexes: list[str]) -> Table:
    table = create_table(
        path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
    )
    for part in range(3):
        refreshed(table).append(rows([f"k{number:03d}" for number in range(part * 40, part * 40 + 40)], "x", 1))
    refreshed(table).append(rows(["a", "b"], "y", 1))
    refreshed(table).upsert(rows(["k003", "k050"], "x", 2))
    refreshed(table).delete(where="id = 'k005'")
    return refreshed(table)


def verified(judge: Any, path: Path, expected: Path, version: int, *, ours: bool, pending: str = "none") -> None:
    """With `ours` all files are, and their statistics are examined too: those that Apache Hudi writes lose rows with NaN."""
    checks = ["timeline", "rows", *(["metadata", "filters"] if ours else [])]
    answer = judge.ask(
        "verify", str(path), expect=str(expected), pending=pending, table_version=version, count=8, checks=checks
    )
    errors = [finding for finding in answer.get("findings", ()) if finding["severity"] == "error"]
    assert answer["ok"], errors or answer


def users_rows(table: Table) -> list[dict[str, Any]]:
    return sorted(table.scan(meta=False).to_json_rows(), key=lambda row: str(row["id"]))


@pytest.mark.parametrize(("kind", "version", "strategy"), CASES)
def test_hudi_and_we_run_plans_of_each_other(
    tmp_path: Path, judge: Any, kind: str, version: int, strategy: Strategy
) -> None:
    """CLUSTER-10, CLUSTER-11, CLUSTER-20 to CLUSTER-22, CLUSTER-52."""
    columns, queries = ("f", "id", "day"), ("f > 0.5", "id = 'k003'")
    ours = ClusterOptions(strategy, columns, SIZES, queries=queries)
    indexes = ["column_stats", "bloom_filters", "record_index"] + (["partition_stats"] if version > 6 else [])
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = made(path, kind, version, indexes)
    before = users_rows(table)
    pq.write_table(table.scan(meta=False).to_arrow(), expected)
    options = {
        "hoodie.write.auto.upgrade": "false",
        "hoodie.write.table.version": str(version),
        "hoodie.clustering.plan.strategy.sort.columns": "id,n",
        "hoodie.layout.optimize.strategy": strategy.upper(),
    }

    assert cluster(table, ours).groups == 1
    assert users_rows(open_table(path)) == before
    verified(judge, path, expected, version, ours=True)

    refreshed(table).append(rows(["z1", "z2"], "x", 1))
    refreshed(table).append(rows(["z3"], "x", 1))
    before = users_rows(refreshed(table))
    pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
    waiting = plan_only(refreshed(table), ClusterOptions(strategy, ("n", "id"), SIZES, queries=queries))
    run = judge.ask("continue", str(path), ops=[{"op": "cluster_run", "instant": waiting.instant}], options=options)
    assert run["ok"], run
    assert waiting.instant in {instant.requested_time for instant in open_table(path).timeline.completed}
    assert users_rows(open_table(path)) == before
    verified(judge, path, expected, version, ours=False)

    refreshed(table).append(rows(["z4"], "x", 1))
    before = users_rows(refreshed(table))
    pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
    planned = judge.ask("plan", str(path), what="clustering", options=options)
    assert planned["ok"], planned
    (theirs,) = planned["plans"]
    result = run_requested(open_table(path), theirs, ours)
    assert result.instant == theirs
    assert users_rows(open_table(path)) == before
    verified(judge, path, expected, version, ours=False)
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete", "clean"], rows=10, options=options)
    assert went_on["ok"], went_on
    assert open_table(path).scan().count() == went_on["ops"][-1]["rows"]
    assert isinstance(open_table(path).scan().to_arrow(), pa.Table)


@pytest.mark.parametrize("version", [6, 9])
def test_hudi_goes_on_after_a_clustering_that_leaves_no_file(tmp_path: Path, judge: Any, version: int) -> None:
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = create_table(path, TYPES, "id", partition_by="p", ordering="ts", type="mor", version=version)
    table.insert(rows(["a", "b"], "x", 1))
    refreshed(table).insert(rows(["c", "d"], "y", 1))
    refreshed(table).delete(where="p = 'x'")
    assert cluster(refreshed(table), ClusterOptions(columns=("n",))).files_out == 0
    pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
    verified(judge, path, expected, version, ours=True)
    went_on = judge.ask("continue", str(path), ops=["upsert"], rows=6)
    assert went_on["ok"], judge.explain(went_on)
    assert list(open_table(path).validate()) == []
