"""Streams read side by side in threads, and given one after the other: what comes out does not depend on the threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from threading import Condition, Thread
from typing import Generic, TypeVar

from hudi_core.parallel.ordered import work_alone

T = TypeVar("T")

THREADS = max(2, os.cpu_count() or 1)
"""Two at least: one waits for storage while the other computes."""
AHEAD = 4
"""Items that may wait for each thread."""


def read_ahead(streams: Sequence[Callable[[], Iterator[T]]], threads: int = THREADS, ahead: int = AHEAD) -> Iterator[T]:
    """The items of the first stream, then those of the second, and so on; an error where the stream that raises it stands.

    Streams are opened in order and read in threads. At most `ahead` items for each thread are read and not yet taken, but
    for the one that each may have in hand. When the taker stops, all streams that were opened are closed before it goes on.
    """
    if threads < 2 or len(streams) < 2:
        for stream in streams:
            yield from stream()
        return
    reading = _Reading(streams, ahead * threads)
    workers = [Thread(target=reading.work, name="hudi-read", daemon=True) for _ in range(min(threads, len(streams)))]
    for worker in workers:
        worker.start()
    try:
        yield from reading.taken()
    finally:
        reading.stop()
        for worker in workers:
            worker.join()


class _Reading(Generic[T]):
    """What the threads share: the items of each stream that are read and not taken, and which streams have ended."""

    def __init__(self, streams: Sequence[Callable[[], Iterator[T]]], most: int) -> None:
        self._streams, self._most = streams, most
        self._changed = Condition()
        self._items: list[deque[T]] = [deque() for _ in streams]
        self._ends: dict[int, BaseException | None] = {}
        self._opened = self._current = self._waiting = 0
        self._stopped = False

    def taken(self) -> Iterator[T]:
        for number, items in enumerate(self._items):
            while True:
                with self._changed:
                    self._current = number
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: items or number in self._ends)  # noqa: B023  # waited for right here
                    if not items:
                        break
                    item = items.popleft()
                    self._waiting -= 1
                yield item
                del item  # a batch may be large
            error = self._ends[number]
            if error is not None:
                raise error

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def work(self) -> None:
        """Reads one stream after the other that nobody else reads."""
        work_alone()
        while (number := self._next()) is not None:
            error: BaseException | None = None
            try:
                self._read(number)
            except BaseException as raised:  # noqa: BLE001  # the taker raises it
                error = raised
            with self._changed:
                self._ends[number] = error
                self._changed.notify_all()

    def _read(self, number: int) -> None:
        stream = self._streams[number]()
        try:
            for item in stream:
                if not self._put(number, item):
                    return
        finally:
            if isinstance(stream, Generator):
                stream.close()

    def _next(self) -> int | None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._waiting < self._most)
            if self._stopped or self._opened == len(self._streams):
                return None
            self._opened += 1
            return self._opened - 1

    def _put(self, number: int, item: T) -> bool:
        """Adds an item once there is room; the taker's own stream has room when nothing of it is left. No: it was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._has_room(number))
            if self._stopped:
                return False
            self._items[number].append(item)
            self._waiting += 1
            self._changed.notify_all()
            return True

    def _has_room(self, number: int) -> bool:
        return self._waiting < self._most or (number == self._current and not self._items[number])
