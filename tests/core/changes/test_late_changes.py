"""QUERY-14: late rows that fill up columns of rows which keep their commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from hudi_core.front.opening import create_table, open_table
from tests.support.logged_tables import BASE_INSTANT, Block, LoggedTable

BASE = [{"id": f"key-{at}", "ts": 5, "v": None if at == 1 else "base", "n": at} for at in range(3)]
ROWS = [{**row, "_hoodie_commit_time": BASE_INSTANT} for row in BASE]
INSTANT = "20240101000000001"


def changes(block: Block, **properties: str) -> list[dict[str, Any]]:
    stated = {f"hoodie.{key.replace('__', '.')}": value for key, value in properties.items()}
    table = LoggedTable(ROWS, [block], stated).open()
    return list(table.changes(since=BASE_INSTANT, meta=False).to_json_rows())


def logged(key: int, ts: int, **values: Any) -> dict[str, Any]:
    return {"id": f"key-{key}", "ts": ts, "v": None, "n": None, "_hoodie_commit_time": INSTANT, **values}


def test_a_late_row_that_fills_up_another_changes_it() -> None:
    block = Block([logged(1, 2, v="late", n=9), logged(2, 2, v="late", n=9)])
    (found,) = changes(block, table__partial__update__mode="IGNORE_DEFAULTS")
    assert found == {"op": "u", "ts_ms": INSTANT, "before": BASE[1], "after": {**BASE[1], "v": "late"}}


def test_a_late_block_of_some_columns_changes_what_others_lack() -> None:
    first = Block([logged(1, 9, n=7)], columns=("id", "ts", "n"))
    late = {**logged(1, 7, v="late"), "_hoodie_commit_time": "20240101000000002"}
    table = LoggedTable(ROWS, [first, Block([late], columns=("id", "ts", "v"))]).open()
    found = list(table.changes(since=BASE_INSTANT, meta=False).to_json_rows())
    newest = {**BASE[1], "ts": 9, "n": 7}
    assert found == [
        {"op": "u", "ts_ms": INSTANT, "before": BASE[1], "after": newest},
        {"op": "u", "ts_ms": "20240101000000002", "before": newest, "after": {**newest, "v": "late"}},
    ]


def test_a_late_row_that_fills_up_nothing_is_no_change() -> None:
    assert changes(Block([logged(2, 2, v="late", n=9)]), table__partial__update__mode="IGNORE_DEFAULTS") == []
    assert changes(Block([logged(1, 2, v="late", n=9)])) == []


def test_a_late_row_that_fills_up_another_in_a_base_file_changes_it(tmp_path: Path) -> None:
    """QUERY-1701."""
    types = pa.schema([("id", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
    stated = {"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}
    create_table(tmp_path / "t", types, "id", ordering="ts", options=stated)

    def upsert(*rows: tuple[str, int, str | None]) -> None:
        given = [dict(zip(types.names, row, strict=True)) for row in rows]
        open_table(tmp_path / "t").upsert(pa.Table.from_pylist(given, types))

    upsert(("a", 5, None), ("b", 5, "base"), ("c", 5, None))
    since = open_table(tmp_path / "t").commits()[-1].completion_time
    upsert(("a", 2, "late"), ("b", 2, "late"), ("d", 1, None))
    found = (
        open_table(tmp_path / "t").changes(since=since, meta=False, columns=["op", "before", "after"]).to_json_rows()
    )
    before = {"id": "a", "ts": 5, "v": None}
    assert sorted(found, key=lambda change: change["op"]) == [
        {"op": "i", "before": None, "after": {"id": "d", "ts": 1, "v": None}},
        {"op": "u", "before": before, "after": {**before, "v": "late"}},
    ]
