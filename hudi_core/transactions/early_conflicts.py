"""Conflicts that markers show before files are written, where properties ask for it. Rule CONFLICT-531."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from hudi_core.commit.heartbeat import is_alive
from hudi_core.commit.markers import MARKERS, list_marked_files
from hudi_core.commit.times import Clock
from hudi_core.engine import Storage
from hudi_core.errors import ConflictError
from hudi_core.formats.names import parse_base_file, parse_log_file
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import CLUSTERING, COMPACTION, LOG_COMPACTION, REPLACE_COMMIT
from hudi_core.timeline.services import FileGroup

EARLY_DETECTION: Final = "hoodie.write.concurrency.early.conflict.detection.enable"
_SERVICES: Final = frozenset({COMPACTION, LOG_COMPACTION, CLUSTERING, REPLACE_COMMIT})
"""Actions whose markers do not count: plans say what they write."""


def refuse_marked(table: Table, instant_time: str, groups: Set[FileGroup], clock: Clock) -> None:
    """Raises `ConflictError` when another writer that is alive and was requested earlier is writing to one of the file groups
    that a write is about to change. The earlier one goes on, so of two writers one always does."""
    if not groups:
        return
    pending = refreshed(table).timeline.pending
    services = {instant.requested_time for instant in pending if instant.action in _SERVICES}
    for time in sorted(_list_marked_times(table.storage)):
        if time >= instant_time or time in services or not is_alive(table.storage, time, clock()):
            continue
        both = sorted(groups & set(_list_marked_groups(table.storage, time)))
        if both:
            partition, file_id = both[0]
            found = f"{time}, which is writing to {f'{partition}/' if partition else ''}{file_id}"
            raise ConflictError(
                f"{table.storage.uri}: {instant_time}", expected="file groups that nobody writes to", found=found
            )


def _list_marked_times(storage: Storage) -> set[str]:
    """The writes that have markers."""
    infos = storage.list(MARKERS, recursive=True)
    return {info.path[len(MARKERS) + 1 :].partition("/")[0] for info in infos}


def _list_marked_groups(storage: Storage, time: str) -> Iterator[FileGroup]:
    """The file groups whose files markers of a write name, whoever wrote them."""
    for path, _ in list_marked_files(storage, time):
        partition, _, name = path.rpartition("/")
        parsed = parse_log_file(name) or parse_base_file(name)
        if parsed is not None:
            yield partition, parsed.file_id
