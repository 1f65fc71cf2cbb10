"""Reads a table over Spark Connect, whose server runs beside, and writes one: `python connect_client.py TABLE FOLDER` prints what
was found as JSON.

A process of its own, since a Python process is a client of Spark Connect or a driver, not both.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import hudi_spark

SETTINGS = {
    "spark.sql.leafNodeDefaultParallelism": "2",  # a client cannot see how many cores there are
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
}


def found(spark: Any, path: str) -> dict[str, Any]:
    """What reading, planning on executors, changes and tagging give."""
    table = hudi_spark.open(spark, path, records_on_driver=0)
    keys = table.scan(columns=["_hoodie_record_key", "_hoodie_partition_path"], limit=1000).to_spark()
    keys = keys.toDF("record_key", "partition_path")
    scan = table.scan(where="fare > 20")
    return {
        "kind": type(spark).__module__,
        "rows": table.scan().to_spark().count(),
        "matching": scan.to_spark().count(),
        "explained": scan.explain(),
        "changes": table.changes(since="earliest", limit=9).count(),
        "tagged": table.tag(keys, tasks=2).where("location is not null").count(),
        "limited": table.scan(limit=7).to_spark().count(),
    }


def written(spark: Any, path: str) -> dict[str, Any]:
    """The rows after writes: also of rows that are others each time their plan is made."""
    rows = spark.range(20).selectExpr("uuid() AS id", "id % 2 AS city", "rand() AS fare")
    table = hudi_spark.create(spark, path, rows, "id", partition_by="city", indexes=["record_index"])
    counts = {}
    for op in ("bulk_insert", "upsert", "insert_overwrite_table", "insert_overwrite"):
        table.refresh().write(rows.where("city = 0") if op == "insert_overwrite" else rows, op)
        counts[op] = table.refresh().scan().to_spark().count()
    table.refresh().update({"fare": 2.0}, where="city = 1")
    counts["update"] = table.refresh().scan(where="fare = 2").to_spark().count()
    table.refresh().delete(table.refresh().scan(where="city = 1", meta=False).to_spark())
    counts["delete"] = table.refresh().scan().to_spark().count()
    return counts


def main(path: str, folder: str) -> None:
    spark = hudi_spark.session(remote="local[2]", config=SETTINGS)
    print(json.dumps({**found(spark, path), "written": written(spark, f"{folder}/written")}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
