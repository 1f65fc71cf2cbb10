"""Rows that updates, kept values and deletes under several ordering fields leave: as Apache Hudi reads them, and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudi_core

pytestmark = pytest.mark.interop

TYPES = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("ts2", pa.int64()), ("s", pa.string()), ("n", pa.int32())])


def rows(ids: str, ts: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": name, "ts": ts, "ts2": ts, "s": f"{name}{ts}", "n": ts} for name in ids], TYPES)


@pytest.mark.parametrize(("kind", "version"), [("mor", 9), ("mor", 6), ("cow", 8)])
def test_hudi_reads_the_rows_that_we_say(tmp_path: Path, judge: Any, kind: str, version: int) -> None:
    """WRITE-203, WRITE-208, WRITE-7."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    ordering = ["ts", "ts2"] if version == 9 else ["ts"]
    table = hudi_core.create(path, TYPES, "id", ordering=ordering, type=kind, version=version)

    def verify() -> None:
        pq.write_table(table.refresh().scan(meta=False).to_arrow(), expected)
        checks = ["timeline", "rows"]
        verified = judge.ask(
            "verify", str(path), expect=str(expected), key=["id"], table_version=version, checks=checks
        )
        assert verified["ok"], judge.explain(verified)

    table.insert(rows("abcdefgh", 5))
    table.upsert(rows("ab", 6))
    table.delete(pa.table({"id": ["b", "c"]}))
    table.delete(where="id = 'd'")
    verify()
    table.upsert(rows("ae", 7).drop_columns(["s"]), missing_columns="keep")
    verify()
    table.update({"ts": 1, "n": 100}, where="id IN ('a', 'f')")
    table.upsert(rows("af", 0))
    assert {row["id"]: row["n"] for row in table.refresh().scan().to_json_rows()}["a"] == 100
    verify()
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete"], rows=4, options=options)
    assert went_on["ok"], judge.explain(went_on)
    table.update({"ts": 0}, where="id = 'h'")
    verify()
