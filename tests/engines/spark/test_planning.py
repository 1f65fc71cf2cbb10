"""Plans that executors make from shares of the statistics: those that the driver makes."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.front.opening import open_table
from hudi_core.table.distributed import plan_in_shares
from tests.support.commands import rides
from tests.support.conformance import TableEntry, tables

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import hudi_spark
from hudi_spark.runner import SparkRunner

pytestmark = pytest.mark.one_spark

WHERE = "fare > 20 and passengers = 2 and _hoodie_record_key > 'r'"


def with_logs_and_statistics() -> TableEntry:
    for entry in tables():
        reported = entry.expected["table"]
        if reported["table_type"] == "MERGE_ON_READ" and "column_stats" in reported["metadata_partitions"]:
            return entry
    pytest.skip("no such recorded table")


def test_executors_and_driver_give_the_same_slices(spark: Any) -> None:
    here = hudi_spark.open(spark, str(rides())).scan(where=WHERE)
    there = hudi_spark.open(spark, str(rides()), records_on_driver=0).scan(where=WHERE)
    in_shares = plan_in_shares(open_table(str(rides())).scan(where=WHERE), SparkRunner(spark), 0, records_per_share=200)
    assert "shares" not in here.explain()
    assert "861 records read in 1 shares" in there.explain()
    assert "861 records read in 5 shares" in in_shares.explain()
    assert there.plan.codes.tolist() == in_shares.plan.codes.tolist() == here.plan.codes.tolist()
    assert here.explain().splitlines()[-1] == there.explain().splitlines()[-1]
    assert there.to_spark().count() == here.to_spark().count()


def test_logs_and_recorded_filters_are_counted_on_executors_too(spark: Any) -> None:
    entry = with_logs_and_statistics()
    rows = entry.expected["snapshot"]["rows"]
    keys = sorted(row["_hoodie_record_key"] for row in rows)
    where = f"_hoodie_record_key >= '{keys[len(keys) // 2]}'"
    here = hudi_spark.open(spark, str(entry.unpacked())).scan(where=where)
    there = hudi_spark.open(spark, str(entry.unpacked()), records_on_driver=0).scan(where=where)
    assert there.plan.codes.tolist() == here.plan.codes.tolist()
    assert there.plan.reasons.texts == here.plan.reasons.texts
