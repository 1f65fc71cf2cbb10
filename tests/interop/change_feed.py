"""Reads the changes of tables one by one with Apache Hudi's bundle: its incremental query in the form `cdc`.

    python change_feed.py BUNDLE_JAR TABLE...

Prints one JSON object a table: its `changes`, each as `op`, `ts_ms`, and the rows before and after.
"""

from __future__ import annotations

import json
import sys

import hudi_spark
from tests.interop.beside import SETTINGS

OPTIONS = {
    "hoodie.datasource.query.type": "incremental",
    "hoodie.datasource.query.incremental.format": "cdc",
    "hoodie.datasource.read.begin.instanttime": "0",
}


def main(jar: str, *tables: str) -> None:
    spark = hudi_spark.session("local[2]", config={**SETTINGS, "spark.jars": jar})
    spark.sparkContext.setLogLevel("ERROR")
    for path in tables:
        rows = spark.read.format("hudi").options(**OPTIONS).load(path).collect()
        changes = [
            [row.op, row.ts_ms, *(None if image is None else json.loads(image) for image in (row.before, row.after))]
            for row in rows
        ]
        print(json.dumps({"table": path, "changes": changes}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
