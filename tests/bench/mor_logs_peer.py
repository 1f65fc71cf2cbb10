"""Apache Hudi's side of `tests.bench.read_mor_48_slices_192_logs`, run in its environment: makes the table, or reads it.

The table has some 40,000 rows in 48 partitions, a file group each; four commits change a tenth of the rows each, so that every
group has four log files of Avro blocks. Prints one JSON object as `bench_hudi.py` does.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bench_hudi

PARTITIONS, COMMITS = 48, 4
ROWS = PARTITIONS * 834
"""As many for each partition: Spark's tasks have those of one partition each then, and write one file."""
_COLUMNS = ("id", "part", "ts", "a", "b", "c", "d")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("make", "read"))
    parser.add_argument("table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-mor-", dir=Path(given.table).parent) as scratch:
        args = argparse.Namespace(scratch=scratch, memory="3g", gc="Parallel", cores=2, runs=5, long=60)
        spark = bench_hudi.start(args)
        try:
            if given.action == "make":
                _make(spark, given.table)
            else:
                _read(spark, given.table, bench_hudi.Out(args, spark))
        finally:
            spark.stop()


def _make(spark: Any, table: str) -> None:
    options = {**bench_hudi.table_opts("mor_logs", "id", "part", mor=True), **bench_hudi.FILES_ONLY}
    bench_hudi.bulk(_rows(spark, 0), table, options, **{"hoodie.metadata.enable": "true"})
    upsert = {
        "hoodie.datasource.write.operation": "upsert",
        "hoodie.index.type": "SIMPLE",
        "hoodie.compact.inline": "false",
        "hoodie.logfile.data.block.format": "avro",
        "hoodie.upsert.shuffle.parallelism": "2",
    }
    for number in range(1, COMMITS + 1):
        changed = _rows(spark, number).where(f"ts % 10 = {number}")
        changed.write.format("hudi").options(**{**options, **upsert}).mode("append").save(table)


def _rows(spark: Any, version: int) -> Any:
    """All rows, in another version of their values; those of a partition are together."""
    return spark.range(0, ROWS, 1, PARTITIONS).selectExpr(
        "concat('key-', lpad(cast(id as string), 9, '0')) as id",
        f"concat('p', cast(id div {ROWS // PARTITIONS} as string)) as part",
        "id as ts",
        f"cast(id % 1000 + {version} as int) as a",
        f"id * 1.5D + {version} as b",
        f"concat('text ', cast(id % 97 as string), ' of {version}') as c",
        "date_add(date'2020-01-01', cast(id % 900 as int)) as d",
    )


def _read(spark: Any, table: str, out: Any) -> None:
    def once(_: int) -> tuple[None, Mapping[str, Any]]:
        bench_hudi.hudi(spark, table).select(*_COLUMNS).write.format("noop").mode("overwrite").save()
        return None, {}

    rows = bench_hudi.hudi(spark, table)
    changed = rows.selectExpr("count(*) as n", "sum(a) as a", "sum(b) as b", "max(c) as c").collect()[0]
    out.case("read", "mor_48_slices_192_logs", once, answer=[str(value) for value in changed])


if __name__ == "__main__":
    main()
