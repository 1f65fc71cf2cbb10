"""Clusterings whose tasks exchange rows: the files of a clustering in one process, whichever attempts count.

Also covers: `cluster/reader.py`, `cluster/sample.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hudi_core.cluster import exchanged, sample
from hudi_core.engine import Runner
from hudi_core.errors import HudiError
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from hudi_core.writing.plan import FileSizes
from tests.support.local_flow import watch_reports
from tests.support.runners import RepeatingRunner, process_runner
from tests.support.served_tables import assert_served_alike, data_files, filled, rows_by_file, twin

SIZES = FileSizes(14_000, 14_000)
ORDERS: dict[str, dict[str, Any]] = {
    "linear": {"columns": ["n", "s"]},
    "zorder": {"columns": ["n", "x"], "strategy": "zorder"},
    "hilbert": {"columns": ["x", "n", "s"], "strategy": "hilbert"},
    "no order": {},
}


def reorder(table: Table, order: str, runner: Runner | None = None, **options: Any) -> Any:
    return table.cluster(**{"sizes": SIZES, **ORDERS[order], **options}, runner=runner)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("order", "version"),
    [("zorder", 9), ("no order", 9)]
    + [pytest.param(order, version, marks=pytest.mark.soak) for order in ORDERS for version in (6, 8, 9)],
)
def test_rows_that_tasks_exchange_are_in_the_files_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str, version: int
) -> None:
    """CLUSTER-910, CLUSTER-10: each step runs twice, and packets are small."""
    table = filled(tmp_path / "here", "cow", version)
    other = twin(table, tmp_path / "there")
    before = data_files(table)
    here = reorder(table, order)
    monkeypatch.setattr(exchanged, "_FIRST_ROWS", 7)
    monkeypatch.setattr(exchanged, "_BYTES_OF_PACKET", 2000)
    monkeypatch.setattr(sample, "_FOOTERS_OF_TASK", 2)
    there = reorder(other, order, RepeatingRunner())
    assert here.state == there.state == "completed"
    assert (here.files_in, here.files_out, here.rows) == (there.files_in, there.files_out, there.rows)
    assert here.files_out > here.groups
    assert_served_alike(table, other, same_files=False)
    assert data_files(other) > before
    times = [stat.path for stat in commit_stats(other)]
    assert len(times) == len(set(times)) == there.files_out


def commit_stats(table: Table) -> list[Any]:
    latest = open_table(table.storage.uri)
    metadata = latest.timeline.metadata(latest.timeline.commits[-1])
    return [stat for stats in metadata.stats.values() for stat in stats]


@pytest.mark.soak
@pytest.mark.parametrize("order", ["zorder", "no order"])
def test_log_files_are_merged_where_slices_are_read(tmp_path: Path, order: str) -> None:
    """CLUSTER-910: of slices with log files the number of rows is an estimate."""
    table = filled(tmp_path / "here", "mor", 9)
    other = twin(table, tmp_path / "there")
    here, there = reorder(table, order), reorder(other, order, RepeatingRunner())
    assert here.rows == there.rows
    assert all_rows(table) == all_rows(other)


def all_rows(table: Table) -> list[str]:
    return sorted(row for rows in rows_by_file(open_table(table.storage.uri)).values() for row in rows)


def test_a_file_of_equal_rows_is_split_by_the_task_that_writes_it(tmp_path: Path) -> None:
    """CLUSTER-13, CLUSTER-910: most rows have one value."""
    table = filled(tmp_path / "here", "cow", 9, ("column_stats", "record_index"))
    table.update({"n": 50}, where="n > 9")
    table = open_table(table.storage.uri)
    other = twin(table, tmp_path / "there")
    small = FileSizes(5_000, 14_000)
    here = table.cluster(columns=["n"], sizes=small)
    there = other.cluster(columns=["n"], sizes=small, runner=RepeatingRunner())
    assert here.files_out == there.files_out > here.groups
    assert_served_alike(table, other, same_files=False)


def test_groups_are_rewritten_in_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLUSTER-910: no two files of a clustering have one number."""
    table = filled(tmp_path / "here", "cow", 9, ("column_stats",))
    other = twin(table, tmp_path / "there")
    monkeypatch.setattr(exchanged, "_GROUPS_OF_ROUND", 1)
    seen: list[tuple[int, int]] = []
    reorder(table, "zorder")
    result = reorder(other, "zorder", RepeatingRunner(), progress=lambda done, total: seen.append((done, total)))
    assert result.groups == len(seen) > 1
    assert seen[-1][0] == seen[-1][1]
    numbers = [Path(stat.path).name.split("_")[1].split("-")[0] for stat in commit_stats(other)]
    assert len(numbers) == len(set(numbers))
    assert_served_alike(table, other, same_files=False)


def test_rows_do_not_come_to_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLUSTER-910: reports are statuses."""
    table = filled(tmp_path / "t", "cow", 9, ("column_stats",))
    seen = watch_reports(monkeypatch)
    reorder(table, "linear", RepeatingRunner())
    assert seen
    keys = [len(set(re.findall(rb"k\d{5}", packet.content))) for packet in seen]
    assert max(keys) <= 2 < len(all_rows(table))  # the bounds of a file
    assert all(len(packet.content) < 6000 for packet in seen)


def test_a_damaged_slice_ends_the_run_and_leaves_the_table(tmp_path: Path) -> None:
    """CLUSTER-14, CLUSTER-910: the error is the one of a run in this process."""
    table = filled(tmp_path / "t", "cow", 9, ("column_stats",))
    plan = sorted(file.path for one in table.slices() for file in one.files)
    place = Path(table.storage.uri) / plan[0]
    content = place.read_bytes()
    place.write_bytes(content[:200] + b"\0" * 200 + content[400:])
    before = data_files(table)
    with pytest.raises(HudiError):
        reorder(table, "no order", RepeatingRunner())
    assert data_files(table) == before
    assert table.storage.list(".hoodie/.temp", recursive=True) == []


@pytest.mark.soak
def test_other_processes_write_the_files(tmp_path: Path) -> None:
    """ENGINE-910: they read the spool of this one."""
    table = filled(tmp_path / "here", "cow", 9)
    other = twin(table, tmp_path / "there")
    reorder(table, "zorder")
    with process_runner() as runner:
        reorder(other, "zorder", runner)
    assert_served_alike(table, other, same_files=False)
