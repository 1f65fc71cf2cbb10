"""Tasks side by side: on the processors that this process may use when they compute, more when they wait for storage."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def side_by_side(tasks: Sequence[Callable[[], T]], most: int | None = None) -> Iterator[T]:
    """What the tasks give, in their order, at most so many at the same time (None: as there are processors). Raises what the
    first of them raises that fails.

    Threads do, because what takes long here (NumPy, inflating, reading) lets other threads run meanwhile.
    """
    workers = min(most or _processors(), len(tasks))
    if workers <= 1:
        yield from (task() for task in tasks)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda task: task(), tasks)


def _processors() -> int:
    """How many processors there are for this process; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
