"""Apache Hudi's own compaction: run in its environment by `tests.bench.services_compaction_2m_200k`.

Prints one JSON object as `bench_hudi.py` does, and puts the rows that the table has afterwards into a folder of Parquet files.
Every run begins with a copy of the table, which is not timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bench_hudi


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("answer", help="where the rows go")
    parser.add_argument("scratch")
    given = parser.parse_args()
    args = argparse.Namespace(scratch=given.scratch, memory="6g", gc="Parallel", cores=2, runs=3, long=60)
    spark = bench_hudi.start(args)
    try:
        path, out = str(Path(given.scratch) / "compacted"), bench_hudi.Out(args, spark)
        spark.conf.set("hoodie.compact.inline.max.delta.commits", "1")
        for name, value in bench_hudi.FILES_ONLY.items():
            spark.conf.set(name, value)

        def before(_: int) -> None:
            bench_hudi.copy_table(given.table, path)

        def once(_: int) -> tuple[None, Mapping[str, Any]]:
            spark.sql(f"call run_compaction(op => 'scheduleAndExecute', path => '{path}')").collect()
            return None, {}

        out.case("services", "compaction", once, before=before)
        bench_hudi.hudi(spark, path).select(*bench_hudi.READ_COLS).write.parquet(given.answer)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
