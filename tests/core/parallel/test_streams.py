"""Streams read side by side: order, errors, bounds and early ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from threading import Event
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.parallel.streams import read_ahead


@given(st.lists(st.lists(st.integers(), max_size=6), max_size=8), st.integers(1, 4), st.integers(1, 3))
def test_items_come_in_the_order_of_the_streams(lists: list[list[int]], threads: int, ahead: int) -> None:
    streams = [lambda entry=entry: iter(entry) for entry in lists]
    assert list(read_ahead(streams, threads, ahead)) == [item for entry in lists for item in entry]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_comes_after_the_results_before_it(threads: int) -> None:
    def failing() -> Iterator[int]:
        yield 3
        raise ValueError("broken")

    taken: list[int] = []
    with pytest.raises(ValueError, match="broken"):
        taken.extend(read_ahead([lambda: iter([1, 2]), failing, lambda: iter([4])], threads))
    assert taken == [1, 2, 3]


def test_no_more_is_read_than_may_wait() -> None:
    read = []
    lock = threading.Lock()

    def stream(number: int) -> Callable[[], Iterator[int]]:
        def items() -> Iterator[int]:
            for item in range(10):
                with lock:
                    read.append(number)
                yield item

        return items

    found = read_ahead([stream(number) for number in range(6)], threads=2, ahead=2)
    for taken in range(60):
        next(found)
        with lock:
            # What was taken, what may wait, the taker's own next one, and one in the hand of each thread.
            assert len(read) <= taken + 1 + 4 + 1 + 2
    assert next(found, None) is None


def test_stopping_early_closes_the_streams_and_ends_the_threads() -> None:
    closed = []

    def stream(number: int) -> Callable[[], Iterator[int]]:
        def items() -> Iterator[int]:
            try:
                yield from range(100)
            finally:
                closed.append(number)

        return items

    before = threading.active_count()
    found = read_ahead([stream(number) for number in range(50)], threads=3, ahead=1)
    assert next(found) == 0
    found.close()
    assert threading.active_count() == before
    assert 1 <= len(closed) <= 6 and sorted(closed) == list(range(len(closed)))


@pytest.mark.parametrize("given", [0, 1])
def test_no_thread_stays_where_the_system_gives_too_few(monkeypatch: pytest.MonkeyPatch, given: int) -> None:
    start, started = threading.Thread.start, list[threading.Thread]()

    def start_few(thread: threading.Thread) -> None:
        if len(started) == given:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    with pytest.raises(RuntimeError, match="new thread"):
        next(read_ahead([lambda: iter(range(100))] * 9, threads=3, ahead=1))
    assert not any(thread.is_alive() for thread in started)


def test_an_interrupt_does_not_wait_for_streams_that_hang() -> None:
    go_on = Event()

    def hanging() -> Iterator[int]:
        go_on.wait(30)
        yield 2

    items = read_ahead([lambda: iter([1]), hanging], threads=2)
    assert isinstance(items, Generator) and next(items) == 1
    begin = monotonic()
    with pytest.raises(KeyboardInterrupt):
        items.throw(KeyboardInterrupt)
    assert monotonic() - begin < 10
    go_on.set()
