"""How the time of a write and the memory of the driver grow with rows and files, in a table with a record index.

    python -m tests.bench.spark_write_scaling [ROWS[:FILES]...]

For each size a process of its own fills a new table by a bulk insert, into one file a partition, then upserts a tenth as many
rows, half of which are new. One JSON object a size: microseconds a row of both, and the resident memory that the driver's Python
took more at its peak than before the writes, and with the plan of a scan of all files after them. Rows are made by Spark, and
counted there after. `DRIVER_MEMORY` bounds the JVM, 2 GB unless it is set; executors run in it. With `HUDI_BENCH_CLOCK=processor`
the microseconds are those of processors, of all processes of the session.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import hudi_spark
from tests.bench.peer_clock import processor_seconds
from tests.bench.timing import counts_processors

SIZES = ("100000:100", "1000000:100")
INDEXES = ("column_stats", "record_index")


def main(*sizes: str) -> None:
    for size in sizes or SIZES:
        subprocess.run([sys.executable, "-m", "tests.bench.spark_write_scaling", "one", size], check=True)


def measure(size: str) -> None:
    rows, files = map(int, f"{size}:100".split(":")[:2])
    config = {"spark.driver.memory": os.environ.get("DRIVER_MEMORY", "2g"), "spark.sql.shuffle.partitions": "2"}
    spark = hudi_spark.session("local[2]", config=config)
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "t")
        given = rows_of(spark, 0, rows, rows // files)
        table = hudi_spark.create(spark, path, given, "id", partition_by="p", indexes=INDEXES)
        table.append(rows_of(spark, -10, 10, rows // files))  # to warm up
        before = peak()
        seconds = [timed(table, "bulk_insert", given)]
        changed = rows_of(spark, rows - rows // 20, rows // 10, rows // files)
        seconds.append(timed(hudi_spark.open(spark, path), "upsert", changed))
        of_writes = peak() - before
        scanned = hudi_spark.open(spark, path).scan(columns=["id"]).to_spark().count()
        expected = rows + rows // 20 + 10
        assert scanned == expected, f"{scanned} rows of {expected}"
        counts = (rows, rows // 10)
        costs = [round(1e6 * time / count, 1) for time, count in zip(seconds, counts, strict=True)]
        line = {
            "rows": rows,
            "files": files,
            "insert_us": costs[0],
            "upsert_us": costs[1],
            "driver_mb": of_writes,
            "with_plan_mb": peak() - before,
        }
        print(json.dumps(line), flush=True)
    spark.stop()


def rows_of(spark: Any, first: int, count: int, of_partition: int) -> Any:
    ids = spark.range(first, first + count, 1, max(2, count // 500_000))
    columns = ("lpad(cast(id as string), 12, '0') as id", f"cast(id div {of_partition} as string) as p", "id as n")
    return ids.selectExpr(*columns, "sha1(cast(id as string)) as s")


def timed(table: Any, op: str, frame: Any) -> float:
    now = processor_seconds if counts_processors() else perf_counter
    begun = now()
    table.write(frame, op)
    return now() - begun


def peak() -> int:
    """The peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        measure(sys.argv[2])
    else:
        main(*sys.argv[1:])
