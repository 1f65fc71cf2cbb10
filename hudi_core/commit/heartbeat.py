"""Heartbeats: a small file that a writer rewrites regularly, so that others see that it is alive. Rules COMMIT-7, COMMIT-710."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event, Lock, Thread
from typing import Final

from hudi_core.commit.lock_owner import this_owner
from hudi_core.commit.steps import finish
from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Storage
from hudi_core.errors import StorageError
from hudi_core.formats.last_writer import last_writer
from hudi_core.local_files import let_pass
from hudi_core.options import PROPERTIES_PATH
from hudi_core.paths import instant_name, join_paths
from hudi_core.timeline.files import read_if_there

HEARTBEATS: Final = ".hoodie/.heartbeat"
"""The folder of the heartbeats of all writes, each named by its time."""
METADATA_HEARTBEATS: Final = ".hoodie/metadata/.hoodie/.heartbeat"
"""That of Apache Hudi's commits of the metadata table."""
INTERVAL: Final = timedelta(seconds=60)
"""Apache Hudi's `hoodie.client.heartbeat.interval_in_ms`."""
MAX_MISSES: Final = 2
"""Beats that a writer of this library or of Apache Hudi before 1.2.1 may miss."""
PATIENT_MISSES: Final = 10
"""The heartbeats that a writer of Apache Hudi 1.2.1 or later may miss: its `hoodie.client.heartbeat.tolerable.misses`."""
_OWN: Final = b"hudi_core\n"
"""How this library's heartbeats begin, before the name of the run; Apache Hudi's are empty, and it reads none."""


def heartbeat_path(instant_time: str, folder: str = HEARTBEATS) -> str:
    """The file of a write's heartbeat."""
    return join_paths(folder, instant_name(instant_time))


def is_alive(storage: Storage, instant_time: str, now: datetime, folder: str = HEARTBEATS) -> bool:
    """Whether the writer has a recent heartbeat. One without a heartbeat has not.

    How recent depends on whose it is, which is looked up only where it matters.
    """
    path = heartbeat_path(instant_time, folder)
    last = storage.read_modified(path)
    if last is None or now - last > INTERVAL * PATIENT_MISSES:
        return False
    return now - last <= INTERVAL * MAX_MISSES or _may_be_patient(storage, path)


def _may_be_patient(storage: Storage, path: str) -> bool:
    """Whether the writer may be one of Apache Hudi from 1.2.1 on: not this library, nor an earlier release, which the properties
    would show."""
    if (read_if_there(storage, path) or b"").startswith(_OWN):
        return False
    properties = read_if_there(storage, PROPERTIES_PATH)
    return properties is None or not last_writer(properties).is_before_named


@dataclass
class Heartbeat:
    """The heartbeat of a run while it goes on. Its file names the run: another that took the write over has its own there."""

    storage: Storage
    path: str
    owner: bytes
    clock: Clock
    beaten: datetime
    lasting: bool = True
    """Whether it is there after a loss of power, to show that the run is dead. Others may take over the write of such a run under
    its own time, sooner than this clock says where theirs is fast: each look asks storage. Rule COMMIT-1431."""
    stays: bool = False
    """Whether its file stays at its end: what is left of the write is to be found dead. Rule COMMIT-1411."""
    _lost: bool = False
    _turn: Lock = field(default_factory=Lock)

    def write(self) -> None:
        """Writes the file."""
        with nullcontext() if self.lasting else let_pass():
            self.storage.replace(self.path, self.owner)

    def beat(self) -> None:
        """Shows that the run is alive, unless another has taken its write over or rolled it back."""
        with self._turn:
            if self._may_go_on():
                self.write()
                self.beaten = self.clock()

    def is_own(self) -> bool:
        """Whether the write is still this run's. Storage is asked where others could have taken the run for dead, and always for
        a lasting one."""
        with self._turn:
            return self._may_go_on()

    def end(self) -> None:
        """Removes the heartbeat, unless it is another run's, or stays."""
        with self._turn:
            if not self.stays and self._may_go_on():
                with nullcontext() if self.lasting else let_pass():
                    self.storage.delete(self.path)

    def _may_go_on(self) -> bool:
        if not self._lost and (self.lasting or self.clock() - self.beaten > INTERVAL):
            self._lost = read_if_there(self.storage, self.path) != self.owner
        return not self._lost


@contextmanager
def heartbeat(
    storage: Storage,
    instant_time: str,
    interval: timedelta = INTERVAL,
    clock: Clock = system_clock,
    *,
    lasting: bool = True,
) -> Iterator[Heartbeat]:
    """Keeps the heartbeat going while the block runs, and removes it at its end. Where a run without a heartbeat counts as dead,
    it need not be `lasting`."""
    ended = Event()
    own = Heartbeat(storage, heartbeat_path(instant_time), _OWN + this_owner().encode(), clock, clock(), lasting)

    def work() -> None:
        while not ended.wait(interval.total_seconds() / 2):
            try:
                own.beat()
            except StorageError:
                continue  # the next beat may come through; `is_alive` tolerates misses

    thread = Thread(target=work, name=f"heartbeat-{instant_time}", daemon=True)

    def end() -> None:
        ended.set()
        if thread.is_alive():  # the system may have given none
            thread.join()
        own.end()

    try:
        own.write()
        thread.start()
        yield own
    finally:
        finish(end)
