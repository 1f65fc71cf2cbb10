"""Keys located on Spark: as the core locates them, whichever way the work is cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hudi_core.errors import UsageError
from hudi_core.front.opening import open_table
from hudi_core.keys.records import HoodieKey
from hudi_core.parallel.runners import SerialRunner
from hudi_core.tagging import distributed
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.distributed import key_bounds, remote_tagging
from hudi_core.tagging.tag import TagOptions, locate
from tests.support.buckets import bucket_options, is_bucketed, is_consistent
from tests.support.commands import rides
from tests.support.conformance import tables

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
import hudi_spark
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import HAS_VARIANT

Located = dict[tuple[str, str], tuple[Any, ...] | None]


def recorded(metadata_partition: str) -> Any:
    """A recorded table whose metadata table has the partition."""
    for entry in tables():
        if metadata_partition in entry.expected["table"]["metadata_partitions"] and not entry.requires:
            return str(entry.unpacked())
    pytest.skip("no such recorded table")


def bucketed(consistent: bool) -> tuple[str, TagOptions]:
    """A recorded table with a bucket index of the kind, and what locates its keys."""
    for entry in tables():
        if not entry.requires and is_bucketed(entry) and is_consistent(entry) is consistent:
            return str(entry.unpacked()), bucket_options(entry)
    pytest.skip("no such recorded table")


def keys_of(table: Any) -> list[tuple[str, str]]:
    """All keys of the table, one that is in another partition, and one that is in none."""
    rows = table.table.scan(columns=["_hoodie_record_key", "_hoodie_partition_path"]).to_json_rows()
    present = sorted((row["_hoodie_record_key"], row["_hoodie_partition_path"]) for row in rows)
    return [*present, (present[0][0], "elsewhere"), ("no such key", present[0][1])]


def located(frame: Any) -> Located:
    return {
        (row["record_key"], row["partition_path"]): None if row["location"] is None else tuple(row["location"])
        for row in frame.collect()
    }


def expected(table: Any, keys: list[tuple[str, str]], options: TagOptions) -> Located:
    found = locate(table.table, [HoodieKey(key, path) for key, path in keys], options)
    return {
        key: None if at is None else (at.partition_path, at.file_id, at.instant, at.position)
        for key, at in zip(keys, found, strict=True)
    }


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("options", "wide"),
    [
        (TagOptions(), False),
        pytest.param(TagOptions(IndexType.BLOOM), False, marks=pytest.mark.one_spark),
        pytest.param(TagOptions(IndexType.SIMPLE, whole_table=True), False, marks=pytest.mark.one_spark),
        (TagOptions(IndexType.SIMPLE), True),
    ],
    ids=["auto", "bloom", "whole table", "by files"],
)
def test_keys_are_located_as_the_core_does(
    spark: Any, options: TagOptions, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hudi_spark.open(spark, str(rides()))
    keys = keys_of(table)
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    monkeypatch.setattr(distributed, "is_wide", lambda *_: wide)
    found = located(table.tag(frame, options, tasks=2))
    assert found == expected(table, keys, options)
    assert sum(at is not None for at in found.values()) >= len(keys) - 2


@pytest.mark.one_spark
def test_bounds_that_are_not_recorded_are_read_on_executors(spark: Any) -> None:
    table = open_table(str(rides()), metadata="off")
    tagging = remote_tagging(table, TagOptions(IndexType.SIMPLE))
    here = key_bounds(tagging, SerialRunner(), 2)
    there = key_bounds(tagging, SparkRunner(spark), 2, max_local_footers=0)
    assert len(there.known) > 1 and there.known.all()
    assert [*there.lower] == [*here.lower] and [*there.upper] == [*here.upper]


@pytest.mark.one_spark
@pytest.mark.parametrize("whole_table", [False, True], ids=["in partitions", "whole table"])
def test_the_record_index_locates_on_executors(spark: Any, whole_table: bool) -> None:
    table = hudi_spark.open(spark, recorded("record_index"))
    keys = keys_of(table)
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    options = TagOptions(IndexType.RECORD_INDEX, whole_table=whole_table)
    found = located(table.tag(frame, options, tasks=2))
    assert found == expected(table, keys, options)
    # The key that is asked for in another partition than its own.
    assert (found[keys[-2]] is not None) == whole_table


def test_keys_of_the_whole_table_need_no_partitions(spark: Any) -> None:
    table = hudi_spark.open(spark, str(rides()))
    keys = keys_of(table)
    frame = spark.createDataFrame([(key,) for key, _ in keys], "record_key string").distinct()
    found = table.tag(frame, TagOptions(IndexType.BLOOM, whole_table=True), tasks=2).collect()
    places = {row["record_key"]: row["location"] and row["location"]["partition_path"] for row in found}
    assert places == {**dict(reversed(keys[:-2])), keys[-1][0]: None}


@pytest.mark.each_value
@pytest.mark.one_spark
@pytest.mark.parametrize("consistent", [False, True], ids=["simple", "consistent"])
@pytest.mark.parametrize("tasks", [1, 3])
def test_keys_of_buckets_are_located_with_their_files(spark: Any, consistent: bool, tasks: int) -> None:
    root, options = bucketed(consistent)
    table = hudi_spark.open(spark, root)
    keys = keys_of(table)
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    found = table.tag(frame, options, tasks=tasks)
    assert located(found) == expected(table, keys, options)
    by_file: dict[str, set[int]] = {}
    for row in found.selectExpr("spark_partition_id() as task", "location.file_id as file").collect():
        by_file.setdefault(row["file"], set()).add(row["task"])
    by_file.pop(None, None)  # keys that are nowhere
    assert all(len(read_by) == 1 for read_by in by_file.values())
    assert len(set().union(*by_file.values())) == min(tasks, len(by_file))


def test_buckets_of_the_whole_table_are_refused(spark: Any) -> None:
    root, options = bucketed(consistent=False)
    frame = spark.createDataFrame([("a", "b")], "record_key string, partition_path string")
    with pytest.raises(UsageError, match="own partitions"):
        hudi_spark.open(spark, root).tag(frame, replace(options, whole_table=True))


@pytest.mark.one_of(2)
@pytest.mark.one_spark
@pytest.mark.parametrize("wide", [False, True], ids=["by ranges", "by files"])
def test_files_are_those_that_a_full_join_finds(spark: Any, wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "is_wide", lambda *_: wide)
    table = hudi_spark.open(spark, str(rides()))
    names = ["_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name"]
    rows = table.scan(columns=names, where="fare > 30").to_spark().toDF("record_key", "partition_path", "file_name")
    file_id = "trim(LEADING '.' FROM substring_index(file_name, '_', 1)) as file_id"
    rows = rows.selectExpr("record_key", "partition_path", file_id).cache()
    absent = rows.selectExpr("record_key || '!' as record_key", "partition_path")
    keys = rows.select("record_key", "partition_path").union(absent)
    tagged = table.tag(keys, tasks=2).selectExpr("record_key", "partition_path", "location.file_id as found")
    joined = tagged.join(rows, ["record_key", "partition_path"], "left")
    reported = joined.selectExpr(
        "count(*) as n", "count_if(found <=> file_id) as same", "count(found) as found"
    ).collect()[0]
    assert reported["n"] == reported["same"] == 2 * reported["found"] > 0


@pytest.mark.one_of(3)
@pytest.mark.parametrize("way", ["by ranges", "by files", "by buckets"])
def test_columns_of_rows_stay_whatever_their_types(spark: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "is_wide", lambda *_: way == "by files")
    root, options = bucketed(consistent=False) if way == "by buckets" else (str(rides()), TagOptions(IndexType.SIMPLE))
    table = hudi_spark.open(spark, root)
    keys = keys_of(table)[::3]
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    more = [
        "timestamp_ntz '2024-01-02 03:04:05' as moment",
        "named_struct('a', array(1, null), 'b', map('k', 2.50)) as nested",
    ]
    if HAS_VARIANT:
        # Spark 3.5 cannot send intervals of more rows than a vector first has room for to Python.
        more.append("interval '1 02:03:04' day to second as duration")
        more += ["parse_json('{\"a\": [1]}') as v", "if(length(record_key) = 0, parse_json('1'), null) as no_v"]
    frame = frame.selectExpr(*more, "*")
    tagged = table.tag(frame, options, tasks=2)
    assert located(tagged) == expected(table, keys, options)
    assert tagged.columns == [*frame.columns, "location"]
    assert tagged.drop("location").schema == frame.schema
    assert sorted(map(str, tagged.drop("location").collect())) == sorted(map(str, frame.collect()))


def test_rows_without_keys_are_refused(spark: Any) -> None:
    table = hudi_spark.open(spark, str(rides()))
    with pytest.raises(UsageError, match="record_key"):
        table.tag(spark.createDataFrame([(1,)], "a int"))


def test_a_stream_of_keys_is_refused(spark: Any) -> None:
    """WRITE-1384: before a job runs, and so are keys in no DataFrame."""
    table = hudi_spark.open(spark, rides())
    stream = spark.readStream.format("rate").load().selectExpr("'k' AS record_key", "'x' AS partition_path")
    with pytest.raises(UsageError, match=r"^keys: expected a DataFrame that is no stream \(writeStream.foreachBatch"):
        table.tag(stream)
    with pytest.raises(UsageError, match=r"^keys: expected a DataFrame, found \['k'\] \(list\)$"):
        table.tag(["k"])


def files_of(spark: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, TagOptions]:
    monkeypatch.setattr(distributed, "is_wide", lambda *_: True)
    return hudi_spark.open(spark, str(rides())), TagOptions(IndexType.SIMPLE)


def ranges_of(spark: Any, _: pytest.MonkeyPatch) -> tuple[Any, TagOptions]:
    return hudi_spark.open(spark, str(rides())), TagOptions(IndexType.SIMPLE)


def buckets_of(spark: Any, _: pytest.MonkeyPatch) -> tuple[Any, TagOptions]:
    path, options = bucketed(consistent=False)
    return hudi_spark.open(spark, path), options


@pytest.mark.one_of(2)
@pytest.mark.parametrize("cut", [ranges_of, buckets_of, files_of])
def test_columns_beside_the_keys_have_any_names(spark: Any, monkeypatch: pytest.MonkeyPatch, cut: Any) -> None:
    """INDEX-1502: also such that Spark reads as fields of others, those of this library's own steps, and one name twice."""
    table, options = cut(spark, monkeypatch)
    keys = keys_of(table)
    names = ["record_key", "a.b", "a", "partition_path", "task", "Task_", "x`y z", "a.b", "located_record_key", "é"]
    rows = [(key, 1, {"b": 2}, path, 3, 4, 5, 6, 7, number) for number, (key, path) in enumerate(keys)]
    types = ["string", "int", "struct<b:int>", "string", *["int"] * 6]
    schema = ", ".join(f"c{number} {kind}" for number, kind in enumerate(types))
    tagged = table.tag(spark.createDataFrame(rows, schema).toDF(*names), options, tasks=2)
    assert tagged.columns == [*names, "location"]
    shown = tagged.collect()
    assert sorted(tuple(row)[1:3] + tuple(row)[4:10] for row in shown) == [
        (1, (2,), 3, 4, 5, 6, 7, number) for number in range(len(keys))
    ]
    places = {(row[0], row[3]): None if row[10] is None else tuple(row[10]) for row in shown}
    assert places == expected(table, keys, options)


def test_keys_of_other_types_and_a_column_of_the_result_are_refused(spark: Any) -> None:
    """INDEX-1502: before a job runs."""
    table = hudi_spark.open(spark, str(rides()))
    for columns, found in (
        (["1 AS record_key", "'x' AS partition_path"], "record_key: expected strings, found int"),
        (["'x' AS record_key", "binary('x') AS partition_path"], "partition_path: expected strings, found binary"),
        (["'x' AS record_key", "'x' AS partition_path", "1 AS Location"], "none called location, found Location"),
    ):
        with pytest.raises(UsageError, match=found):
            table.tag(spark.range(1).selectExpr(*columns))


@pytest.mark.parametrize("cut", [ranges_of, buckets_of, files_of])
def test_keys_with_a_collation_are_their_bytes(spark: Any, monkeypatch: pytest.MonkeyPatch, cut: Any) -> None:
    """INDEX-1617: keys that a collation takes for the same are two, and one that is in no file stays in none."""
    if not HAS_VARIANT:
        pytest.skip("collations came with Spark 4")
    table, options = cut(spark, monkeypatch)
    keys = keys_of(table)
    keys += [(key.swapcase(), path) for key, path in keys if key.swapcase() != key]
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    kinds = ["record_key COLLATE UTF8_LCASE AS record_key", "partition_path COLLATE UNICODE AS partition_path"]
    tagged = table.tag(frame.selectExpr(*kinds), options, tasks=2)
    assert located(tagged) == expected(table, keys, options)
    assert tagged.schema["record_key"].dataType.simpleString() == "string collate UTF8_LCASE"
