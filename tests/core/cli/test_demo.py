"""The tour: its figures are those of the table, and it leaves a page behind.

Also covers: `cli/demo_writes.py`.
"""

from __future__ import annotations

import json
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest

from hudi_core.front.opening import open_table
from tests.support.commands import Ran, ran


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tour") / "out"


@pytest.fixture(scope="module")
def reported(folder: Path) -> Ran:
    """The tour as programs get it."""
    return ran("demo", "--to", folder, "--json")


@pytest.fixture(scope="module")
def shown(reported: Ran, folder: Path) -> Ran:
    """The tour as people see it, taken a second time in the same place."""
    return ran("demo", "--to", folder)


def test_the_tour_counts_all_rows(reported: Ran) -> None:
    truth = json.loads((files("hudi_core") / "demo" / "tour.json").read_text("utf-8"))["predicates"]
    output = reported.lines
    assert [
        (answer["where"], answer["rows"], answer["files_that_match"], answer["files_hudi_keeps"]) for answer in output
    ] == [(known["where"], known["rows"], known["files"], known["hudi_kept"]) for known in truth]
    assert all(answer["files_we_keep"] >= answer["files_that_match"] for answer in output)
    assert [answer["rows_hudi_loses"] for answer in output] == [known["rows"] - known["hudi_rows"] for known in truth]
    assert any(answer["rows_hudi_loses"] for answer in output)


def test_the_tour_explains_the_most_selective_predicate_and_shows_its_rows(reported: Ran, shown: Ran) -> None:
    worst = max(reported.lines, key=lambda answer: answer["rows_hudi_loses"])
    assert shown.status == 0
    assert f'--where "{worst["where"]}"' in shown.out
    assert f"{worst['files_we_keep']} of 287 file slices can hold matching rows" in shown.out
    assert "Who removed what" in shown.out


def test_the_tour_leaves_the_table_and_a_page(shown: Ran, folder: Path) -> None:
    assert shown.out.splitlines()[-1] == f"The same in pictures: {folder / 'explain.html'}"
    assert (folder / "rides" / ".hoodie" / "hoodie.properties").is_file()
    assert 10_000 < (folder / "explain.html").stat().st_size < 1_000_000


def test_the_tour_writes_a_table_that_is_there(shown: Ran, folder: Path) -> None:
    rides, written = (open_table(folder / name).scan(columns=["ride_id", "fare", "note"]) for name in ("rides", "dear"))
    kept = [row for row in rides.to_json_rows() if row["fare"] is not None and Decimal(row["fare"]) >= 45]
    expected = {row["ride_id"]: "kept" if Decimal(row["fare"]) > 60 else row["note"] for row in kept}
    assert {row["ride_id"]: row["note"] for row in written.to_json_rows()} == expected
    assert 0 < list(expected.values()).count("kept") < len(expected)
    assert f"$ hudi-core delete {folder / 'dear'}" in shown.out


def test_a_place_that_cannot_hold_the_table_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    refused = ran("demo", "--to", tmp_path / "out")
    assert refused.status == 2 and refused.error.startswith("--to: expected a folder"), refused.error
