"""Slices as columns: the same ones as they are one by one."""

from __future__ import annotations

import numpy as np

from hudi_core.engine import FileInfo
from hudi_core.timeline.slices import FileSlice, slices_of

BOTH = FileSlice(
    "p",
    "f-0",
    "1",
    FileInfo("p/f-0_0-1-2_1.parquet", 10),
    (FileInfo("p/.f-0_2.log.1_0-1-2", 3), FileInfo("p/.f-0_3.log.1_0-1-2", 4)),
)
BASE = FileSlice("", "g", "2", FileInfo("g_0-1-2_2.parquet", 5))
LOGS = FileSlice("q", "h", "3", None, (FileInfo("q/.h_3.log.1_0-1-2", 6),))


def test_columns_give_back_what_they_were_made_of() -> None:
    found = slices_of([BOTH, BASE, LOGS])
    assert list(found) == [BOTH, BASE, LOGS]
    assert found[1:] == [BASE, LOGS]
    assert found[-1] == LOGS
    assert [found.instants[number] for number in found.log_instants] == ["2", "3", "3"]


def test_without_logs_only_base_files_are_left() -> None:
    assert list(slices_of([BOTH, BASE, LOGS]).without_logs()) == [
        FileSlice(BOTH.partition, BOTH.file_id, BOTH.instant, BOTH.base),
        BASE,
    ]


def test_no_slices_are_no_slices() -> None:
    assert list(slices_of([])) == []
    assert list(slices_of([]).without_logs()) == []


def test_chosen_slices_come_with_their_files_alone() -> None:
    whole = slices_of([BOTH, BASE, LOGS])
    found = whole.select(np.array([2, 0]))
    assert list(found) == [LOGS, BOTH]
    assert found.partitions == ("p", "q")
    assert len(found.files) == 4
    assert list(whole.select(np.zeros(0, np.int64))) == []
    assert list(found.select(np.array([1]))) == [BOTH]
