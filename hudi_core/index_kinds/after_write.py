"""A table as a write is about to leave it, to read files of the write before it completes."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.commit.statuses import WriteStatus
from hudi_core.engine import FileInfo
from hudi_core.schema.meta import is_meta
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Resolved, Snapshot
from hudi_core.timeline.slices import FileSlice


def snapshot_after(before: Snapshot, schema: Schema, instant_time: str) -> Snapshot:
    """The snapshot with a write as if it were complete. `schema` is what the table's becomes, without the meta
    columns, with the ids that its columns have in it."""
    own = tuple(column for column in before.schema.fields if is_meta(column.name))
    latest = replace(schema, record=replace(schema.record, fields=(*own, *schema.fields)))
    history = before.history.after(instant_time, latest)
    return replace(before, timeline=before.timeline.with_write(instant_time), resolved=Resolved(history))


def slice_after(status: WriteStatus, slice: FileSlice | None, instant_time: str) -> FileSlice:
    """The slice with the file that a write put in its group; None: the group is new."""
    file = FileInfo(status.path, status.size)
    if not status.is_log:
        return FileSlice(status.partition, status.file_id, instant_time, file)
    assert slice is not None
    return replace(slice, logs=(*slice.logs, file))
