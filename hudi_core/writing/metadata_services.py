"""When the metadata table is compacted: by the commit that comes when its log files became many. Rules META-100 to META-103."""

from __future__ import annotations

from hudi_core.commit.steps import run
from hudi_core.commit.times import next_time
from hudi_core.indexing.compaction import (
    compaction_steps,
    compaction_time,
    is_due,
    planned_compaction,
    planned_slices,
    request_steps,
)
from hudi_core.metadata.table import MetadataTable, open_metadata_table
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMPACTION


def compact_metadata_table(table: Table, metadata: MetadataTable) -> bool:
    """Finishes compactions of the metadata table that died, and does one where it is due; whether anything was done. Under the
    table's lock.

    Nothing is begun while an index is built: a base file of what commits brought meanwhile would hide what the build brings.
    Raises `UnsupportedError` for a pending compaction of another writer that cannot be finished here.
    """
    storage, done = table.storage, False
    for compaction in [instant for instant in metadata.timeline.pending if instant.action == COMPACTION]:
        slices = planned_slices(metadata, compaction)
        completion_time = next_time(metadata.timeline)
        run(storage, compaction_steps(metadata, slices, compaction.requested_time, completion_time))
        done = True
        reopened = open_metadata_table(storage, table.config, table.timeline)
        assert reopened is not None
        metadata = reopened
    if table.config.metadata_partitions_inflight or not is_due(metadata):
        return done
    pending = [instant.requested_time for instant in table.timeline.pending]
    instant_time = compaction_time(metadata, pending, next_time(metadata.timeline))
    plan = planned_compaction(metadata, table.config.metadata_partitions)
    if instant_time is None or not plan.slices:
        return done
    run(storage, request_steps(metadata, plan, instant_time))
    completion_time = next_time(metadata.timeline, after=[instant_time[:17]])
    run(storage, compaction_steps(metadata, plan.slices, instant_time, completion_time))
    return True
