"""Threads for calls that nobody may wait for: the process ends without them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Semaphore, Thread
from typing import Any, TypeAlias, TypeVar

R = TypeVar("R")

_Call: TypeAlias = tuple["Future[Any]", Callable[[], Any]]


class BackgroundThreads:
    """At most `most` threads, started when they are needed, that make calls in their order. Safe in threads.

    The threads of `concurrent.futures` are waited for when the process ends; these are not. They end with this object, after the
    calls that were submitted.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._lock = Lock()
        self._count = 0
        self._calls = SimpleQueue[_Call | None]()
        self._idle = Semaphore(0)
        weakref.finalize(self, self._calls.put, None)

    def submit(self, call: Callable[[], R]) -> Future[R]:
        """Begins a call when a thread is free; gives its answer to come."""
        answer = Future[R]()
        self._calls.put((answer, call))
        with self._lock:
            if not self._idle.acquire(blocking=False) and self._count < self._most:
                self._count += 1
                Thread(target=_work, args=(self._calls, self._idle), name=self._name, daemon=True).start()
        return answer


def _work(calls: SimpleQueue[_Call | None], idle: Semaphore) -> None:
    while (submitted := calls.get()) is not None:
        answer, call = submitted
        try:
            answer.set_result(call())
        except BaseException as raised:  # noqa: BLE001  # who takes the answer raises it
            answer.set_exception(raised)
        del submitted, answer, call  # an answer may be large
        idle.release()
    calls.put(None)  # for the next thread
