"""The plan of a compaction on a table as it is. Rules COMPACT-356 to COMPACT-363."""

from __future__ import annotations

from hudi_core.commit.compaction_plans import CompactionPlan, plan_operation
from hudi_core.data_files.log_file import OWN_TIME_SINCE
from hudi_core.errors import ConflictError, UnsupportedError
from hudi_core.merge.rules import merge_rules
from hudi_core.reading.log_blocks import slice_blocks
from hudi_core.reading.log_records import is_partial
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.services.compaction.partitions import partitions_written_to
from hudi_core.services.compaction.strategies import choose_operations, choose_partitions
from hudi_core.table.table import Table
from hudi_core.timeline.instants import LOG_COMPACTION, WRITES
from hudi_core.timeline.services import FileGroup, pending_work
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.refusals import list_excluded_groups


def plan_compaction(table: Table, options: CompactionOptions) -> CompactionPlan:
    """The plan on the table as it is, with `of_logs` that of a log compaction; nothing is written. Its log files are all of
    commits that completed before it.

    Partitions of slices that wait for another service are named as left out: no write needs to come for the next plan to look
    at them.
    """
    if options.of_logs:
        return _plan_logs(table, options)
    slices = [file_slice for file_slice in table.slices() if file_slice.logs]
    written = partitions_written_to(table) if options.incremental else None
    now = options.clock().astimezone(table.timeline.zone)
    known = dict.fromkeys(file_slice.partition for file_slice in table.slices())
    partitions = choose_partitions(options, (path for path in known if written is None or path in written), now)
    places = {path: place for place, path in enumerate(partitions)}
    looked_at = sorted((one for one in slices if one.partition in places), key=lambda one: places[one.partition])
    busy = waiting_groups(table)
    operations = [
        plan_operation(one, options.new_file_bytes) for one in looked_at if (one.partition, one.file_id) not in busy
    ]
    chosen = choose_operations(options, operations)
    waiting = [one.partition for one in looked_at if (one.partition, one.file_id) in busy]
    left_out = tuple(dict.fromkeys((*chosen.left_out, *waiting))) if options.incremental else None
    return CompactionPlan(chosen.operations, left_out)


def _plan_logs(table: Table, options: CompactionOptions) -> CompactionPlan:
    """The plan of a log compaction: slices with so many log files, or blocks in them, of all partitions that the strategies
    leave. File groups of any pending service are left out, and slices with partial updates. Raises `UnsupportedError` for a table
    that merges records column by column."""
    if merge_rules(table.config, table.storage.uri).partial is not None:
        found = "partial updates"
        raise UnsupportedError(table.storage.uri, expected="records that are merged as a whole", found=found)
    now = options.clock().astimezone(table.timeline.zone)
    slices = [file_slice for file_slice in table.slices() if file_slice.logs]
    partitions = set(choose_partitions(options, {file_slice.partition for file_slice in slices}, now))
    busy = list_excluded_groups(table)
    operations = [
        plan_operation(one, options.new_file_bytes)
        for one in slices
        if one.partition in partitions and (one.partition, one.file_id) not in busy and _is_long(table, one, options)
    ]
    return CompactionPlan(tuple(operations), of_logs=True)


def _is_long(table: Table, file_slice: FileSlice, options: CompactionOptions) -> bool:
    """Whether a slice has enough log files or blocks, at least two, and none with partial updates."""
    least = max(options.min_log_blocks, 2)
    blocks = slice_blocks(file_slice, table.storage, table.timeline)
    return max(len(file_slice.logs), len(blocks)) >= least and not any(map(is_partial, blocks))


def waiting_groups(table: Table) -> frozenset[FileGroup]:
    """The file groups that a pending compaction or clustering is going to rewrite."""
    return frozenset(
        group
        for work in pending_work(table.timeline)
        if work.instant.action != LOG_COMPACTION
        for group in work.file_groups
    )


def refuse_writers(table: Table) -> None:
    """Raises `ConflictError` while a write is under way in table version 6: its log files would belong to slices of before the
    compaction, where nobody reads them afterwards."""
    if table.config.version >= OWN_TIME_SINCE:
        return
    planned_work = {work.instant for work in pending_work(table.timeline) if work.file_groups}
    for instant in table.timeline.pending:
        if instant.action in WRITES and instant not in planned_work:
            raise ConflictError(
                table.storage.uri,
                expected="no write under way where a compaction is planned (table version 6)",
                found=f"{instant.action} {instant.requested_time}",
            )
