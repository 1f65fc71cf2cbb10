"""Writes of DataFrames: rows, statistics and indexes are those of the Arrow engine's writes, also where tasks fail.

The rules are tested on parts of this process in `tests/core/writing/spread`; here it is that Spark brings rows to them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark import TaskContext

import hudi_spark
import hudi_spark.flow as flow
import hudi_spark.packets as packets
from hudi_core.errors import HudiError, RowError, SchemaError, UsageError
from hudi_core.expr.build import col
from hudi_core.front.keywords import WriteKeywords
from hudi_core.front.table import Table as FrontTable
from hudi_core.services.upkeep import inline
from hudi_core.table.engines import load_engine
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.stream_batches import read_committed_batches
from hudi_core.writing.by_predicate import delete_where, update
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.result import WriteResult
from hudi_spark.arrow_form import batch_form
from hudi_spark.front.table import SparkTable
from hudi_spark.runner import SparkRunner
from hudi_spark.structs import schema_to_spark
from tests.core.writing.spread.test_buckets import LAYOUTS, assert_same
from tests.support import drawing
from tests.support.spread_writes import (
    KINDS,
    OPERATIONS,
    assert_alike,
    assert_results,
    assert_twins,
    evolve,
    operation_rows,
    random_rows,
    rows_of,
    twins,
)

INDEXES = ("column_stats", "record_index")
EVERY = (*INDEXES, "bloom_filters")
"""The indexes of a table that gets those of `build_more_indexes` too."""
SOAK = pytest.mark.soak
CASES = [
    (kind, version, indexes, ansi)
    for kind, version in KINDS
    for indexes in (None, INDEXES, EVERY)
    for ansi in ("false", "true")
    if indexes is not EVERY or ansi == "true"
]
OFTEN = {("mor", 9, INDEXES, "true")}


def frame_of(spark: Any, rows: pa.Table, parts: int = 3) -> Any:
    """A DataFrame of rows of Arrow in that many partitions, in their order."""
    record = _engine(rows).record
    struct = schema_to_spark(_engine(rows), metadata=False).value
    pieces = [batch_form(batch, record) for batch in rows.combine_chunks().to_batches()] or [
        batch_form(pa.RecordBatch.from_pylist([], rows.schema), record)
    ]
    table = pa.Table.from_batches(pieces)
    size = -(-table.num_rows // parts)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from table.slice(part * size, size).combine_chunks().to_batches()

    return spark.range(0, parts, 1, parts).mapInArrow(read, struct)


def _engine(rows: pa.Table) -> Any:
    return load_engine("arrow").rows.read_given(rows).schema


def spread_table(spark: Any, table: Table) -> SparkTable:
    return hudi_spark.open(spark, table.storage.uri)


@contextmanager
def setting(spark: Any, name: str, value: str) -> Iterator[None]:
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, before)


@pytest.mark.parametrize(
    ("kind", "version", "indexes", "ansi"),
    [pytest.param(*case, marks=() if case in OFTEN else SOAK) for case in CASES],
)
def test_a_dataframe_is_written_as_rows_of_arrow_are(
    spark: Any, tmp_path: Path, kind: str, version: int, indexes: Any, ansi: str
) -> None:
    """WRITE-425: values of all types, duplicates, moved keys, new columns and wider types, and every index."""
    spread, whole = twins(tmp_path, kind, version, indexes)
    chance = random.Random(f"{kind}{version}{indexes}{ansi}{drawing.seed(1)}")
    operations = ["bulk_insert", "upsert", *(chance.sample(OPERATIONS, 3) if drawing.SOAK else ["delete"]), "upsert"]
    with setting(spark, "spark.sql.ansi.enabled", ansi):
        for number, op in enumerate(operations):
            rows = operation_rows(chance, op, number, indexes, wide=number > 2)
            named: WriteKeywords = {}
            if drawing.SOAK and number > 3 and op != "delete":
                rows, named = evolve(chance, rows), {"missing_columns": "null", "add_columns": True}
                if op == "upsert" and indexes is None:
                    named["missing_columns"] = "keep"
            made = spread_table(spark, spread).write(frame_of(spark, rows), op, **named)
            assert_results(made, write(whole, rows, op, WriteOptions(**named)))
            if indexes is EVERY and number == 0:
                build_more_indexes(spread)
                build_more_indexes(whole)
        assigned = {"ts": col("ts") + 100, "f": -0.0}
        assert_alike(
            lambda: spread_table(spark, spread).update(assigned, "ts > 2"), lambda: update(whole, assigned, "ts > 2")
        )
        assert_alike(lambda: spread_table(spark, spread).delete(where="ts < 2"), lambda: delete_where(whole, "ts < 2"))
    assert_twins(spread, whole)
    shown = spread_table(spark, spread).scan(columns=["id", "ts"]).to_spark()
    assert sorted(map(tuple, shown.collect())) == sorted(
        (row["id"], row["ts"]) for row in open_table(whole.storage.uri).scan(columns=["id", "ts"]).to_json_rows()
    )


def build_more_indexes(table: Table) -> None:
    """Indexes of a column and of expressions, as far as the table's version has them."""
    if table.config.version > 6:
        indexes = FrontTable.from_opened(table).index("secondary_index", columns=["ts"], name="ts")
        indexes = indexes.index("expression_index", columns=["id"], function="upper", using="bloom_filters", name="id")
        if table.config.version > 8:
            indexes.index("expression_index", columns=["day"], function="year", name="day")


@pytest.mark.parametrize(
    ("kind", "version", "layout"),
    [
        pytest.param(kind, version, layout, marks=() if (kind, version, layout) == ("mor", 9, "simple") else SOAK)
        for kind, version in KINDS
        for layout in ("simple", "consistent")
        if kind == "mor" or layout == "simple"
    ],
)
def test_a_dataframe_is_written_to_buckets_as_rows_of_arrow_are(
    spark: Any, tmp_path: Path, kind: str, version: int, layout: str
) -> None:
    """WRITE-1151: rows, indexes and the names of file groups are those of a write of the whole."""
    indexes = ("column_stats",)
    spread, whole = twins(tmp_path, kind, version, indexes, options=LAYOUTS[layout])
    chance = random.Random(f"{kind}{version}{layout}")
    for number, op in enumerate(("upsert", "insert", "delete", "upsert") if drawing.SOAK else ("upsert", "upsert")):
        rows = operation_rows(chance, op, number, indexes, wide=number > 2)
        assert_results(spread_table(spark, spread).write(frame_of(spark, rows), op), write(whole, rows, op))
    if drawing.SOAK:
        assigned = {"ts": col("ts") + 100, "f": -0.0}
        assert_alike(
            lambda: spread_table(spark, spread).update(assigned, "ts > 2"), lambda: update(whole, assigned, "ts > 2")
        )
        assert_alike(lambda: spread_table(spark, spread).delete(where="ts < 2"), lambda: delete_where(whole, "ts < 2"))
    assert_same(spread, whole)


def test_every_verb_has_its_operation(spark: Any, tmp_path: Path) -> None:
    """WRITE-20, WRITE-423: names, options and refusals are those of a table on Arrow."""
    rows = random_rows(random.Random(1), 30, [0])
    frame = frame_of(spark, rows, 2)
    table = hudi_spark.create(spark, str(tmp_path / "t"), frame, "id", partition_by="p", ordering="ts")
    assert table.insert(frame).operation == "INSERT"
    assert table.append(frame, sizes=FileSizes(5_000, 0)).operation == "INSERT"
    assert table.bulk_insert(frame).operation == "BULK_INSERT"
    assert table.overwrite_partitions(frame).operation == "INSERT_OVERWRITE"
    assert table.overwrite(frame).operation == "INSERT_OVERWRITE_TABLE"
    dry, written = table.upsert(frame, dry_run=True), table.upsert(frame)
    assert dry.instant is None
    assert (dry.inserted, dry.updated, dry.deleted) == (written.inserted, written.updated, written.deleted)
    before = rows_of(table.refresh().table)
    assert table.delete(frame.select("id", "p").limit(3)).operation == "DELETE"
    assert table.delete_partitions(["p0"]).operation == "DELETE_PARTITION"
    assert len(rows_of(table.refresh().table)) < len(before)
    assert rows_of(table.table) == []
    with pytest.raises(UsageError, match="expected one of upsert"):
        table.write(frame, "merge")
    with pytest.raises(UsageError, match="expected some of"):
        table.upsert(frame, speed=1)
    with pytest.raises(UsageError, match="expected a DataFrame, found"):
        table.upsert(rows)
    with pytest.raises(UsageError, match="either rows or a predicate"):
        table.delete()


def test_services_follow_writes_that_ask_for_them(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """UPKEEP-1631: by each verb; a property that no service could go by is refused before."""
    drawn = random_rows(random.Random(1), 30, [0])
    by_key = {(row["id"], row["p"]): row for row in drawn.to_pylist()}
    frame = frame_of(spark, pa.Table.from_pylist(list(by_key.values()), drawn.schema), 2)
    table = hudi_spark.create(spark, str(tmp_path / "t"), frame, "id", partition_by="p", ordering="ts")
    table.upsert(frame)
    cleans: dict[str, Any] = {"properties": {"hoodie.clean.automatic": "true", "hoodie.clean.commits.retained": "1"}}
    run_inline, runs = inline.run_inline, list[Table]()

    def counted(served: Table, properties: Mapping[str, str]) -> object:
        runs.append(served)
        return run_inline(served, properties)

    monkeypatch.setattr(inline, "run_inline", counted)
    verbs: tuple[Callable[[], WriteResult], ...] = (
        lambda: table.upsert(frame, **cleans),
        lambda: table.update({"ts": 99}, "ts > 0", **cleans),
        lambda: table.merge(frame, ["id", "p"]).when_matched_update().execute(**cleans),
        lambda: table.overwrite(frame, where="ts > -99", **cleans),
        lambda: table.delete(where="p = 'p1'", **cleans),
        lambda: table.delete_partitions(["p0"], **cleans),
    )
    for number, verb in enumerate(verbs, 1):
        verb()
        assert len(runs) == number, number
    assert isinstance(runs[0].engine.runner, SparkRunner)
    assert "clean" in {one.action for one in table.refresh().table.timeline.instants}
    before = len(table.refresh().table.timeline.instants)
    with pytest.raises(UsageError, match=r"clean\.policy: expected one of"):
        table.append(frame, properties={"hoodie.clean.automatic": "true", "hoodie.clean.policy": "x"})
    assert len(table.refresh().table.timeline.instants) == before


def test_a_row_that_is_refused_is_named(spark: Any, tmp_path: Path) -> None:
    """WRITE-423: by its number in the DataFrame, before anything is written, and what was persisted is let go of."""
    kept = persisted(spark)
    rows = random_rows(random.Random(2), 40, [0])
    table = hudi_spark.create(spark, str(tmp_path / "t"), frame_of(spark, rows), "id", partition_by="p")
    bad = rows.set_column(0, "id", pa.array([*rows.column("id").to_pylist()[:33], None, *["x"] * 6]))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RowError, match="row 34: expected a record key in id, found null"):
        table.upsert(frame_of(spark, bad))
    with pytest.raises(HudiError, match="a column of the rows to write, for their keys"):
        table.upsert(frame_of(spark, rows.drop_columns(["id"])))
    assert sorted(tmp_path.rglob("*")) == before
    assert persisted(spark) == kept


INTERVALS = {
    "interval '1' day": "c",
    "array(interval '1' month)": "c.element",
    "named_struct('i', interval '1' day)": "c.i",
    "map()": "c.key",
    "map('a', interval '1' month)": "c.value",
    "make_interval(1, 2, 3)": "",
}
"""Columns of types that no table has, and the part that the error names; PySpark 3.5 does not know the last."""


def test_a_frame_that_no_table_can_take_is_refused(spark: Any, tmp_path: Path) -> None:
    """WRITE-1384: whatever takes a DataFrame, before a job runs."""
    given = spark.range(3).selectExpr("concat('k', id) AS id", "'x' AS p", "id AS ts")
    table = hudi_spark.create(spark, str(tmp_path / "t"), given, "id", partition_by="p", ordering="ts")
    for column, path in INTERVALS.items():
        frame = given.selectExpr("*", f"{column} AS c")
        for refused in (table.upsert, table.append, table.delete):
            with pytest.raises(SchemaError, match=f"frame.*{path}"):
                refused(frame)
        with pytest.raises(SchemaError, match="frame"):
            hudi_spark.create(spark, str(tmp_path / "other"), frame, "id")
    stream = spark.readStream.format("rate").load().selectExpr("'k' AS id", "'x' AS p", "value AS ts")
    for refused in (table.upsert, table.delete, lambda frame: table.merge(frame, on=["id", "p"])):
        with pytest.raises(UsageError, match="stream_writer"):
            refused(stream)
    assert table.upsert(given.selectExpr("*", "array() AS none", "null AS no")).inserted == 3
    shown = table.refresh().scan(columns=["id", "none", "no"]).to_spark().collect()
    assert sorted(map(tuple, shown)) == [(f"k{number}", [], None) for number in range(3)]


def persisted(spark: Any) -> int:
    return len(spark.sparkContext._jsc.getPersistentRDDs())


def test_tasks_that_fail_are_run_again(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-421, WRITE-426: each step fails once in each of its tasks, the last one after its first file."""
    kept = persisted(spark)
    spread, whole = twins(tmp_path, "mor", 9, INDEXES)
    marks = tmp_path / "marks"
    marks.mkdir()
    chance = random.Random(3)
    rows_of_packets = packets.packet_rows
    before = operation_rows(chance, "upsert", 0, INDEXES)
    for table in (spread, whole):
        write(table, before)

    def failing(given: Iterator[Any]) -> Iterator[Any]:
        context = TaskContext.get()
        mark = marks / f"{context.stageId()}-{context.partitionId()}"
        for batch in rows_of_packets(given):
            yield batch
            if not mark.exists():
                mark.touch()
                raise OSError("the first attempt fails")

    for number in range(1, 3 if drawing.SOAK else 2):
        rows = operation_rows(chance, "upsert", number, INDEXES)
        write(whole, rows)
        with monkeypatch.context() as patched:
            for module in (flow, packets):
                patched.setattr(module, "packet_rows", failing)
            spread_table(spark, spread).upsert(frame_of(spark, rows))
    assert len(list(marks.iterdir())) > 8
    assert_twins(spread, whole)
    assert spread.storage.list(".hoodie/.temp", recursive=True) == []
    latest = open_table(spread.storage.uri)
    commits = [latest.timeline.metadata(commit) for commit in latest.timeline.commits]
    named = {stat.path for commit in commits for stats in commit.stats.values() for stat in stats}
    files = {info.path for info in latest.storage.list("", recursive=True, without=".hoodie")}
    assert {path for path in files if not path.endswith("metadata")} == named
    assert persisted(spark) == kept


def test_settings_of_the_session_stay(spark: Any, tmp_path: Path) -> None:
    """ENGINE-420: packets travel a few at a time, whatever the session has set, and it has that again afterwards."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    rows = random_rows(random.Random(4), 40, [0])
    with setting(spark, name, "7"):
        table = hudi_spark.create(spark, str(tmp_path / "t"), frame_of(spark, rows), "id", partition_by="p")
        table.upsert(frame_of(spark, rows))
        assert spark.conf.get(name) == "7"
    assert spark.conf.get("spark.sql.adaptive.enabled") == "true"
    assert len(rows_of(table.refresh().table)) > 0


@pytest.mark.parametrize("others", [False, True])
def test_steps_are_few_jobs(spark: Any, tmp_path: Path, others: bool) -> None:
    """ENGINE-1171, ENGINE-1619: also of a DataFrame whose own plan adapts, and of one of another session than the table's."""
    rows = random_rows(random.Random(6), 40, [0])
    table = hudi_spark.create(spark, str(tmp_path / "t"), frame_of(spark, rows), "id", partition_by="p")
    jobs = spark.sparkContext._jsc.sc().dagScheduler()
    counts = []
    for op in ("append", "upsert"):
        first = jobs.nextJobId()
        table.write(frame_of(spark.newSession() if others else spark, rows), op)
        counts.append(jobs.nextJobId() - first)
    assert counts == [2, 3]


def test_rows_that_one_task_writes_keep_their_order(spark: Any, tmp_path: Path) -> None:
    """ENGINE-1600: rows of all partitions of a DataFrame, in one file."""
    rows = random_rows(random.Random(7), 40, [0], distinct=True).drop_columns(["_hoodie_is_deleted"])
    given = frame_of(spark, rows, 5)
    hudi_spark.create(spark, str(tmp_path / "t"), given, "id").append(given)
    table = open_table(str(tmp_path / "t"))
    assert len(table.slices()) == 1
    assert table.scan(columns=["id"]).to_arrow()["id"].to_pylist() == rows["id"].to_pylist()


def test_a_stream_writes_each_batch_once(spark: Any, tmp_path: Path) -> None:
    """WRITE-430: also when Spark sends a batch again, for it had no time to note that it was done."""
    source = tmp_path / "source"
    rows = random_rows(random.Random(5), 90, [0], distinct=True, keys=1_000).drop_columns(["_hoodie_is_deleted"])
    table = hudi_spark.create(spark, str(tmp_path / "t"), frame_of(spark, rows), "id", partition_by="p", type="mor")
    write_batch = hudi_spark.stream_writer(table, "append", stream="s")

    def run() -> None:
        files = spark.readStream.schema(frame_of(spark, rows).schema).option("maxFilesPerTrigger", 1)
        stream = files.parquet(str(source)).writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = stream.foreachBatch(write_batch).trigger(availableNow=True).start()
        query.awaitTermination()

    for part in range(3):
        frame_of(spark, rows.slice(part * 25, 25), 1).write.mode("append").parquet(str(source))
        run()
        newest = max((tmp_path / "checkpoint" / "commits").glob("[0-9]*"), key=lambda path: int(path.name))
        newest.unlink()
        (newest.parent / f".{newest.name}.crc").unlink(missing_ok=True)
        run()
    latest = table.refresh().table
    assert len(rows_of(latest)) == 75 < rows.num_rows
    assert read_committed_batches(latest) == {"s": 2}
    assert len(latest.timeline.commits) == 3


@pytest.mark.parametrize("indexes", [("record_index",), pytest.param(None, marks=SOAK)])
def test_a_dataframe_is_merged_by_clauses(spark: Any, tmp_path: Path, indexes: Any) -> None:
    """WRITE-614, WRITE-1580: rows and indexes are those of a merge on Arrow."""
    spread, whole = twins(tmp_path, "mor", 9, indexes)
    on = "id" if indexes else ["id", "p"]
    stored, rows = (random_rows(random.Random(seed), 40, [0], distinct=True) for seed in (1, 2))
    write(whole, stored)
    write(spread, stored)
    results = []
    for merge in (
        spread_table(spark, spread).merge(frame_of(spark, rows), on),
        FrontTable.from_opened(whole).merge(rows, on),
    ):
        clauses = merge.when_matched_delete("source.ts = 0").when_matched_update({"f": col("source.f") + 1, "ts": -1})
        clauses = clauses.when_not_matched_insert(condition="source.ts > 1")
        results.append(clauses.when_not_matched_by_source_update({"f": 0.5}, "target.ts > 2").execute())
    assert_results(*results)
    assert_twins(spread, whole)
    some = refreshed(whole).scan("ts > 3", meta=False, limit=1).to_arrow()
    overwritten = [
        spread_table(spark, refreshed(spread)).overwrite(frame_of(spark, some), where="ts > 3"),
        FrontTable.from_opened(refreshed(whole)).overwrite(some, where="ts > 3"),
    ]
    assert_results(*overwritten)
    assert overwritten[0].deleted > 0
    assert_twins(spread, whole)
    row = frame_of(spark, refreshed(spread).scan(meta=False, limit=1).to_arrow())
    again = row.unionAll(row)
    with pytest.raises(RowError, match="expected one row of the source for each"):
        spread_table(spark, spread).merge(again, on).when_matched_update().when_not_matched_insert().execute()
    with pytest.raises(UsageError, match="expected a DataFrame"):
        spread_table(spark, spread).merge(rows, on)
