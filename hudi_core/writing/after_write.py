"""A table as a write is about to leave it, to read files of the write before it completes."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.schema.meta import is_meta
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Resolved, Snapshot


def snapshot_after(before: Snapshot, schema: Schema, instant_time: str) -> Snapshot:
    """The snapshot with a write as if it were complete. `schema` is what the table's becomes, without the meta columns."""
    own = tuple(column for column in before.schema.fields if is_meta(column.name))
    latest = replace(schema, record=replace(schema.record, fields=(*own, *schema.fields)))
    history = replace(before.history, latest=latest)
    return replace(before, timeline=before.timeline.with_write(instant_time), resolved=Resolved(history))
