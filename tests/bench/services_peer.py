"""Apache Hudi's own clean and archive: run in its environment by `tests.bench.services`.

Prints one JSON object as `bench_hudi.py` does; the names that are left on the table go into a file. Every run begins with a copy
of the table, which is not timed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bench_hudi

OPTIONS = {
    "hoodie.metadata.enable": "false",
    "hoodie.write.auto.upgrade": "false",
    "hoodie.clean.policy": "KEEP_LATEST_COMMITS",
    "hoodie.clean.commits.retained": "10",
    "hoodie.embed.timeline.server": "false",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("service", choices=["clean", "archive"])
    parser.add_argument("table")
    parser.add_argument("answer", help="where the names go")
    parser.add_argument("scratch")
    given = parser.parse_args()
    args = argparse.Namespace(scratch=given.scratch, memory="6g", gc="Parallel", cores=2, runs=2, long=40)
    spark = bench_hudi.start(args)
    jvm = spark._jvm
    assert jvm is not None
    try:
        path, out = str(Path(given.scratch) / "served"), bench_hudi.Out(args, spark)

        def before(_: int) -> None:
            bench_hudi.copy_table(given.table, path)

        def cleaned(_: int) -> tuple[None, Mapping[str, Any]]:
            options = jvm.PythonUtils.toScalaMap(OPTIONS)
            none = getattr(getattr(jvm.scala, "None$"), "MODULE$")
            client = jvm.org.apache.hudi.HoodieCLIUtils.createHoodieWriteClient(
                spark._jsparkSession, path, options, none
            )
            try:
                client.clean()
            finally:
                client.close()
            return None, {}

        def archived(_: int) -> tuple[None, Mapping[str, Any]]:
            spark.sql(
                f"call archive_commits(path => '{path}', min_commits => 20, max_commits => 30, retain_commits => 10, "
                "enable_metadata => false)"
            ).collect()
            return None, {}

        out.case("services", given.service, cleaned if given.service == "clean" else archived, before=before)
        files = (file for file in Path(path).rglob("*") if file.is_file() and not file.name.startswith("."))
        Path(given.answer).write_text(json.dumps(sorted(str(file.relative_to(path)) for file in files)))
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
