"""What writes that are over have left beside the timeline: heartbeats, and markers. Rule COMMIT-1146."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hudi_core.commit.heartbeat import HEARTBEATS, is_alive
from hudi_core.commit.markers import MARKERS
from hudi_core.engine import Storage
from hudi_core.local_files import StorageWithFolders
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table


def list_remains(table: Table, now: datetime) -> tuple[str, ...]:
    """The heartbeats and the folders of markers of writes that are not pending and whose writers show no sign of life."""
    # Listed before the timeline is read again: what is requested in between is in none of these folders.
    listed = [path for folder in (MARKERS, HEARTBEATS) for path in list_writes_below(table.storage, folder)]
    times = {path: path.rpartition("/")[2] for path in listed}
    if set(times.values()) <= _list_pending(table):
        return ()
    pending = _list_pending(refreshed(table))
    return tuple(path for path, time in times.items() if time not in pending and not is_alive(table.storage, time, now))


def delete_remains(table: Table, now: datetime) -> tuple[str, ...]:
    """Deletes what `list_remains` lists, and gives the paths. To be done under the table's lock."""
    paths = list_remains(table, now)
    for path in reversed(
        paths
    ):  # heartbeats first: at any time something shows an attempt of a task that its write ended
        if path.startswith(f"{HEARTBEATS}/"):
            table.storage.delete(path)
        else:
            table.storage.delete_folder(path)
    return paths


def _list_pending(table: Table) -> set[str]:
    return {instant.requested_time for instant in table.timeline.pending}


def list_writes_below(storage: Storage, folder: str) -> Iterator[str]:
    """The paths of what is right below a folder and named by the time of an instant: files, and folders, also empty ones where
    there can be such."""
    names = {info.path[len(folder) + 1 :].partition("/")[0] for info in storage.list(folder, recursive=True)}
    if isinstance(storage, StorageWithFolders):
        names.update(storage.list_folders(folder))
    yield from (f"{folder}/{name}" for name in sorted(names) if name.isascii() and name.isdigit())
