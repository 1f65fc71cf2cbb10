"""The runners of this process keep the contract of runners."""

from __future__ import annotations

import threading

import pytest

from hudi_core.engine import Runner
from hudi_core.parallel.runners import SerialRunner, ThreadRunner
from tests.contract.runner import RunnerContract


class TestSerialRunner(RunnerContract):
    @pytest.fixture
    def runner(self) -> Runner:
        return SerialRunner()


class TestThreadRunner(RunnerContract):
    @pytest.fixture(params=[1, 3, None], ids=["one thread", "three threads", "a thread a processor"])
    def runner(self, request: pytest.FixtureRequest) -> Runner:
        return ThreadRunner(request.param)


def test_so_many_threads_run_tasks_at_the_same_time() -> None:
    runner = ThreadRunner(3)
    together = threading.Barrier(runner.parallelism, timeout=30)

    def wait(task: int) -> int:
        together.wait()
        return task

    assert runner.run(wait, [1, 2, 3]) == [1, 2, 3]


def test_a_serial_runner_stays_in_the_calling_thread() -> None:
    assert set(SerialRunner().run(lambda _: threading.get_ident(), [1, 2])) == {threading.get_ident()}
