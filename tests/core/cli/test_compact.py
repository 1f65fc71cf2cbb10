"""`compact`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import FileSizes
from tests.support.commands import ran, rides

TYPES = pa.schema([("id", pa.int64()), ("n", pa.int64())])


@pytest.fixture
def table(tmp_path: Path) -> hudi_core.Table:
    """A row in a base file, changed three times in log files."""
    table = hudi_core.create(tmp_path, TYPES, "id", type="mor")
    for value in range(4):
        table.upsert(pa.table({"id": [1], "n": [value]}, schema=TYPES), sizes=FileSizes(small=0))
    return table


def test_a_table_is_compacted(tmp_path: Path, table: hudi_core.Table) -> None:
    """COMPACT-363, COMPACT-368."""
    command = ("compact", str(tmp_path), "--json")
    shown = json.loads(ran(*command, "--dry-run").out)
    assert (shown["state"], shown["slices"], len(shown["operations"][0]["log_files"])) == ("planned", 1, 3)
    assert json.loads(ran(*command, "--if-due").out)["state"] == "not due"
    assert json.loads(ran(*command, "--strategy", "LogFileNumBased", "--min-log-files", "4").out)["instant"] is None
    planned = json.loads(ran(*command, "--plan-only", "--if-due", "--max-delta-commits", "4").out)
    assert (planned["state"], planned["log_files"]) == ("requested", 3)
    done = json.loads(ran(*command, "--run", planned["instant"]).out)
    assert (done["instant"], done["state"], done["rows"], done["updated"]) == (planned["instant"], "completed", 1, 1)
    assert json.loads(ran(*command, "--all-partitions").out)["state"] == "nothing to compact"
    assert [row["n"] for row in table.refresh().scan().to_json_rows()] == [3]


def test_people_see_slices_or_figures(tmp_path: Path, table: hudi_core.Table) -> None:
    shown = ran("compact", tmp_path, "--dry-run").out
    assert "base file" in shown
    assert "seconds" not in shown
    assert "seconds" in ran("compact", tmp_path).out


def test_one_thing_is_asked_for(tmp_path: Path, table: hudi_core.Table) -> None:
    assert ran("compact", tmp_path, "--plan-only", "--run", "1").status == 2
    refused = ran("compact", tmp_path, "--strategy", "Newest")
    assert (refused.status, "LogFileSizeBased" in refused.err) == (2, True)


@pytest.mark.parametrize(
    "typed",
    [("--strategy", "UnBounded"), ("--target-io-mb", 3), ("--all-partitions",), ("--if-due",), ("--log",)],
)
def test_a_plan_that_is_run_takes_no_options_of_plans(typed: tuple[object, ...]) -> None:
    """COMPACT-1473."""
    answer = ran("compact", rides(), "--run", "1", *typed)
    assert (answer.status, answer.error) == (
        2,
        f"{typed[0]}: expected no --run beside it, whose plan is made, found one",
    )
    answer = ran("compact", rides(), "--plan-only", "--take-over")
    assert (answer.status, answer.error) == (2, "--take-over: expected a run of a plan, found --plan-only")
    assert ran("compact", rides(), "--strategy", "DayBased", "--target-partitions", 0).status == 2


def test_a_table_is_compacted_from_python(table: hudi_core.Table) -> None:
    """COMPACT-354."""
    assert table.compact(if_due=True, max_delta_commits=5).state == "not due"
    result = hudi_core.compact(table, hudi_core.CompactionOptions(strategies="UnBounded"))  # type: ignore[arg-type]
    assert (result.state, result.log_files, result.strategy) == ("completed", 3, "UnBounded")


@pytest.mark.parametrize(
    ("typed", "needed"),
    [
        (("--trigger", "NUM_COMMITS"), "--if-due"), (("--max-delta-commits", 3), "--if-due"),
        (("--max-delta-seconds", 3), "--if-due"), (("--min-log-blocks", 3), "--log"),
        (("--partition-pattern", "x"), "--strategy PartitionRegexBased"),
    ],
)  # fmt: skip
def test_an_option_without_the_one_that_it_is_about_is_misuse(typed: tuple[object, ...], needed: str) -> None:
    """CLI-984."""
    answer = ran("compact", rides(), *typed)
    assert (answer.status, answer.error) == (2, f"{typed[0]}: expected {needed}, found none")
