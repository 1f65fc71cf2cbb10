"""File slices are dealt to tasks by their bytes, and a limit reads the first files that have so many rows."""

from __future__ import annotations

import pytest

from hudi_core.engine import FileInfo
from hudi_core.reading import tasks
from hudi_core.reading.remote import SliceRead
from hudi_core.reading.tasks import balance_tasks, parts_for_limit, tasks_of_size
from hudi_core.timeline.slices import FileSlice
from tests.support.made_tables import Group, Log, MadeTable


def part(size: int, index: int = 0) -> SliceRead:
    return SliceRead(FileSlice("", f"f{index}", "1", FileInfo(f"f{index}.parquet", size)), False)


def sizes(dealt: list[list[SliceRead]]) -> list[int]:
    return [sum(part.size for part in task) for task in dealt]


def test_tasks_have_about_equal_bytes() -> None:
    parts = [part(size, index) for index, size in enumerate([90, 50, 40, 30, 20, 10, 5, 5])]
    dealt = balance_tasks(parts, 3)
    assert sum(sizes(dealt)) == 250
    assert max(sizes(dealt)) <= 90
    assert sorted(part.slice.file_id for task in dealt for part in task) == [f"f{index}" for index in range(8)]


def test_no_task_is_empty() -> None:
    assert balance_tasks([], 3) == []
    assert len(balance_tasks([part(1)], 3)) == 1
    assert sizes(balance_tasks([part(0, index) for index in range(4)], 2)) == [0, 0]
    assert [len(task) for task in balance_tasks([part(0, index) for index in range(4)], 2)] == [2, 2]


def test_many_bytes_make_more_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TASK_BYTES", 100)
    parts = [part(50, index) for index in range(10)]
    assert len(tasks_of_size(parts, 2)) == 5
    assert len(tasks_of_size(parts, 8)) == 8


def test_a_limit_reads_the_first_files_with_so_many_rows() -> None:
    groups = [Group("u", [{"id": f"{group}-{row}"} for row in range(3)]) for group in range(5)]
    scan = MadeTable(groups).open().scan()
    parts = scan.parts()
    counts = {limit: len(parts_for_limit(scan.sources, parts, limit)) for limit in (1, 3, 4, 15, 16)}
    assert counts == {1: 1, 3: 1, 4: 2, 15: 5, 16: 5}
    assert parts_for_limit(scan.sources, parts, 4) == parts[:2]


def test_slices_that_are_merged_or_filtered_are_not_counted() -> None:
    logged = Group("u", [{"id": "a", "n": 1}], [Log([{"id": "b", "n": 2}])])
    table = MadeTable([logged, Group("u", [{"id": "c", "n": 3}, {"id": "d", "n": 9}])]).open()
    scan = table.scan()
    (counted,) = parts_for_limit(scan.sources, scan.parts(), 2)
    assert not counted.slice.logs
    filtered = table.scan(where="n in (2, 3)")
    assert parts_for_limit(filtered.sources, filtered.parts(), 1) == filtered.parts()


def test_sizes_of_slices_count_all_files() -> None:
    merged = FileSlice("", "f", "1", FileInfo("f.parquet", 5), (FileInfo(".log", 7),))
    assert SliceRead(merged, True).size == 12
