"""Writes tables with a real Apache Hudi and records its answers: run by the interpreter that has PySpark and the bundle.

    python make_tables.py ORACLE_FOLDER OUT_FOLDER [SEED]

The tables are new with every seed; what is checked of them is what is checked of every recorded table.
"""

from __future__ import annotations

import datetime
import random
import shutil
import sys
import tempfile
from pathlib import Path

FILTERS = [
    "amount > 50",
    "NOT (amount < 10)",
    "amount IS NULL",
    "quantity BETWEEN 100 AND 180",
    "quantity IN (7, 300, 1000000)",
    "label LIKE 'basil%'",
    "label >= 'garnet' OR quantity = 7",
    "region = 'emea' AND day < DATE '2024-01-20'",
    "region <> 'apac'",
    "added IS NULL",
    "added > 5",
    "NOT (amount > 20 AND quantity < 300)",
]
COLUMNS = "order_id string, region string, amount double, quantity long, label string, day date, ts long"


def rows(rnd: random.Random, count: int, first: int) -> list[tuple[object, ...]]:
    names = ["anchor", "basil", "cobalt", "fjord", "garnet", "harbor"]
    found = []
    for number in range(first, first + count):
        amount = rnd.choice([None, float("nan"), 0.0, -0.0, round(rnd.gauss(20, 40), 2), round(rnd.gauss(20, 40), 2)])
        label = rnd.choice([None, "", f"{rnd.choice(names)}-{rnd.randrange(9)}", "é" * 3, "long " * 900])
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=rnd.randrange(60))
        found.append(
            (f"o{number:05d}", rnd.choice(["emea", "apac", "amer"]), amount, rnd.randrange(400), label, day, number)
        )
    return found


def main(oracle_folder: str, out: str, seed: str = "1") -> None:
    sys.path.insert(0, oracle_folder)
    import oracle  # noqa: PLC0415 - found only once its folder is known

    rnd = random.Random(int(seed))
    spark = oracle.session("interop")
    for version in (9, 8, 6):
        name = f"interop_cow_v{version}"
        path = str(Path(tempfile.mkdtemp(prefix="hudi-interop-")) / name)
        options = {
            "hoodie.table.name": name,
            "hoodie.datasource.write.recordkey.field": "order_id",
            "hoodie.datasource.write.partitionpath.field": "region",
            "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.datasource.write.table.type": "COPY_ON_WRITE",
            "hoodie.write.table.version": str(version),
            "hoodie.metadata.index.column.stats.enable": "true",
            "hoodie.metadata.index.bloom.filter.enable": "true",
            "hoodie.parquet.small.file.limit": "0",
            "hoodie.index.bloom.num_entries": "50",
            "hoodie.metadata.index.column.stats.file.group.count": "1",
        }

        def write(operation: str, data: list[tuple[object, ...]], columns: str = COLUMNS) -> None:
            frame = spark.createDataFrame(data, columns)
            chosen = {**options, "hoodie.datasource.write.operation": operation}  # noqa: B023
            frame.write.format("hudi").options(**chosen).mode("append").save(path)  # noqa: B023

        write("insert", rows(rnd, 40, 0))
        write("insert", rows(rnd, 40, 40))
        write("upsert", rows(rnd, 20, 30))
        write("insert", [(*row, rnd.randrange(10)) for row in rows(rnd, 20, 80)], f"{COLUMNS}, added int")
        what = f"copy-on-write, version {version}, a column added"
        oracle.capture(spark, path, out, name=name, what=what, features=["cow"], filters=FILTERS)
        shutil.rmtree(Path(path).parent)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
