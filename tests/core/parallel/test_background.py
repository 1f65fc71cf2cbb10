"""Calls in threads that the process waits for a moment when it ends. Rule STORE-4."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import Future
from threading import Barrier, Event
from time import monotonic, sleep

import pytest

from hudi_core.parallel.background import BackgroundThreads


def threads(name: str) -> int:
    return sum(thread.name == name for thread in threading.enumerate())


def test_calls_run_side_by_side_in_as_many_threads_as_are_needed() -> None:
    pool, together = BackgroundThreads(3, "many"), Barrier(3, timeout=10)
    assert [pool.submit(lambda: 1).result(5) for _ in range(5)] == [1] * 5
    assert threads("many") <= 2  # one that has given its answer may not be idle yet
    answers = [pool.submit(together.wait) for _ in range(6)]
    assert sorted(answer.result(10) for answer in answers) == [0, 0, 1, 1, 2, 2]
    assert threads("many") == 3


def test_an_error_of_a_call_comes_with_its_answer() -> None:
    pool = BackgroundThreads(1, "failing")
    failed, after = pool.submit(lambda: 1 // 0), pool.submit(lambda: 2)
    with pytest.raises(ZeroDivisionError):
        failed.result(5)
    assert after.result(5) == 2


def test_threads_end_with_the_object_after_their_calls() -> None:
    def begun() -> list[Future[bool]]:
        pool = BackgroundThreads(2, "ending")
        return [pool.submit(go_on.wait) for _ in range(4)]

    go_on = Event()
    answers = begun()
    assert threads("ending") == 2
    go_on.set()
    assert [answer.result(5) for answer in answers] == [True] * 4
    until = monotonic() + 5
    while threads("ending") and monotonic() < until:
        sleep(0.01)
    assert threads("ending") == 0


def test_calls_wait_for_the_threads_that_the_system_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    start, pool = threading.Thread.start, BackgroundThreads(3, "few")

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"):
        pool.submit(lambda: 1)
    monkeypatch.setattr(threading.Thread, "start", start)
    go_on = Event()
    first = pool.submit(go_on.wait)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    second = pool.submit(lambda: 2)
    go_on.set()
    assert (first.result(5), second.result(5)) == (True, 2)


def test_a_process_ends_while_an_answer_ahead_hangs() -> None:
    code = """
from time import sleep
from hudi_core.parallel.requests import AnswersAhead
ahead = AnswersAhead(2)
ahead.ask("a", lambda: sleep(60), 1)
ahead.ask("b", lambda: sleep(60), 1)
raise SystemExit(3)
"""
    begin = monotonic()
    assert subprocess.run([sys.executable, "-c", code], timeout=50, check=False).returncode == 3
    assert monotonic() - begin < 30


def test_a_process_that_ends_waits_for_calls_under_way_and_makes_no_other() -> None:
    code = """
from time import sleep
from hudi_core.parallel.background import BackgroundThreads
pool, begun = BackgroundThreads(1, "ending"), []
def call(number):
    begun.append(number)
    sleep(0.3)
    print(number, flush=True)
for number in range(3):
    pool.submit(lambda number=number: call(number))
while not begun:
    sleep(0.01)
"""
    begin = monotonic()
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True)
    assert (ended.stdout, ended.stderr) == ("0\n", "")
    assert monotonic() - begin < 20
