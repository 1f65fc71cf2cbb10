"""Batches of streams by the query that counts them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from pyspark.errors import StreamingQueryException

import hudi_spark
from hudi_core.errors import UsageError
from hudi_core.transactions.stream_batches import StreamBatch
from hudi_core.writing.operation import WriteOptions
from hudi_spark.front.queries import query_of_checkpoint, running_query


def test_a_query_is_read_from_its_checkpoint(tmp_path: Path) -> None:
    """WRITE-1501: what cannot be read is not known."""
    for number, content in enumerate(("", "[]", "{}", '{"id": 3}', "é")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "metadata").write_text(content)
        assert query_of_checkpoint(str(folder)) is None
    (tmp_path / "metadata").write_text('{"id":"a-b"}')
    assert query_of_checkpoint(str(tmp_path)) == query_of_checkpoint(f"file://{tmp_path}") == "a-b"
    assert query_of_checkpoint(str(tmp_path / "none")) is query_of_checkpoint("none://x/y") is None


def test_options_that_would_lose_batches_are_refused() -> None:
    """WRITE-1503: a number for all batches, and a dry run, after which Spark does not send the batch again."""
    table: Any = None  # nothing is asked of it yet
    for named, found in (
        ({"batch": StreamBatch(3)}, "^batch: expected none"),
        ({"dry_run": True}, "^dry_run: expected"),
    ):
        for given in (named, {"options": WriteOptions(**named)}):
            with pytest.raises(UsageError, match=found):
                hudi_spark.stream_writer(table, **given)
    assert callable(hudi_spark.stream_writer(table, dry_run=False, batch=None))


@pytest.mark.one_of(2)
@pytest.mark.parametrize("op", ["upsert", "append"])
def test_batches_of_another_query_are_not_lost_in_silence(spark: Any, tmp_path: Path, op: str) -> None:
    """WRITE-1501: a checkpoint folder that was deleted, and a second stream without a name of its own."""
    rows = spark.range(4).selectExpr("concat('k', id) AS id", "id AS v")
    table = hudi_spark.create(spark, str(tmp_path / "t"), rows, "id")
    seen: list[str | None] = []

    def run(source: str, checkpoint: str, **named: Any) -> None:
        write = hudi_spark.stream_writer(table, op, **named)

        def batch(frame: Any, number: int) -> None:
            seen.append(running_query(frame.sparkSession))
            write(frame, number)

        stream = spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / source))
        started = stream.writeStream.option("checkpointLocation", str(tmp_path / checkpoint)).foreachBatch(batch)
        started.trigger(availableNow=True).start().awaitTermination()

    def add(source: str, first: int) -> None:
        more = rows.selectExpr(f"concat('k', v + {first}) AS id", f"v + {first} AS v")
        more.coalesce(1).write.mode("append").parquet(str(tmp_path / source))

    def stored() -> list[str]:
        return sorted(row["id"] for row in table.refresh().scan(columns=["id"]).to_spark().collect())

    for first in (0, 10):
        add("a", first)
        run("a", "c")
    add("b", 20)
    with pytest.raises(StreamingQueryException, match="expected batches of one query"):
        run("b", "of b")
    run("b", "of b", stream="b")
    before = stored()
    assert len(before) == 12
    shutil.move(tmp_path / "c", tmp_path / "moved")
    add("a", 30)
    run("a", "moved")
    assert len(stored()) == 16
    shutil.rmtree(tmp_path / "moved")
    with pytest.raises(StreamingQueryException, match="expected batches of one query"):
        run("a", "moved")
    assert len(stored()) == 16
    assert query_of_checkpoint(str(tmp_path / "of b")) in seen and None not in seen
    assert running_query(spark) is None
