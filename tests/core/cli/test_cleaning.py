"""`clean`."""

from __future__ import annotations

import json
from pathlib import Path

import hudi_core
from hudi_core.services.cleaning.operations import schedule
from hudi_core.services.cleaning.options import CleanOptions
from tests.support.commands import ran
from tests.support.written_tables import TYPES, rows


def new_table(path: Path) -> hudi_core.Table:
    table = hudi_core.create(path, TYPES, "id", partition_by="p")
    for number in range(4):
        hudi_core.refreshed(table).upsert(rows(("a", "x", number)))
    return hudi_core.refreshed(table)


def test_files_are_listed_and_then_deleted(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    times = [instant.requested_time for instant in table.timeline.commits]
    options = ("clean", str(tmp_path), "--keep-commits", "1")
    listed = ran(*options, "--dry-run", "--json").lines
    assert [(file["partition"], file["instant"]) for file in listed] == [("x", time) for time in times[:2]]
    assert all(file["bytes"] > 0 and file["reason"] == "older version" for file in listed)
    shown = ran(*options, "--dry-run").out
    assert "2 files to delete" in shown
    assert f"every state since {times[3]} stays readable" in shown
    done = json.loads(ran(*options, "--json").out)
    assert (done["state"], done["files"], done["earliest_retained"]) == ("completed", 2, times[3])
    assert json.loads(ran(*options, "--json").out)["state"] == "nothing to clean"
    assert "0 files to delete" in ran("clean", str(tmp_path), "--keep-versions", "5", "--full", "--dry-run").out


def test_a_partition_that_goes_is_named(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    table.delete_partitions(["x"])
    assert "partition x is left empty" in ran("clean", str(tmp_path), "--keep-versions", "1", "--dry-run").out


def test_a_plan_that_waits_is_run(tmp_path: Path) -> None:
    instant = schedule(new_table(tmp_path), CleanOptions(keep_commits=1))
    assert instant is not None
    refused = ran("clean", str(tmp_path), "--run", instant.requested_time, "--dry-run")
    assert (refused.status, "--run without other options" in refused.error) == (2, True)
    done = json.loads(ran("clean", str(tmp_path), "--run", instant.requested_time, "--json").out)
    assert (done["instant"], done["files"]) == (instant.requested_time, 2)
    assert "a clean that is not completed (none)" in ran("clean", str(tmp_path), "--run", instant.requested_time).error
