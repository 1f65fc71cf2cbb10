"""Arrow's memory where a process may take little: from the system's allocator, which gives back what was freed. Rule COMPACT-379.

Arrow's own allocator is fast, and keeps what was freed for each of its threads, as the system's does until it is asked: a
compaction that used 370 MB at once took 660 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import pyarrow as pa

_turn = Lock()
_before: list[pa.MemoryPool] = []
"""Arrow's allocator, once for each block that runs."""


@contextmanager
def lean() -> Iterator[None]:
    """Takes Arrow's memory from the system's allocator while the block runs, in all threads. Blocks may overlap."""
    with _turn:
        _before.append(_before[0] if _before else pa.default_memory_pool())
        _before[0].release_unused()
        pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        with _turn:
            pool = _before.pop()
            if not _before:
                pa.set_memory_pool(pool)


def give_back() -> None:
    """Gives freed memory of the system's allocator back to the system: Arrow's, Python's and NumPy's, of all threads."""
    pa.system_memory_pool().release_unused()
