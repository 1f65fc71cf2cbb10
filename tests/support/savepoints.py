"""Savepoints as Apache Hudi makes them, of the latest write of a table."""

from __future__ import annotations

from hudi_core.commit.times import next_time
from hudi_core.formats.avro.container import write_container
from hudi_core.table.table import Table
from hudi_core.timeline.instants import SAVEPOINT, InstantFiles
from hudi_core.timeline.services import savepoints

_TEXTS = {"type": "array", "items": "string"}
_PARTITION = {
    "type": "record",
    "name": "HoodieSavepointPartitionMetadata",
    "fields": [{"name": "partitionPath", "type": "string"}, {"name": "savepointDataFile", "type": _TEXTS}],
}
_SAVEPOINT = {
    "type": "record",
    "name": "HoodieSavepointMetadata",
    "fields": [
        {"name": "savepointedBy", "type": "string"},
        {"name": "savepointedAt", "type": "long"},
        {"name": "comments", "type": "string"},
        {"name": "partitionMetadata", "type": {"type": "map", "values": _PARTITION}},
        {"name": "version", "type": ["int", "null"], "default": 1},
    ],
}


def saved(table: Table, time: str | None = None) -> str:
    """Saves a write, or the latest, unless it is saved already; gives its time."""
    time = time or table.timeline.commits[-1].requested_time
    if time in savepoints(table.timeline):
        return time
    files: dict[str, list[str]] = {}
    for file_slice in table.slices(time):
        files.setdefault(file_slice.partition, []).extend(file.name for file in file_slice.files)
    record = {
        "savepointedBy": "test",
        "savepointedAt": 0,
        "comments": "",
        "partitionMetadata": {
            partition: {"partitionPath": partition, "savepointDataFile": names} for partition, names in files.items()
        },
        "version": 1,
    }
    names = InstantFiles(table.timeline.folder, table.config.layout, time, SAVEPOINT)
    table.storage.replace(names.inflight, b"")
    table.storage.replace(names.name_completed(next_time(table.timeline)), write_container(_SAVEPOINT, [record]))
    return time
