"""Time that passes faster than the machine's, in one process: heartbeats and locks expire within seconds, and so does the
patience of those that wait. The clock of the process may be wrong besides."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hudi_core.commit import lock, times
from hudi_core.local_storage import LocalStorage

BEGUN = "begun"
"""The file with the moment from which on time is faster, for all processes."""


def hurry(folder: Path, speed: int, skew: float = 0.0) -> None:
    """Makes time faster from now on, for good."""
    begun = float((folder / BEGUN).read_text())
    whole_wait, whole_modified = threading.Event.wait, LocalStorage.read_modified

    def hurried(moment: float) -> float:
        return begun + (moment - begun) * speed

    def wait(event: threading.Event, timeout: float | None = None) -> bool:
        name = threading.current_thread().name
        short = timeout is not None and name.startswith(("heartbeat-", "lock-renewal"))
        return whole_wait(event, timeout / speed if short and timeout is not None else timeout)

    def read_modified(storage: LocalStorage, path: str) -> datetime | None:
        modified = whole_modified(storage, path)
        if modified is None:
            return None
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=hurried(modified.timestamp()))

    times.time_ns = lambda: int((hurried(time.time()) + skew) * 1e9)  # type: ignore[attr-defined]
    lock.monotonic = lambda: time.monotonic() * speed  # type: ignore[attr-defined]
    threading.Event.wait = wait  # type: ignore[method-assign]
    LocalStorage.read_modified = read_modified  # type: ignore[method-assign]
