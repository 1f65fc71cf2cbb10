"""How the time and memory of Spark's tagging and planning grow with keys and files.

    python -m tests.bench.spark_scaling [FILES[:KEYS]...]

A table of so many files of 1,000 keys is asked for so many keys, as many as it has unless it is said; some of them are there. One
JSON object a table: seconds of the best of up to three runs, microseconds a key and a file, and the peak resident memory of the
driver's Python so far. Keys are made by Spark and counted there: none comes to the driver. `DRIVER_MEMORY` bounds the JVM,
2 GB unless it is set.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import hudi_spark
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions

SIZES = ("100", "1000", "10000")
KEYS_A_FILE = 1_000
LONG = 60.0
"""Seconds of runs after which no third and fourth one is begun."""
INSTANT = "20260101000000000"
PROPERTIES = """hoodie.table.name=scaling
hoodie.table.type=COPY_ON_WRITE
hoodie.table.version=6
hoodie.timeline.layout.version=1
hoodie.table.recordkey.fields=id
hoodie.populate.meta.fields=true
hoodie.table.base.file.format=PARQUET
hoodie.table.create.schema={"type":"record","name":"row","fields":[{"name":"id","type":"string"}]}
"""


def made(root: Path, files: int) -> None:
    """A table of one commit, with every other key of as many as fit twice into its files, and no metadata table."""
    folder = root / ".hoodie"
    folder.mkdir(parents=True)
    (folder / "hoodie.properties").write_text(PROPERTIES)
    for state, content in (("commit.requested", ""), ("inflight", ""), ("commit", '{"operationType": "BULK_INSERT"}')):
        (folder / f"{INSTANT}.{state}").write_text(content)
    for number in range(files):
        file_id = f"{number:08d}-0000-4000-8000-000000000000-0"
        name = f"{file_id}_0-0-0_{INSTANT}.parquet"
        first = number * KEYS_A_FILE * 2
        keys = [f"{key:012d}" for key in range(first, first + KEYS_A_FILE * 2, 2)]
        rows = pa.table(
            {
                "_hoodie_commit_time": [INSTANT] * len(keys),
                "_hoodie_commit_seqno": keys,
                "_hoodie_record_key": keys,
                "_hoodie_partition_path": [""] * len(keys),
                "_hoodie_file_name": [name] * len(keys),
                "id": keys,
            }
        )
        reported = {"hoodie_min_record_key": keys[0], "hoodie_max_record_key": keys[-1]}
        pq.write_table(rows.replace_schema_metadata(reported), root / name)


def timed(run: Callable[[], int], expected: int) -> float:
    """The best of three runs, of fewer where they take long, after one to warm up."""
    seconds: list[float] = []
    while len(seconds) < 2 or (len(seconds) < 4 and sum(seconds) < LONG):
        begin = perf_counter()
        found = run()
        seconds.append(perf_counter() - begin)
        assert found == expected, (found, expected)
    return min(seconds[1:])


def requested(spark: Any, files: int, count: int) -> tuple[Any, int]:
    """Keys to look for, and how many of them the table has: every other one, as long as there are files."""
    ids = spark.range(0, count, 1, max(count // 500_000, 2))
    number = "id * 2 + pmod(id, 2)" if count <= files * KEYS_A_FILE else "id"
    present = count // 2 if count <= files * KEYS_A_FILE else min((count + 1) // 2, files * KEYS_A_FILE)
    return ids.selectExpr(f"lpad(cast({number} as string), 12, '0') as record_key", "'' as partition_path"), present


def measured(spark: Any, root: Path, files: int, count: int) -> dict[str, Any]:
    """What a table takes."""
    keys, present = requested(spark, files, count)

    def tag() -> int:
        table = hudi_spark.open(spark, str(root))
        located = table.tag(keys, TagOptions(IndexType.SIMPLE))
        return int(located.selectExpr("count(location) as n").collect()[0]["n"])

    def plan() -> int:
        return len(hudi_spark.open(spark, str(root)).scan(where="_hoodie_record_key = '000000000010'").plan.slices)

    tagging, planning = timed(tag, present), timed(plan, files)
    return {
        "files": files,
        "keys": count,
        "tag_s": round(tagging, 3),
        "tag_us_a_key": round(tagging / count * 1e6, 3),
        "plan_s": round(planning, 3),
        "plan_us_a_file": round(planning / files * 1e6, 1),
        "driver_python_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def main(*sizes: str) -> None:
    config = {"spark.driver.memory": os.environ.get("DRIVER_MEMORY", "2g"), "spark.sql.shuffle.partitions": "4"}
    spark = hudi_spark.session("local[2]", config=config)
    spark.sparkContext.setLogLevel("ERROR")
    for size in sizes or SIZES:
        files, _, count = size.partition(":")
        with tempfile.TemporaryDirectory(prefix="hudi-scaling-") as folder:
            root = Path(folder) / "table"
            made(root, int(files))
            print(json.dumps(measured(spark, root, int(files), int(count or int(files) * KEYS_A_FILE))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
