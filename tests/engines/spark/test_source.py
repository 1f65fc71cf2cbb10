"""The data source `hudi_core` of Spark 4: rows, predicates, and streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.errors import SchemaError, UsageError
from hudi_core.front.opening import create_table, open_table
from tests.support.commands import rides

pytest.importorskip("pyspark.sql.datasource", reason="Python data sources come with Spark 4")
from pyspark.errors import AnalysisException
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from hudi_spark.front.registering import register
from hudi_spark.front.source import HudiSource

STRUCT = StructType([StructField("id", StringType()), StructField("v", LongType())])


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


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"as_off": "2026-01-01"}, "some of where, since, meta, as_of, until, read_optimized, found as_off"),
        ({"hoodie.datasource.query.type": "read_optimized"}, "found hoodie.datasource.query.type"),
        ({"meta": "no"}, "meta: expected true or false, found no"),
    ],
)
def test_an_option_that_is_not_known_is_refused(options: dict[str, str], text: str) -> None:
    """QUERY-1402."""
    of_table = HudiSource({"path": str(rides()), **options})
    with pytest.raises(UsageError, match=text):
        of_table.schema()


@pytest.mark.parametrize("name", ["as_of", "until", "read_optimized"])
def test_a_stream_does_not_have_all_options_of_a_read(name: str) -> None:
    """QUERY-1402."""
    of_table = HudiSource({"path": str(rides()), name: "true"})
    with pytest.raises(UsageError, match=f"some of where, since, meta, found {name}"):
        of_table.streamReader(STRUCT)


def test_a_stream_takes_a_predicate(tmp_path: Path) -> None:
    """QUERY-1402: batches have the rows that match."""
    types = pa.schema([("id", pa.string()), ("v", pa.int64())])
    table = create_table(tmp_path / "t", types, "id")
    for number in range(4):
        table.append(pa.table({"id": [f"k{number}", f"j{number}"], "v": [number, -1]}, types))
    reader = HudiSource({"path": table.uri, "where": "v > 0", "meta": "false"}).streamReader(STRUCT)
    start, end = reader.initialOffset(), reader.latestOffset()
    batches = [batch for part in reader.partitions(start, end) for batch in reader.read(part)]
    assert sorted(pa.Table.from_batches(batches).column("v").to_pylist()) == [1, 2, 3]


def test_columns_that_are_wider_since_the_load_are_refused(registered: Any, tmp_path: Path) -> None:
    """QUERY-1621: in a view and in a stream. Columns that are new are no others than were loaded, and a view that was queried
    before stays as it was."""
    narrow = pa.schema([("id", pa.string()), ("v", pa.int32())])
    table = create_table(tmp_path / "t", narrow, "id")
    for name in ("queried", "late"):
        loaded = registered.read.format("hudi_core").option("meta", "false").load(table.uri)
        loaded.createOrReplaceTempView(name)
    table.upsert(pa.table({"id": ["a"], "v": pa.array([1], pa.int32()), "w": ["new"]}), add_columns=True)
    assert [tuple(row) for row in registered.sql("SELECT * FROM queried").collect()] == [("a", 1)]
    table.refresh().upsert(pa.table({"id": ["a"], "v": [1 << 40]}), missing_columns="null")
    assert [tuple(row) for row in registered.sql("SELECT * FROM queried").collect()] == [("a", 1)]
    text = "v: expected int, as it was loaded, found bigint: load the table again"
    with pytest.raises(AnalysisException, match=text):
        registered.sql("SELECT * FROM late").collect()
    narrow_struct = StructType([StructField("id", StringType()), StructField("v", IntegerType())])
    reader = HudiSource({"path": table.uri, "meta": "false"}).streamReader(narrow_struct)
    with pytest.raises(SchemaError, match=text):
        reader.partitions(reader.initialOffset(), reader.latestOffset())


def tasks(frame: Any) -> int:
    return int(frame._jdf.queryExecution().toRdd().getNumPartitions())
