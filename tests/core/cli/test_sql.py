"""`sql`: queries of DuckDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.cli import sql
from tests.support.commands import ran, rides

pytest.importorskip("duckdb", reason="the command needs DuckDB")


def test_a_query_reads_what_its_filter_leaves() -> None:
    """CLI-673: the filter reaches the planner."""
    query = "SELECT city, count(*) AS n FROM rides WHERE fare > 95 GROUP BY city ORDER BY n, city"
    answered = ran("sql", rides(), query, "--json")
    assert answered.lines[0] == {"city": "paris", "n": 1}
    assert (
        sum(line["n"] for line in answered.lines)
        == ran("count", rides(), "--where", "fare > 95", "--json").lines[0]["count"]
    )
    assert answered.err == "10 of 287 file slices read\n"
    assert ran("sql", rides(), query).out.splitlines()[-1] == "4 rows"


def test_people_see_the_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "SHOWN", 3)
    assert ran("sql", rides(), "SELECT ride_id FROM t").out.splitlines()[-1] == "the first 3 rows; --limit shows more"
    assert ran("sql", rides(), "SELECT ride_id FROM t", "-n", "2").out.splitlines()[-1] == "the first 2 rows"
    assert len(ran("sql", rides(), "SELECT ride_id FROM t", "-n", "2", "--json").lines) == 2


def test_a_query_reaches_nothing_but_the_table(tmp_path: Path) -> None:
    """CLI-673."""
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    assert "QUERY" in ran("sql", rides(), f"SELECT * FROM read_csv('{other}')").error
    assert "found copy" in ran("sql", rides(), f"COPY (SELECT 1) TO '{tmp_path / 'x.csv'}'").error
    assert "found select, drop" in ran("sql", rides(), "SELECT 1; DROP VIEW t").error
    assert "found no statement" in ran("sql", rides(), "").error
    assert ran("sql", rides(), "SELECT nothing FROM t").status == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.csv"]


def test_without_duckdb_the_command_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(sql, "import_module", missing)
    assert "pip install duckdb" in ran("sql", rides(), "SELECT 1").error
