"""Clusterings whose rows Spark's executors read, exchange and write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from hudi_core.data_files import spool
from hudi_core.front.opening import open_table
from hudi_spark.runner import SparkRunner
from tests.core.cluster.test_exchanged import ORDERS, reorder
from tests.support.served_tables import assert_same_rows, assert_served_alike, filled, twin


@pytest.mark.parametrize(
    ("order", "kind"),
    [("zorder", "cow")]
    + [pytest.param(order, kind, marks=pytest.mark.soak) for order in ORDERS for kind in ("cow", "mor")],
)
def test_executors_write_the_files_of_a_clustering(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str, kind: str
) -> None:
    """CLUSTER-910: they are those of a clustering in one process; no row waits on the driver."""
    table = filled(tmp_path / "here", kind, 9)
    other = twin(table, tmp_path / "there")
    here = reorder(table, order)
    monkeypatch.setattr(spool, "MAX_ROWS_IN_MEMORY", 0)
    monkeypatch.setenv(spool.SPOOL_FOLDER, str(tmp_path / "nowhere"))
    there = reorder(other, order, SparkRunner(spark))
    assert (here.files_in, here.rows, here.groups) == (there.files_in, there.rows, there.groups)
    if (order, kind) == ("no order", "mor"):  # the number of rows is an estimate, by which they are divided
        assert_same_rows(table, other)
    else:
        assert_served_alike(table, other, same_files=False)
    assert open_table(other.storage.uri).count() == there.rows
