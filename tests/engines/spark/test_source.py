"""The data source `hudi_core` of Spark 4: rows, filters that go down, and streams."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.text import to_sql
from hudi_core.front.opening import open_table
from tests.support.commands import rides

pytest.importorskip("pyspark.sql.datasource", reason="Python data sources come with Spark 4")
from hudi_spark.front import source
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


def reported(kind: str, *attribute: str, **answer: Any) -> Any:
    """A filter as Spark tells it."""
    return type(kind, (SimpleNamespace,), {})(attribute=attribute or ("a", "b"), **answer)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("EqualTo", 1, "a.b = 1"),
        ("EqualNullSafe", None, "a.b <=> NULL"),
        ("GreaterThan", datetime.date(2026, 1, 1), "a.b > DATE '2026-01-01'"),
        ("GreaterThanOrEqual", Decimal("1.5"), "a.b >= 1.5"),
        ("LessThan", 1, "a.b < 1"),
        ("LessThanOrEqual", "x", "a.b <= 'x'"),
        ("In", (1, 2), "a.b IN (1, 2)"),
        ("In", ("x", None), "a.b IN ('x', NULL)"),
        ("IsNull", None, "a.b IS NULL"),
        ("IsNotNull", None, "a.b IS NOT NULL"),
        ("StringStartsWith", "5%_", "a.b LIKE '5\\\\%\\\\_%'"),
        ("StringEndsWith", "x", "a.b LIKE '%x'"),
        ("StringContains", "x", "a.b LIKE '%x%'"),
    ],
)
def test_filters_become_predicates(kind: str, value: Any, expected: str) -> None:
    requested = reported(kind, value=value)
    found = source.condition(requested)
    assert same(found, expected)
    denied = source.condition(negated(requested))
    assert same(denied, f"NOT ({expected})")


def negated(child: Any) -> Any:
    return type("Not", (SimpleNamespace,), {})(child=child)


def same(found: Any, expected: str) -> bool:
    return found is not None and repr(found) == to_sql(parse_predicate(expected))


def test_timestamps_and_unknown_expressions_are_left_to_spark() -> None:
    moment = datetime.datetime(2026, 1, 1)
    left = [reported("GreaterThan", value=moment), reported("In", value=(moment, None))]
    left += [reported("EqualTo", value=object()), reported("Like", value="x")]
    assert [source.condition(item) for item in (*left, *map(negated, left))] == [None] * 8


def test_a_dot_in_a_name_is_no_step_down() -> None:
    found = source.condition(reported("EqualTo", "a.b", "c`d", value=1))
    assert found is not None and found.node == parse_predicate("`a.b`.`c``d` = 1")


@pytest.mark.parametrize("way", ["in", "prefix", "not"])
def test_pushed_filters_skip_files_and_no_matching_rows(registered: Any, way: str) -> None:
    rows = [(row["_hoodie_record_key"], row["city"]) for row in open_table(str(rides())).scan().to_json_rows()]
    frame, whole = (
        registered.read.format("hudi_core").load(str(rides())).select("_hoodie_record_key", "city") for _ in range(2)
    )
    first, second, *_ = sorted(key for key, _ in rows)
    others = sorted({city for _, city in rows})[1:]
    where, expected = {
        "in": (frame["_hoodie_record_key"].isin(first, second), [row for row in rows if row[0] in (first, second)]),
        "prefix": (frame["_hoodie_record_key"].startswith(first), [row for row in rows if row[0].startswith(first)]),
        "not": (~frame["city"].isin(others), [row for row in rows if row[1] not in others]),
    }[way]
    chosen = frame.where(where)
    assert sorted(map(tuple, chosen.collect())) == sorted(expected)
    # Another frame: Spark keeps the filters that went down for all that is made of a frame.
    assert tasks(chosen) <= tasks(whole)
    if way != "not":
        assert tasks(chosen) < tasks(whole)


def tasks(frame: Any) -> int:
    return int(frame._jdf.queryExecution().toRdd().getNumPartitions())
