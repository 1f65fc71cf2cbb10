"""Temporary files that killed processes have left below a table's own folder. Rule COMMIT-1022."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from hudi_core.engine import Storage
from hudi_core.local_files import is_temporary
from hudi_core.options import FOLDER

ABANDONED_AFTER: Final = timedelta(hours=1)
"""How long nothing was written to a file whose writer is dead: who writes one writes on within seconds."""


def list_abandoned(storage: Storage, now: datetime) -> Iterator[str]:
    """The paths of temporary files that nobody writes any more. Remote stores have none: there a file has no other name."""
    if storage.is_remote:
        return
    for info in storage.list(FOLDER, recursive=True):
        if is_temporary(info.name) and is_abandoned(storage, info.path, now):
            yield info.path


def is_abandoned(storage: Storage, path: str, now: datetime) -> bool:
    """Whether a temporary file is there to which nothing was written for `ABANDONED_AFTER`."""
    modified = storage.read_modified(path)
    return modified is not None and now - modified > ABANDONED_AFTER


def delete_abandoned(storage: Storage, now: datetime) -> tuple[str, ...]:
    """Deletes the temporary files that nobody writes any more, and gives their paths."""
    paths = tuple(list_abandoned(storage, now))
    for path in paths:
        storage.delete(path)
    return paths
