"""Writes of table version 6 undone whose blocks stand beside those of others in one log file. ROLLBACK-575."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hudi_core
from hudi_core.commit.markers import MarkerKind, marker_step
from hudi_core.formats.log import BlockKind, read_blocks
from hudi_core.metadata.table import METADATA_FOLDER
from hudi_core.services.restoring.run import restore
from hudi_core.transactions.command_blocks import Share, share_of
from hudi_core.transactions.rollback import roll_back, roll_back_dead
from tests.core.services.restoring.test_run import all_of, content, rows
from tests.support.crashes import crashes, later
from tests.support.shared_logs import share_logs


def made(path: Path, *, indexes: bool) -> hudi_core.Table:
    """A table with a slice of one log file that three writes appended to."""
    table = hudi_core.create(path, rows(0, 1, 0), "id", partition_by="city", type="mor", version=6)
    table.upsert(rows(0, 20, 1))
    for number in range(3):
        table.refresh().upsert(rows(0, 4, 10 + number))
    assert share_logs(path) == 4
    table = hudi_core.open(path)  # commits that were read are not read again
    if indexes:
        table.index("files", *all_of(6))
    assert faults(table) == []
    return table.refresh()


def faults(table: hudi_core.Table) -> list[str]:
    """What validation names, but for bounds of log files that are wider than what counts of them: they are sound."""
    return [str(one) for one in table.refresh().validate() if "warning: column_stats" not in str(one)]


def values(table: hudi_core.Table) -> dict[str, int]:
    return {row["id"]: row["n"] for row in content(table)}


@pytest.mark.parametrize("indexes", [False, True], ids=["bare", "indexed"])
def test_a_write_in_a_shared_log_file_is_undone(tmp_path: Path, indexes: bool) -> None:
    """ROLLBACK-575: its blocks are cancelled, and the others count."""
    table = made(tmp_path / "t", indexes=indexes)
    last = table.timeline.commits[-1].requested_time
    assert {n for key, n in values(table).items() if key < "k004"} == {12}
    (plan,) = table.rollback(last)
    assert (plan.files, len(plan.shared)) == ((), 2)
    assert {n for key, n in values(table).items() if key < "k004"} == {11}
    assert faults(table) == []
    for path in plan.shared:
        log = tmp_path / "t" / path
        command = log.with_name(log.name.replace(".log.1_", ".log.2_"))
        (block,) = read_blocks(table.storage.open(str(command.relative_to(tmp_path / "t"))))
        assert block.kind is BlockKind.COMMAND
        assert (command.stat().st_size, share_of(table.storage, path, last)) == (105, Share.SOME)
    (instant,) = [one for one in table.refresh().timeline.completed if one.action == "rollback"]
    record = table.refresh().timeline.record(instant)["partitionMetadata"]["oslo"]
    assert list(record["rollbackLogFiles"].values()) == [105]
    assert len(record["logFilesFromFailedCommit"]) == 1
    table.refresh().upsert(rows(0, 2, 99))
    table.refresh().compact()
    assert [values(table)[key] for key in ("k000", "k001", "k002")] == [99, 99, 11]
    assert faults(table) == []


def test_a_log_file_that_a_later_commit_names_stays(tmp_path: Path) -> None:
    """ROLLBACK-1293: as one of Apache Hudi does that met the file of a dead writer."""
    path = tmp_path / "t"
    table = hudi_core.create(path, rows(0, 1, 0), "id", partition_by="city", type="mor", version=6)
    for number in range(3):
        table.refresh().upsert(rows(0, 1, number))
    base, died, later_one = (commit.requested_time for commit in table.refresh().timeline.commits)
    timeline = path / ".hoodie"
    stats = {
        time: json.loads((timeline / f"{time}.deltacommit").read_text())["partitionToWriteStats"]["oslo"][0]
        for time in (died, later_one)
    }
    (timeline / f"{died}.deltacommit").unlink()
    marker_step(died, stats[died]["path"], MarkerKind.APPEND).apply(table.storage)
    commit = json.loads((timeline / f"{later_one}.deltacommit").read_text())
    commit["partitionToWriteStats"]["oslo"].append({**stats[died], "path": f"file:{stats[died]['path']}"})
    (timeline / f"{later_one}.deltacommit").write_text(json.dumps(commit))
    (plan,) = roll_back_dead(table.refresh())
    assert (plan.files, plan.shared) == ((), (stats[died]["path"],))
    assert (path / stats[died]["path"]).exists()
    assert set(values(table).values()) == {2}
    assert faults(table) == []
    assert table.refresh().rollback(later_one)[0].instant.requested_time == later_one
    assert set(values(table).values()) == {0}
    assert base == table.refresh().timeline.commits[-1].requested_time


@pytest.mark.parametrize("indexes", [False, True], ids=["bare", "indexed"])
def test_a_restore_goes_back_within_a_shared_log_file(tmp_path: Path, indexes: bool) -> None:
    """ROLLBACK-575, RESTORE-456."""
    table = made(tmp_path / "t", indexes=indexes)
    target = table.timeline.commits[1].requested_time
    dry = restore(table, to=target, dry_run=True)
    assert dry.files == ()
    restore(table, to=target)
    assert {n for key, n in values(table).items() if key < "k004"} == {10}
    assert faults(table) == []
    if not indexes:
        assert not (tmp_path / "t" / METADATA_FOLDER).exists()
    table.refresh().upsert(rows(2, 6, 7))
    assert [values(table)[key] for key in ("k001", "k002", "k005", "k006")] == [10, 7, 7, 1]


def test_a_rollback_that_dies_anywhere_is_finished(tmp_path: Path) -> None:
    """ROLLBACK-3, ROLLBACK-575: without a second command for the same blocks, and with the first in the metadata table."""
    table = made(tmp_path / "t", indexes=True)
    last = table.timeline.commits[-1]
    for at, path in crashes(tmp_path / "t", lambda dying: roll_back(dying, last), step=3):
        healed = hudi_core.open(path)
        healed.upsert(rows(30, 31, 5), clock=later)
        numbers = {n for key, n in values(healed).items() if key < "k004"}
        assert numbers in ({11}, {12}), at
        assert faults(healed) == [], at
        commands = [log for log in (path / "oslo").iterdir() if ".log." in log.name and log.stat().st_size == 105]
        assert len(commands) == (numbers == {11}), at
