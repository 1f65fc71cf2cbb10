"""The data source `hudi_core` of Spark 4: rows, predicates, and streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hudi_core.front.opening import open_table
from tests.support.commands import rides

pytest.importorskip("pyspark.sql.datasource", reason="Python data sources come with Spark 4")
from pyspark.errors import AnalysisException

from hudi_spark.front.registering import register


@pytest.fixture(scope="module")
def registered(spark: Any) -> Any:
    register(spark)
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


def test_a_stream_gives_the_changed_rows(registered: Any, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("setting", ["false", "true"])
def test_each_query_has_its_rows_whatever_was_asked_before(registered: Any, setting: str) -> None:
    """QUERY-1401: also of a view, and of a join of two filtered frames of one load."""
    name = "spark.sql.python.filterPushdown.enabled"
    before = registered.conf.get(name)
    registered.conf.set(name, setting)
    try:
        frame = registered.read.format("hudi_core").load(str(rides())).select("_hoodie_record_key", "city")
        rows = [(row["_hoodie_record_key"], row["city"]) for row in open_table(str(rides())).scan().to_json_rows()]
        first, second, *_ = sorted({city for _, city in rows})
        parts = [frame.where(frame["city"] == city) for city in (first, second)]
        assert sorted(map(tuple, parts[0].collect())) == sorted(row for row in rows if row[1] == first)
        assert frame.count() == len(rows)
        assert parts[0].union(parts[1]).count() == sum(city in (first, second) for _, city in rows)
        frame.createOrReplaceTempView("viewed")
        assert registered.sql(f"SELECT 1 FROM viewed WHERE city = '{first}'").count() < len(rows)
        assert registered.sql("SELECT 1 FROM viewed").count() == len(rows)
    finally:
        registered.conf.set(name, before)


def test_a_predicate_of_the_load_chooses_files(registered: Any) -> None:
    """QUERY-1401."""
    rows = [row["_hoodie_record_key"] for row in open_table(str(rides())).scan().to_json_rows()]
    some, whole = sorted(rows)[0], registered.read.format("hudi_core").load(str(rides()))
    chosen = registered.read.format("hudi_core").option("where", f"_hoodie_record_key = '{some}'").load(str(rides()))
    assert [row["_hoodie_record_key"] for row in chosen.collect()] == [some]
    assert tasks(chosen) < tasks(whole)
    with pytest.raises(AnalysisException, match="no column nothing"):
        registered.read.format("hudi_core").option("where", "nothing = 1").load(str(rides()))


def tasks(frame: Any) -> int:
    return int(frame._jdf.queryExecution().toRdd().getNumPartitions())
