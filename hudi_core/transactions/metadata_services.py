"""When the metadata table is compacted and cleaned: by the commit that comes when it is due. Rules META-100 to META-104."""

from __future__ import annotations

from hudi_core.commit.steps import run
from hudi_core.commit.times import next_time
from hudi_core.metadata.table import MetadataTable, open_metadata_table
from hudi_core.metadata_writer.cleaning import cleaning_request, cleaning_steps, list_planned_files, list_replaced_files
from hudi_core.metadata_writer.compaction import (
    compaction_steps,
    compaction_time,
    is_due,
    list_planned_slices,
    plan_compaction,
    request_steps,
)
from hudi_core.table.table import Table
from hudi_core.timeline.instants import CLEAN, COMPACTION, time_order
from hudi_core.timeline.services import savepoints

_CLEAN_SUFFIX = "002"
"""The suffix that a cleaning of table version 6 appends to the time of the latest delta commit."""


def serve_metadata_table(table: Table, metadata: MetadataTable) -> MetadataTable:
    """Finishes compactions and cleanings of the metadata table that died, and does those that are due; the metadata table then.
    Under the table's lock.

    Nothing is begun while an index is built: a base file of what commits brought meanwhile would hide what the build brings.
    Raises `UnsupportedError` for a pending compaction of another writer that cannot be finished here.
    """
    metadata = _finish(table, metadata)
    if table.config.metadata_partitions_inflight or not is_due(metadata):
        return metadata
    instant_time = compaction_time(metadata, table.timeline.pending_times, next_time(metadata.timeline))
    plan = plan_compaction(metadata, table.config.metadata_partitions)
    if instant_time is None or not plan.slices:
        return metadata
    run(table.storage, request_steps(metadata, plan, instant_time))
    completion_time = next_time(metadata.timeline, after=[instant_time[:17]])
    run(table.storage, compaction_steps(metadata, plan.slices, instant_time, completion_time))
    return _clean(table, _reopen(table))


def _finish(table: Table, metadata: MetadataTable) -> MetadataTable:
    for service in metadata.timeline.pending:
        time, completion_time = service.requested_time, next_time(metadata.timeline)
        if service.action == COMPACTION:
            steps = compaction_steps(metadata, list_planned_slices(metadata, service), time, completion_time)
        elif service.action == CLEAN:
            steps = cleaning_steps(metadata, list_planned_files(metadata, service), time, completion_time)
        else:
            continue
        run(table.storage, steps)
        metadata = _reopen(table)
    return metadata


def _clean(table: Table, metadata: MetadataTable) -> MetadataTable:
    """A savepoint of the table may need the records of older slices."""
    if savepoints(table.timeline):
        return metadata
    files = list_replaced_files(metadata, table.config.metadata_partitions)
    if not files:
        return metadata
    instant_time = next_time(metadata.timeline)
    if metadata.config.layout == 1:
        deltas = [i.requested_time for i in metadata.timeline.commits if len(i.requested_time) <= len(instant_time)]
        instant_time = f"{max(deltas, key=time_order)}{_CLEAN_SUFFIX}"
    run(table.storage, cleaning_request(metadata, files, instant_time))
    completion_time = next_time(metadata.timeline, after=[instant_time[:17]])
    run(table.storage, cleaning_steps(metadata, files, instant_time, completion_time))
    return _reopen(table)


def _reopen(table: Table) -> MetadataTable:
    metadata = open_metadata_table(table.storage, table.config, table.timeline)
    assert metadata is not None
    return metadata
