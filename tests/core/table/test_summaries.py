"""What commits wrote, and what partitions hold. TABLE-470, TABLE-471."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.table.difference import difference
from hudi_core.table.summaries import commits, partitions
from hudi_core.tally import Tally
from hudi_core.timeline.commits import CommitMetadata
from tests.core.services.restoring.test_run import content, made, rows


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_commits_and_partitions_add_up(tmp_path: Path, kind: str) -> None:
    """TABLE-471."""
    table = made(tmp_path / "t", kind, 9)
    table.delete(where="id < 'k003'")
    table.overwrite_partitions(rows(100, 101, 1))
    latest = table.refresh()
    listed = latest.commits()
    assert [commit.operation for commit in listed] == ["UPSERT", "UPSERT", "DELETE", "INSERT_OVERWRITE"]
    assert (listed[0].inserted, listed[0].partitions, listed[0].files) == (20, 2, 2)
    assert (listed[1].inserted, listed[1].updated) == (10, 15)
    assert (listed[2].deleted, listed[3].replaced) == (3, 1)
    assert all(commit.bytes for commit in listed)
    assert [(one.partition, one.rows) for one in latest.partitions()] == [("oslo", 1), ("rome", 14)]
    assert latest.count() == len(content(latest)) == 15
    assert latest.count("n = 1 AND city = 'oslo'") == 1
    assert sum(one.bytes for one in latest.partitions()) == sum(
        path.stat().st_size for one in latest.slices() for path in (tmp_path / "t" / file.path for file in one.files)
    )
    assert latest.to_pandas("n = 1").columns.tolist() == ["id", "n", "city"]


def test_a_service_that_rewrites_rows_changes_none(tmp_path: Path) -> None:
    """TABLE-470, TABLE-1223."""
    table = made(tmp_path / "t", "mor", 9)
    table.append(rows(30, 40, 3))
    table.upsert(rows(0, 5, 4))
    tally = Tally()
    partitions(table.refresh(), tally)
    assert (tally.done, tally.total) == (2, 2) and tally.rows_read
    assert table.refresh().compact().state == "completed"
    assert table.refresh().cluster().state == "completed"
    listed = table.refresh().commits()
    assert [commit.operation for commit in listed][-2:] == ["COMPACT", "CLUSTER"]
    assert [(one.inserted, one.updated, one.deleted) for one in listed[-2:]] == [(0, 0, 0)] * 2
    assert all(commit.bytes for commit in listed[-2:])
    first, *_, last = (commit.requested_time for commit in listed[-3:])
    between = difference(table.refresh(), first, last)
    assert (between.commits, between.inserted, between.updated, between.deleted) == (2, 0, 0, 0)


def test_a_count_that_was_not_recorded_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-470."""
    table = made(tmp_path / "t", "cow", 9)
    stats = {"oslo": [{"path": "oslo/a", "numInserts": 3}, {"path": "oslo/b"}]}
    metadata = CommitMetadata.model_validate({"partitionToWriteStats": stats})
    monkeypatch.setattr(type(table.timeline), "metadata", lambda *_: metadata)
    (first, _) = commits(table)
    assert (first.inserted, first.files, first.operation) == (None, 2, None)


def test_a_table_without_rows_has_no_partitions(tmp_path: Path) -> None:
    table = made(tmp_path / "t", "cow", 9)
    table.delete_partitions(["oslo", "rome"])
    assert partitions(table.refresh()) == []
