"""A cache of the values that were used last, bounded in number and in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class SizedCache(Generic[V]):
    """At most `max_count` values of `max_bytes` together, those used last. `size` gives the bytes of one. Safe in threads."""

    def __init__(self, max_count: int, max_bytes: int, size: Callable[[V], int]) -> None:
        self._max_count, self._max_bytes, self._size = max_count, max_bytes, size
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of a key, made when it is missing. Two threads that need it at the same time may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._bytes += self._size(value)
            while len(self._values) > self._max_count or self._bytes > self._max_bytes:
                self._bytes -= self._size(self._values.popitem(last=False)[1])
        return value
