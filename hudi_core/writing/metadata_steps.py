"""The metadata table's part of a commit of the table. Rules META-51 to META-55, META-65, META-72."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.statuses import TableChange
from hudi_core.commit.steps import Step
from hudi_core.commit.times import next_time
from hudi_core.errors import CorruptFileError, UnsupportedError
from hudi_core.indexing.changes import delta_commit
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.table import FILES, METADATA_FOLDER, MetadataTable, open_metadata_table
from hudi_core.options import TableConfig
from hudi_core.table.table import Table
from hudi_core.writing.expression_indexes import table_expressions, with_late_expressions
from hudi_core.writing.metadata_services import serve_metadata_table
from hudi_core.writing.secondary_indexes import with_late_indexes


def metadata_steps(table: Table, instant_time: str, change: TableChange) -> list[Step]:
    """The steps that bring the metadata table of a table up to date with a commit; none where it has no metadata table.

    `table` is as it was before the commit; its lock is held. Where log files of the metadata table became many, or a service
    of it died, that is done first. Raises `UnsupportedError` for a partition of the metadata table that would not be kept
    up to date, `CorruptFileError` where the metadata table is damaged or behind; a note says how it is mended.
    """
    if not table.config.kept_partitions:
        return []
    try:
        return _steps(table, instant_time, change)
    except (CorruptFileError, UnsupportedError) as error:
        if f"{METADATA_FOLDER}/" in error.where:
            error.add_note(
                "the metadata table is an index of the files alone: hudi-core validate --mend builds it again"
            )
        raise


def _steps(table: Table, instant_time: str, change: TableChange) -> list[Step]:
    config, storage = table.config, table.storage
    snapshot = table.snapshot()
    storage.expect(folders=[f"{METADATA_FOLDER}/{name}" for name in config.kept_partitions if name != FILES])
    snapshot.expect(statistics=False)
    before = _files_before(table, change)
    metadata = serve_metadata_table(table, snapshot.metadata or opened_metadata_table(table))
    metadata = replace(metadata, partitions=config.kept_partitions)
    _refuse_unbegun(metadata, config)
    expressions = table_expressions(table)
    change = with_late_expressions(table, expressions, instant_time, with_late_indexes(table, instant_time, change))
    return delta_commit(
        metadata,
        index_definitions(storage, config),
        instant_time,
        next_time(metadata.timeline, after=[instant_time]),
        change,
        before,
        table.timeline.zone,
        config.metadata_partitions_inflight,
        [expression.index for expression in expressions],
    )


def opened_metadata_table(table: Table) -> MetadataTable:
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
