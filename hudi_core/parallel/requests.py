"""Requests to storage that answers from afar: how many are in flight, how long they are waited for, and answers ahead of use."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from time import perf_counter
from typing import Final, Generic, TypeVar

from hudi_core.parallel.background import BackgroundThreads
from hudi_core.parallel.forks import begin_anew_when_forked

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")

MAX_AHEAD_BYTES: Final = 1 << 26
"""Bytes of answers that may wait for their use: what is expected beyond them is requested on use."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic with storage. `waves` is the longest chain of requests of which each began after the one before it
    had been answered; `seconds` is the time during which at least one was in flight."""

    requests: int = 0
    bytes: int = 0
    waves: int = 0
    seconds: float = 0.0

    def since(self, earlier: Traffic) -> Traffic:
        """The traffic since an earlier state of it."""
        return Traffic(
            self.requests - earlier.requests,
            self.bytes - earlier.bytes,
            self.waves - earlier.waves,
            self.seconds - earlier.seconds,
        )


class Answered:
    """A request in flight; `bytes` is set to the size of its answer."""

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0


class RequestLine:
    """The requests to one store: at most `limit` in flight, counted. Safe in threads."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._requests = self._bytes = self._waves = 0
        self._seconds = 0.0
        self.begin_anew()
        begin_anew_when_forked(self)

    def begin_anew(self) -> None:
        """Has no request in flight."""
        self._slots = BoundedSemaphore(self.limit)
        self._lock = Lock()
        self._in_flight, self._begun = 0, 0.0

    @property
    def traffic(self) -> Traffic:
        """The requests that were answered so far."""
        with self._lock:
            return Traffic(self._requests, self._bytes, self._waves, self._seconds)

    @contextmanager
    def request(self) -> Iterator[Answered]:
        """One request, from when there is room for it until it is answered or has failed."""
        answered = Answered()
        with self._slots:
            with self._lock:
                if not self._in_flight:
                    self._begun = perf_counter()
                self._in_flight += 1
                wave = self._waves + 1
            try:
                yield answered
            finally:
                with self._lock:
                    self._in_flight -= 1
                    self._requests += 1
                    self._bytes += answered.bytes
                    self._waves = max(self._waves, wave)
                    if not self._in_flight:
                        self._seconds += perf_counter() - self._begun


class AnswersAhead(Generic[K, R]):
    """Answers that are fetched in threads before they are used. Each is returned once. Safe in threads.

    A process that ends does not wait for unused answers.
    """

    def __init__(self, workers: int, max_bytes: int = MAX_AHEAD_BYTES) -> None:
        self._max_bytes = max_bytes
        self._threads = BackgroundThreads(workers, "hudi-ahead")
        self.begin_anew()
        begin_anew_when_forked(self)

    def begin_anew(self) -> None:
        """Has no answers, and none under way."""
        self._lock = Lock()
        self._answers: dict[K, tuple[Future[R], int, bool]] = {}
        """Answers by key, with their sizes, and whether they may change."""
        self._bytes = 0

    def ask(self, key: K, call: Callable[[], R], size: int, *, anew: bool = False) -> None:
        """Begins to fetch an answer of about `size` bytes, unless it was begun before and not taken; `anew` for answers that may
        change. Answers that nobody took, oldest first, make room for it; where those under way leave none, nothing is begun."""
        with self._lock:
            if anew:
                self._drop(key)
            if key in self._answers:
                return
            if self._bytes + size > self._max_bytes:
                self._make_room(size)
            if self._bytes + size > self._max_bytes:
                return
            try:
                answer = self._threads.submit(call)
            except RuntimeError:
                return  # no thread: it is fetched on use
            self._answers[key] = answer, size, anew
            self._bytes += size

    def _make_room(self, size: int) -> None:
        for other in [key for key, (answer, _, _) in self._answers.items() if answer.done()]:
            self._drop(other)
            if self._bytes + size <= self._max_bytes:
                break

    def _drop(self, key: K) -> Future[R] | None:
        """The answer, under way or there, which is not kept any more; None where it was not begun."""
        answer, size, _ = self._answers.pop(key, (None, 0, False))
        self._bytes -= size
        return answer

    def forget(self, is_changed: Callable[[K], bool]) -> None:
        """Drops the answers of keys that were changed: they are fetched anew on use."""
        with self._lock:
            for key in filter(is_changed, list(self._answers)):
                self._drop(key)

    def forget_changing(self) -> None:
        """Drops all answers that may change."""
        with self._lock:
            for key in [key for key, (_, _, may_change) in self._answers.items() if may_change]:
                self._drop(key)

    def take(self, key: K, call: Callable[[], R]) -> R:
        """The answer, waited for where it is under way; that of `call`, made here, where it was not begun. Raises what fetching
        raised."""
        with self._lock:
            answer = self._drop(key)
        return call() if answer is None else answer.result()
