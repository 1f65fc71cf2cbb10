"""Temporary files that killed processes have left, in a table's own folder and beside its data files. Rule COMMIT-1022."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from hudi_core.engine import Storage
from hudi_core.local_files import is_temporary
from hudi_core.options import FOLDER

ABANDONED_AFTER: Final = timedelta(hours=1)
"""How long nothing was written to a file whose writer is dead: who writes one writes on within seconds."""


def list_abandoned(storage: Storage, now: datetime, folder: str = FOLDER, *, recursive: bool = True) -> Iterator[str]:
    """The paths of temporary files in a folder, and with `recursive` below it, that nobody writes any more. Remote stores have
    none: there a file has no other name."""
    if storage.is_remote:
        return
    for info in storage.list(folder, recursive=recursive):
        if is_temporary(info.name) and is_abandoned(storage, info.path, now):
            yield info.path


def is_abandoned(storage: Storage, path: str, now: datetime) -> bool:
    """Whether a temporary file is there to which nothing was written for `ABANDONED_AFTER`."""
    modified = storage.read_modified(path)
    return modified is not None and now - modified > ABANDONED_AFTER


def delete_abandoned(
    storage: Storage, now: datetime, folder: str = FOLDER, *, recursive: bool = True
) -> tuple[str, ...]:
    """Deletes what `list_abandoned` lists, and gives the paths."""
    paths = tuple(list_abandoned(storage, now, folder, recursive=recursive))
    for path in paths:
        storage.delete(path)
    return paths
