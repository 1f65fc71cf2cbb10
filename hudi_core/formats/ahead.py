"""Parts of one thing worked on side by side, a few ahead of who takes the results, which come in order.

Threads do: NumPy lets others run while it works on arrays.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import current_thread, main_thread
from typing import TypeVar

P = TypeVar("P")
R = TypeVar("R")


def in_order(work: Callable[[P], R], parts: Sequence[P]) -> Iterator[R]:
    """What `work` makes of each part, in order; one more than there are processors are made at the same time at most.

    Raises what the first part raises that fails. Parts that nobody waits for any more are not begun. On another thread than the
    main one there is one worker: who started that thread shares the processors out already.
    """
    workers = min(processors(), len(parts))
    if workers <= 1 or current_thread() is not main_thread():
        yield from map(work, parts)
        return
    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def processors() -> int:
    """How many there are for this process; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
