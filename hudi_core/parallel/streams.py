"""Streams read side by side in threads and given one after the other: the output does not depend on the threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from threading import Condition, Thread
from typing import Final, Generic, TypeVar

from hudi_core.parallel.background import join_for_a_moment
from hudi_core.parallel.limits import READERS
from hudi_core.parallel.ordered import work_alone

T = TypeVar("T")

MAX_WAITING_ITEMS: Final = 4
"""Items that may wait for the consumer, for each thread."""


def read_ahead(
    streams: Sequence[Callable[[], Iterator[T]]], threads: int = READERS, ahead: int = MAX_WAITING_ITEMS
) -> Iterator[T]:
    """The items of the first stream, then those of the second, and so on; an error where the stream that raises it stands.

    Streams are opened in order and read in threads. At most `ahead` items for each thread are read and not yet taken, besides
    the one that each may have in hand. When the consumer stops, all streams that were opened are closed before it goes on; when
    it is interrupted, it waits for them a moment alone.
    """
    if threads < 2 or len(streams) < 2:
        for stream in streams:
            yield from stream()
        return
    queues = _StreamQueues(streams, ahead * threads)
    workers: list[Thread] = []
    try:
        for _ in range(min(threads, len(streams))):
            worker = Thread(target=queues.work, name="hudi-read", daemon=True)
            worker.start()
            workers.append(worker)
        yield from queues.items()
    except KeyboardInterrupt:  # threads may wait for storage that does not answer: they end by themselves
        queues.stop()
        join_for_a_moment(workers)
        workers.clear()
        raise
    finally:
        queues.stop()
        for worker in workers:
            worker.join()


class _StreamQueues(Generic[T]):
    """State that the threads share: for each stream the items that are read and not taken, and whether it has ended."""

    def __init__(self, streams: Sequence[Callable[[], Iterator[T]]], max_waiting: int) -> None:
        self._streams, self._max_waiting = streams, max_waiting
        self._changed = Condition()
        self._queues: list[deque[T]] = [deque() for _ in streams]
        self._ends: dict[int, BaseException | None] = {}
        self._opened = self._current = self._waiting = 0
        self._stopped = False

    def items(self) -> Iterator[T]:
        for index, queue in enumerate(self._queues):
            while True:
                with self._changed:
                    self._current = index
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: queue or index in self._ends)  # noqa: B023  # waited for right here
                    if not queue:
                        break
                    item = queue.popleft()
                    self._waiting -= 1
                yield item
                del item  # a batch may be large
            error = self._ends[index]
            if error is not None:
                raise error

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def work(self) -> None:
        """Reads streams, one after the other, that no other thread reads."""
        work_alone()
        while (index := self._next()) is not None:
            error: BaseException | None = None
            try:
                self._read(index)
            except BaseException as raised:  # noqa: BLE001  # the consumer raises it
                error = raised
            with self._changed:
                self._ends[index] = error
                self._changed.notify_all()

    def _read(self, index: int) -> None:
        stream = self._streams[index]()
        try:
            for item in stream:
                if not self._put(index, item):
                    return
        finally:
            if isinstance(stream, Generator):
                stream.close()

    def _next(self) -> int | None:
        """The next stream to read; None when all are taken or reading was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._waiting < self._max_waiting)
            if self._stopped or self._opened == len(self._streams):
                return None
            self._opened += 1
            return self._opened - 1

    def _put(self, index: int, item: T) -> bool:
        """Adds an item once there is room. False: reading was stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._has_room(index))
            if self._stopped:
                return False
            self._queues[index].append(item)
            self._waiting += 1
            self._changed.notify_all()
            return True

    def _has_room(self, index: int) -> bool:
        """The stream that the consumer takes from has room whenever its queue is empty, or it would wait forever."""
        return self._waiting < self._max_waiting or (index == self._current and not self._queues[index])
