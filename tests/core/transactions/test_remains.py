"""What writes that are over leave beside the timeline goes with the next look for dead writes, unless somebody lives."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from time import time

import pytest

from hudi_core.commit.heartbeat import INTERVAL, PATIENT_MISSES, heartbeat_path
from hudi_core.commit.markers import MarkerKind, marker_folder, marker_step
from hudi_core.commit.times import next_time, system_clock
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.transactions.remains import delete_remains, list_remains
from hudi_core.validation.findings import Finding
from hudi_core.validation.mend import mend
from tests.support.crashes import Death, mortal
from tests.support.written_tables import TYPES, rows, rows_of

DEAD = (INTERVAL * PATIENT_MISSES + timedelta(minutes=1)).total_seconds()


def _made(root: Path) -> Table:
    table = create_table(root, TYPES, "id", partition_by="p", type="mor", indexes=["column_stats"])
    table.upsert(rows(("a", "x", 1), ("b", "x", 1)))
    return open_table(root)


def _beat(root: Path, time_of_write: str, *, dead: bool, content: bytes = b"") -> Path:
    path = root / heartbeat_path(time_of_write)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if dead:
        os.utime(path, (time() - DEAD,) * 2)
    return path


def _findings(root: Path) -> list[Finding]:
    return list(open_table(root).validate())


@pytest.mark.parametrize("content", [b"", b"hudi_core\nsomebody"], ids=["Apache Hudi's", "ours"])
def test_a_write_removes_heartbeats_of_instants_that_nobody_requested_once_they_are_dead(
    tmp_path: Path, content: bytes
) -> None:
    """COMMIT-1146: killed between its heartbeat and its request; one that may be alive stays."""
    table = _made(tmp_path / "t")
    first = next_time(table.timeline)
    second = next_time(table.timeline, after=[first])
    dead = _beat(tmp_path / "t", first, dead=True, content=content)
    alive = _beat(tmp_path / "t", second, dead=False, content=content)
    table.upsert(rows(("a", "x", 2)))
    assert (dead.exists(), alive.exists()) == (False, True)
    assert _findings(tmp_path / "t") == []


def test_a_write_removes_the_markers_of_writes_that_are_over_and_empty_folders_of_them(tmp_path: Path) -> None:
    """COMMIT-1146: of a write that completed, and of one that was undone; not those of one that shows signs of life."""
    table = _made(tmp_path / "t")
    completed = table.timeline.commits[-1].requested_time
    undone = next_time(table.timeline)
    living = next_time(table.timeline, after=[undone])
    folders = [tmp_path / "t" / marker_folder(one) for one in (completed, undone, living)]
    folders[0].mkdir(parents=True)
    for one in (undone, living):
        marker_step(one, "x/f_0-0-0_1.parquet", MarkerKind.CREATE).apply(table.storage)
    _beat(tmp_path / "t", living, dead=False)
    table.upsert(rows(("a", "x", 2)))
    assert [folder.exists() for folder in folders] == [False, False, True]
    assert rows_of(open_table(tmp_path / "t")) == [("a", "x", 2), ("b", "x", 1)]


def test_what_pending_writes_have_is_none(tmp_path: Path) -> None:
    """COMMIT-1146: one that was requested after the timeline was read is pending too."""
    table = _made(tmp_path / "t")
    time_of_write = next_time(table.timeline)
    marker_step(time_of_write, "x/f_0-0-0_1.parquet", MarkerKind.CREATE).apply(table.storage)
    (tmp_path / "t" / table.timeline.folder / f"{time_of_write}.deltacommit.requested").touch()
    _beat(tmp_path / "t", time_of_write, dead=True)
    assert list_remains(table, system_clock()) == ()


def test_the_service_of_rollbacks_is_due_by_them(tmp_path: Path) -> None:
    """COMMIT-1146."""
    table = _made(tmp_path / "t")
    dead = _beat(tmp_path / "t", next_time(table.timeline), dead=True)
    assert [run.state for run in table.run_services(["rollback"])] == ["completed"]
    assert not dead.exists()
    assert list(open_table(tmp_path / "t").run_services(["rollback"])) == []


def test_validate_names_them_and_mends_them_where_nobody_lives(tmp_path: Path) -> None:
    """COMMIT-1146, VALID-9, VALID-19: a writer that shows signs of life by then keeps what it has."""
    table = _made(tmp_path / "t")
    first = next_time(table.timeline)
    second = next_time(table.timeline, after=[first])
    beats = [_beat(tmp_path / "t", one, dead=True) for one in (first, second)]
    folders = [tmp_path / "t" / marker_folder(one) for one in (first, second)]
    for folder in folders:
        folder.mkdir(parents=True)
    findings = _findings(tmp_path / "t")
    assert {finding.where for finding in findings} == {
        *(heartbeat_path(one) for one in (first, second)), *(marker_folder(one) for one in (first, second))
    }  # fmt: skip
    os.utime(beats[1])
    mend(table, findings)
    assert [path.exists() for path in (*beats, *folders)] == [False, True, False, True]
    assert _findings(tmp_path / "t") == []


def test_heartbeats_go_before_markers(tmp_path: Path) -> None:
    """COMMIT-1146: an attempt of a task looks for either to see that its write ended."""
    time_of_write = next_time(_made(tmp_path / "t").timeline)
    beat = _beat(tmp_path / "t", time_of_write, dead=True)
    folder = tmp_path / "t" / marker_folder(time_of_write)
    folder.mkdir(parents=True)
    with pytest.raises(Death):
        delete_remains(mortal(tmp_path / "t", 2, after=False)[0], system_clock())
    assert (beat.exists(), folder.exists()) == (False, True)
