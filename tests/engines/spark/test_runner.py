"""The runner keeps its contract on executors, and partition keys send rows to the tasks they are of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hudi_core.engine import Runner

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from hudi_spark import runner as runner_
from tests.contract.runner import RunnerContract


class TestRunner(RunnerContract):
    @pytest.fixture
    def runner(self, spark: Any) -> Runner:
        return runner_.SparkRunner(spark)


def test_hashes_are_those_of_spark(spark: Any) -> None:
    rows = spark.range(0, 1000).selectExpr("hash(cast(id as int)) as h").collect()
    assert runner_._murmur3(np.arange(1000)).tolist() == [row["h"] for row in rows]


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_each_task_gets_the_rows_of_its_key(spark: Any, count: int) -> None:
    keys = runner_.partition_keys(count)
    frame = spark.createDataFrame([(key,) for key in keys], "key int").repartition(count, "key")
    tasks = {row["key"]: row["task"] for row in frame.selectExpr("key", "spark_partition_id() as task").collect()}
    assert [tasks[key] for key in keys] == list(range(count))


def test_many_tasks_have_keys_too() -> None:
    assert len(set(runner_.partition_keys(20_000))) == 20_000
