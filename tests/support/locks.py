"""Threads that take one lock, again and again, all at the same time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Barrier, Thread


def holders_at_once(lock: Callable[[], AbstractContextManager[None]], threads: int, times: int) -> list[int]:
    """For each time that one of the threads held the lock how many held it then, itself among them."""
    inside: list[int] = []
    counts: list[int] = []
    ready = Barrier(threads)

    def work() -> None:
        ready.wait()
        for _ in range(times):
            with lock():
                inside.append(1)
                counts.append(len(inside))
                inside.pop()

    workers = [Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return counts
