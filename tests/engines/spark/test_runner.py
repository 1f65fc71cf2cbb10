"""The runner keeps its contract on executors, and partition keys send rows to the tasks they are of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hudi_core.engine import Runner

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from hudi_core.errors import StorageError, UsageError
from hudi_core.front.opening import open_table
from hudi_core.parallel.flow import TO_CALLER, FlowRunner, Packet
from hudi_spark import dealing
from hudi_spark import runner as runner_
from tests.contract.runner import RunnerContract
from tests.support.served_tables import filled


class TestRunner(RunnerContract):
    @pytest.fixture
    def runner(self, spark: Any) -> Runner:
        return runner_.SparkRunner(spark)


def test_hashes_are_those_of_spark(spark: Any) -> None:
    rows = spark.range(0, 1000).selectExpr("hash(cast(id as int)) as h").collect()
    assert dealing._murmur3(np.arange(1000)).tolist() == [row["h"] for row in rows]


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_each_task_gets_the_rows_of_its_key(spark: Any, count: int) -> None:
    keys = dealing.partition_keys(count)
    frame = spark.createDataFrame([(key,) for key in keys], "key int").repartition(count, "key")
    tasks = {row["key"]: row["task"] for row in frame.selectExpr("key", "spark_partition_id() as task").collect()}
    assert [tasks[key] for key in keys] == list(range(count))


def test_many_tasks_have_keys_too() -> None:
    assert len(set(dealing.partition_keys(20_000))) == 20_000


def refuse(task: str) -> str:
    raise UsageError("here", expected="another task", found=task)


def lose(task: str) -> str:
    raise StorageError("there", message=f"no answer to {task}")


def test_a_rule_that_a_task_breaks_is_raised_as_it_is(spark: Any) -> None:
    """ENGINE-911: a storage that fails may answer the next attempt, so Spark tries that again, and raises an error of its own."""
    runner = runner_.SparkRunner(spark)
    with pytest.raises(UsageError, match=r"^here: expected another task, found b$"):
        runner.run(refuse, ["b"])
    with pytest.raises(Exception, match="no answer to a") as raised:
        runner.run(lose, ["a"])
    assert not isinstance(raised.value, StorageError)


def test_tasks_see_the_engine_that_reads_files(spark: Any, tmp_path: Path) -> None:
    """ENGINE-910: on executors a table opened for Spark has no runner."""
    table = filled(tmp_path / "t", "cow", 9, ())
    opened = open_table(table.storage.uri, engine="spark")
    assert isinstance(opened.engine.runner, runner_.SparkRunner)
    assert opened.engine.runner.run(engine_of, [opened]) == [table.engine.name]


def engine_of(table: Any) -> str:
    return str(table.engine.name)


def scatter(number: int, task: str) -> Iterator[Packet]:
    """A packet for each part, and a report."""
    for part in range(3):
        yield Packet(part, 0, number, part, task.encode())
    yield Packet(TO_CALLER, 0, number, 0, b"given")


def gather(part: int, packets: Iterator[Packet]) -> Iterator[Packet]:
    content = b"".join(packet.content for packet in packets)
    yield Packet(TO_CALLER, 0, part, 0, content)


def test_a_flow_begins_with_tasks(spark: Any) -> None:
    """ENGINE-912: each part gets what all tasks give it, in the order of the tasks."""
    runner = runner_.SparkRunner(spark)
    assert isinstance(runner, FlowRunner)
    flow = runner.flow(scatter, ["a", "b", "c", "d"])
    assert [packet.content for packet in flow.reports()] == [b"given"] * 4
    assert [packet.content for packet in flow.deal(3).map(gather).reports()] == [b"abcd"] * 3
    assert runner.flow(scatter, []).reports() == []
