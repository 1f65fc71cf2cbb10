"""The metadata table of a table that has commits already, built from its files, and its retirement. Rules META-80 to META-85."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import count

from hudi_core.commit.lock import table_lock
from hudi_core.commit.properties import change_properties
from hudi_core.commit.steps import Step, run, side_by_side
from hudi_core.commit.times import Clock, system_clock, time_of
from hudi_core.errors import UnsupportedError
from hudi_core.indexing.changes import KEPT, indexed_columns
from hudi_core.indexing.initial import (
    INDEX_DEFINITIONS_PATH,
    INDEX_DEFINITIONS_PROPERTY,
    INFLIGHT_PROPERTY,
    PARTITIONS_PROPERTY,
    NewPartition,
    definitions_step,
    first_commit_steps,
    first_instants,
    new_definitions,
    ordered_partitions,
    partition_properties,
    properties_step,
)
from hudi_core.indexing.rows import together
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.metadata.table import (
    BLOOM_FILTERS,
    COLUMN_STATS,
    FILES,
    METADATA_FOLDER,
    PARTITION_STATS,
    RECORD_INDEX,
)
from hudi_core.schema.meta import without_meta_columns
from hudi_core.schema.schema import Schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.instants import WRITES
from hudi_core.timeline.schemas import LATEST_SCHEMA
from hudi_core.writing.built_rows import BuiltRows


def build_metadata_table(
    table: Table, indexes: Sequence[str], *, partitioned_record_index: bool | None = None, clock: Clock = system_clock
) -> Table:
    """Builds the metadata table of a table from its files, with `files` and these partitions besides; one that is there goes.

    Readers list folders until it is complete. Whether a record index is partitioned is as it was, unless it is stated. Raises
    `UnsupportedError` where a write is under way or the table has indexes that are not built here, `UsageError` for other
    indexes, and `CorruptFileError` for damaged files.
    """
    with table_lock(table.storage, clock=clock):
        table = refreshed(table)
        partitions = ordered_partitions(indexes, table.config.version)
        _refuse(table, partitions)
        _retire(table, clock)
        table = refreshed(table)
        if partitioned_record_index is None:
            before = index_definitions(table.storage, table.config).get(RECORD_INDEX)
            partitioned_record_index = before is not None and before.is_partitioned
        definitions = new_definitions(
            partitions, _row_schema(table), table.config, partitioned_record_index=partitioned_record_index
        )
        run(table.storage, _steps(table, partitions, definitions, _completion_times(table, clock)))
        change_properties(
            table.storage,
            partition_properties(partitions) | {INDEX_DEFINITIONS_PROPERTY: INDEX_DEFINITIONS_PATH},
            clock,
        )
    return refreshed(table)


def retire_metadata_table(table: Table, *, clock: Clock = system_clock) -> Table:
    """Takes the metadata table away: first its mention, then its files. Rule META-85."""
    with table_lock(table.storage, clock=clock):
        _retire(refreshed(table), clock)
    return refreshed(table)


def _retire(table: Table, clock: Clock) -> None:
    if table.config.metadata_partitions or table.config.metadata_partitions_inflight:
        change_properties(table.storage, {PARTITIONS_PROPERTY: "", INFLIGHT_PROPERTY: ""}, clock)
    table.storage.delete_folder(METADATA_FOLDER)


def _refuse(table: Table, partitions: Sequence[str]) -> None:
    pending = [instant for instant in table.timeline.pending if instant.action in WRITES]
    if pending:
        found = f"{pending[0].action} {pending[0].requested_time}"
        raise UnsupportedError(table.storage.uri, expected="no write under way", found=found)
    strange = sorted({*table.config.metadata_partitions, *table.config.metadata_partitions_inflight} - KEPT)
    if strange:
        expected = "indexes that can be built here"
        raise UnsupportedError(table.storage.uri, expected=expected, found=", ".join(strange))
    if COLUMN_STATS in partitions and any(LATEST_SCHEMA in extra for extra in table.timeline.extras()):
        # Statistics of a file stand under the names that its columns had, which its footer tells by position alone.
        expected = f"{COLUMN_STATS} of a table whose columns kept their names"
        raise UnsupportedError(table.storage.uri, expected=expected, found="a schema history with column ids")


def _row_schema(table: Table) -> Schema:
    """The table's schema without Hudi's own columns."""
    return Schema(without_meta_columns(table.schema.record), table.schema.version, table.schema.max_column_id)


def _completion_times(table: Table, clock: Clock) -> Callable[[], str]:
    first = clock()
    moments = (first + timedelta(milliseconds=number) for number in count())
    return lambda: time_of(next(moments), table.timeline.zone)


def _steps(
    table: Table,
    partitions: Sequence[str],
    definitions: Mapping[str, IndexDefinition],
    completion_times: Callable[[], str],
) -> list[Step]:
    latest = table.timeline.commits[-1].requested_time if table.timeline.commits else None
    built = BuiltRows(table)
    firsts: list[list[Step]] = []
    for partition, instant_time in zip(partitions, first_instants(table.config, latest), strict=False):
        new = _new_partition(built, partition, definitions, instant_time)
        firsts.append(first_commit_steps(table.config, new, instant_time, completion_times()))
    return [properties_step(table.config), definitions_step(definitions), *side_by_side(firsts)]


def _new_partition(
    built: BuiltRows, partition: str, definitions: Mapping[str, IndexDefinition], instant_time: str
) -> NewPartition:
    if partition == FILES:
        return NewPartition(partition, built.files())
    if partition == BLOOM_FILTERS:
        return NewPartition(partition, built.bloom_filters(instant_time))
    if partition == RECORD_INDEX:
        by_partition = built.record_index()
        if definitions[RECORD_INDEX].is_partitioned:
            for rows in by_partition.values():
                built.refuse_repeated(rows)
            return NewPartition(partition, by_table_partition=by_partition)
        rows = together(list(by_partition.values()))
        built.refuse_repeated(rows)
        return NewPartition(partition, rows)
    definition = definitions[COLUMN_STATS]
    columns = indexed_columns(definition.columns, _row_schema(built.table), definition.version)
    if partition == COLUMN_STATS:
        return NewPartition(partition, built.column_stats(columns, definition.version))
    assert partition == PARTITION_STATS
    return NewPartition(partition, built.partition_stats(columns, definition.version))
