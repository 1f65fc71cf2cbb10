"""Clusterings whose files Spark's executors write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.data_files import spool
from hudi_core.front.opening import create_table, open_table
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from hudi_spark.runner import SparkRunner

pytestmark = pytest.mark.one_spark
TYPES = pa.schema([("id", pa.string()), ("n", pa.int64()), ("x", pa.float64())])


@pytest.mark.parametrize("rows_sent", [100, pytest.param(1 << 14, marks=pytest.mark.soak)])
def test_executors_write_the_files_of_a_clustering(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_sent: int
) -> None:
    """CLUSTER-10, ENGINE-10: rows are sent to them, or wait in a file that they read."""
    chance, count = np.random.default_rng(3), 600
    table = create_table(tmp_path / "t", TYPES, "id", type="mor", indexes=["column_stats", "record_index"])
    for part in range(3):
        columns = {"id": [f"{part}-{number}" for number in range(count)], "n": chance.integers(0, 999, count)}
        write(table, pa.table({**columns, "x": chance.random(count)}, schema=TYPES), "append")
    write(table, pa.table({"id": ["0-7"], "n": [5], "x": [0.5]}, schema=TYPES))
    before = open_table(tmp_path / "t").scan(meta=False).to_arrow().sort_by("id")
    (tmp_path / "spool").mkdir()
    kinds: list[str] = []
    run = SparkRunner.run

    def spied(self: SparkRunner, work: Any, tasks: Sequence[Any]) -> list[Any]:
        kinds.extend(type(task).__name__ for task in tasks)
        assert bool(list((tmp_path / "spool").iterdir())) is (rows_sent == 100)
        return run(self, work, tasks)

    monkeypatch.setattr(SparkRunner, "run", spied)
    monkeypatch.setattr(spool, "MAX_ROWS_SENT", rows_sent)
    options = ClusterOptions(
        Strategy.HILBERT, ("n", "x"), FileSizes(12_000, 12_000), spool_folder=str(tmp_path / "spool")
    )
    result = cluster(open_table(tmp_path / "t", engine="spark"), options)
    assert (result.rows, result.groups) == (3 * count, 1)
    assert kinds == ["WriteSorted"] * result.files_out
    assert len(kinds) > 1
    assert list((tmp_path / "spool").iterdir()) == []
    after = open_table(tmp_path / "t")
    assert after.scan(meta=False).to_arrow().sort_by("id") == before
    assert [row["n"] for row in after.scan("id = '0-7'").to_json_rows()] == [5]
    assert len(after.scan("n = 500").plan.kept()) < result.files_out
