"""Hedged reads: where an answer is late the request is sent a second time; the sooner answer counts, the other is dropped.

Requests run on an event loop in a thread of its own, since only there a request under way can be cancelled.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable
from threading import Lock, Thread
from time import monotonic
from typing import Final, TypeVar

T = TypeVar("T")

LEAST_PATIENCE: Final = 0.5
"""Seconds before which no request is late."""
_FIRST_PATIENCE: Final = 2.0
"""Seconds after which an answer is late, as long as too few answers have come to measure it."""
_TIMES_SLOWEST: Final = 3
_RECENT, _ENOUGH = 64, 8
_SHARE: Final = 20
"""One request in so many may be repeated, and one more: a store that is slow as a whole gets no second load."""

_loops: dict[int, asyncio.AbstractEventLoop] = {}
_loops_lock = Lock()


class Hedge:
    """The reads of one store; unless `wanted`, each is sent once. Safe in threads."""

    def __init__(
        self,
        wanted: bool = True,
        *,
        first_patience: float = _FIRST_PATIENCE,
        least_patience: float = LEAST_PATIENCE,
    ) -> None:
        self._wanted, self._first_patience, self._least_patience = wanted, first_patience, least_patience
        self._recent = deque[float](maxlen=_RECENT)
        self._requests = self._repeated = 0

    def answer(self, request: Callable[[], Awaitable[T]]) -> T:
        """The answer to a request, which may be made twice. Raises what it raises, where both do that of the later one."""
        answered = asyncio.run_coroutine_threadsafe(self._sooner(request), _loop())
        try:
            return answered.result()
        except BaseException:
            answered.cancel()
            raise

    # What follows runs on the loop, one step at a time.

    async def _sooner(self, request: Callable[[], Awaitable[T]]) -> T:
        begun = monotonic()
        self._requests += 1
        under_way = {asyncio.ensure_future(request())}
        try:
            ended, _ = await asyncio.wait(under_way, timeout=self._patience())
            if not ended and self._repeated <= self._requests // _SHARE:
                self._repeated += 1
                under_way.add(asyncio.ensure_future(request()))
            while True:
                ended, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                best = min(ended, key=lambda request: request.exception() is not None)
                if under_way and best.exception() is not None:
                    continue  # the other may do better
                self._recent.append(monotonic() - begun)
                return best.result()
        finally:
            for late in under_way:
                late.cancel()

    def _patience(self) -> float | None:
        if not self._wanted:
            return None
        if len(self._recent) < _ENOUGH:
            return self._first_patience
        return max(self._least_patience, _TIMES_SLOWEST * max(self._recent))


def _loop() -> asyncio.AbstractEventLoop:
    """The loop of this process."""
    with _loops_lock:
        if os.getpid() not in _loops:
            _loops.clear()  # of the process that this one was forked from, whose thread did not come along
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            Thread(target=loop.run_forever, name="hudi-requests", daemon=True).start()
        return _loops[os.getpid()]
