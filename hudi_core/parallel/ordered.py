"""Parts of one thing worked on side by side, a few ahead of who takes the results, which come in order.

Threads do: NumPy, inflating and reading let others run meanwhile.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from threading import local
from typing import TypeVar

P = TypeVar("P")
R = TypeVar("R")

_thread = local()


def in_order(work: Callable[[P], R], parts: Iterable[P], workers: int | None = None) -> Iterator[R]:
    """What `work` makes of each part, in order; one more than there are workers are made at the same time at most. Parts are
    taken from who gives them meanwhile.

    Raises what the first part raises that fails. Parts that nobody waits for any more are not begun. Work that computes has a
    worker for each processor (None), but only the thread it is called on where that is to `work_alone`, as the workers here
    are. Work that waits for storage says how many.
    """
    if workers is None:
        workers = 1 if getattr(_thread, "alone", False) else processors()
    coming = iter(parts)
    first = list(islice(coming, 2))
    if workers <= 1 or len(first) <= 1:
        yield from map(work, chain(first, coming))
        return
    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(workers, initializer=work_alone)
    try:
        for part in chain(first, coming):
            waiting.append(pool.submit(work, part))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def work_alone() -> None:
    """Says that this thread is one of several that share the processors out already: what it computes needs no others."""
    _thread.alone = True


def processors() -> int:
    """How many there are for this process; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
