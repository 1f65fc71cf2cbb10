"""Tables that Apache Hudi bootstraps and writes on: their rows are those that it reads, after each step."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from tests.interop.make_bootstraps import KINDS, STEPS
from tests.support.conformance import ROOT
from tests.support.written_tables import rows

pytestmark = pytest.mark.interop


@pytest.fixture(scope="session")
def made(hudi_python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of all kinds."""
    out = tmp_path_factory.mktemp("bootstraps")
    program = Path(__file__).with_name("make_bootstraps.py")
    command = [hudi_python, str(program), str(ROOT / "oracle"), str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return out


def recorded(folder: Path, step: str) -> list[dict[str, Any]] | None:
    path = folder / f"{step}.json"
    return sorted(json.loads(path.read_text()), key=lambda row: row["id"]) if path.exists() else None


def rows_of(table: Table, **query: Any) -> list[dict[str, Any]]:
    return sorted(table.scan(**query).to_json_rows(), key=lambda row: row["id"])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_those_that_apache_hudi_reads(made: Path, kind: str) -> None:
    """TABLE-730."""
    folder = made / kind
    table, last = open_table(folder / "table"), [step for step in STEPS if (folder / f"{step}.json").exists()][-1]
    expected = recorded(folder, last)
    assert rows_of(table) == expected
    for where, keep in {
        "n > 20 AND v IS NOT NULL": lambda row: row["n"] > 20 and row["v"] is not None,
        "p = 'x1' AND id < 'k010'": lambda row: row["p"] == "x1" and row["id"] < "k010",
        "_hoodie_record_key = 'k007'": lambda row: row["id"] == "k007",
    }.items():
        assert rows_of(table, where=where) == [row for row in expected or () if keep(row)], where
        assert table.count(where=where) == len(rows_of(table, where=where))
    assert table.warnings == []
    assert [str(finding) for finding in table.validate() if finding.severity.value == "error"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_time_travel_gives_the_rows_of_each_step(made: Path, kind: str) -> None:
    """TABLE-730: of the files that were left in place, and of log files on them."""
    folder = made / kind
    table = open_table(folder / "table")
    instants = [instant.requested_time for instant in table.timeline.commits]
    for step, instant in zip(STEPS[:3], instants, strict=False):
        assert rows_of(table, as_of=instant) == recorded(folder, step), step


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_writes_to_them(made: Path, kind: str) -> None:
    """TABLE-732."""
    with pytest.raises(UnsupportedError, match="bootstrap"):
        open_table(made / kind / "table").upsert(rows(("a", "x", 1)))
