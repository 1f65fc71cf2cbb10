"""Heartbeats: an empty file that a writer rewrites regularly, so that others see that it is alive. Rule COMMIT-7."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Final

from hudi_core.engine import Storage
from hudi_core.errors import StorageError
from hudi_core.paths import instant_name, joined

HEARTBEATS: Final = ".hoodie/.heartbeat"
"""The folder of the heartbeats of all writes, each named by its time."""
INTERVAL: Final = timedelta(seconds=60)
"""Apache Hudi's `hoodie.client.heartbeat.interval_in_ms`."""
MAX_MISSES: Final = 2
"""Apache Hudi's `hoodie.client.heartbeat.tolerable.misses`."""


def heartbeat_path(instant_time: str) -> str:
    """The file of a write's heartbeat."""
    return joined(HEARTBEATS, instant_name(instant_time))


def is_alive(storage: Storage, instant_time: str, now: datetime, interval: timedelta = INTERVAL) -> bool:
    """Whether the writer has a recent heartbeat. One without a heartbeat has not."""
    last = storage.modified(heartbeat_path(instant_time))
    return last is not None and now - last <= interval * MAX_MISSES


@contextmanager
def heartbeat(storage: Storage, instant_time: str, interval: timedelta = INTERVAL) -> Iterator[None]:
    """Keeps the heartbeat going while the block runs, and removes it at its end."""
    path, ended = heartbeat_path(instant_time), Event()
    storage.replace(path, b"")

    def beat() -> None:
        while not ended.wait(interval.total_seconds() / 2):
            try:
                storage.replace(path, b"")
            except StorageError:
                continue  # the next beat may come through; `is_alive` tolerates misses

    thread = Thread(target=beat, name=f"heartbeat-{instant_time}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        storage.delete(path)
