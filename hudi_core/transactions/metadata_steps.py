"""The metadata table's part of a commit of the table. Rules META-51 to META-55, META-65, META-72."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.statuses import TableChange
from hudi_core.commit.steps import Step
from hudi_core.commit.times import next_time
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.index_kinds.file_notes import list_noted_indexes, with_late_notes
from hudi_core.index_kinds.secondary import with_late_indexes
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.table import METADATA_FOLDER, MetadataTable, open_metadata_table
from hudi_core.metadata_rows.committed_change import CommittedChange
from hudi_core.metadata_writer.changes import NO_OVERLAP, Overlap, delta_commit
from hudi_core.options import TableConfig
from hudi_core.schema.meta import without_meta_columns
from hudi_core.table.table import Table
from hudi_core.timeline.instants import WRITES, Instant
from hudi_core.timeline.timeline import Timeline
from hudi_core.transactions.metadata_services import serve_metadata_table


def metadata_steps(table: Table, instant_time: str, change: TableChange) -> list[Step]:
    """The steps that bring the metadata table of a table up to date with a commit; none where it has no metadata table.

    `table` is as it was before the commit; its lock is held. Where log files of the metadata table became many, or a service
    of it died, that is done first. Raises `UnsupportedError` for a partition of the metadata table that would not be kept
    up to date, `CorruptFileError` where the metadata table is damaged or behind; a note says how it is mended.
    """
    if not table.config.kept_partitions:
        return []
    with _name_the_mending():
        return _steps(table, instant_time, change)


def refuse_unusable_metadata(table: Table) -> None:
    """Raises `CorruptFileError` or `UnsupportedError` where a commit could not write to the table's metadata table: it cannot be
    opened, is behind, or, as far as a local folder shows it, lacks the files of a partition. Rule META-1374."""
    if not table.config.kept_partitions:
        return
    with _name_the_mending():
        metadata = table.snapshot().metadata or require_metadata_table(table)
        for partition in () if table.storage.is_remote else table.config.metadata_partitions:
            folder = f"{METADATA_FOLDER}/{partition}"
            if not metadata.storage.list(folder):
                raise CorruptFileError(f"{table.storage.uri}/{folder}", expected="file groups", found="no files")


@contextmanager
def _name_the_mending() -> Iterator[None]:
    """Notes beside an error of the metadata table what builds it again."""
    try:
        yield
    except (CorruptFileError, UnsupportedError) as error:
        if f"{METADATA_FOLDER}/" in error.where:
            error.add_note(
                "the metadata table is an index of the files alone: hudi-core validate --mend builds it again"
            )
        raise


def _steps(table: Table, instant_time: str, change: TableChange) -> list[Step]:
    config, storage = table.config, table.storage
    snapshot = table.snapshot()
    before = _files_before(table, change)
    metadata = serve_metadata_table(table, snapshot.metadata or require_metadata_table(table))
    metadata = replace(metadata, partitions=config.kept_partitions)
    _refuse_unbegun(metadata, config)
    noted = list_noted_indexes(table)
    change = with_late_notes(table, noted, instant_time, with_late_indexes(table, instant_time, change))
    completion_time = next_time(metadata.timeline, after=[instant_time])
    overlap = overlap_of(table, metadata, instant_time, completion_time, change)
    commit = CommittedChange(
        metadata, index_definitions(storage, config), instant_time, change, before, table.timeline.zone,
        noted={one.partition: one.index for one in noted}, tight=not overlap.earlier,
    )  # fmt: skip
    return delta_commit(commit, completion_time, config.metadata_partitions_inflight, overlap.again)


def overlap_of(
    table: Table, metadata: MetadataTable, instant_time: str, completion_time: str, change: TableChange
) -> Overlap:
    """The writes that overlap a commit, where the order of the log files of the metadata table is not that of the commits: from
    table version 8 on. A service adds no values to a partition, so it does not count. `completion_time` is that of the commit's
    own records."""
    if metadata.config.layout == 1:
        return NO_OVERLAP
    pending = [instant.requested_time for instant in table.timeline.pending if instant.action in WRITES]
    # A write that began before the schema was changed is refused; bounds of another type can not be merged with its own.
    merges = change.schema.record == without_meta_columns(table.schema.record)
    earlier = merges and any(time < instant_time for time in pending)
    later = [instant for instant in table.timeline.commits if instant.requested_time > instant_time]
    touched = {status.partition for status in change.statuses} | set(change.replaced)
    if touched.isdisjoint(_partitions_of(table.timeline, later)):
        return Overlap(earlier)
    time = next_time(table.timeline, after=[completion_time])
    return Overlap(earlier, (time, next_time(metadata.timeline, after=[time])))


def _partitions_of(timeline: Timeline, commits: Iterable[Instant]) -> set[str]:
    """The partitions that commits touched."""
    contents = [timeline.metadata(instant) for instant in commits]
    return {partition for content in contents for partition in (*content.stats, *content.replaced)}


def require_metadata_table(table: Table) -> MetadataTable:
    """The metadata table of a table that has one. Raises `CorruptFileError` where it lacks the list of files."""
    metadata = open_metadata_table(table.storage, table.config, table.timeline)
    if metadata is None:
        where = f"{table.storage.uri}/{METADATA_FOLDER}"
        raise CorruptFileError(
            where, expected="files among its partitions", found=", ".join(sorted(table.config.kept_partitions))
        )
    return metadata


def _refuse_unbegun(metadata: MetadataTable, config: TableConfig) -> None:
    """Rows for a partition under construction need its file groups. Where `.hoodie_partition_metadata` is, they are all there."""
    for partition in sorted(config.metadata_partitions_inflight):
        if not metadata.storage.exists(f"{METADATA_FOLDER}/{partition}/{PARTITION_METADATA}"):
            raise UnsupportedError(
                metadata.storage.uri,
                expected="indexes that are complete, or have their file groups",
                found=f"{partition} under construction",
            )


def _files_before(table: Table, change: TableChange) -> dict[str, list[str]]:
    """Names of the files of the latest slices, of the partitions that the commit touches."""
    touched = {status.partition for status in change.statuses} | set(change.replaced)
    files: dict[str, list[str]] = {partition: [] for partition in touched}
    for file_slice in table.slices():
        if file_slice.partition in touched:
            files[file_slice.partition] += [file.name for file in file_slice.files]
    return files
