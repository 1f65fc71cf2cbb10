"""Keys made of timestamps: Apache Hudi's upserts meet the rows that this library wrote, and its own then.
Rule KEY-1660."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import create_table, open_table

pytestmark = pytest.mark.interop

TYPES = pa.schema([("id", pa.string()), ("at", pa.timestamp("us", "UTC")), ("ts", pa.int64()), ("v", pa.int64())])
TIMES = [dt.datetime(2024, 2, 29, 23, 59, 59, micros, dt.UTC) for micros in (0, 1, 123_000, 999_999)]


def rows(count: int, ts: int) -> pa.Table:
    made = [
        {"id": f"k{number}", "at": TIMES[number % 4] + dt.timedelta(number // 4), "ts": ts} for number in range(count)
    ]
    return pa.Table.from_pylist([{**row, "v": number} for number, row in enumerate(made)], TYPES)


def keys_of(table: pa.Table, names: list[str]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.select(names).to_pylist()]


@pytest.mark.parametrize(("kind", "key"), [("cow", "at"), ("mor", ["id", "at"])])
def test_apache_hudi_upserts_rows_whose_keys_are_times(
    judge: Any, tmp_path: Path, kind: Any, key: str | list[str]
) -> None:
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    create_table(path, TYPES, key, ordering="ts", type=kind)
    open_table(path).insert(rows(12, 1))
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete", "upsert"], rows=6)
    assert went_on["ok"], judge.explain(went_on)
    names = [key] if isinstance(key, str) else key
    before = keys_of(open_table(path).to_arrow(), names)
    assert len(set(before)) == len(before)
    open_table(path).upsert(rows(12, 99))
    table = open_table(path)
    assert sorted(keys_of(table.to_arrow(), names)) == sorted({*before, *keys_of(rows(12, 99), names)})
    pq.write_table(table.scan(meta=False).to_arrow(), expected)
    verified = judge.ask("verify", str(path), expect=str(expected), key=names, checks=["timeline", "rows", "metadata"])
    assert verified["ok"], judge.explain(verified)
