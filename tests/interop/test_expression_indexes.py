"""Expression indexes that this library builds and keeps, judged by Apache Hudi, which queries by them and goes on with them.

Rules META-114 to META-119, WRITE-60.
"""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.create import create_table
from hudi_core.writing.index_build import build_indexes
from hudi_core.writing.index_plan import IndexOptions
from hudi_core.writing.operations import write

pytestmark = pytest.mark.interop

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("s", pa.string()),
        ("w", pa.string()),
        ("day", pa.date32()),
        ("n", pa.int64()),
        ("x", pa.float64()),
        ("ts", pa.int64()),
    ]
)
LONG = "Z" * 300
VALUES = ["A", "aB", "É", LONG, "Ü𝄞", "0"]
# One index a column: Apache Hudi 1.2.0 answers any function of the column by it (META-119).
INDEXES = [
    IndexOptions(["s"], name="low", function="lower"),
    IndexOptions(["day"], name="year", function="year"),
    IndexOptions(["w"], name="sieve", function="upper", using="bloom_filters"),
]
FILTERS = [
    *(f"lower(s) = '{value}'" for value in ("a", "ab", "é", LONG.lower(), "ü𝄞", "new", "none of them")),
    "lower(s) in ('a', 'new')",
    "lower(s) = 'a' and x = 1.5",
    "lower(s) is null",
    *(f"year(day) = {year}" for year in (2019, 2020, 2021)),
    *(f"upper(w) = '{value}'" for value in ("A", "AB", "NEW", "NONE OF THEM")),
    "upper(w) in ('A', 'NEW')",
]


def rows(first: int, last: int, ts: int, value: str | None = None) -> pa.Table:
    listed = [
        {
            "id": f"k{number:04d}",
            "p": "xyz"[number % 3],
            "s": None if number % 9 == 0 else value or VALUES[number % 6],
            "w": value or VALUES[number % 6],
            "day": datetime.date(2019 + number % 3, 12, 31),
            "n": number % 7 - 3,
            "x": [math.nan, -0.0, 1.5, None][number % 4],
            "ts": ts,
        }
        for number in range(first, last)
    ]
    return pa.Table.from_pylist(listed, SCHEMA)


@pytest.mark.parametrize(("kind", "version"), [("mor", 8), ("cow", 8), ("mor", 9), ("cow", 9)])
def test_apache_hudi_queries_with_built_indexes_and_maintains_them(
    judge: Any, tmp_path: Path, kind: str, version: int
) -> None:
    path = tmp_path / "t"
    table = create_table(path, SCHEMA, "id", partition_by="p", ordering="ts", type=kind, version=version)
    write(table, rows(0, 60, 0))
    lower, year, sieve = INDEXES
    # Of version V1 Apache Hudi reads statistics of values of the column's own type alone (META-115), and it writes no log file
    # beside filters (META-119).
    for options in [lower, *([year] if version == 9 else []), *([sieve] if kind == "cow" else [])]:
        table = build_indexes(refreshed(table), ["expression_index"], options)
    write(refreshed(table), rows(30, 80, 1, "New"))
    write(refreshed(table), rows(0, 9, 2).select(["id", "p"]), "delete")
    verify(judge, table, ["timeline", "rows", "metadata", "filters"])
    operations = ["upsert", "delete", *(["compact"] if kind == "mor" else [])]
    went_on = judge.ask("continue", str(path), ops=operations, rows=10)
    assert went_on["ok"], judge.explain(went_on)
    assert [str(finding) for finding in validate(refreshed(table))] == []
    write(refreshed(table), rows(20, 50, 9, "A"))
    refreshed(table).delete(where="n = 2")
    verify(judge, table, ["timeline", "rows", "metadata", "filters"])


def verify(judge: Any, table: Table, checks: list[str]) -> None:
    answer = judge.ask("verify", table.storage.uri, pending="none", filters=FILTERS, checks=checks)
    assert answer["ok"], judge.explain(answer)
    assert [str(finding) for finding in validate(refreshed(table))] == []
