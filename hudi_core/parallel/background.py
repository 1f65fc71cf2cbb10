"""Threads for calls that may hang: the process waits for them a moment when it ends, and not until they answer."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Lock, Semaphore, Thread
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakSet, finalize

from hudi_core.parallel.forks import begin_anew_when_forked

R = TypeVar("R")

_Call: TypeAlias = tuple["Future[Any]", Callable[[], Any]]

GRACE_SECONDS: Final = 3.0
"""How long an end waits for calls under way. Libraries in C++ and Rust abort a process that takes their threads down just as they
come back from a call: ordinary calls are over by then, and one that hangs does not come back."""


def join_for_a_moment(threads: Iterable[Thread]) -> None:
    """Waits until the threads have ended, `GRACE_SECONDS` at most."""
    until = monotonic() + GRACE_SECONDS
    for thread in threads:
        thread.join(max(until - monotonic(), 0))


class BackgroundThreads:
    """At most `most` threads, started when they are needed, that make calls in their order. Safe in threads.

    A process that ends waits for threads of `concurrent.futures` however long their calls take; for these it waits a moment, and
    makes no further call. They end with this object, after the calls that were submitted.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self.begin_anew()
        _LIVE.add(self)
        begin_anew_when_forked(self)

    def begin_anew(self) -> None:
        """Has no threads and no calls."""
        self._lock = Lock()
        self._count = 0
        self._calls = SimpleQueue[_Call | None]()
        self._idle = Semaphore(0)
        # Where the process ends, `_end` stops the threads: a finalizer would come after it.
        finalize(self, self._calls.put, None).atexit = False

    def submit(self, call: Callable[[], R]) -> Future[R]:
        """Begins a call when a thread is free; gives its answer to come. Raises `RuntimeError` where the system gives no thread
        at all."""
        answer = Future[R]()
        with self._lock:
            if not self._idle.acquire(blocking=False) and self._count < self._most:
                self._start()
            self._calls.put((answer, call))
        return answer

    def _start(self) -> None:
        thread = Thread(target=_work, args=(self._calls, self._idle), name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            if not self._count:
                raise
            return  # those that are there do its calls
        _THREADS.add(thread)
        self._count += 1

    def wake(self) -> None:
        """Lets an idle thread look whether the process ends."""
        self._calls.put(None)


_LIVE: Final = WeakSet[BackgroundThreads]()
_THREADS: Final = WeakSet[Thread]()
_ENDING: Final = Event()


def _work(calls: SimpleQueue[_Call | None], idle: Semaphore) -> None:
    while (submitted := calls.get()) is not None and not _ENDING.is_set():
        answer, call = submitted
        try:
            answer.set_result(call())
        except BaseException as raised:  # noqa: BLE001  # who takes the answer raises it
            answer.set_exception(raised)
        del submitted, answer, call  # an answer may be large
        idle.release()
    calls.put(None)  # for the next thread


@atexit.register
def _end() -> None:
    _ENDING.set()
    for pool in list(_LIVE):
        pool.wake()
    join_for_a_moment(list(_THREADS))
