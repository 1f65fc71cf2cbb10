"""What a runner has to answer. Rules ENGINE-9, ENGINE-10."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from hudi_core.engine import Runner
from hudi_core.parallel.reach import Reach


def square(number: int) -> int:
    return number * number


def remainder(divisor: int, number: int) -> tuple[int, bytes]:
    return number % divisor, b"\x00\xff" * number


def refuse_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven is refused")
    return number


def seen(path: str) -> tuple[int, bytes | None]:
    """The process of the task, and what a local file holds for it."""
    return os.getpid(), Path(path).read_bytes() if Path(path).exists() else None


class RunnerContract:
    """Claimed with a fixture `runner`."""

    def test_some_tasks_run_at_the_same_time(self, runner: Runner) -> None:
        assert runner.parallelism >= 1

    @pytest.mark.parametrize("count", [0, 1, 2, 41])
    def test_results_come_in_the_order_of_tasks(self, runner: Runner, count: int) -> None:
        tasks = list(range(count, 0, -1))
        assert runner.run(square, tasks) == [task * task for task in tasks]

    def test_work_results_and_tasks_are_any_that_can_be_pickled(self, runner: Runner) -> None:
        assert runner.run(partial(remainder, 3), [4, 2]) == [(1, b"\x00\xff" * 4), (2, b"\x00\xff" * 2)]
        assert runner.run(len, [(1, 2), (), (None,)]) == [2, 0, 1]

    def test_equal_tasks_have_a_result_each(self, runner: Runner) -> None:
        assert runner.run(square, [3, 3, 3]) == [9, 9, 9]

    def test_a_task_that_raises_makes_the_runner_raise(self, runner: Runner) -> None:
        with pytest.raises(Exception, match="seven is refused"):
            runner.run(refuse_seven, list(range(9)))

    def test_tasks_reach_the_promised_parts_of_the_calling_process(self, runner: Runner, tmp_path: Path) -> None:
        (tmp_path / "rows").write_bytes(b"rows")
        for process, content in runner.run(seen, [str(tmp_path / "rows")] * 2):
            assert content == b"rows" or runner.reach is Reach.NOTHING
            assert process == os.getpid() or runner.reach is not Reach.MEMORY
