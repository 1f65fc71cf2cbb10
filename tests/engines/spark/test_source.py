"""The data source `hudi_core` of Spark 4: rows, filters that go down, and streams."""

from __future__ import annotations

import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hudi_core.table.open import open_table
from tests.support.commands import rides

pytest.importorskip("pyspark.sql.datasource", reason="Python data sources come with Spark 4")
source = pytest.importorskip("hudi_spark.source")


@pytest.fixture(scope="module")
def registered(spark: Any) -> Any:
    source.register(spark)
    return spark


def test_a_table_is_loaded_by_its_format(registered: Any) -> None:
    frame = registered.read.format("hudi_core").option("meta", "false").load(str(rides()))
    scan = open_table(str(rides())).scan(meta=False)
    assert frame.columns == [field.name for field in scan.schema.fields]
    assert frame.count() == sum(1 for _ in scan.to_json_rows())


def test_filters_of_spark_give_the_same_rows(registered: Any) -> None:
    frame = registered.read.format("hudi_core").load(str(rides()))
    numbers = sorted(row[0] for row in frame.select("_hoodie_commit_time").collect())
    some = numbers[len(numbers) // 2]
    found = frame.where(frame["_hoodie_commit_time"] == some).count()
    assert found == numbers.count(some)


def test_a_stream_gives_what_changed(registered: Any, tmp_path: Path) -> None:
    frame = registered.readStream.format("hudi_core").load(str(rides()))
    query = (
        frame.writeStream.format("memory")
        .queryName("changed")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    expected = sum(1 for _ in open_table(str(rides())).scan(since="earliest").to_json_rows())
    assert registered.table("changed").count() == expected


def told(kind: str, value: Any) -> Any:
    return type(kind, (SimpleNamespace,), {})(attribute=("a", "b"), value=value)


def test_filters_become_predicates_but_those_on_timestamps() -> None:
    assert source.condition(told("EqualTo", 1)) is not None
    assert source.condition(told("GreaterThan", datetime.date(2026, 1, 1))) is not None
    assert source.condition(told("GreaterThan", datetime.datetime(2026, 1, 1))) is None
    assert source.condition(told("StringContains", "x")) is None
