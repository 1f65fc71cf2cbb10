"""Slices that the Arrow reader reads on executors, in an object store: their files are fetched ahead, each of them once."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table
from hudi_core.writing.operations import write
from tests.support.measured_store import GATE, MeasuredStore

pytest.importorskip("obstore", reason="obstore is not installed")
pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

import hudi_spark

PARTITIONS = 16


def rows(n: int) -> pa.Table:
    """A row of each partition."""
    numbers = range(PARTITIONS)
    columns = [[f"k{number}" for number in numbers], [f"p{number}" for number in numbers], [n] * PARTITIONS]
    return pa.table(columns, ["id", "p", "n"])


@pytest.mark.one_spark
def test_executors_fetch_files_with_logs_ahead(spark: Any, store: MeasuredStore) -> None:
    """AWAY-2, with a store between."""
    table = create_table(store.root / "lake" / "t", rows(0).schema, "id", partition_by="p", type="mor")
    write(table, rows(1))
    write(table, rows(2))
    frame = hudi_spark.open(spark, "s3://lake/t", storage_options=store.options).scan(where="n > 0").to_spark()
    store.behave(gate=GATE)
    with store.measured() as requests:
        values = frame.select("n").collect()
    store.behave()
    assert [row.n for row in values] == [2] * PARTITIONS
    assert len(requests) == 2 * PARTITIONS and not requests.repeated(), requests
    assert requests.waves <= 6, requests
