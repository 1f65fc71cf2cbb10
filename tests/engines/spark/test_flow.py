"""Rows of DataFrames as the core gets them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark.errors import PythonException

import hudi_spark
from hudi_core.errors import RowError, UsageError
from hudi_core.table.engines import load_engine
from hudi_spark.arrow_form import take_types, with_offsets
from hudi_spark.flow import _give, _large
from hudi_spark.packets import SparkFlow

GIVEN = pa.schema([("id", pa.string()), ("f", pa.binary())])


def test_rows_are_counted_through_all_batches() -> None:
    """WRITE-423: the number of a row that is refused counts those of all batches before."""
    rows: Any = load_engine("arrow").rows
    types = rows.read_given(pa.schema([("id", pa.string()), ("f", pa.binary(2))]).empty_table()).schema
    size = 30_000
    batches = [pa.record_batch([["k"] * size, [b"ab"] * size], schema=GIVEN) for _ in range(5)]
    wrong = pa.record_batch([["x", "y"], [b"ab", b"abc"]], schema=GIVEN)
    with pytest.raises(RowError, match="f: row 150,002: expected 2 bytes, found 3"):
        list(_give(load_engine("arrow"), GIVEN, types, iter([*batches, wrong])))


ZONED = pa.timestamp("us", "UTC")


@pytest.mark.parametrize("start", [0, 1, 3])
def test_rows_of_a_session_get_the_declared_types(start: int) -> None:
    """WRITE-1532: its zone and large texts, at any depth; no value is another one."""
    zone, text, time = pa.timestamp("us", "America/New_York"), pa.large_string(), 1_700_000_000_000_001
    values = {
        "at": ([time, None, 0, -1], zone, ZONED),
        "text": (["a", None, "", "b"], text, pa.string()),
        "list": ([[time, None], None, [], [0]], pa.list_(zone), pa.list_(ZONED)),
        "map": ([[("a", time)], None, [], [("b", None)]], pa.map_(text, zone), pa.map_(pa.string(), ZONED)),
        "part": ([{"t": time}, None, {"t": None}, {"t": 1}], pa.struct([("t", zone)]), pa.struct([("t", ZONED)])),
        "same": ([1, None, 2, 3], pa.int64(), pa.int64()),
    }
    given = pa.table({name: pa.array(array, of) for name, (array, of, _) in values.items()}).slice(start)
    wanted = pa.schema([(name, of) for name, (_, _, of) in values.items()])
    assert take_types(given, wanted).equals(given.cast(wanted))
    assert take_types(given.slice(0, 0), wanted).equals(wanted.empty_table())


def test_lists_without_lists_have_their_size() -> None:
    """ENGINE-1625: Spark sends no offsets where no list has a list, and Arrow would read the first."""
    kind = pa.list_(pa.list_(pa.int32()))
    inner = pa.Array.from_buffers(
        kind.value_type, 0, [None, pa.foreign_buffer(0, 0)], children=[pa.nulls(0, pa.int32())]
    )
    rows = pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(bytes(12))], children=[inner])
    batch = with_offsets(pa.record_batch([rows, pa.array([1, 2])], ["c", "n"]))
    assert batch.to_pylist() == [{"c": [], "n": 1}, {"c": [], "n": 2}]
    assert batch.nbytes > 0
    assert len(list(_large(iter([batch])))) == 1


def test_a_null_may_have_required_parts(spark: Any, tmp_path: Path) -> None:
    """WRITE-1532, WRITE-1531: Spark gives these as nulls; with times, whose zone is the session's, in them too."""
    rows = spark.range(3).selectExpr(
        "concat('k', id) AS id",
        "if(id > 0, named_struct('x', id, 'y', array(id)), null) AS s",
        "if(id > 1, named_struct('at', timestamp'2024-03-01 02:30:00'), null) AS at",
        "array(named_struct('x', id), if(id > 0, named_struct('x', id), null)) AS several",
        "map('a', if(id > 0, named_struct('x', timestamp'2024-03-01 02:30:00'), null)) AS m",
    )
    assert not rows.schema["s"].dataType["x"].nullable
    table = hudi_spark.create(spark, str(tmp_path / "t"), rows, "id", type="mor")
    assert table.append(rows).inserted == 3
    assert table.refresh().upsert(rows).updated == 3
    shown = table.refresh().scan(meta=False).to_spark()
    assert sorted(shown.collect()) == sorted(rows.collect())


def test_a_session_that_ends_behind_a_commit_does_not_fail_the_write() -> None:
    """WRITE-1534: its rows would be written once more; an error of the write stays the one that is raised."""

    class Kept:
        def persist(self) -> Kept:
            return self

        def unpersist(self) -> None:
            raise ConnectionRefusedError("the JVM is gone\n\tat a line of it")

    session: Any = SimpleNamespace(session_id="1")
    kept: Any = Kept()
    warning = r"did not let go of rows that it kept for a write: the JVM is gone$"
    with pytest.warns(UserWarning, match=warning), SparkFlow(session, kept).keep() as flow:
        assert flow.frame is kept
    with pytest.warns(UserWarning, match="JVM"), pytest.raises(RowError), SparkFlow(session, kept).keep():
        raise RowError(1, expected="a value", found="null")


def test_columns_without_a_type_have_that_of_the_table(spark: Any, tmp_path: Path) -> None:
    """WRITE-1504, ENGINE-1505: as `lit(None)` makes them, at any depth; columns that a delete does not need have any names."""
    rows = spark.range(2).selectExpr(
        "concat('k', id) AS id",
        "nullif(id, -1) AS n",
        "map('a', nullif(1.5D, 0D)) AS m",
        "named_struct('x', nullif(date'2024-01-02', date'2000-01-01')) AS s",
    )
    table = hudi_spark.create(spark, str(tmp_path / "t"), rows, "id")
    table.upsert(rows)
    nulls = spark.range(1, 3).selectExpr(
        "concat('k', id) AS id", "null AS n", "map('b', null) AS m", "named_struct('x', null) AS s"
    )
    assert table.refresh().upsert(nulls).updated == 1
    merge = table.refresh().merge(nulls.selectExpr("'k9' AS id", "n", "m", "s").limit(1), "id")
    assert merge.when_not_matched_insert().execute().inserted == 1
    shown = table.refresh().scan(columns=["id", "n", "m"], where="s.x IS NULL").to_spark()
    assert shown.schema["n"].dataType.simpleString() == "bigint"
    assert sorted(map(tuple, shown.collect())) == [(key, None, {"b": None}) for key in ("k1", "k2", "k9")]

    named = spark.range(1).selectExpr("named_struct('b', 'k0') AS a", "'k9'", "'k1' AS id", "'k2'")
    assert table.refresh().delete(named.toDF("a", "a.b", "id", "A.B")).deleted == 1
    assert table.refresh().scan().to_spark().count() == 3


@pytest.mark.one_of(2)
@pytest.mark.parametrize("op", ["append", "upsert"])
def test_rows_that_are_lost_and_computed_again_are_the_same_or_refused(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, op: str
) -> None:
    """WRITE-1500: others are, and nothing is changed; those of a shuffle come in another order."""

    @contextmanager
    def lose(self: SparkFlow) -> Iterator[SparkFlow]:
        yield self

    def other_keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            ids = [secrets.token_hex(8) for _ in range(batch.num_rows)]
            yield pa.record_batch([pa.array(ids), batch.column(1)], names=["id", "n"])

    monkeypatch.setattr(SparkFlow, "keep", lose)
    rows = spark.range(0, 90, 1, 3).selectExpr("concat('k', id) AS id", "id AS n").repartition(3)
    table = hudi_spark.create(spark, str(tmp_path / "t"), rows, "id")
    assert table.write(rows, op).inserted == 90
    changing = rows.mapInArrow(other_keys, rows.schema)
    with pytest.raises((PythonException, UsageError), match="rows: expected the same rows each time they are computed"):
        table.refresh().write(changing, op)
    assert table.refresh().scan().to_spark().count() == 90
    assert len(table.refresh().table.timeline.commits) == 1
