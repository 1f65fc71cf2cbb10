"""The rows with which a metadata partition begins, for its file groups. Rules META-81 to META-83."""

from __future__ import annotations

from collections.abc import Mapping

from hudi_core.indexing.building import NewGroups
from hudi_core.indexing.changes import indexed_columns
from hudi_core.indexing.delta_commit import partition_group_prefix
from hudi_core.indexing.rows import IndexRows, together
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.table import BLOOM_FILTERS, COLUMN_STATS, PARTITION_STATS, RECORD_INDEX
from hudi_core.writing.built_rows import BuiltRows
from hudi_core.writing.index_plan import row_schema


def rows_by_prefix(
    built: BuiltRows, groups: NewGroups, definitions: Mapping[str, IndexDefinition], instant_time: str
) -> Mapping[str, IndexRows]:
    """The rows of a partition by the prefix of the file groups that they go to. `instant_time` is that of the base files.

    Raises `UnsupportedError` for a record key in two places.
    """
    if groups.partition == RECORD_INDEX:
        return _locations(built, groups, partitioned=definitions[RECORD_INDEX].is_partitioned)
    (prefix,) = groups.counts
    if groups.partition == BLOOM_FILTERS:
        return {prefix: built.bloom_filters(instant_time)}
    definition = definitions[COLUMN_STATS]
    columns = indexed_columns(definition.columns, row_schema(built.table), definition.version)
    if groups.partition == COLUMN_STATS:
        return {prefix: built.column_stats(columns, definition.version)}
    assert groups.partition == PARTITION_STATS
    return {prefix: built.partition_stats(columns, definition.version)}


def _locations(built: BuiltRows, groups: NewGroups, *, partitioned: bool) -> Mapping[str, IndexRows]:
    by_partition = built.record_index()
    if partitioned:
        by_prefix = {partition_group_prefix(name): rows for name, rows in by_partition.items()}
    else:
        (prefix,) = groups.counts
        by_prefix = {prefix: together(list(by_partition.values()))}
    for rows in by_prefix.values():
        built.refuse_repeated(rows)
    return by_prefix
