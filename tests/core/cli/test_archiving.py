"""`archive`."""

from __future__ import annotations

import json
from pathlib import Path

import hudi_core
from tests.support.commands import ran
from tests.support.written_tables import TYPES, rows


def test_instants_are_listed_and_then_archived(tmp_path: Path) -> None:
    hudi_core.create(tmp_path, TYPES, "id", partition_by="p")
    for number in range(6):
        hudi_core.open(tmp_path).upsert(rows(("a", "x", number)))
    times = [instant.requested_time for instant in hudi_core.open(tmp_path).timeline.commits]
    options = ("archive", str(tmp_path), "--keep-min", "2")
    listed = ran(*options, "--dry-run", "--json").lines
    assert [one["requested_time"] for one in listed] == times[:4]
    assert {one["timeline"] for one in listed} == {"table"}
    shown = ran(*options, "--dry-run").out
    assert "4 instants to archive" in shown
    assert f"begins with {times[4]}" in shown
    assert "0 instants to archive" in ran(*options, "--keep-max", "9", "--dry-run").out
    done = json.loads(ran(*options, "--json").out)
    assert (done["state"], done["instants"], done["first_kept"]) == ("completed", 4, times[4])
    assert len(ran("timeline", str(tmp_path), "--archived", "--json").lines) == 6
    assert len(ran("timeline", str(tmp_path), "--json").lines) == 2


def test_what_holds_more_is_named(tmp_path: Path) -> None:
    table = hudi_core.create(tmp_path, TYPES, "id", partition_by="p", indexes=["column_stats"])
    for number in range(6):
        table.refresh().upsert(rows(("a", "x", number)))
    assert (
        "more stay: the metadata table was not compacted yet"
        in ran("archive", str(tmp_path), "--keep-min", "1", "--dry-run").out
    )
