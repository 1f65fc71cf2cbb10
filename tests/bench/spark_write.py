"""Writes of DataFrames beside Apache Hudi's bundle in the same session: an append, and an upsert spread over many files.

    python -m tests.bench.spark_write [ROWS]

A million rows unless it is said. `HUDI_SPARK_BUNDLE` names the jar of Apache Hudi's bundle; without it ours alone is measured.
One JSON object a case: seconds of the best of two runs after one to warm up, and the peak resident memory of the driver's Python
so far. Rows are compared by their number and the xor of their hashes. Rows are made by Spark: none comes to the driver.
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

import hudi_spark

ROWS = 1_000_000
FILES = 200
EVERY = 5
"""One row in so many is upserted."""
RUNS = 3
COLUMNS = ("id", "part", "a", "b", "c", "ts")
PEER = {
    "hoodie.table.name": "t",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.parquet.compression.codec": "snappy",
}


def rows(spark: Any, count: int, step: int = 1, newer: int = 0) -> Any:
    """Rows by number, every `step`th."""
    return spark.range(0, count, step, 4).selectExpr(
        "lpad(cast(id as string), 12, '0') as id",
        f"cast(pmod(id, {FILES}) as string) as part",
        f"id * 7 + {newer} as a",
        "id / 3.0D as b",
        "sha1(cast(id as string)) as c",
        f"id + {newer} as ts",
    )


def answer(frame: Any) -> tuple[int, int]:
    """The number of rows, and the xor of their hashes."""
    row = frame.selectExpr("count(*) as n", f"bit_xor(xxhash64({', '.join(COLUMNS)})) as h").collect()[0]
    return int(row["n"]), int(row["h"])


def timed(work: Callable[[int], None]) -> float:
    """The best of the runs but the first."""
    seconds = []
    for number in range(RUNS):
        begin = perf_counter()
        work(number)
        seconds.append(perf_counter() - begin)
    return min(seconds[1:])


def peer_write(frame: Any, path: str, operation: str, mode: str, parted: bool) -> None:
    options = {**PEER, "hoodie.datasource.write.operation": operation}
    if parted:
        options["hoodie.datasource.write.partitionpath.field"] = "part"
    frame.write.format("hudi").options(**options).mode(mode).save(path)


def append(spark: Any, folder: Path, count: int, peer: bool) -> tuple[float, tuple[int, int]]:
    """New rows, in new files."""
    frame = rows(spark, count)

    def ours(number: int) -> None:
        table = hudi_spark.create(
            spark, str(folder / f"ours{number}"), frame, "id", ordering="ts", indexes="column_stats"
        )
        table.append(frame)

    def theirs(number: int) -> None:
        peer_write(frame, str(folder / f"theirs{number}"), "bulk_insert", "overwrite", False)

    seconds = timed(theirs if peer else ours)
    return seconds, answer(_read(spark, folder / f"{'theirs' if peer else 'ours'}{RUNS - 1}", peer))


def upsert(spark: Any, folder: Path, count: int, peer: bool) -> tuple[float, tuple[int, int]]:
    """Newer rows for one in five, over all files."""
    path = folder / ("theirs" if peer else "ours")
    if peer:
        peer_write(rows(spark, count), str(path), "bulk_insert", "overwrite", True)
    else:
        made = rows(spark, count)
        table = hudi_spark.create(
            spark, str(path), made, "id", partition_by="part", ordering="ts", indexes="column_stats"
        )
        table.bulk_insert(made)

    def work(number: int) -> None:
        newer = rows(spark, count, EVERY, number + 1)
        if peer:
            peer_write(newer, str(path), "upsert", "append", True)
        else:
            hudi_spark.open(spark, str(path)).upsert(newer)

    return timed(work), answer(_read(spark, path, peer))


def _read(spark: Any, path: Path, peer: bool) -> Any:
    if peer:
        return spark.read.format("hudi").load(str(path)).select(*COLUMNS)
    return hudi_spark.open(spark, str(path)).scan(columns=list(COLUMNS)).to_spark()


def main(count: int = ROWS) -> None:
    bundle = os.environ.get("HUDI_SPARK_BUNDLE")
    config = {"spark.driver.memory": os.environ.get("DRIVER_MEMORY", "2g"), "spark.sql.shuffle.partitions": "4"}
    if bundle:
        config |= {
            "spark.jars": bundle,
            "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
            "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        }
    spark = hudi_spark.session("local[2]", config=config)
    spark.sparkContext.setLogLevel("ERROR")
    for name, case in (("append", append), ("upsert_uniform", upsert)):
        with tempfile.TemporaryDirectory(prefix="hudi-bench-") as folder:
            seconds, own = case(spark, Path(folder), count, peer=False)
            line = {"case": name, "rows": count, "seconds": round(seconds, 2)}
            line["driver_python_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            if bundle:
                peer_seconds, others = case(spark, Path(folder), count, peer=True)
                assert own == others, (own, others)
                line |= {"apache_hudi_seconds": round(peer_seconds, 2), "ratio": round(peer_seconds / seconds, 2)}
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
