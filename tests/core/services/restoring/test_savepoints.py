"""Savepoints: made, listed, dropped, and kept by cleans. RESTORE-450 to RESTORE-452."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core import UsageError
from hudi_core.services.restoring.savepoints import drop_savepoint, list_savepoints, savepoint
from tests.core.services.restoring.test_run import KINDS, content, made, rows


@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_a_saved_state_stays_readable_through_cleans(tmp_path: Path, kind: str, version: int) -> None:
    """RESTORE-450."""
    table = made(tmp_path / "t", kind, version)
    before = content(table)
    saved = savepoint(table, by="maria", comment="before the migration")
    for number in range(4):
        table.upsert(rows(0, 30, 10 + number))
        if kind == "mor":
            table.compact()
    table.clean(keep_versions=1)
    latest = table.refresh()
    (listed,) = list_savepoints(latest)
    assert listed == saved
    assert (listed.by, listed.comment, listed.files > 0) == ("maria", "before the migration", True)
    as_it_was = latest.scan(columns=["id", "n", "city"], as_of=saved.instant).to_arrow().to_pylist()
    assert sorted(as_it_was, key=lambda row: row["id"]) == before


def test_a_dropped_savepoint_is_gone(tmp_path: Path) -> None:
    """RESTORE-452."""
    table = made(tmp_path / "t", "cow", 9)
    first = savepoint(table).instant
    with pytest.raises(UsageError, match="expected a write without a savepoint, found a savepoint of"):
        savepoint(table, first)
    assert drop_savepoint(table, first).state == "dropped"
    assert list_savepoints(table) == []
    assert not [one for one in table.refresh().timeline.instants if one.action == "savepoint"]
    with pytest.raises(UsageError, match=r"expected one of the table's \(none\), found"):
        drop_savepoint(table, first)


def test_only_completed_writes_are_saved(tmp_path: Path) -> None:
    """RESTORE-451."""
    table = made(tmp_path / "t", "cow", 9)
    with pytest.raises(UsageError, match=r"expected a completed write of the timeline, as the latest, .*, found 2020"):
        savepoint(table, "2020")
    first = table.timeline.commits[0].requested_time
    table.clean(keep_versions=1)
    with pytest.raises(UsageError, match="clean"):
        savepoint(table.refresh(), first)
