"""STORE-4: answers ahead of use, and how requests are bounded and counted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread

import pytest

from hudi_core.parallel.requests import AnswersAhead, RequestLine, Traffic


def calls(log: list[str], name: str) -> Callable[[], str]:
    def call() -> str:
        log.append(name)
        return name

    return call


def test_an_answer_is_fetched_once_and_given_once() -> None:
    log: list[str] = []
    ahead = AnswersAhead[str, str](2)
    ahead.ask("a", calls(log, "first"), 1)
    ahead.ask("a", calls(log, "not fetched"), 1)
    assert ahead.take("a", calls(log, "here")) == "first"
    assert ahead.take("a", calls(log, "here")) == "here"
    assert log == ["first", "here"]


def test_files_that_may_change_are_fetched_again() -> None:
    log: list[str] = []
    ahead = AnswersAhead[str, str](1)
    ahead.ask("a", calls(log, "old"), 1)
    ahead.ask("a", calls(log, "new"), 1, anew=True)
    assert ahead.take("a", calls(log, "here")) == "new"


def test_errors_come_where_the_answer_is_used() -> None:
    def fail() -> str:
        raise OSError("gone")

    ahead = AnswersAhead[str, str](1)
    ahead.ask("a", fail, 1)
    with pytest.raises(OSError, match="gone"):
        ahead.take("a", lambda: "never")


def test_nothing_is_fetched_ahead_where_the_system_gives_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    ahead = AnswersAhead[str, str](1)
    ahead.ask("a", lambda: "ahead", 1)
    assert ahead.take("a", lambda: "here") == "here"


def test_answers_that_nobody_takes_make_room_for_others() -> None:
    log: list[str] = []
    ahead = AnswersAhead[str, str](1, max_bytes=10)
    ahead.ask("a", calls(log, "a"), 6)
    ahead.ask("b", calls(log, "b"), 4)
    assert ahead.take("b", calls(log, "here")) == "b"  # so that a is fetched too
    ahead.ask("c", calls(log, "c"), 8)
    assert ahead.take("c", calls(log, "here")) == "c"
    assert ahead.take("a", calls(log, "a again")) == "a again"


def test_answers_under_way_leave_no_room() -> None:
    log: list[str] = []
    release = Event()
    ahead = AnswersAhead[str, str](1, max_bytes=10)
    ahead.ask("a", lambda: str(release.wait(10)), 10)
    ahead.ask("b", calls(log, "ahead"), 1)
    release.set()
    assert ahead.take("b", calls(log, "here")) == "here"
    assert ahead.take("a", calls(log, "here")) == "True"


def test_waves_are_the_longest_chain() -> None:
    line, together = RequestLine(8), Barrier(4)

    def request() -> None:
        with line.request() as answered:
            together.wait(10)
            answered.bytes = 5

    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            list(pool.map(lambda _: request(), range(4)))
    traffic = line.traffic
    assert (traffic.requests, traffic.bytes, traffic.waves) == (12, 60, 3) and traffic.seconds > 0
    assert traffic.since(traffic) == Traffic()


def test_requests_that_fail_count() -> None:
    line = RequestLine(1)
    for _ in range(2):
        with pytest.raises(OSError, match="no answer"), line.request():
            raise OSError("no answer")
    assert (line.traffic.requests, line.traffic.waves) == (2, 2)
