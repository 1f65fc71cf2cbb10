"""Files of slices that will be read soon: the storage fetches them while others are read."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Final

from hudi_core.engine import FileInfo, Storage
from hudi_core.timeline.slices import FileSlice

MAX_SLICES: Final = 32
MAX_BYTES: Final = 1 << 25
"""Bytes of the files ahead of the slice that is read, of each as much as a storage fetches when it opens one."""
FETCHED_BYTES: Final = 1 << 20
"""No storage fetches more of a file before it is read."""


class FilesAhead:
    """Slices that are read in their order, and how many of them are announced to the storage. Safe in threads."""

    def __init__(
        self, storage: Storage, slices: Sequence[FileSlice], numbers: Sequence[int], max_slices: int = MAX_SLICES
    ) -> None:
        self._storage, self._slices, self._numbers, self._max_slices = storage, slices, numbers, max_slices
        self._lock = Lock()
        self._next = 0
        self._bytes: list[int] = []
        """Bytes of the files of all announced slices, up to each of them."""

    def reach(self, position: int) -> None:
        """The slice at a position among those that are read is read next."""
        files: list[FileInfo] = []
        with self._lock:
            while self._has_room(position):
                of_slice = self._slices[self._numbers[self._next]].files
                before = self._bytes[-1] if self._bytes else 0
                self._bytes.append(before + sum(min(file.size, FETCHED_BYTES) for file in of_slice))
                self._next += 1
                files += of_slice
            # Before another thread may open one of them.
            self._storage.expect(files=files)

    def _has_room(self, position: int) -> bool:
        """Whether to announce one more slice: always the one that is read next."""
        if self._next == len(self._numbers) or self._next <= position:
            return self._next < len(self._numbers)
        before = self._bytes[position - 1] if position else 0
        return self._next < position + self._max_slices and self._bytes[-1] - before < MAX_BYTES
