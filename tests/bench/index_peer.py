"""Apache Hudi's own build of indexes on copies of tables: run in its environment by `tests.bench.index`.

Prints one JSON object a case, as `bench_hudi.py` does: seconds without the start of the session and without the copy, after one
run to warm up unless that takes more than `--long` seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import bench_hudi

_GROUPS = 10
"""File groups of the record index."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bare", help="a table without a metadata table")
    parser.add_argument("indexed", help="a table with column statistics and bloom filters")
    parser.add_argument("scratch")
    parser.add_argument("--long", type=float, default=60)
    given = parser.parse_args()
    args = argparse.Namespace(
        scratch=given.scratch, memory="6g", gc="Parallel", cores=2, runs=1, long=given.long, table=given.scratch
    )
    spark = bench_hudi.start(args)
    try:
        measure(given, spark, bench_hudi.Out(args, spark))
    finally:
        spark.stop()


def measure(given: argparse.Namespace, spark: object, out: bench_hudi.Out) -> None:
    options = {**bench_hudi.table_opts("cow_tag", "id", "part"), **bench_hudi.TAG_META}
    groups = {f"hoodie.metadata.global.record.level.index.{end}.filegroup.count": _GROUPS for end in ("min", "max")}
    cases = {
        "column_stats_and_bloom_1000_files": (given.bare, options),
        "record_index_4m_keys": (given.indexed, {**options, **bench_hudi.RLI, **groups}),
    }
    for case, (source, properties) in cases.items():
        copy = Path(given.scratch) / f"peer-{case}"

        def before(_: int, source: str = source, copy: Path = copy) -> None:
            bench_hudi.copy_table(source, copy)

        def once(_: int, properties: dict[str, str] = properties, copy: Path = copy) -> tuple[float, dict[str, object]]:
            seconds, partitions = bench_hudi.build_index(spark, copy, properties)
            return seconds, {"partitions": partitions}

        out.case("index", case, once, before=before)


if __name__ == "__main__":
    main()
