"""Rows that wait in files for a commit that does not come."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from hudi_core.commit.staged_rows import PATIENCE, STAGED, beat, delete_abandoned_rows, new_folder
from hudi_core.commit.times import system_clock
from hudi_core.creating.create import create_table
from hudi_core.services.cleaning.operations import clean
from hudi_core.services.cleaning.options import CleanOptions
from tests.support.written_tables import TYPES


def test_rows_of_dead_writes_are_deleted_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    """WRITE-942: by the next write of the kind and by a clean; files of earlier releases have no sign but themselves."""
    table = create_table(tmp_path / "t", TYPES, "id")
    storage = table.storage
    assert delete_abandoned_rows(storage) == ()
    signed, unsigned = new_folder(), new_folder()
    for folder in (signed, unsigned):
        storage.replace(f"{folder}/a-0.arrow", b"rows")
    beat(storage, signed)
    assert delete_abandoned_rows(storage) == ()
    assert delete_abandoned_rows(storage, lambda: system_clock() + PATIENCE - timedelta(minutes=1)) == ()
    clean(table)
    assert len(storage.list(STAGED, recursive=True)) == 3
    clean(table, CleanOptions(dry_run=True, clock=lambda: system_clock() + 2 * PATIENCE))
    assert len(storage.list(STAGED, recursive=True)) == 3
    clean(table, CleanOptions(clock=lambda: system_clock() + 2 * PATIENCE))
    assert storage.list(STAGED, recursive=True) == []
    for folder in (signed, unsigned):
        storage.replace(f"{folder}/a-0.arrow", b"rows")
    assert delete_abandoned_rows(storage, lambda: system_clock() + 2 * PATIENCE) == tuple(sorted((signed, unsigned)))
