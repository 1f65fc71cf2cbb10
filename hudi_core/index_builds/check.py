"""Whether a metadata table can be used, and has what writers did while an index was built. Rules META-93, META-96."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from hudi_core.commit.statuses import CLUSTER, COMPACTIONS, WriteStatus
from hudi_core.errors import TableError
from hudi_core.formats.names import parse_base_file
from hudi_core.metadata.kinds import SECONDARY_INDEX, PerKind
from hudi_core.metadata.table import BLOOM_FILTERS, METADATA_FOLDER, RECORD_INDEX, MetadataTable, open_metadata_table
from hudi_core.metadata_writer.delta_commit import KEPT_WHILE_BUILT
from hudi_core.options import TableConfig
from hudi_core.table.table import Table
from hudi_core.timeline.commits import CommitMetadata, WriteStat


def metadata_fault(table: Table) -> TableError | None:
    """What is wrong with the metadata table of a table: it is missing, behind or damaged. None where nothing is, also where
    the table has none."""
    if not table.config.kept_partitions:
        return None
    try:
        metadata = open_metadata_table(table.storage, table.config, table.timeline)
        if metadata is not None:
            for partition in sorted(metadata.partitions):
                metadata.slices(partition)
            metadata.files()
    except TableError as fault:
        return fault
    return None


def misses_commit(
    begun: Table, latest: Table, metadata: MetadataTable, partitions: Sequence[str], statuses: Collection[WriteStatus]
) -> bool:
    """Whether a writer that came since a build began left rows out of its partitions, or made base files of the rows of
    commits alone."""
    own = {status.path.rpartition("/")[2] for status in statuses}
    for partition in partitions:
        for info in metadata.storage.list(f"{METADATA_FOLDER}/{partition}"):
            if parse_base_file(info.name) is not None and info.name not in own:
                return True
    known = {instant.requested_time for instant in begun.timeline.commits}
    recorded = {instant.requested_time: instant for instant in metadata.timeline.commits}
    for instant in latest.timeline.commits:
        if instant.requested_time in known:
            continue
        if instant.requested_time not in recorded:
            return True
        written = latest.timeline.metadata(instant)
        operation = latest.timeline.operation(instant)
        own_instant = recorded[instant.requested_time]
        written_stats = metadata.timeline.metadata(own_instant).stats
        noticed = metadata.timeline.extra(own_instant).get(KEPT_WHILE_BUILT, "").split(",")
        for partition in partitions:
            if written_stats.get(partition) or partition in noticed:
                continue
            if _needs(partition, written, latest.config, operation):
                return True
    return False


def _needs(partition: str, written: CommitMetadata, config: TableConfig, operation: str | None) -> bool:
    """Whether a commit that wrote this may have rows for a metadata partition."""
    has_rows = NEEDS.of_partition(partition) or _has_files
    return has_rows(_stats(written), written, config, operation)


def _stats(written: CommitMetadata) -> list[WriteStat]:
    return [stat for of_partition in written.stats.values() for stat in of_partition if stat.path]


def _has_keys(stats: Sequence[WriteStat], _: CommitMetadata, __: TableConfig, operation: str | None) -> bool:
    """A clustering leaves rows as they were, a compaction in their file groups too."""
    return operation not in COMPACTIONS and any(stat.inserts or stat.deletes for stat in stats)


def _has_values(stats: Sequence[WriteStat], written: CommitMetadata, _: TableConfig, operation: str | None) -> bool:
    rewrites = operation == CLUSTER or operation in COMPACTIONS
    return not rewrites and bool(written.replaced or any(stat.rows or stat.deletes for stat in stats))


def _has_filters(stats: Sequence[WriteStat], _: CommitMetadata, config: TableConfig, __: str | None) -> bool:
    return config.populate_meta_fields and any(stat.rows and parse_base_file(_name(stat.path)) for stat in stats)


def _has_files(stats: Sequence[WriteStat], _: CommitMetadata, __: TableConfig, ___: str | None) -> bool:
    return any(stat.rows or not parse_base_file(_name(stat.path)) for stat in stats)


NEEDS: Final = PerKind[Callable[[Sequence[WriteStat], CommitMetadata, TableConfig, str | None], bool]](
    {RECORD_INDEX: _has_keys, SECONDARY_INDEX: _has_values, BLOOM_FILTERS: _has_filters}
)
"""Whether a commit may have rows for a kind; for the others, where it wrote files with rows."""


def _name(path: str) -> str:
    return path.rpartition("/")[2]
