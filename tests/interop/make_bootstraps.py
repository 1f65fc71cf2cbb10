"""Bootstraps tables by a real Apache Hudi, goes on with them, and records its rows: run by the interpreter with PySpark.

    python make_bootstraps.py ORACLE_FOLDER OUT_FOLDER

For each kind of table: `NAME/source` (plain Parquet), `NAME/table`, and `NAME/STEP.json`, the rows that it reads after a step.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

COLUMNS = "id string, ts long, v string, n int, p string"
STEPS = ("bootstrapped", "upserted", "deleted", "compacted")
KINDS = {
    "cow": ("COPY_ON_WRITE", "METADATA_ONLY", {}),
    "mor": ("MERGE_ON_READ", "METADATA_ONLY", {}),
    "cow_full": ("COPY_ON_WRITE", "FULL_RECORD", {}),
    "cow_v6": ("COPY_ON_WRITE", "METADATA_ONLY", {"hoodie.write.table.version": "6"}),
}


def rows(first: int, count: int, ts: int, word: str) -> list[tuple[object, ...]]:
    return [
        (f"k{n:03d}", ts, None if n % 7 == 0 else f"{word}{n}", n, f"x{n % 2}") for n in range(first, first + count)
    ]


def main(oracle_folder: str, out: str) -> None:
    sys.path.insert(0, oracle_folder)
    import oracle  # noqa: PLC0415 - found only once its folder is known

    spark = oracle.session("bootstraps")
    for name, (kind, mode, more) in KINDS.items():
        base, path = Path(out) / name / "source", Path(out) / name / "table"
        # Two files in each partition, one of several row groups.
        for first in (0, 20):
            source = spark.createDataFrame(rows(first, 20, 5, "old"), COLUMNS).repartition(1).sortWithinPartitions("id")
            source.write.option("parquet.block.size", "256").partitionBy("p").mode("append").parquet(str(base))
        options = {
            "hoodie.table.name": name,
            "hoodie.datasource.write.table.type": kind,
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.partitionpath.field": "p",
            "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.datasource.write.hive_style_partitioning": "true",
            "hoodie.index.type": "SIMPLE",
            "hoodie.compact.inline": "false",
            "hoodie.write.auto.upgrade": "false",
            "hoodie.metadata.index.column.stats.enable": "false",  # a bootstrap refuses it
            **more,
        }
        begin = {
            "hoodie.datasource.write.operation": "bootstrap",
            "hoodie.bootstrap.base.path": str(base),
            "hoodie.bootstrap.mode.selector": "org.apache.hudi.client.bootstrap.selector.BootstrapRegexModeSelector",
            "hoodie.bootstrap.mode.selector.regex": ".*",
            "hoodie.bootstrap.mode.selector.regex.mode": mode,
            "hoodie.bootstrap.full.input.provider": "org.apache.hudi.bootstrap.SparkParquetBootstrapDataProvider",
        }
        empty = spark.createDataFrame([], COLUMNS)

        def note(step: str, path: Path = path) -> None:
            found: list[Any] = [row.asDict() for row in spark.read.format("hudi").load(str(path)).collect()]
            (path.parent / f"{step}.json").write_text(json.dumps(found, default=str))

        empty.write.format("hudi").options(**options, **begin).mode("overwrite").save(str(path))
        note("bootstrapped")
        changed = spark.createDataFrame(rows(5, 6, 7, "new") + rows(38, 4, 3, "late"), COLUMNS)
        changed.write.format("hudi").options(**options).option("hoodie.datasource.write.operation", "upsert").mode(
            "append"
        ).save(str(path))
        note("upserted")
        gone = spark.createDataFrame(rows(1, 1, 9, "gone") + rows(6, 1, 9, "gone"), COLUMNS)
        gone.write.format("hudi").options(**options).option("hoodie.datasource.write.operation", "delete").mode(
            "append"
        ).save(str(path))
        note("deleted")
        if kind == "MERGE_ON_READ":
            spark.sql(f"CALL run_compaction(op => 'run', path => '{path}')").collect()
            compacted = {**options, "hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
            one = spark.createDataFrame(rows(12, 1, 11, "last"), COLUMNS)
            one.write.format("hudi").options(**compacted).option("hoodie.datasource.write.operation", "upsert").mode(
                "append"
            ).save(str(path))
            note("compacted")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
