"""Rows of tasks that wait in files of the table's own folder for the process that commits them. Rule WRITE-942.

Nobody keeps a heartbeat for such a write from its first task to its commit: tasks show that it is alive while they work.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from hudi_core.commit.times import Clock, system_clock
from hudi_core.engine import Storage

STAGED: Final = ".hoodie/.aux/hudi_core_staged"
"""The folder of all such rows."""
PATIENCE: Final = timedelta(hours=6)
"""How long tasks of a write may all be waiting. A write that is taken for dead wrongly fails, and loses nothing."""
BEAT_SECONDS: Final = 60.0
"""After so long a task shows again that its write is alive."""
_BEAT: Final = "beat"


def new_folder() -> str:
    """A folder for the rows of a write."""
    return f"{STAGED}/{secrets.token_hex(8)}"


def beat(storage: Storage, folder: str) -> None:
    """Shows that a write is alive."""
    storage.replace(f"{folder}/{_BEAT}", b"")


def delete_abandoned_rows(storage: Storage, clock: Clock = system_clock) -> tuple[str, ...]:
    """Deletes the rows of writes that are dead, and gives their folders."""
    files: dict[str, list[str]] = {}
    for info in storage.list(STAGED, recursive=True):
        name = info.path.removeprefix(f"{STAGED}/").partition("/")[0]
        files.setdefault(f"{STAGED}/{name}", []).append(info.path)
    dead = tuple(folder for folder, paths in sorted(files.items()) if _is_dead(storage, folder, paths, clock))
    for folder in dead:
        storage.delete_folder(folder)
    return dead


def _is_dead(storage: Storage, folder: str, paths: list[str], clock: Clock) -> bool:
    """Whether the last sign of a write is too old. Earlier releases gave no signs: their files are those."""
    last = storage.read_modified(f"{folder}/{_BEAT}")
    if last is None:
        times = [time for path in paths if (time := storage.read_modified(path)) is not None]
        last = max(times, default=None)
    return last is not None and clock() - last > PATIENCE
