"""Rows to tasks in the order of the input."""

from __future__ import annotations

import pickle
import pickletools

from hudi_core.writing.spread.prepared import InputReport, PartReport
from hudi_core.writing.spread.routed import input_order


def test_parts_know_the_rows_of_those_before_by_partition() -> None:
    """WRITE-420."""
    counts = [{"x": 2, "y": 1}, {}, {"y": 4}, {"z": 1, "x": 5, "y": 1}]
    given = InputReport(tuple(PartReport(part, of_part, None) for part, of_part in enumerate(counts)))
    order = input_order({}, given)
    starts = [{"x": 0, "y": 0}, {}, {"y": 1}, {"z": 0, "x": 2, "y": 5}]
    assert [order.starts(part) for part in range(4)] == starts
    assert order.starts(4) == {}
    assert given.first_rows == {0: 0, 1: 3, 2: 3, 3: 7}


def test_tasks_load_no_object_for_each_part_and_partition() -> None:
    """WRITE-1661: each task of a write gets the counts of all parts."""
    of_part = {f"city={number}": 1 for number in range(100)}
    order = input_order({}, InputReport(tuple(PartReport(part, of_part, None) for part in range(100))))
    loaded = sum(1 for _ in pickletools.genops(pickle.dumps(order)))
    assert loaded < 100 * 100 / 4
