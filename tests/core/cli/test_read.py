"""`read`: rows to people, to programs and into files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.support.commands import ran, rides

_LONG = "distance_km > 45"


def test_rows_are_objects_with_the_requested_columns() -> None:
    answer = ran("read", rides(), "--where", _LONG, "--columns", "ride_id, distance_km,fare", "--json").lines
    assert len(answer) == 83
    assert all(list(row) == ["ride_id", "distance_km", "fare"] for row in answer)
    numbers = [row["distance_km"] for row in answer]
    assert all(number == {"float": "NaN"} or number > 45 for number in numbers)
    assert {"float": "NaN"} in numbers
    assert isinstance(answer[0]["fare"], str)


def test_a_read_optimized_read_takes_no_range_of_times() -> None:
    answer = ran("read", rides(), "--read-optimized", "--limit", 1, "--json").lines
    assert answer == ran("read", rides(), "--limit", 1, "--json").lines
    assert ran("read", rides(), "--read-optimized", "--since", "earliest").status == 2


def test_without_columns_there_are_all_but_those_of_hudi_itself() -> None:
    (row,) = ran("read", rides(), "--limit", 1, "--json").lines
    (with_meta,) = ran("read", rides(), "--limit", 1, "--meta", "--json").lines
    assert next(iter(row)) == "ride_id"
    assert list(with_meta)[5:] == list(row)
    assert list(with_meta)[:2] == ["_hoodie_commit_time", "_hoodie_commit_seqno"]
    assert row["started_at"].endswith(".000000Z")


def test_people_see_the_first_rows_and_how_to_see_more() -> None:
    shown = ran("read", rides(), "--where", _LONG, "--columns", "ride_id,distance_km,note").out.splitlines()
    assert shown[0] == "ride_id               distance_km  note"
    assert shown[1] == "R01-0301044128-02571          NaN  airport"
    assert shown[-1] == "the first 20 rows; --limit shows more"
    assert len(shown) == 1 + 20 + 2


def test_people_can_tell_null_from_the_empty_string() -> None:
    shown = ran("read", rides(), "--where", "note IS NULL OR note = ''", "--columns", "ride_id,note", "--limit", 60).out
    assert {line[22:] for line in shown.splitlines()[1:-2]} == {"null", ""}


def test_a_long_value_is_cut_for_people_and_whole_for_programs() -> None:
    requested = ("read", rides(), "--where", "length(note) > 1000", "--columns", "note", "--limit", 1)
    (row,) = ran(*requested, "--json").lines
    shown = ran(*requested).out.splitlines()[1]
    assert shown == f"{row['note'][:200]}… ({len(row['note']):,} characters)"


def test_no_row_is_no_error() -> None:
    assert ran("read", rides(), "--where", "fare < 0", "--json").out == ""
    assert ran("read", rides(), "--where", "fare < 0", "--columns", "fare").out == "fare\n\n0 rows\n"
    assert ran("read", rides(), "--limit", 0, "--json").out == ""


def test_an_earlier_instant_has_the_rows_and_columns_of_then() -> None:
    first = ran("timeline", rides(), "--json").lines[0]["requested_time"]
    answer = ran("read", rides(), "--as-of", first, "--where", "tip > 9", "--json").lines
    assert answer
    assert "gratuity" not in answer[0]


@pytest.mark.parametrize("extension", ["json", "ndjson"])
def test_rows_into_a_json_file_are_those_of_json_output(tmp_path: Path, extension: str) -> None:
    requested = ("read", rides(), "--where", _LONG)
    target = tmp_path / f"rows.{extension}"
    wrote = ran(*requested, "--output", target)
    assert (wrote.out, wrote.err) == ("", f"83 rows to {target}\n")
    assert [json.loads(line) for line in target.read_text("utf-8").splitlines()] == ran(*requested, "--json").lines


def test_rows_into_a_csv_file_have_a_head(tmp_path: Path) -> None:
    target = tmp_path / "rows.CSV"
    ran("read", rides(), "--where", _LONG, "--columns", "ride_id,fare", "--output", target, "--limit", 7)
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert list(rows[0]) == ["ride_id", "fare"]


@pytest.mark.parametrize("extension", ["parquet", "arrow"])
def test_rows_into_a_columnar_file_appear_whole(tmp_path: Path, extension: str) -> None:
    target = tmp_path / f"rows.{extension}"
    assert ran("read", rides(), "--where", _LONG, "--output", target).status == 0
    assert target.stat().st_size > 0
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_changes_are_read_since_and_until_a_time() -> None:
    every = ran("read", rides(), "--since", "earliest", "--columns", "ride_id", "--json").lines
    late = ran("read", rides(), "--since", "2099-01-01", "--columns", "ride_id", "--json").lines
    early = ran("read", rides(), "--until", "20261121124655896", "--columns", "ride_id", "--json").lines
    assert (len(late), 0 < len(early) < len(every)) == (0, True)


def test_a_time_and_a_range_exclude_each_other() -> None:
    assert "either a time or a range" in ran("read", rides(), "--since", "earliest", "--as-of", "2026-12-01").error


def test_changes_are_read_one_by_one() -> None:
    answer = ran(
        "read", rides(), "--cdc", "--since", "20261121124655896", "--columns", "op,after.ride_id", "--json"
    ).lines
    assert answer
    assert {item["op"] for item in answer} <= {"i", "u", "d"}
    assert "a range of times" in ran("read", rides(), "--cdc", "--as-of", "2026-12-01").error


def test_rows_are_counted() -> None:
    rows = ran("read", rides(), "--where", _LONG, "--columns", "ride_id", "--json").lines
    assert ran("read", rides(), "--where", _LONG, "--count", "--json").lines == [{"rows": len(rows)}]
    assert ran("read", rides(), "--where", _LONG, "--count", "--limit", 2).out == "2 rows\n"
    assert "--output" in ran("read", rides(), "--count", "--output", "x.csv").error


def test_options_that_change_nothing_are_refused() -> None:
    """CLI-1636."""
    for beside in (["--columns", "fare"], ["--meta"]):
        assert (
            ran("read", rides(), "--count", *beside).error == f"--count: expected no {beside[0]} beside it, found one"
        )
    answer = ran("read", rides(), "--output", "-", "--format", "csv", "--overwrite")
    assert answer.error == "--overwrite: expected --output FILE beside it, found none"


def test_a_file_is_overwritten_only_where_that_is_said(tmp_path: Path) -> None:
    """CLI-202."""
    target = tmp_path / "rows.csv"
    target.write_text("mine")
    command = ("read", rides(), "--columns", "ride_id", "--limit", "2", "--output", target)
    assert ran(*command).error == f"{target}: expected a file that does not exist, or --overwrite, found one that does"
    assert target.read_text() == "mine"
    assert ran(*command, "--overwrite", "--json").lines == [{"rows": 2, "file": str(target)}]
    assert len(target.read_text().splitlines()) == 3


def test_each_command_shows_what_is_hardly_meant_in_a_condition_once() -> None:
    """EXPR-1513."""
    table, where = rides(), "fare = NULL"
    for command in (
        ("read", table),
        ("read", table, "--count"),
        ("count", table),
        ("files", table),
        ("explain", table),
        ("cluster", table, "--dry-run", "--columns", "fare"),
        ("index", "advise", table),
        ("report", table),
    ):
        done = ran(*command, "--where", where)
        assert done.status == 0, done.err
        assert done.err.splitlines().count("warning: fare = NULL is never true; write fare IS NULL") == 1, command
    changes = ran("read", table, "--cdc", "--where", "op = NULL", "--limit", 1)
    assert changes.err.splitlines() == ["warning: op = NULL is never true; write op IS NULL"]
