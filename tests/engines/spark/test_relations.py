"""Which failures of the JVM mean that Spark has other classes, so that files are read in another way; the others are errors.
And what Spark knows of the sizes of DataFrames, and settings of a session that change what Spark reads."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

import hudi_core
import hudi_spark
from hudi_spark import relations
from tests.engines.spark.test_reading import in_order, rows_of


class Thrown(Py4JJavaError):
    """An exception of the JVM, without a JVM."""

    def __init__(self, name: str) -> None:
        Exception.__init__(self, name)
        self.java_exception = SimpleNamespace(getClass=lambda: SimpleNamespace(getName=lambda: name))

    def __str__(self) -> str:
        return "thrown"


SESSION: Any = SimpleNamespace(_jsparkSession=None)
OTHER_CLASSES = [
    TypeError("'JavaPackage' object is not callable"),
    Py4JError("cook does not exist in the JVM"),
    Py4JError("py4j.security.Py4JSecurityException: Method public is not whitelisted"),
    Thrown("java.lang.NoClassDefFoundError"),
    Thrown("org.codehaus.commons.compiler.CompileException"),
]
FAILURES = [
    Py4JNetworkError("Answer from Java side is empty; it does not exist"),
    Py4JError("An error occurred while calling o1.newInstance"),
    Thrown("java.lang.OutOfMemoryError"),
    Thrown("java.lang.IllegalStateException"),
]


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def plans_of(*_: object) -> None:
        raise error

    monkeypatch.setattr(relations, "plans_of", plans_of)


@pytest.mark.parametrize("error", OTHER_CLASSES, ids=str)
def test_other_classes_lead_to_another_way(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    failing(monkeypatch, error)
    assert relations.relations_of(SESSION) is None


@pytest.mark.parametrize("error", FAILURES, ids=str)
def test_other_failures_are_raised(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    failing(monkeypatch, error)
    with pytest.raises(type(error)):
        relations.relations_of(SESSION)


def size_of(frame: Any) -> int:
    """The bytes that Spark takes a DataFrame for."""
    return int(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())


def test_rows_that_tasks_read_have_the_size_of_their_files(spark: Any, tmp_path: Path) -> None:
    """ENGINE-1614: a join brings no large table to the driver and to each executor, and a small one still."""
    numbers = range(3_000)
    rows = pa.table(
        {"id": [f"k{number}" for number in numbers], "of": [f"k{number * 7919 % 3_000}" for number in numbers]}
    )
    hudi_core.create(tmp_path / "t", rows, key="id", type="mor").insert(rows)
    hudi_core.open(tmp_path / "t").upsert(rows.slice(0, 5))
    opened = hudi_spark.open(spark, str(tmp_path / "t"))
    frame = opened.scan().to_spark()
    files = sum(file.size for file_slice in opened.slices() for file in file_slice.files)
    assert any(file_slice.logs for file_slice in opened.slices())
    assert size_of(frame) == files
    assert size_of(opened.changes(since="earliest")) > files
    threshold, before = "spark.sql.autoBroadcastJoinThreshold", spark.conf.get("spark.sql.autoBroadcastJoinThreshold")
    try:
        for most, is_brought in ((files // 2, False), (files * 2, True)):
            spark.conf.set(threshold, str(most))
            other = opened.scan(columns=["of"]).to_spark()
            joined = frame.join(other, frame["id"] == other["of"])
            plan = joined._jdf.queryExecution().executedPlan().toString()
            assert ("BroadcastHashJoin" in plan) is is_brought
            assert joined.count() == 3_000
    finally:
        spark.conf.set(threshold, before)


@pytest.mark.parametrize("moves", ["true", "false"])
def test_times_of_int96_are_those_of_the_arrow_reader(spark: Any, tmp_path: Path, moves: str) -> None:
    """ENGINE-1618: also where the session would have Spark move those that parquet-mr did not write."""
    times = pa.array([1_720_631_224_939_000], pa.timestamp("us", "UTC"))
    data = pa.table({"id": ["a"], "t": times, "s": pa.StructArray.from_arrays([times], names=["t"])})
    made = hudi_core.create(tmp_path / "t", data, key="id")
    made.insert(data)
    path = tmp_path / "t" / made.refresh().slices()[0].files[0].path
    pq.write_table(pq.read_table(path), path, use_deprecated_int96_timestamps=True)
    table = hudi_core.open(tmp_path / "t", metadata="off")  # which records the size that the file had
    setting = "spark.sql.parquet.int96TimestampConversion"
    spark.conf.set(setting, moves)
    try:
        scan = hudi_spark.open(spark, str(tmp_path / "t"), metadata="off").scan(where="t > '2024-07-10'")
        assert rows_of(scan) == in_order(table.scan(where="t > '2024-07-10'").to_json_rows())
        plan = scan.to_spark()._jdf.queryExecution().toString()
    finally:
        spark.conf.unset(setting)
    assert ("MapInArrow" in plan) == (moves == "true")
