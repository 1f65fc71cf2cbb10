"""Writes on a cluster whose tasks come to grief: `python -m tests.engines.spark.write_faults FOLDER CASE...` prints a
line of JSON for each case, as `zombie-mor-9-upsert`, with what was wrong then.

A process of its own, as in `speculation.py`. A second table is written to without Spark: rows, statistics and indexes are equal
after the fault, and after a write that comes next.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operations import write
from hudi_spark.front.table import SparkTable
from tests.engines.spark.speculation import cluster
from tests.support.spread_writes import assert_twins, random_rows, twins
from tests.support.task_faults import COMMITTED, FaultyStorage, first_has_ended, print_outcomes

INDEXES = ("column_stats", "record_index")
_ROWS = 120
_PATIENCE = 60.0


def given(chance: random.Random, op: str) -> pa.Table:
    """Rows for an operation: half of the keys of an upsert are there. All keys that are added are new ones."""
    rows = random_rows(chance, _ROWS, [1] if op == "append" else [0, 1], distinct=True, keys=200)
    return rows.select(["id", "p"]) if op == "delete" else rows


def frame_of(spark: Any, rows: pa.Table, folder: Path) -> Any:
    """A DataFrame of rows in three partitions, as values of Arrow's and Spark's common types."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    size = -(-rows.num_rows // 3)
    for part in range(3):
        pq.write_table(rows.slice(part * size, size), folder / f"{part}.parquet")
    return spark.read.parquet(*(str(folder / f"{part}.parquet") for part in range(3)))


def leftovers(table: Table) -> list[str]:
    """Markers, and data files that no commit names."""
    commits = [table.timeline.metadata(commit) for commit in table.timeline.commits]
    named = {stat.path for commit in commits for stats in commit.stats.values() for stat in stats}
    files = {info.path for info in table.storage.list("", recursive=True, without=".hoodie")}
    markers = [info.path for info in table.storage.list(".hoodie/.temp", recursive=True)]
    return [*markers, *(path for path in files - named if not path.endswith("metadata"))]


def struck(spark: Any, fault: str, folder: Path, kind: str, version: int, op: str) -> None:
    """One operation with one fault. Raises AssertionError for what is wrong then."""
    chance = random.Random(f"{kind}{version}{op}")
    spread, whole = twins(folder, kind, version, INDEXES)
    before = random_rows(chance, _ROWS, [0], distinct=True, keys=200)
    for table in (spread, whole):
        write(table, before)
    rows, marks = given(chance, op), folder / "marks"
    marks.mkdir()
    write(whole, rows, op)
    latest = refreshed(spread)
    faulty = replace(latest, storage=FaultyStorage(spread.storage.uri, fault, marks))
    SparkTable(spark, faulty).write(frame_of(spark, rows, folder / "rows"), op)
    (marks / COMMITTED).touch()
    end = time.monotonic() + _PATIENCE
    while not first_has_ended(marks):
        assert time.monotonic() < end, "the worker does not end"
        time.sleep(0.05)
    assert_twins(spread, whole)
    # Before table version 8 all attempts write one log file, of one content.
    assert leftovers(open_table(spread.storage.uri)) == []
    after = random_rows(chance, _ROWS, [0, 2], distinct=True, keys=200)
    for table in (spread, whole):
        write(table, after)
    assert_twins(spread, whole)


def main(folder: str, *cases: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Tasks are slow on a busy machine too: only one that waits is to be run a second time.
    spark = cluster(Path(folder) / "work", {"spark.speculation.minTaskRuntime": "10s"})
    spark.sparkContext.setLogLevel("OFF")

    def play(case: str) -> None:
        fault, kind, version, op = case.split("-")
        struck(spark, fault, Path(folder) / case, kind, int(version), op)

    print_outcomes(cases, play)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
