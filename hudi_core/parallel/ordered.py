"""Tasks that run side by side in threads, a few ahead of the consumer; their results come in order; and calls made aside.

Threads suffice: NumPy, inflating and reading release the interpreter lock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import chain, islice
from threading import local
from typing import Any, Final, Protocol, TypeVar

from hudi_core.parallel.limits import PROCESSORS, STORAGE_REQUESTS

P = TypeVar("P")
R = TypeVar("R")

MOST_WAITING: Final = 32
"""Calls aside that wait at most: each holds what it is made with."""

_thread = local()


def in_order(work: Callable[[P], R], parts: Iterable[P], workers: int | None = None) -> Generator[R, None, None]:
    """The result of `work` for each part, in order. At most `workers` + 1 parts are in progress or wait to be taken; further
    parts are drawn from the iterable as results are taken.

    Raises the error of the first part that fails. Parts whose results nobody takes any more are not begun, and to close the
    iterator waits for those that are. None is for work that computes: one worker for each processor, but only the calling thread
    where it is to `work_alone`, as the workers here are. Work that waits for storage passes `request_threads`.
    """
    if workers is None:
        workers = 1 if works_alone() else PROCESSORS
    remaining = iter(parts)
    first = deque(islice(remaining, 2))
    all_parts = chain(_release(first), remaining)
    if workers <= 1 or len(first) <= 1:
        yield from map(work, all_parts)
        return
    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(workers, initializer=work_alone)
    try:
        for future in (pool.submit(work, part) for part in all_parts):
            waiting.append(future)
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


class Stored(Protocol):
    """What is asked of a storage here: whether its requests wait for a network."""

    @property
    def is_remote(self) -> bool: ...


def request_threads(storage: Stored) -> int:
    """How many threads make small requests to a storage at once: one to local files, which answer before a further thread has
    started."""
    return STORAGE_REQUESTS if storage.is_remote else 1


def _release(parts: deque[P]) -> Iterator[P]:
    """The parts, which are not kept beyond their turn: they may be large."""
    while parts:
        yield parts.popleft()


def work_alone() -> None:
    """Marks this thread as one of several that share the processors already: its computations start no further threads."""
    _thread.alone = True


def works_alone() -> bool:
    """Whether this thread is to start no further threads that compute."""
    return getattr(_thread, "alone", False)


class SameThread(Executor):
    """Runs what is submitted at once, in the thread that submits it: for work that a thread of its own would only delay."""

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """What it raises is raised here, and by no result."""
        future: Future[R] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class CallsAside:
    """Makes calls that compute, one after the other, in a thread of its own, while the thread that asks for them goes on. It is
    that thread which makes them where it is to work alone, where there is one processor, or where they are `few`."""

    def __init__(self, name: str, *, few: bool) -> None:
        here = few or PROCESSORS == 1 or works_alone()
        self._executor = SameThread() if here else ThreadPoolExecutor(1, name, initializer=work_alone)
        self._waiting = deque[Future[None]]()

    def submit(self, call: Callable[[], None]) -> None:
        """Makes a call after those before it. Waits while many are to be made. Raises what one of them raised."""
        self._waiting.append(self._executor.submit(call))
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft().result()

    def finish(self) -> None:
        """Waits until all calls are made, which has to be done before what they change is read. Raises what the first that failed
        raised."""
        while self._waiting:
            self._waiting.popleft().result()
