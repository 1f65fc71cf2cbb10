"""QUERY-14: late rows that fill up columns of rows which keep their commit."""

from __future__ import annotations

from typing import Any

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
