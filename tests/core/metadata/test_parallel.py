"""Tasks side by side: their order, their errors, one processor."""

from __future__ import annotations

import threading

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.metadata import parallel
from hudi_core.metadata.parallel import side_by_side


def failing(number: int) -> int:
    raise CorruptFileError(f"t{number}", expected="sound", found="damaged")


@pytest.mark.parametrize("processors", [1, 2, 5])
def test_results_come_in_the_order_of_tasks(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: processors)
    assert list(side_by_side([lambda number=number: number * number for number in range(20)])) == [
        number * number for number in range(20)
    ]
    assert list(side_by_side([])) == []


@pytest.mark.parametrize("processors", [1, 3])
def test_the_first_task_that_fails_is_told(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: processors)
    with pytest.raises(CorruptFileError, match=r"^t2: "):
        list(side_by_side([lambda: 0, lambda: 1, lambda: failing(2), lambda: failing(3)]))


def test_two_tasks_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 2)
    both = threading.Barrier(2, timeout=30)
    assert sorted(side_by_side([both.wait, both.wait])) == [0, 1]
