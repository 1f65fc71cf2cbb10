"""What lies between two instants."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.errors import UsageError
from hudi_core.front.opening import open_table
from hudi_core.table.difference import difference, read_changed_rows
from tests.core.table.test_record_versions import written
from tests.support.commands import rides


def test_rows_files_and_commits_between(tmp_path: Path) -> None:
    """TABLE-674."""
    table = written(tmp_path / "t", "cow")
    first, *_, last = [commit.requested_time for commit in table.timeline.commits]
    made = difference(table, first, last)
    assert (made.commits, made.operations) == (3, ("UPSERT", "DELETE"))
    assert (made.slices_added, made.slices_removed, made.slices_rewritten, made.partitions) == (0, 0, 1, ("",))
    assert (made.inserted, made.deleted, made.schema_changes) == (0, 1, ())
    assert made.bytes_before == sum(file.size for file in table.slices(first)[0].files)
    changes = list(read_changed_rows(table, first, last))
    assert [(change["op"], (change["after"] or change["before"])["id"]) for change in changes] == [
        ("u", "a"),
        ("d", "b"),
    ]
    nothing = difference(table, last, last)
    assert (nothing.commits, nothing.inserted, nothing.partitions) == (0, 0, ())


def test_schema_changes_between() -> None:
    """TABLE-674."""
    table = open_table(rides())
    times = [commit.requested_time for commit in table.timeline.commits]
    made = difference(table, times[0], times[-1])
    assert "gratuity: renamed from tip" in made.schema_changes
    assert made.slices_added == 287 - 41
    assert made.as_dict()["operations"] == ["BULK_INSERT", "ALTER_SCHEMA"]


def test_what_is_no_range_is_refused(tmp_path: Path) -> None:
    table = written(tmp_path / "t", "cow")
    first, *_, last = [commit.requested_time for commit in table.timeline.commits]
    with pytest.raises(UsageError, match="the earlier instant first"):
        difference(table, last, first)
    with pytest.raises(UsageError, match="instant B: expected a completed write"):
        difference(table, first, "20200101000000000")
