"""Writes one table by `hudi_spark` and by Apache Hudi's bundle in turns, in one Spark session: both read what a model has.

    python -m tests.interop.session_rounds BUNDLE_JAR FOLDER ROUNDS CASE...

A case is the type of a table and its version, as `mor-9`. Prints a line of JSON for each: `wrong` is empty where all rows were
equal after each of the writes. The tables stay in the folder, beside their rows as they must be.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

import hudi_spark
from tests.interop.beside import SETTINGS

Row = tuple[Any, ...]

SCHEMA: Final = (
    "id string, p string, ts bigint, n int, x double, d decimal(12,2), s string, items array<int>, "
    "inner struct<a:string,b:int>"
)
COLUMNS: Final = ("id", "p", "ts", "n", "x", "d", "s", "items", "inner")
INDEXES: Final = ("column_stats", "record_index")
OURS: Final = (
    "upsert",
    "append",
    "delete",
    "update",
    "insert",
    "upsert",
    "overwrite_partitions",
    "bulk_insert",
    "delete_where",
    "upsert",
)
THEIRS: Final = ("upsert", "insert", "delete", "upsert", "bulk_insert")
_KEYS: Final = 40


class Rounds:
    """One table and the rows that it must have, by key."""

    def __init__(self, spark: Any, path: str, kind: str, version: int) -> None:
        self.spark, self.path, self.version, self.kind = spark, path, version, kind
        self.chance, self.model, self.last, self.time = random.Random(f"{kind}{version}"), dict[str, Row](), 0, 0
        empty = spark.createDataFrame([], SCHEMA)
        hudi_spark.create(
            spark, path, empty, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=INDEXES
        )

    def run(self, rounds: int) -> None:
        """Raises AssertionError where one of the two does not read what the model has."""
        self.ours("insert")
        for number in range(rounds):
            self.ours(OURS[number % len(OURS)])
            self.theirs(THEIRS[number % len(THEIRS)])

    def ours(self, op: str) -> None:
        """A write by this library."""
        table = hudi_spark.open(self.spark, self.path)
        if op == "update":
            table.update({"n": -7}, where="n > 500")
            self.model = {
                key: (*row[:3], -7, *row[4:]) if (row[3] or 0) > 500 else row for key, row in self.model.items()
            }
        elif op == "delete_where":
            table.delete(where="n < 100")
            self.model = {key: row for key, row in self.model.items() if row[3] is None or row[3] >= 100}
        else:
            rows = self.rows(op)
            getattr(table, op)(self.frame(rows))
            self.apply(op, rows)
        self.compare(f"{op} of ours")

    def theirs(self, op: str) -> None:
        """A write by Apache Hudi."""
        rows = self.rows(op)
        options = {**self.options, "hoodie.datasource.write.operation": op}
        self.frame(rows).write.format("hudi").options(**options).mode("append").save(self.path)
        self.apply(op, rows)
        self.compare(f"{op} of theirs")

    def compare(self, after: str) -> None:
        """Raises AssertionError for rows that one of the two reads otherwise than they are in the model."""
        expected = sorted(map(repr, self.model.values()))
        frames = {
            "ours": hudi_spark.open(self.spark, self.path).scan(columns=list(COLUMNS)).to_spark(),
            "theirs": self.spark.read.format("hudi").load(self.path),
        }
        for name, frame in frames.items():
            rows = sorted(repr(_plain(row)) for row in frame.select(*COLUMNS).collect())
            other = [sorted(set(rows) - set(expected))[:2], sorted(set(expected) - set(rows))[:2]]
            assert rows == expected, f"{name} after {after}: {len(rows)} rows of {len(expected)}, {other}"

    def rows(self, op: str) -> list[Row]:
        """Rows for an operation: some of keys that are there where it merges, else of new keys."""
        merges = op in ("upsert", "delete")
        stored = self.chance.sample(sorted(self.model), min(6, len(self.model))) if merges else []
        fresh = [f"k{self.last + number:05}" for number in range(0 if op == "delete" else _KEYS // 5)]
        self.last += len(fresh)
        self.time += 1
        return [self.row(key) for key in (*stored, *fresh)]

    def row(self, key: str) -> Row:
        pick = self.chance.choice
        place = self.model[key][1] if key in self.model else f"p{self.chance.randrange(3)}"
        return (
            key, place, self.time, pick([None, self.chance.randrange(1000)]), pick([None, 0.5, -2.25, 1e300]),
            pick([None, Decimal(self.chance.randrange(10**6)).scaleb(-2)]), pick([None, "", "é" * 9, key]),
            pick([None, [], [1, 3]]), pick([None, ("a", None), (None, 4)]),
        )  # fmt: skip

    def apply(self, op: str, rows: list[Row]) -> None:
        if op == "delete":
            gone = {row[0] for row in rows}
            self.model = {key: row for key, row in self.model.items() if key not in gone}
            return
        if op == "overwrite_partitions":
            places = {row[1] for row in rows}
            self.model = {key: row for key, row in self.model.items() if row[1] not in places}
        self.model |= {row[0]: row for row in rows}

    def frame(self, rows: list[Row]) -> Any:
        """A DataFrame without closures of this module: executors do not know it."""
        return self.spark.createDataFrame(rows, SCHEMA)

    @property
    def options(self) -> Mapping[str, str]:
        """Apache Hudi writes the table as it is: of the same version, with the same indexes."""
        return {
            "hoodie.table.name": "t",
            "hoodie.write.table.version": str(self.version),
            "hoodie.write.auto.upgrade": "false",
            "hoodie.datasource.write.table.type": "MERGE_ON_READ" if self.kind == "mor" else "COPY_ON_WRITE",
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.datasource.write.partitionpath.field": "p",
            "hoodie.metadata.index.column.stats.enable": "true",
            "hoodie.metadata.global.record.level.index.enable": "true",
            "hoodie.metadata.index.partition.stats.enable": "false",
            "hoodie.index.type": "RECORD_INDEX",
            "hoodie.clean.automatic": "false",
            "hoodie.archive.automatic": "false",
            **{f"hoodie.{name}.shuffle.parallelism": "2" for name in ("insert", "upsert", "delete", "bulkinsert")},
        }


def _plain(row: Any) -> Row:
    return tuple(tuple(value) if hasattr(value, "asDict") else value for value in row)


def main(jar: str, folder: str, rounds: str, *cases: str) -> None:
    spark = hudi_spark.session("local[2]", config={**SETTINGS, "spark.jars": jar})
    spark.sparkContext.setLogLevel("OFF")
    for case in cases:
        kind, version = case.split("-")
        path = Path(folder) / case
        try:
            played = Rounds(spark, str(path / "t"), kind, int(version))
            played.run(int(rounds))
            pq.write_table(
                hudi_spark.open(spark, str(path / "t")).table.scan(meta=False).to_arrow(), path / "rows.parquet"
            )
            wrong = ""
        except Exception:  # noqa: BLE001  # it is printed
            wrong = traceback.format_exc()
        print(json.dumps({"case": case, "wrong": wrong}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
