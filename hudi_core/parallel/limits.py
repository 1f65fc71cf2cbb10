"""How much is done at the same time: computing on processors, and waiting for storage."""

from __future__ import annotations

import os
from typing import Final


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


PROCESSORS: Final = _processors()
"""Processors that this process may use; in a container or with an affinity fewer than the machine has."""

STORAGE_REQUESTS: Final = 64
"""Requests in flight to storage, where no option states another number: their threads wait, they do not compute."""

READERS: Final = max(2, PROCESSORS)
"""Threads that read and decode: one waits for storage while the other computes, so two at least."""
