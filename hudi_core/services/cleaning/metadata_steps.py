"""The metadata table's part of a clean. Rules CLEAN-403, META-380."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hudi_core.commit.steps import Step
from hudi_core.commit.times import next_time
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata_rows.removed_files import make_removed_files_rows
from hudi_core.metadata_rows.rows_of_change import is_kept
from hudi_core.metadata_writer.delta_commit import delta_commit_steps, refuse_unkept
from hudi_core.metadata_writer.undo import undo_steps
from hudi_core.table.table import Table
from hudi_core.transactions.metadata_services import serve_metadata_table
from hudi_core.transactions.metadata_steps import require_metadata_table


def make_clean_steps(
    table: Table, instant_time: str, deleted: Mapping[str, Sequence[str]], partitions: Iterable[str]
) -> list[Step]:
    """The steps that take deleted files, and partitions that are gone, out of the metadata table; none where it has none, or
    where a run of the clean that died has done it. The table's lock is held.

    Raises `UnsupportedError` for a partition of the metadata table that would not be kept up to date, `CorruptFileError` where
    the metadata table is damaged or behind.
    """
    config, storage = table.config, table.storage
    if not config.kept_partitions:
        return []
    metadata = table.snapshot().metadata or require_metadata_table(table)
    own = [instant for instant in metadata.timeline.instants if instant.requested_time == instant_time]
    if any(instant.completed for instant in own):
        return []
    undo = list(undo_steps(storage, instant_time)) if own else []
    for step in undo:
        step.apply(storage)
    metadata = serve_metadata_table(table, require_metadata_table(table) if own else metadata)
    metadata = replace(metadata, partitions=config.kept_partitions)
    refuse_unkept(metadata, is_kept)
    rows = make_removed_files_rows(metadata.partitions, index_definitions(storage, config), deleted, partitions)
    completion = next_time(metadata.timeline, after=[instant_time])
    return delta_commit_steps(metadata, instant_time, completion, rows, config.metadata_partitions_inflight)
