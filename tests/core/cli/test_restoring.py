"""`savepoint` and `restore`."""

from __future__ import annotations

import json
from pathlib import Path

from hudi_core.front.opening import open_table
from tests.core.services.restoring.test_run import content, continued, made
from tests.support.commands import ran


def test_a_state_is_saved_listed_restored_and_dropped(tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    table = made(tmp_path / "t", "cow", 9)
    before = content(table)
    saved = json.loads(ran("savepoint", uri, "--comment", "before", "--by", "me", "--json").out)
    assert (saved["state"], saved["comment"], saved["by"]) == ("saved", "before", "me")
    assert [one["instant"] for one in ran("savepoint", uri, "--list", "--json").lines] == [saved["instant"]]
    continued(table)
    planned = json.loads(ran("restore", uri, saved["instant"], "--dry-run", "--json").out)
    assert (planned["state"], len(planned["files"])) == ("planned", planned["files_deleted"])
    shown = ran("restore", uri, saved["instant"], "--dry-run").out
    assert "to undo for good" in shown
    assert f"of the state at {saved['instant']} are there and stay" in shown
    done = json.loads(ran("restore", uri, saved["instant"], "--json").out)
    assert (done["state"], done["undone"]) == ("completed", planned["undone"])
    assert content(table) == before
    assert json.loads(ran("savepoint", uri, "--drop", saved["instant"], "--json").out)["state"] == "dropped"


def test_misuse_is_one_line(tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    made(tmp_path / "t", "cow", 9)
    several = ran("savepoint", uri, "--list", "--drop", "1")
    assert (several.status, "expected one of INSTANT, --list and --drop" in several.error) == (2, True)
    neither = ran("restore", uri)
    assert (neither.status, "expected a savepoint, or --to with another write" in neither.error) == (2, True)
    unsaved = ran("restore", uri, open_table(uri).timeline.commits[0].requested_time)
    assert (unsaved.status, "a savepoint of the table (none), or --to for a write without one" in unsaved.error) == (
        2,
        True,
    )
