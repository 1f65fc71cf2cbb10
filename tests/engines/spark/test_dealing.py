"""Rows dealt to chosen tasks."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from hudi_spark import dealing


def test_hashes_are_those_of_spark(spark: Any) -> None:
    told = spark.range(0, 1000).selectExpr("hash(cast(id as int)) as h").collect()
    assert dealing._murmur3(dealing.np.arange(1000)).tolist() == [row["h"] for row in told]


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_each_task_gets_the_rows_of_its_number(spark: Any, count: int) -> None:
    numbers = dealing.numbers_of_tasks(count)
    frame = spark.createDataFrame([(number,) for number in numbers], "number int").repartition(count, "number")
    told = {row["number"]: row["task"] for row in frame.selectExpr("number", "spark_partition_id() as task").collect()}
    assert [told[number] for number in numbers] == list(range(count))


def test_many_tasks_have_numbers_too() -> None:
    assert len(set(dealing.numbers_of_tasks(20_000))) == 20_000
