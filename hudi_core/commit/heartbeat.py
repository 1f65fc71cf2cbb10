"""Heartbeats: a small file that a writer rewrites regularly, so that others see that it is alive. Rules COMMIT-7, COMMIT-710."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Final

from hudi_core.engine import Storage
from hudi_core.errors import StorageError
from hudi_core.formats.last_writer import last_writer
from hudi_core.options import PROPERTIES_PATH
from hudi_core.paths import instant_name, joined
from hudi_core.timeline.optional_files import read_if_there

HEARTBEATS: Final = ".hoodie/.heartbeat"
"""The folder of the heartbeats of all writes, each named by its time."""
INTERVAL: Final = timedelta(seconds=60)
"""Apache Hudi's `hoodie.client.heartbeat.interval_in_ms`."""
MAX_MISSES: Final = 2
"""Beats that a writer of this library or of Apache Hudi before 1.2.1 may miss."""
PATIENT_MISSES: Final = 10
"""The heartbeats that a writer of Apache Hudi 1.2.1 or later may miss: its `hoodie.client.heartbeat.tolerable.misses`."""
_OWN: Final = b"hudi_core\n"
"""The content of this library's heartbeats; Apache Hudi's are empty, and it reads none."""


def heartbeat_path(instant_time: str) -> str:
    """The file of a write's heartbeat."""
    return joined(HEARTBEATS, instant_name(instant_time))


def is_alive(storage: Storage, instant_time: str, now: datetime, interval: timedelta = INTERVAL) -> bool:
    """Whether the writer has a recent heartbeat. One without a heartbeat has not.

    How recent depends on whose it is, which is looked up only where it matters.
    """
    last = storage.modified(heartbeat_path(instant_time))
    if last is None or now - last > interval * PATIENT_MISSES:
        return False
    return now - last <= interval * MAX_MISSES or _may_be_patient(storage, instant_time)


def _may_be_patient(storage: Storage, instant_time: str) -> bool:
    """Whether the writer may be one of Apache Hudi from 1.2.1 on: not this library, nor an earlier release, which the properties
    would show."""
    if read_if_there(storage, heartbeat_path(instant_time)) == _OWN:
        return False
    properties = read_if_there(storage, PROPERTIES_PATH)
    return properties is None or not last_writer(properties).is_before_named


@contextmanager
def heartbeat(storage: Storage, instant_time: str, interval: timedelta = INTERVAL) -> Iterator[None]:
    """Keeps the heartbeat going while the block runs, and removes it at its end."""
    path, ended = heartbeat_path(instant_time), Event()
    storage.replace(path, _OWN)

    def beat() -> None:
        while not ended.wait(interval.total_seconds() / 2):
            try:
                storage.replace(path, _OWN)
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
