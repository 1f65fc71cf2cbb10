"""What a runner has to answer. Rule ENGINE-9."""

from __future__ import annotations

from functools import partial

import pytest

from hudi_core.engine import Runner


def square(number: int) -> int:
    return number * number


def remainder(divisor: int, number: int) -> tuple[int, bytes]:
    return number % divisor, b"\x00\xff" * number


def refuse_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven is refused")
    return number


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
