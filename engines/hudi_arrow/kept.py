"""Values kept for the next question about them: the last few, of so many bytes together at most."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class SizedCache(Generic[V]):
    """The values that were asked for last. `size` tells the bytes of one; threads may share it."""

    def __init__(self, most: int, most_bytes: int, size: Callable[[V], int]) -> None:
        self._most, self._most_bytes, self._size = most, most_bytes, size
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of a key, made when it is not here. Two threads that ask at the same time may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = made
                self._bytes += self._size(made)
            while len(self._values) > self._most or self._bytes > self._most_bytes:
                self._bytes -= self._size(self._values.popitem(last=False)[1])
        return made
