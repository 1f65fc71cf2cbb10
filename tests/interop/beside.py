"""Reads tables through Apache Hudi's bundle and through `hudi_spark` in one Spark session, and says where rows differ.

    python beside.py BUNDLE_JAR TABLE...

Prints one JSON object a table: `rows` of each reader, what only one of them has, and the rows of a join of both.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import hudi_spark

SETTINGS = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.extraJavaOptions": "-Djol.skipHotspotSAAttach=true -Djol.skipDynamicAttach=true",
}
KEY = "_hoodie_record_key"


def texts(frame: Any, names: list[str]) -> list[str]:
    return sorted(json.dumps(row.asDict(recursive=True), default=str) for row in frame.select(*names).collect())


def compared(spark: Any, path: str) -> dict[str, Any]:
    ours, theirs = hudi_spark.open(spark, path).scan().to_spark(), spark.read.format("hudi").load(path)
    names = [name for name in ours.columns if name in set(theirs.columns)]
    a, b = texts(ours, names), texts(theirs, names)
    joined = ours.select(KEY, "_hoodie_partition_path").join(
        theirs.select(KEY, "_hoodie_partition_path").distinct(), KEY
    )
    return {
        "table": path,
        "rows": [len(a), len(b)],
        "columns": [len(ours.columns), len(theirs.columns), len(names)],
        "only": [sorted(set(a) - set(b))[:3], sorted(set(b) - set(a))[:3]],
        "equal": a == b,
        "joined": joined.count(),
    }


def main(jar: str, *tables: str) -> None:
    spark = hudi_spark.session("local[2]", config={**SETTINGS, "spark.jars": jar})
    spark.sparkContext.setLogLevel("ERROR")
    for path in tables:
        print(json.dumps(compared(spark, path)), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
