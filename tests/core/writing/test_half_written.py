"""Writes to file groups in which another writer has begun a base file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.services.compaction.operations import plan_only
from tests.support.half_written import begin_base_files

ROWS = pa.table({"id": ["a", "b", "c", "d"], "p": ["x", "x", "y", "y"], "v": [1, 2, 3, 4]})
WRITES: dict[str, Callable[[Table], object]] = {
    "upsert": lambda table: table.upsert(pa.table({"id": ["a"], "p": ["x"], "v": [9]})),
    "delete": lambda table: table.delete(where="id = 'a'"),
    "update": lambda table: table.update({"v": 9}, where="id = 'a'"),
    "partial": lambda table: table.update({"v": 9}, where="id = 'a'", partial_updates=True),
}


def new_table(folder: Path, version: int) -> Table:
    table = create_table(folder / "t", ROWS.schema, key="id", partition_by="p", type="mor", version=version)
    table.insert(ROWS)
    return table.refresh()


def expected(name: str) -> list[tuple[str, int]]:
    return [*([] if name == "delete" else [("a", 9)]), ("b", 2), ("c", 3), ("d", 4)]


def rows_of(table: Table) -> list[tuple[str, int]]:
    return sorted((row["id"], row["v"]) for row in table.refresh().scan(columns=["id", "v"]).to_arrow().to_pylist())


@pytest.mark.each_value
@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("name", list(WRITES))
def test_no_log_file_is_written_beside_a_base_file_that_is_under_way(tmp_path: Path, name: str, version: int) -> None:
    """WRITE-500."""
    table = new_table(tmp_path, version)
    time = begin_base_files(table, alive=True)
    WRITES[name](table)
    latest = {one.partition: one for one in table.refresh().slices()}
    assert [len(one.logs) for one in latest.values()] == [0, 0]
    assert latest["x"].instant > time > latest["y"].instant
    assert rows_of(table) == expected(name)
    table.storage.delete(heartbeat_path(time))
    table.rollback(failed=True)
    assert rows_of(table) == expected(name)
    assert list(table.refresh().validate()) == []


@pytest.mark.parametrize("name", list(WRITES))
def test_log_files_that_are_there_are_merged_into_the_base_file(tmp_path: Path, name: str) -> None:
    """WRITE-500."""
    table = new_table(tmp_path, 9)
    table.upsert(pa.table({"id": ["b"], "p": ["x"], "v": [7]}))
    table = table.refresh()
    begin_base_files(table, alive=True)
    WRITES[name](table)
    assert [len(one.logs) for one in table.refresh().slices()] == [0, 0]
    assert rows_of(table) == [row if row[0] != "b" else ("b", 7) for row in expected(name)]


def test_other_log_files_are_written(tmp_path: Path) -> None:
    """WRITE-500: where a compaction is planned, which readers know, and where the write has died, and is rolled back."""
    table = new_table(tmp_path, 9)
    table.upsert(ROWS.slice(0, 1))
    plan_only(table.refresh())
    begin_base_files(table.refresh(), alive=True)
    table.upsert(ROWS.slice(1, 1))
    assert [len(one.logs) for one in table.refresh().slices() if one.partition == "x"] == [2]
    other = new_table(tmp_path / "dead", 9)
    time = begin_base_files(other, alive=False)
    other.upsert(ROWS.slice(1, 1))
    assert [len(one.logs) for one in other.refresh().slices()] == [1, 0]
    assert list(Path(other.uri).rglob(f"*{time}*.parquet")) == []
