"""What writes that are over have left beside the timeline: heartbeats, and markers. Rules COMMIT-1146, ROLLBACK-1144."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hudi_core.commit.heartbeat import HEARTBEATS, METADATA_HEARTBEATS, heartbeat_path, is_alive
from hudi_core.commit.markers import MARKERS, METADATA_MARKERS
from hudi_core.engine import Storage
from hudi_core.metadata_writer.undo import metadata_timeline
from hudi_core.paths import instant_name, join_paths
from hudi_core.storage_parts import StorageWithFolders
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table


def list_remains(table: Table, now: datetime) -> tuple[str, ...]:
    """The heartbeats and the folders of markers of writes that are not pending and whose writers show no sign of life, and those
    of commits of the metadata table, which writers of Apache Hudi keep. Rules COMMIT-1146, VALID-1145."""
    storage = table.storage
    # Listed before the timeline is read again: what is requested in between is in none of these folders.
    own = [*list_writes_below(storage, MARKERS), *list_writes_below(storage, HEARTBEATS)]
    of_metadata = [*list_writes_below(storage, METADATA_MARKERS), *list_writes_below(storage, METADATA_HEARTBEATS)]
    if not of_metadata and set(map(_name, own)) <= _list_pending(table):
        return ()
    pending = _list_pending(refreshed(table))
    timeline = metadata_timeline(storage) if of_metadata else None
    begun = pending | (set() if timeline is None else {instant.requested_time for instant in timeline.pending})
    return (
        *(path for path in own if _name(path) not in pending and not is_alive(storage, _name(path), now)),
        *(path for path in of_metadata if _name(path) not in begun and not _beats_in_metadata(storage, path, now)),
    )


def _beats_in_metadata(storage: Storage, path: str, now: datetime) -> bool:
    """Whether a write keeps a heartbeat for its commit of the metadata table: that comes before its instant."""
    return is_alive(storage, _name(path), now, METADATA_HEARTBEATS)


def delete_remains(table: Table, now: datetime) -> tuple[str, ...]:
    """Deletes what `list_remains` lists, and gives the paths. To be done under the table's lock."""
    paths = list_remains(table, now)
    # Heartbeats first: at any time something shows an attempt of a task that its write ended.
    for path in reversed(paths):
        if path.startswith((f"{HEARTBEATS}/", f"{METADATA_HEARTBEATS}/")):
            table.storage.delete(path)
        else:
            table.storage.delete_folder(path)
    return paths


def delete_announced(storage: Storage, instant_time: str) -> None:
    """Deletes what a write that is undone announced: its markers, and the heartbeat and the markers of its commit of the metadata
    table. Rules ROLLBACK-1144, ROLLBACK-1291."""
    storage.delete(heartbeat_path(instant_time, METADATA_HEARTBEATS))
    for folder in (MARKERS, METADATA_MARKERS):
        storage.delete_folder(join_paths(folder, instant_name(instant_time)))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _list_pending(table: Table) -> set[str]:
    return {instant.requested_time for instant in table.timeline.pending}


def list_writes_below(storage: Storage, folder: str) -> Iterator[str]:
    """The paths of what is right below a folder and named by the time of an instant: files, and folders, also empty ones where
    there can be such."""
    names = {info.path[len(folder) + 1 :].partition("/")[0] for info in storage.list(folder, recursive=True)}
    if isinstance(storage, StorageWithFolders):
        names.update(storage.list_folders(folder))
    yield from (f"{folder}/{name}" for name in sorted(names) if name.isascii() and name.isdigit())
