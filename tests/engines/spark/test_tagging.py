"""Keys located on Spark: as the core locates them, whichever way the work is cut."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.errors import UsageError
from hudi_core.index.choose import IndexKind
from hudi_core.index.tag import TagOptions, locate
from hudi_core.keys.records import HoodieKey
from tests.support.commands import rides
from tests.support.conformance import tables

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
hudi_spark = pytest.importorskip("hudi_spark")
tagging = pytest.importorskip("hudi_spark.tagging")

Located = dict[tuple[str, str], tuple[Any, ...] | None]


def recorded(metadata_partition: str) -> Any:
    """A recorded table whose metadata table has the partition."""
    for entry in tables():
        if metadata_partition in entry.expected["table"]["metadata_partitions"] and not entry.requires:
            return str(entry.unpacked())
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


@pytest.mark.parametrize(
    ("options", "wide"),
    [
        (TagOptions(), False),
        (TagOptions(IndexKind.BLOOM), False),
        (TagOptions(IndexKind.SIMPLE, whole_table=True), False),
        (TagOptions(IndexKind.SIMPLE), True),
    ],
    ids=["auto", "bloom", "whole table", "by files"],
)
def test_keys_are_located_as_the_core_does(
    spark: Any, options: TagOptions, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hudi_spark.open(spark, str(rides()))
    keys = keys_of(table)
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    monkeypatch.setattr(tagging, "is_wide", lambda *_: wide)
    found = located(table.tag(frame, options, tasks=2))
    assert found == expected(table, keys, options)
    assert sum(at is not None for at in found.values()) >= len(keys) - 2


def test_the_record_index_locates_on_executors(spark: Any) -> None:
    table = hudi_spark.open(spark, recorded("record_index"))
    keys = keys_of(table)
    frame = spark.createDataFrame(keys, "record_key string, partition_path string")
    options = TagOptions(IndexKind.RECORD_INDEX)
    assert located(table.tag(frame, options, tasks=2)) == expected(table, keys, options)


def test_columns_of_rows_stay(spark: Any) -> None:
    table = hudi_spark.open(spark, str(rides()))
    (key, path), *_ = keys_of(table)
    frame = spark.createDataFrame([(7, key, path)], "n long, record_key string, partition_path string")
    (row,) = table.tag(frame, tasks=1).collect()
    assert (row["n"], row["record_key"], row["location"]["partition_path"]) == (7, key, path)


def test_rows_without_keys_are_refused(spark: Any) -> None:
    table = hudi_spark.open(spark, str(rides()))
    with pytest.raises(UsageError, match="record_key"):
        table.tag(spark.createDataFrame([(1,)], "a int"))
