"""Writes by the data source `hudi_core` of Spark 4: what Spark does with a writer is done without a JVM, and once by Spark."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.commit.staged_rows import STAGED
from hudi_core.errors import HudiError, SchemaError, StorageError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.services.upkeep import inline
from tests.support.commands import fingerprint
from tests.support.restated import restated

pytest.importorskip("pyspark.sql.datasource", reason="Python data sources come with Spark 4")
from pyspark.sql.types import LongType, StringType, StructField, StructType

from hudi_spark.front import sink
from hudi_spark.front.registering import register
from hudi_spark.front.sink import HudiStreamWriter, HudiWriter, StagedRows

TYPES = pa.schema([("id", pa.string()), ("v", pa.int64())])
STRUCT = StructType([StructField("id", StringType()), StructField("v", LongType())])


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return create_table(tmp_path / "t", TYPES, "id")


def batches(*rows: tuple[str, int]) -> Any:
    return iter([pa.record_batch([[key for key, _ in rows], [v for _, v in rows]], schema=TYPES)])


def staged(writer: Any, *parts: Any) -> list[StagedRows]:
    """What tasks report, each in a process of its own; an attempt of the first is outrun by another."""
    pickle.loads(pickle.dumps(writer)).write(batches(*parts[0]))
    return [pickle.loads(pickle.dumps(writer)).write(batches(*part)) for part in parts]


def stored(table: Table) -> dict[str, int]:
    return {row["id"]: row["v"] for row in table.refresh().scan(meta=False).to_json_rows()}


def leftovers(table: Table) -> list[str]:
    return [info.path for info in table.storage.list(STAGED, recursive=True)]


def test_rows_of_tasks_are_one_commit(table: Table) -> None:
    """WRITE-615: also where a task ran twice; nothing of them stays."""
    writer = HudiWriter({"path": table.uri}, STRUCT, False)
    writer.commit(staged(writer, [("a", 1), ("b", 2)], [("c", 3)]))
    assert (stored(table), len(table.refresh().timeline.commits), leftovers(table)) == ({"a": 1, "b": 2, "c": 3}, 1, [])
    for op, rows, left in (
        ("upsert", [("a", 7)], {"a": 7, "b": 2, "c": 3}),
        ("delete", [("b", 0)], {"a": 7, "c": 3}),
        (None, [("z", 1)], {"z": 1}),
    ):
        named = {} if op is None else {"op": op}
        writer = HudiWriter({"path": table.uri, **named}, STRUCT, op is None)
        writer.commit(staged(writer, rows))
        assert stored(table) == left
    writer = HudiWriter({"path": table.uri}, STRUCT, False)
    writer.abort([*staged(writer, [("y", 1)]), None])
    assert (stored(table), leftovers(table)) == ({"z": 1}, [])


def test_a_write_whose_rows_storage_keeps_is_complete(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1534: Spark's user would write them once more."""
    writer = HudiWriter({"path": table.uri, "op": "append"}, STRUCT, False)
    kind = type(table.storage)
    delete = kind.delete_folder

    def keep(storage: Any, folder: str) -> None:
        if folder.startswith(STAGED):
            raise StorageError(folder, message="read-only")
        delete(storage, folder)

    messages = staged(writer, [("a", 1)])
    with monkeypatch.context() as patch, pytest.warns(UserWarning, match=r"rows of tasks stay until .*read-only"):
        patch.setattr(kind, "delete_folder", keep)
        writer.commit(messages)
    assert (stored(table), len(leftovers(table))) == ({"a": 1}, 3)


@pytest.mark.parametrize("fails", [False, True])
def test_services_follow_a_write_that_asks_for_them(table: Table, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    """UPKEEP-1623: one that fails is a warning, since Spark would take the write for one that failed."""
    services = {"hoodie.clean.automatic": "true", "hoodie.clean.commits.retained": "1"}

    def write(number: int) -> None:
        writer = HudiWriter({"path": table.uri, **services}, STRUCT, False)
        writer.commit(staged(writer, [("a", number)]))

    for number in range(2):
        write(number)
    if fails:

        def failing(*_: object) -> None:
            raise StorageError("t", expected="an answer", found="none")

        monkeypatch.setattr(inline, "run_inline", failing)
        with pytest.warns(UserWarning, match="the write is complete, but a service after it failed: t: expected"):
            write(2)
    else:
        write(2)
    actions = [instant.action for instant in table.refresh().timeline.instants]
    assert (stored(table), actions.count("clean")) == ({"a": 2}, 0 if fails else 1)


def test_a_batch_of_a_stream_is_written_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-430: also when it comes again in another process."""
    if not hasattr(sink.datasource, "DataSourceStreamArrowWriter"):
        pytest.skip("streams of Arrow batches come with Spark 4.1")
    options = {"path": table.uri, "checkpointLocation": "/c", "stream": "rides", "op": "insert"}
    for number in (0, 1, 1, 0):
        writer = HudiStreamWriter(options, STRUCT, False)
        writer.commit(staged(writer, [(f"k{number}", number)]), number)
    assert (stored(table), len(table.refresh().timeline.commits), leftovers(table)) == ({"k0": 0, "k1": 1}, 2, [])
    monkeypatch.setattr(sink, "_STREAM_WRITER", sink.datasource.DataSourceStreamWriter)
    with pytest.raises(UnsupportedError, match=r"foreachBatch with hudi_spark.stream_writer"):
        HudiStreamWriter(options, STRUCT, False)


def test_a_batch_of_another_query_is_refused(table: Table, tmp_path: Path) -> None:
    """WRITE-1501: by the id in its checkpoint folder; nothing of its rows stays."""
    if not hasattr(sink.datasource, "DataSourceStreamArrowWriter"):
        pytest.skip("streams of Arrow batches come with Spark 4.1")

    def commit(query: str, number: int, key: str) -> None:
        folder = tmp_path / query
        folder.mkdir(exist_ok=True)
        (folder / "metadata").write_text(json.dumps({"id": query}))
        writer = HudiStreamWriter({"path": table.uri, "checkpointLocation": str(folder)}, STRUCT, False)
        writer.commit(staged(writer, [(key, number)]), number)

    commit("one", 0, "a")
    commit("one", 0, "b")
    with pytest.raises(UsageError, match="batch 0 of query other, where query one has written up to batch 0"):
        commit("other", 0, "c")
    assert (stored(table), leftovers(table)) == ({"a": 0}, [])


def test_what_cannot_be_written_is_refused(table: Table, tmp_path: Path) -> None:
    """WRITE-615: before a task runs, or with nothing left."""
    refused: list[tuple[dict[str, str], bool, type[HudiError], str]] = [
        ({}, False, UsageError, "the table's root folder"),
        ({"path": table.uri, "op": "merge"}, False, UsageError, "one of upsert"),
        ({"path": table.uri, "op": "upsert"}, True, UsageError, "an operation of mode overwrite"),
        ({"path": table.uri, "op": "insert_overwrite"}, False, UsageError, "an operation of mode append"),
        ({"path": table.uri, "speed": "1"}, False, UsageError, "found speed"),
        ({"path": str(tmp_path / "none")}, False, HudiError, "none"),
    ]
    for options, overwrite, error, text in refused:
        with pytest.raises(error, match=text):
            HudiWriter(options, STRUCT, overwrite)
    other = StructType([StructField("id", LongType()), StructField("w", StringType())])
    writer = HudiWriter({"path": table.uri}, other, False)
    rows = pa.record_batch([[1], ["x"]], schema=pa.schema([("id", pa.int64()), ("w", pa.string())]))
    with pytest.raises((SchemaError, HudiError)):
        writer.commit([writer.write(iter([rows]))])
    assert (stored(table), leftovers(table)) == ({}, [])


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("hoodie.bootstrap.base.path", "/somewhere", "a table that was not bootstrapped"),
        ("hoodie.table.version", "10", "only read"),
        ("hoodie.table.base.file.format", "ORC", "base files in Parquet"),
    ],
)
@pytest.mark.parametrize("writer", [HudiWriter, HudiStreamWriter])
def test_a_table_that_is_only_read_gets_no_file(table: Table, writer: Any, key: str, value: str, found: str) -> None:
    """TABLE-732, TABLE-831: the refusal comes before a task puts rows into the table's folder."""
    if writer is HudiStreamWriter and not hasattr(sink.datasource, "DataSourceStreamArrowWriter"):
        pytest.skip("streams of Arrow batches come with Spark 4.1")
    folder = Path(table.uri)
    restated(folder, {key: value})
    before = fingerprint(folder)
    with pytest.raises(UnsupportedError, match=found):
        staged(writer({"path": table.uri}, STRUCT, False), [("a", 1)])
    assert fingerprint(folder) == before


def test_spark_writes_by_the_format(spark: Any, table: Table, tmp_path: Path) -> None:
    """WRITE-615."""
    register(spark)
    rows = spark.range(10, numPartitions=2).selectExpr("concat('k', id) as id", "id as v")
    rows.write.format("hudi_core").mode("append").option("op", "bulk_insert").save(table.uri)
    rows.where("v < 3").selectExpr("id", "v + 100 as v").write.format("hudi_core").mode("append").save(table.uri)
    assert stored(table) == {f"k{n}": n + 100 * (n < 3) for n in range(10)}
    made = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    query = (
        made.selectExpr("concat('s', value) as id", "value as v").writeStream.format("hudi_core")
        .option("checkpointLocation", str(tmp_path / "c")).trigger(once=True).start(table.uri)
    )  # fmt: skip
    query.awaitTermination()
    assert len(stored(table)) > 10
    assert leftovers(table) == []
