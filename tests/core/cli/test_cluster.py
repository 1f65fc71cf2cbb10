"""`cluster`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from tests.support.commands import ran

TYPES = pa.schema([("id", pa.int64()), ("n", pa.int64())])


def new_table(path: Path) -> hudi_core.Table:
    table = hudi_core.create(path, TYPES, "id")
    for part in range(3):
        values = {"id": range(part * 20, part * 20 + 20), "n": [n * 7 % 20 for n in range(20)]}
        table.append(pa.table({name: list(numbers) for name, numbers in values.items()}, schema=TYPES))
    return table


def test_a_table_is_previewed_planned_and_clustered(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    options = ("cluster", str(tmp_path), "--columns", "n", "--strategy", "linear", "--json")
    answer = json.loads(ran(*options, "--dry-run", "--where", "n = 3", "--where", "id = 3").out)
    assert (answer["groups"], answer["files_in"], [gain["kept_before"] for gain in answer["gains"]]) == (1, 3, [3, 1])
    assert "n = 3" in ran(*options[:-1], "--dry-run", "--where", "n = 3").out
    planned = json.loads(ran(*options, "--plan-only").out)
    assert (planned["state"], planned["files_in"]) == ("requested", 3)
    of_plan = ("cluster", str(tmp_path), "--json")
    assert json.loads(ran(*of_plan, "--cancel", planned["instant"]).out)["state"] == "cancelled"
    again = json.loads(ran(*options, "--plan-only").out)
    done = json.loads(ran(*of_plan, "--run", again["instant"]).out)
    assert (done["instant"], done["state"], done["rows"]) == (again["instant"], "completed", 60)
    nothing = json.loads(ran(*options).out)
    assert (nothing["instant"], nothing["state"]) == (None, "nothing to cluster")
    assert hudi_core.refreshed(table).scan().count() == 60


def test_a_table_is_clustered_from_python(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    result = table.cluster(hudi_core.ClusterOptions(columns=("n",)))
    assert (result.rows, result.files_out) == (60, 1)


def test_past_queries_are_estimated_noted_and_explained(tmp_path: Path) -> None:
    """ADVICE-7, CLUSTER-52, CLUSTER-53."""
    new_table(tmp_path / "t")
    past = tmp_path / "past.sql"
    past.write_text("-- by hand\nn = 3\nid = 3\nn=3\n")
    options = ("cluster", str(tmp_path / "t"), "--columns", "n", "--where-file", str(past))
    gains = json.loads(ran(*options, "--dry-run", "--json").out)["gains"]
    assert [(gain["where"], gain["weight"], gain["kept_before"]) for gain in gains] == [
        ("n = 3", 2, 3),
        ("id = 3", 1, 1),
    ]
    assert "weight" in ran(*options, "--dry-run").out
    advice = ran("cluster", tmp_path / "t", "--advise", "--where-file", past, "--json").lines
    assert {entry["measure"] for entry in advice} <= {None, "clustering"}
    instant = json.loads(ran(*options, "--json").out)["instant"]
    (answer,) = [
        line for line in ran("explain", tmp_path / "t", "--where", "n=3", "--json").lines if "kept_predicted" in line
    ]
    assert answer == {
        "kind": "prediction",
        "instant": instant,
        "kept_before": 3,
        "slices_before": 3,
        "kept_predicted": 1,
        "slices_predicted": 1,
        "kept": 1,
        "slices": 1,
        "commits_since": 0,
    }
    page = tmp_path / "page.html"
    line = f"clustering {instant} predicted 1 of 1, from 3 of 3; it is 1 of 1"
    assert line in ran("explain", tmp_path / "t", "--where", "n=3", "--html", page).out
    assert line in page.read_text("utf-8")
    assert "predicted" not in ran("explain", tmp_path / "t", "--where", "n=4").out


def test_an_invalid_line_of_a_file_of_queries_is_named(tmp_path: Path) -> None:
    """ADVICE-7."""
    new_table(tmp_path / "t")
    past = tmp_path / "past.sql"
    past.write_text("n = 3\nzone = 3\n")
    for arguments in (("cluster", "--dry-run"), ("cluster", "--advise"), ("index", "--advise")):
        answer = ran(arguments[0], tmp_path / "t", *arguments[1:], "--where-file", past)
        assert (answer.status, f"{past}, line 2: " in answer.error, "zone" in answer.error) == (2, True, True)
    answer = ran("cluster", tmp_path / "t", "--run", "1", "--where-file", past)
    assert (answer.status, "no --run or --cancel beside it" in answer.error) == (2, True)


def test_partitions_are_chosen_as_apache_hudi_does(tmp_path: Path) -> None:
    """CLUSTER-31."""
    types = pa.schema([("id", pa.int64()), ("day", pa.string())])
    table = hudi_core.create(tmp_path, types, "id", partition_by="day")
    days = ["2026-01-01", "2026-01-02", "2026-01-03"]
    for part in range(2):
        table.append(pa.table({"id": [part * 3 + number for number in range(3)], "day": days}, schema=types))
    options = ("cluster", str(tmp_path), "--dry-run", "--json")
    for chosen, files in (
        ((), 6),
        (("--partitions", "2026-01-03,2026-01-01"), 4),
        (("--partition-pattern", ".*-0[13]"), 4),
        (("--recent-partitions", "2"), 4),
        (("--partition-pattern", ".*-0[13]", "--recent-partitions", "1"), 2),
        (("--where", "day < '2026-01-02'"), 6),  # a query, of a preview
    ):
        assert json.loads(ran(*options, *chosen).out)["files_in"] == files
    assert json.loads(ran(*options, "--rolling-partitions").out)["files_in"] in (0, 2)
    answer = ran(*options[:2], "--rolling-partitions", "--recent-partitions", "1")
    assert (answer.status, "either recent or rolling partitions" in answer.error) == (2, True)


def test_contradictory_options_are_misuse(tmp_path: Path) -> None:
    new_table(tmp_path)
    answer = ran("cluster", tmp_path, "--dry-run", "--plan-only")
    assert (answer.status, "one of --dry-run" in answer.error) == (2, True)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (("--run", "1", "--columns", "n"), "--columns: expected no --run or --cancel beside it, found one of them"),
        (("--cancel", "1", "--where", "n > 5"), "--where: expected no --run or --cancel beside it"),
        (("--run", "1", "--target-file-size", "1MB"), "--target-file-size: expected no --run or --cancel beside it"),
        (("--advise", "--where", "n > 5", "--strategy", "zorder"), "--strategy: expected no --advise beside it"),
        (("--plan-only", "--spool-folder", "x"), "--spool-folder: expected a run of the clustering, found none"),
        (("--recent-partitions", "0"), "--recent-partitions: expected at least 1, found '0'"),
        (("--partitions", "a", "--partition-pattern", "b"), "expected either names of partitions or a pattern"),
        (
            ("--target-file-size", "1MiB", "--small-file-limit", "2MiB"),
            "at most the size of new files, 1.0 MiB, which each run would write again, found 2.0 MiB",
        ),
        (("--small-file-limit", "1GiB"), "--small-file-limit: expected at most the size of new files, 120.0 MiB"),
    ],
)
def test_options_without_effect_and_swapped_sizes_are_misuse(
    tmp_path: Path, typed: tuple[str, ...], message: str
) -> None:
    """CLUSTER-1591."""
    new_table(tmp_path)
    answer = ran("cluster", tmp_path, *typed)
    assert (answer.status, message in " ".join(answer.error.split())) == (2, True), answer.error


def test_files_of_the_size_that_is_typed_are_not_small(tmp_path: Path) -> None:
    """CLUSTER-1591: without columns they would be written again by each run."""
    table = hudi_core.create(tmp_path, pa.schema([("id", pa.int64())]), "id")
    for start in (0, 10_000):
        table.append(pa.table({"id": range(start, start + 10_000)}))
    size = min(file.base.size for file in table.refresh().slices() if file.base is not None)
    answer = ran("cluster", tmp_path, "--target-file-size", str(size), "--json").lines[0]
    assert (answer["instant"], answer["state"]) == (None, "nothing to cluster")


def test_several_predicates_choose_partitions_together(tmp_path: Path) -> None:
    """CLI-201."""
    new_table(tmp_path)
    options = ("cluster", str(tmp_path), "--columns", "n", "--json", "--where", "n >= 0")
    assert ran(*options, "--where", "n < 0").lines[0]["files_in"] == 0
    assert ran(*options, "--where", "n < 9999").lines[0]["files_in"] > 0


def test_sizes_are_typed_with_units(tmp_path: Path) -> None:
    new_table(tmp_path)
    options = ("cluster", str(tmp_path), "--columns", "n", "--dry-run", "--json")
    assert json.loads(ran(*options, "--target-file-size", "1KiB").out)["files_out"] > 1
    assert "expected a size such as" in ran(*options, "--target-file-size", "many").error
    assert "--target-file-size: expected a whole number from 1 on" in ran(*options, "--target-file-size", "0").error


def test_a_curve_needs_columns(tmp_path: Path) -> None:
    new_table(tmp_path)
    refused = ran("cluster", tmp_path, "--strategy", "zorder").error
    assert "columns: expected one or more for strategy zorder, found none" in refused


def test_the_old_word_for_a_dry_run_gives_a_hint(tmp_path: Path) -> None:
    new_table(tmp_path)
    options = ("cluster", str(tmp_path), "--columns", "n", "--json")
    old, new = ran(*options, "--preview"), ran(*options, "--dry-run")
    assert old.out == new.out
    assert "hint: --preview is called --dry-run now" in old.err and "hint" not in new.err
