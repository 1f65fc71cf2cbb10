"""Savepoints: made, listed, dropped, and kept by cleans. RESTORE-450 to RESTORE-452."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core import Table, UsageError
from hudi_core.errors import ConflictError
from hudi_core.services.cleaning.operations import run_requested, schedule
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.restoring.savepoints import drop_savepoint, list_savepoints, savepoint
from hudi_core.tally import Tally
from hudi_core.validation.findings import Severity
from hudi_core.validation.validate import validate
from tests.core.services.restoring.test_run import KINDS, content, made, rows


@pytest.mark.each_value
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
    with pytest.raises(UsageError, match=r"expected a savepoint of the table \(none\), found"):
        drop_savepoint(table, first)


def test_only_completed_writes_are_saved(tmp_path: Path) -> None:
    """RESTORE-451."""
    table = made(tmp_path / "t", "cow", 9)
    with pytest.raises(UsageError, match=r"expected a completed write of the timeline \(.*\), found 2020"):
        savepoint(table, "2020")
    first = table.timeline.commits[0].requested_time
    table.clean(keep_versions=1)
    with pytest.raises(UsageError, match="clean"):
        savepoint(table.refresh(), first)


def left_half_made(table: Table, number: int = -1) -> str:
    """A savepoint whose maker died, or is just between its two files."""
    timeline = table.timeline
    time = timeline.commits[number].requested_time
    table.storage.create(f"{timeline.folder}/{time}.savepoint.inflight", b"")
    return time


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
def test_a_savepoint_that_is_half_made_hides_nothing(tmp_path: Path, kind: str, version: int) -> None:
    """RESTORE-530: the saved write is complete, and what the metadata table has of it counts."""
    table = made(tmp_path / "t", kind, version)
    before = content(table)
    time = left_half_made(table)
    assert content(table.refresh()) == before
    (found,) = validate(table.refresh())
    assert (found.severity, found.expected) == (Severity.WARNING, "a savepoint that is complete")
    table.refresh().upsert(rows(0, 30, 10))
    assert drop_savepoint(table, time).state == "dropped"
    assert list(validate(table.refresh())) == []


def test_a_savepoint_whose_making_died_goes_with_the_next_one(tmp_path: Path) -> None:
    """RESTORE-530."""
    table = made(tmp_path / "t", "cow", 9)
    left_half_made(table, 0)
    saved = savepoint(table.refresh())
    assert [one.instant for one in list_savepoints(table.refresh())] == [saved.instant]
    assert list(validate(table.refresh())) == []


def test_a_savepoint_whose_making_died_is_made_again(tmp_path: Path) -> None:
    """RESTORE-530."""
    table = made(tmp_path / "t", "mor", 9)
    time = left_half_made(table)
    assert savepoint(table.refresh(), time).instant == time
    assert list(validate(table.refresh())) == []


def test_no_state_is_saved_that_a_clean_is_about_to_delete(tmp_path: Path) -> None:
    """RESTORE-531: a clean deletes its files without the lock."""
    table = made(tmp_path / "t", "cow", 9)
    first = table.timeline.commits[0].requested_time
    for number in range(3):
        table.upsert(rows(0, 30, 10 + number))
    latest = table.refresh()
    planned = schedule(latest, CleanOptions(keep_versions=1))
    assert planned is not None
    with pytest.raises(ConflictError, match=r"clean .* is about to delete"):
        savepoint(latest.refresh(), first)
    run_requested(latest.refresh(), planned.requested_time)
    assert savepoint(latest.refresh()).state == "saved"


def test_methods_of_a_table_state_how_far_they_are(tmp_path: Path) -> None:
    """WRITE-1330: as the command line shows it."""
    table = made(tmp_path / "t", "cow", 9)
    saving, undoing = Tally(), Tally()
    saved = table.savepoint(tally=saving)
    table.upsert(rows(0, 30, 10))
    later = table.refresh().timeline.commits[-1].requested_time
    table.refresh().rollback(later, tally=undoing)
    assert (saving.done, saving.total) == (saved.files, saved.files)
    assert undoing.done == undoing.total
    assert undoing.done > 0
    table.refresh().upsert(rows(0, 30, 11))
    seen: list[tuple[int, int]] = []
    table.refresh().restore(saved.instant, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert all(done <= total == 1 for done, total in seen)
