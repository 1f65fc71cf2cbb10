"""Tasks that wait for storage: how many of them run at once, by where it is and by the memory that each takes."""

from __future__ import annotations

from typing import Any, Final

from hudi_core.engine import Engine, Runner, Storage
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.runners import ThreadRunner

_BYTES_AT_ONCE: Final = 1 << 28
"""Bytes in memory of all tasks that run at once where they mostly wait for storage."""
INFLATED: Final = 8
"""Bytes in memory for a byte of a base file."""


def waiting_runner(engine: Engine[Any, Any, Any], storage: Storage, task_bytes: int) -> Runner:
    """The runner of tasks that take at most so many bytes of memory each. The threads of this process wait for a remote store
    most of the time where tasks are small: then more of them run than there are processors, as many as memory has room for."""
    runner = engine.runner
    if not storage.is_remote or not isinstance(runner, ThreadRunner):
        return runner
    return ThreadRunner(max(runner.parallelism, waiting_threads(task_bytes)))


def waiting_threads(task_bytes: int) -> int:
    """How many threads may wait for storage, each with so many bytes in memory; at least 1."""
    return max(1, min(STORAGE_REQUESTS, _BYTES_AT_ONCE // max(task_bytes, 1)))
