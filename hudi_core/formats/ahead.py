"""Parts of one thing worked on side by side, a few ahead of who takes the results, which come in order.

Threads do: NumPy, inflating and reading let others run meanwhile.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import local
from typing import TypeVar

P = TypeVar("P")
R = TypeVar("R")

_thread = local()


def in_order(work: Callable[[P], R], parts: Sequence[P], workers: int | None = None) -> Iterator[R]:
    """What `work` makes of each part, in order; one more than there are workers are made at the same time at most.

    Raises what the first part raises that fails. Parts that nobody waits for any more are not begun. Work that computes has a
    worker for each processor (None), but only the thread it is called on where that is to `work_alone`, as the workers here
    are. Work that waits for storage says how many.
    """
    if workers is None:
        workers = 1 if getattr(_thread, "alone", False) else processors()
    workers = min(workers, len(parts))
    if workers <= 1:
        yield from map(work, parts)
        return
    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(workers, initializer=work_alone)
    try:
        for part in parts:
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
