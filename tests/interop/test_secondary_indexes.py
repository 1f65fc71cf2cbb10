"""Secondary indexes that this library builds and keeps, judged by Apache Hudi, which queries by them and goes on with them.

Rules META-110 to META-113, WRITE-40.
"""

from __future__ import annotations

import datetime
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
from hudi_core.writing.index_removal import drop_index
from hudi_core.writing.operations import write

pytestmark = pytest.mark.interop

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("s", pa.string()),
        ("n", pa.int64()),
        ("day", pa.date32()),
        ("ts", pa.int64()),
    ]
)
VALUES = ["a", "a$b", "back\\slash", "é", "z" * 300, "", "0"]
FILTERS = [
    *(f"s = '{value}'" for value in ("a", "a$b", "é", "none of them", "new")),
    *(f"n = {value}" for value in (-3, 2)),
    "s in ('a', 'é')",
    "s = 'a' and n = 1",
    "s is null",
    "day = date '1970-01-03'",
]


def rows(first: int, last: int, ts: int, value: str | None = None) -> pa.Table:
    listed = [
        {
            "id": f"k{number:04d}",
            "p": "xyz"[number % 3],
            "s": None if number % 9 == 0 else value or VALUES[number % 7],
            "n": number % 7 - 3,
            "day": datetime.date(1969, 12, 28) + datetime.timedelta(days=number % 10),
            "ts": ts,
        }
        for number in range(first, last)
    ]
    return pa.Table.from_pylist(listed, SCHEMA)


@pytest.mark.parametrize(("kind", "version"), [("mor", 9), ("cow", 9), ("mor", 8)])
def test_apache_hudi_queries_with_built_indexes_and_maintains_them(
    judge: Any, tmp_path: Path, kind: str, version: int
) -> None:
    path = tmp_path / "t"
    table = create_table(path, SCHEMA, "id", partition_by="p", ordering="ts", type=kind, version=version)
    write(table, rows(0, 60, 0))
    for column in ("s", "n", "day"):
        table = build_indexes(refreshed(table), ["secondary_index"], IndexOptions([column]))
    verify(judge, table, ["metadata"])
    write(refreshed(table), rows(30, 80, 1, "new"))
    write(refreshed(table), rows(0, 9, 2).select(["id", "p"]), "delete")
    verify(judge, table, ["metadata", "filters"])
    # Of several secondary indexes of a merge-on-read table Apache Hudi 1.2.0 keeps one: for the next ones it compares with a
    # file slice that has the new log file already.
    for column in ("n", "day"):
        drop_index(refreshed(table), f"secondary_index_{column}")
    operations = ["upsert", "delete", *(["compact"] if kind == "mor" else [])]
    went_on = judge.ask("continue", str(path), ops=operations, rows=10)
    assert went_on["ok"], judge.explain(went_on)
    assert [str(finding) for finding in validate(refreshed(table), ["secondary_index", "record_index"])] == []
    write(refreshed(table), rows(20, 50, 9, "a"))
    refreshed(table).delete(where="n = 2")
    verify(judge, table, ["timeline", "rows", "metadata"])


def verify(judge: Any, table: Table, checks: list[str]) -> None:
    answer = judge.ask("verify", table.storage.uri, pending="none", filters=FILTERS, checks=checks)
    assert answer["ok"], judge.explain(answer)
    assert [str(finding) for finding in validate(refreshed(table))] == []
