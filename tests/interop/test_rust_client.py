"""hudi-rs 0.6 in turns with this library: each reads and validates what the other wrote, and Apache Hudi judges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.validation.mend import mend
from tests.interop.rust_hudi import RustHudi, plain

pytestmark = pytest.mark.interop

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.int64())])
Model = dict[str, dict[str, Any]]
ALL_CHECKS = ("timeline", "rows", "metadata", "filters")
OF_ITS_TABLE = ("timeline", "rows", "filters")
"""Spark takes the metadata table that it makes for the table itself, so that the columns of that table cannot be resolved."""


@pytest.fixture
def rust(tmp_path: Path) -> RustHudi:
    folder = tmp_path / "rust"
    folder.mkdir()
    return RustHudi.of_this_machine(folder)


def rows(ids: range, ts: int, v: int) -> pa.Table:
    listed = [{"id": f"k{number:03}", "p": f"x{number % 3}", "ts": ts, "v": v} for number in ids]
    return pa.Table.from_pylist(listed, TYPES)


def merged(model: Model, batch: pa.Table) -> None:
    model.update({row["id"]: row for row in batch.to_pylist()})


def expect_rows(path: Path, rust: RustHudi, model: Model) -> list[dict[str, Any]]:
    """Both read the rows of the model, and validation has no finding."""
    expected = sorted(model.values(), key=lambda row: row["id"])
    table = open_table(path)
    assert plain(table.scan().to_arrow()) == expected
    assert plain(rust.read(path)) == expected
    assert [str(finding) for finding in table.validate()] == []
    return expected


def expect(path: Path, rust: RustHudi, judge: Any, model: Model, checks: Sequence[str]) -> None:
    """As `expect_rows`, and Apache Hudi has nothing to object to."""
    expected = expect_rows(path, rust, model)
    file = path.parent / "expected.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in expected), "utf-8")
    verified = judge.ask("verify", str(path), expect=str(file), pending="none", count=8, checks=list(checks))
    assert verified.get("error") is None, judge.explain(verified)
    left = [
        finding
        for finding in verified["findings"]
        if finding["severity"] == "error" and not _is_folder_of_markers(finding)
    ]
    assert left == [], judge.explain(verified)


def _is_folder_of_markers(finding: dict[str, Any]) -> bool:
    """hudi-rs leaves the folder of a write's markers when it has completed."""
    return finding["kind"] == "leftover" and str(finding["where"]).startswith(".hoodie/.temp/")


@pytest.mark.parametrize("ours", [False, True], ids=["its-table", "our-table"])
@pytest.mark.parametrize(("kind", "version"), [("cow", 8), ("cow", 9), ("mor", 8), ("mor", 9)])
def test_tables_go_back_and_forth(
    tmp_path: Path, rust: RustHudi, judge: Any, kind: Any, version: Any, ours: bool
) -> None:
    """TABLE-740, TABLE-1122."""
    path, model = tmp_path / "t", Model()
    first = rows(range(60), 1, 1)
    if ours:
        indexes: Any = ["column_stats", "record_index"]
        table = create_table(
            path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
        )
        table.insert(first)
    else:
        rust.run(["create", path, kind, version, "p", "ts"], ["append", path, first])
    merged(model, first)
    checks = ALL_CHECKS if ours else OF_ITS_TABLE
    expect(path, rust, judge, model, checks)
    for turn in range(3):
        time = 10 * turn + 10
        ours_first, theirs = rows(range(turn, 70, 7), time, time), rows(range(turn, 80, 5), time + 5, time + 5)
        open_table(path).upsert(ours_first)
        merged(model, ours_first)
        # None that hudi-rs brings back in this turn: see `test_a_key_that_comes_back_may_be_missing_in_its_record_index`.
        open_table(path).delete(where=f"id = 'k{turn + 42:03}'")
        model.pop(f"k{turn + 42:03}", None)
        if turn == 1:
            open_table(path).compact() if kind == "mor" else open_table(path).cluster(columns=["ts"])
            open_table(path).clean(keep_commits=1)
        expect_rows(path, rust, model)
        update = pa.table({"v": pa.array([7 + turn], pa.int64())})
        rust.run(
            ["upsert", path, theirs],
            ["update", path, f"id = 'k{turn + 20:03}'", update],
            ["delete", path, f"id = 'k{turn + 30:03}'"],
        )
        merged(model, theirs)
        model[f"k{turn + 20:03}"]["v"] = 7 + turn
        model.pop(f"k{turn + 30:03}", None)
        if turn == 2 and kind == "mor":
            rust.run(["compact", path])
        expect(path, rust, judge, model, checks)
    open_table(path).archive(keep_min=4, keep_max=5)
    expect(path, rust, judge, model, checks)


def test_a_key_that_comes_back_may_be_missing_in_its_record_index(tmp_path: Path, rust: RustHudi) -> None:
    """TABLE-1122."""
    path = tmp_path / "t"
    table = create_table(
        path, TYPES, "id", type="mor", version=8, partition_by="p", ordering="ts", indexes=["record_index"]
    )
    table.insert(rows(range(60), 1, 1))
    compactions = path / ".hoodie" / "metadata" / ".hoodie" / "timeline"
    key = 0
    while not list(compactions.glob("*.commit")):
        open_table(path).delete(where=f"id = 'k{key:03}'")
        key += 1
    rust.run(["upsert", path, rows(range(key - 1, key), 25, 25)])
    (finding,) = open_table(path).validate()
    assert finding.check == "record_index" and f"'k{key - 1:03}'" in str(finding)
    assert len(open_table(path).scan().to_arrow()) == 60 - key + 1
    mend(open_table(path), [finding])
    assert list(open_table(path).validate()) == []
