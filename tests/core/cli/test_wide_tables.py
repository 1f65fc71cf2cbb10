"""Commands on a table of two hundred columns: what is left out is counted, and each name that is shown is whole."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from tests.support.commands import ran
from tests.support.screens import screen

NAMES = ["id", "part", "ts", *(f"a_long_column_name_{number:03d}" for number in range(197))]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    columns = {name: [0, 1] for name in NAMES[3:]}
    rows = pa.table({"id": ["a", "b"], "part": ["x", "y"], "ts": [1, 2], **columns})
    path = tmp_path_factory.mktemp("wide") / "t"
    hudi_core.create(path, rows, "id", partition_by="part", ordering="ts", indexes="column_stats").append(rows)
    return str(path)


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("command", ["read", "sql"])
def test_columns_without_room_are_counted_by_whole_names(table: str, command: str, width: int) -> None:
    """CLI-1351."""
    if command == "sql":
        pytest.importorskip("duckdb", reason="the command needs DuckDB")
    printed = screen(width, command, table, *(["SELECT * FROM t"] if command == "sql" else [])).out
    assert max(map(len, printed.splitlines())) <= width
    heading, *_ = printed.splitlines()
    shown = heading.split()
    message = " ".join(line.strip() for line in printed.splitlines())
    count, _, rest = message.partition(" more columns have no room here: ")
    names, _, hint = rest.partition("; ")
    assert int(count.split()[-1]) + len(shown) == len(NAMES)
    assert set(names.replace(", … ", ", ").split(", ")) <= set(NAMES)
    assert hint.startswith("the SELECT chooses" if command == "sql" else "--columns chooses")


def test_the_columns_of_an_index_are_counted(table: str) -> None:
    """CLI-1351."""
    printed = screen(80, "index", "list", table).out
    assert len(printed.splitlines()) < 25
    assert "35 columns:" in printed
    assert printed.splitlines()[-1] == "--json lists all columns"


def test_columns_that_a_report_leaves_out_are_counted(table: str) -> None:
    """CLI-1351."""
    assert "170 more columns not looked into; --column chooses" in screen(80, "report", table).out
    assert "not looked into" not in screen(80, "report", table, "--column", "ts").out


def test_bounds_that_nothing_states_are_unknown(tmp_path: Path) -> None:
    """CLI-1352."""
    at = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    rows = [{"id": 1, "x": float("nan"), "at": at}]
    hudi_core.create(tmp_path / "t", rows, "id").append(rows)
    lines = screen(80, "stats", str(tmp_path / "t"), "--column", "x").out.splitlines()
    assert lines[1:5] == [
        "bounds          unknown",
        "file slices     1, 0 with known bounds",
        "with nulls      unknown",
        "without values  unknown",
    ]


def test_of_an_updated_row_people_see_what_differs(table: str) -> None:
    """CLI-1358."""
    opened = hudi_core.open(table)
    first = opened.commits()[-1].requested_time
    opened.update({NAMES[7]: 5}, where="id = 'a'")
    last = opened.refresh().commits()[-1].requested_time
    lines = screen(200, "diff", table, first, last, "--rows").out.splitlines()
    assert lines[1].split()[2:] == ["id", "a,", NAMES[7], "0", "id", "a,", NAMES[7], "5"]
    (change,) = ran("diff", table, first, last, "--rows", "--json").lines
    assert set(NAMES) <= set(change["after"])
