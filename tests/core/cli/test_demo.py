"""The tour: its figures are those of the table, and it leaves a page behind."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tests.support.commands import Ran, ran


def toured(tmp_path: Path, *options: str) -> Ran:
    return ran("demo", "--to", tmp_path / "out", *options)


def test_the_tour_counts_the_rows_that_are_there_and_loses_none(tmp_path: Path) -> None:
    truth = json.loads((files("hudi_core") / "demo" / "tour.json").read_text("utf-8"))["predicates"]
    said = toured(tmp_path, "--json").lines
    assert [
        (answer["where"], answer["rows"], answer["files_that_match"], answer["files_hudi_keeps"]) for answer in said
    ] == [(known["where"], known["rows"], known["files"], known["hudi_kept"]) for known in truth]
    assert all(answer["files_we_keep"] >= answer["files_that_match"] for answer in said)
    assert [answer["rows_hudi_loses"] for answer in said] == [known["rows"] - known["hudi_rows"] for known in truth]
    assert any(answer["rows_hudi_loses"] for answer in said)


def test_the_tour_leaves_the_table_and_a_page(tmp_path: Path) -> None:
    shown = toured(tmp_path)
    assert shown.status == 0
    assert "Who removed what" in shown.out
    assert shown.out.splitlines()[-1] == f"The same in pictures: {tmp_path / 'out' / 'explain.html'}"
    assert (tmp_path / "out" / "rides" / ".hoodie" / "hoodie.properties").is_file()
    assert (tmp_path / "out" / "explain.html").stat().st_size < 1_000_000


def test_the_tour_can_be_taken_again(tmp_path: Path) -> None:
    first = toured(tmp_path, "--json")
    assert toured(tmp_path, "--json").out == first.out


def test_a_place_that_cannot_hold_the_table_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    refused = toured(tmp_path)
    assert (refused.status, refused.error) == (1, f"{tmp_path / 'out'}: File exists")
