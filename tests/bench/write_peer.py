"""Apache Hudi's own writes: run in its environment by `tests.bench.write`, one case a process.

Prints one JSON object as `bench_hudi.py` does, with its settings, and puts the rows that the table has afterwards into a folder
of Parquet files, so that they can be compared. Every run begins with a copy of the table, which is not timed.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bench_hudi

_SHUFFLE = 2
_COLUMNS = ("id", "part", "ts", "a", "b", "c", "d")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=("append", "upsert", "delete"))
    parser.add_argument("answer", help="where the rows go")
    parser.add_argument("scratch")
    parser.add_argument("--table", help="the table that is changed")
    parser.add_argument("--rows", help="Parquet files with the batch")
    parser.add_argument("--where", help="the rows that are deleted")
    parser.add_argument("--long", type=float, default=60)
    given = parser.parse_args()
    args = argparse.Namespace(scratch=given.scratch, memory="6g", gc="Parallel", cores=2, runs=3, long=given.long)
    spark = bench_hudi.start(args)
    try:
        path, out = str(Path(given.scratch) / "changed"), bench_hudi.Out(args, spark)
        change, columns = _change(given, spark, path)

        def before(_: int) -> None:
            shutil.rmtree(path, ignore_errors=True)
            if given.table:
                bench_hudi.copy_table(given.table, path)

        def once(_: int) -> tuple[None, Mapping[str, Any]]:
            change()
            return None, {}

        out.case("write", given.case, once, before=before)
        bench_hudi.hudi(spark, path).select(*columns).write.parquet(given.answer)
    finally:
        spark.stop()


def _change(given: argparse.Namespace, spark: Any, path: str) -> tuple[Callable[[], None], tuple[str, ...]]:
    """What is timed, and the columns of the rows afterwards."""
    if given.case == "delete":
        for name, value in bench_hudi.TAG_META.items():
            spark.conf.set(name, value)

        def delete() -> None:
            spark.sql(f"create table changed using hudi location '{path}'")
            spark.sql(f"delete from changed where {given.where}")
            spark.sql("drop table changed")

        return delete, _COLUMNS
    batch = spark.read.parquet(given.rows).persist()
    batch.count()
    options, columns = _append() if given.case == "append" else _upsert(given.table)
    return lambda: batch.write.format("hudi").options(**options).mode("append").save(path), columns


def _append() -> tuple[dict[str, str], tuple[str, ...]]:
    """The defaults of an insert, which keep a metadata table."""
    options = {
        name: text for name, text in bench_hudi.table_opts("append", "id").items() if name not in bench_hudi.WRITE
    }
    operation = {"hoodie.datasource.write.operation": "insert", "hoodie.insert.shuffle.parallelism": str(_SHUFFLE)}
    return {**options, **operation}, tuple(bench_hudi.READ_COLS)


def _upsert(table: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Keys located by bloom filters and ranges of the metadata table, whose indexes are kept."""
    merge_on_read = "MERGE_ON_READ" in (Path(table) / ".hoodie" / "hoodie.properties").read_text("utf-8")
    return {
        **bench_hudi.table_opts("cow_tag", "id", "part", mor=merge_on_read),
        **bench_hudi.TAG_META,
        "hoodie.datasource.write.operation": "upsert",
        "hoodie.index.type": "BLOOM",
        "hoodie.bloom.index.use.metadata": "true",
        "hoodie.upsert.shuffle.parallelism": str(_SHUFFLE),
    }, _COLUMNS


if __name__ == "__main__":
    main()
