"""Tasks on files: how many of them run at once, by where these are and by the memory that each task takes."""

from __future__ import annotations

from typing import Any, Final

from hudi_core.engine import Engine, Runner, Storage
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.runners import SerialRunner, ThreadRunner

_BYTES_AT_ONCE: Final = 1 << 28
"""Bytes in memory of all tasks that run at once where they mostly wait for storage."""
_FEW_BYTES: Final = 1 << 21
"""Bytes that tasks work on up to which several threads take longer than one: what such a task does is mostly Python, for which
threads wait for each other."""
INFLATED: Final = 8
"""Bytes in memory for a byte of a base file."""


def waiting_runner(
    engine: Engine[Any, Any, Any], storage: Storage, task_bytes: int, work_bytes: int | None = None
) -> Runner:
    """The runner of tasks that take at most so many bytes of memory each, and work on so many of them (None for all).

    The threads of this process wait for a remote store most of the time where tasks are small: then more of them run than there
    are processors, as many as memory has room for. On local files tasks of little work run one after the other, unless a number
    of threads is stated. Rule WRITE-1611.
    """
    runner = engine.runner
    if not isinstance(runner, ThreadRunner):
        return runner
    if not storage.is_remote:
        little = (task_bytes if work_bytes is None else work_bytes) <= _FEW_BYTES
        return SerialRunner() if little and runner.threads is None else runner
    return ThreadRunner(max(runner.parallelism, waiting_threads(task_bytes)))


def waiting_threads(task_bytes: int) -> int:
    """How many threads may wait for storage, each with so many bytes in memory; at least 1."""
    return max(1, min(STORAGE_REQUESTS, _BYTES_AT_ONCE // max(task_bytes, 1)))
