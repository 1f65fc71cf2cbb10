"""The metadata table of a table that has none yet, and the first commit of each partition of it. Rules META-75 to META-79."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hudi_core.commit.markers import PARTITION_METADATA
from hudi_core.commit.metadata import encode_commit, metadata_record, stat_of
from hudi_core.commit.statuses import WriteStatus
from hudi_core.commit.steps import Create, Replace, SideBySide, SingleStep, Step, side_by_side
from hudi_core.errors import UsageError
from hudi_core.formats.names import BaseFileName, LogFileName
from hudi_core.formats.properties import format_properties
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.kinds import KINDS, PerKind, get_known_kind, group_prefix, has_listing
from hudi_core.metadata.table import COLUMN_STATS, METADATA_FOLDER, RECORD_INDEX
from hudi_core.metadata.written import BUILT
from hudi_core.metadata_rows.record_schema import COMMIT_SCHEMA
from hudi_core.metadata_rows.rows import NO_ROWS, IndexRows, file_rows
from hudi_core.metadata_rows.statistics_rows import V1, V2, default_columns
from hudi_core.metadata_writer.delta_commit import partition_group_prefix, partition_metadata_content
from hudi_core.metadata_writer.group_files import FIRST_TOKEN, base_content, by_group, file_id, first_log_content
from hudi_core.options import FOLDER, PROPERTIES_PATH, TableConfig, table_checksum
from hudi_core.schema.project import leave_out
from hudi_core.schema.schema import Schema
from hudi_core.timeline.instants import DELTA_COMMIT, InstantFiles

_RECORDS_IN_GROUP: Final = (1 << 30) // 48
_GROWTH, _MAX_GROUPS = 2, 10_000
FEW_RECORDS: Final = min(kind.groups for kind in KINDS if kind.counts_records) * _RECORDS_IN_GROUP // _GROWTH
"""Fewer records than this take the fewest file groups of an index of records."""
_FIRST_LAYOUT_1: Final = 10

INDEX_DEFINITIONS_PROPERTY: Final = "hoodie.table.index.defs.path"
INDEX_DEFINITIONS_PATH: Final = f"{FOLDER}/.index_defs/index.json"
PARTITIONS_PROPERTY: Final = "hoodie.table.metadata.partitions"
INFLIGHT_PROPERTY: Final = "hoodie.table.metadata.partitions.inflight"


@dataclass(frozen=True, slots=True, eq=False)
class NewPartition:
    """A metadata partition that is to be made, with its first rows. A partitioned record index has those of each partition of
    the table apart."""

    partition: str
    rows: IndexRows = NO_ROWS
    by_table_partition: Mapping[str, IndexRows] | None = None


def group_count(partition: str, records: int) -> int:
    """File groups of a partition that begins with so many records: of an index of records a gigabyte each, twice as many as
    they fill."""
    kind = get_known_kind(partition)
    if not kind.counts_records:
        return kind.groups
    return min(max(records * _GROWTH // _RECORDS_IN_GROUP, kind.groups), _MAX_GROUPS)


def metadata_properties(config: TableConfig) -> dict[str, str]:
    """The properties of the metadata table of a table."""
    name = f"{config.name}_metadata"
    properties = {
        "hoodie.archivelog.folder": "history" if config.version >= 8 else "archived",
        "hoodie.compaction.payload.class": "org.apache.hudi.metadata.HoodieMetadataPayload",
        "hoodie.datasource.write.drop.partition.columns": "false",
        "hoodie.populate.meta.fields": "false",
        "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000",
        "hoodie.table.base.file.format": "HFILE",
        "hoodie.table.checksum": str(table_checksum(None, name)),
        "hoodie.table.keygenerator.type": "HOODIE_TABLE_METADATA",
        "hoodie.table.name": name,
        "hoodie.table.recordkey.fields": "key",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.table.version": str(config.version),
        "hoodie.timeline.history.path": "history",
        "hoodie.timeline.layout.version": str(config.layout),
        "hoodie.timeline.path": "timeline",
    }
    if config.version >= 8:
        properties["hoodie.record.merge.mode"] = "CUSTOM"
        properties["hoodie.table.initial.version"] = str(config.version)
    return properties


def properties_step(config: TableConfig) -> Step:
    """Makes the metadata table, without any partition."""
    content = format_properties(metadata_properties(config), "metadata table")
    return Create(f"{METADATA_FOLDER}/{PROPERTIES_PATH}", content)


def first_instants(config: TableConfig, latest: str | None, taken: Sequence[str] = ()) -> Iterator[str]:
    """Times of first commits of partitions, before all others: counters, from version 8 on by themselves, before that behind
    the time of the table's latest completed instant. `taken` are times that the metadata table has."""
    prefix = "0" * 14 if config.layout == 2 else (latest or "0" * 14)
    number = 0 if config.layout == 2 else _FIRST_LAYOUT_1
    while True:
        time = f"{prefix}{number:03d}"
        if time not in taken:
            yield time
        number += 1


def first_commit_steps(config: TableConfig, new: NewPartition, instant_time: str, completion_time: str) -> list[Step]:
    """The first commit of a partition: its file groups, each with an empty log file, and base files of those that have rows.
    Its completed instant is the last step."""
    folder = f"{METADATA_FOLDER}/{FOLDER}" + ("/timeline" if config.layout == 2 else "")
    files = InstantFiles(folder, config.layout, instant_time, DELTA_COMMIT)
    statuses: list[WriteStatus] = []
    contents: list[SingleStep] = []
    for prefix, groups, rows in _groups(new):
        for number in range(groups):
            log = LogFileName(file_id(prefix, number), instant_time, 1, FIRST_TOKEN, "")
            contents.append(Create(_path(new.partition, log.file_name()), first_log_content(instant_time)))
        for of_group in by_group(rows, groups):
            group = file_id(prefix, of_group.group)
            name = BaseFileName(group, f"{of_group.group}-0-0", instant_time, ".hfile").file_name()
            content, count = base_content(of_group), len(of_group.keys.offsets) - 1
            contents.append(Create(_path(new.partition, name), content))
            path = f"{new.partition}/{name}"
            statuses.append(WriteStatus(new.partition, group, path, len(content), count, count, 0, 0))
    if statuses:
        path = _path(new.partition, PARTITION_METADATA)
        contents.append(Replace(path, partition_metadata_content(instant_time)))
    stats = {new.partition: [stat_of(status, instant_time, config.version) for status in statuses]} if statuses else {}
    record = metadata_record(stats, BUILT, {"schema": COMMIT_SCHEMA})
    completed = Create(files.name_completed(completion_time), encode_commit(record, config.layout))
    return [Create(files.requested), Create(files.inflight), SideBySide(tuple(contents)), completed]


def _groups(new: NewPartition) -> Iterator[tuple[str, int, IndexRows]]:
    """Prefixes of ids of file groups, with the number of groups, and the rows of them all."""
    if new.by_table_partition is not None:
        for partition, rows in sorted(new.by_table_partition.items()):
            yield partition_group_prefix(partition), 1, rows
        return
    count = len(new.rows.keys.offsets) - 1
    yield group_prefix(new.partition), group_count(new.partition, count), new.rows


def _path(partition: str, name: str) -> str:
    return f"{METADATA_FOLDER}/{partition}/{name}"


def new_table_steps(
    config: TableConfig,
    indexes: Sequence[str],
    schema: Schema,
    completion_times: Callable[[], str],
    *,
    partitioned_record_index: bool = False,
) -> tuple[list[Step], dict[str, str]]:
    """The metadata table of a table without commits, and the table properties to set when the steps are done.

    `indexes` are the partitions besides `files`, of those in `possible_partitions`; `schema` is the table's, without the meta
    columns; `completion_times` gives times in ascending order. Raises `UsageError` for other indexes.
    """
    partitions = order_partitions(indexes, config.version)
    definitions = new_definitions(partitions, schema, config, partitioned_record_index=partitioned_record_index)
    firsts: list[list[Step]] = []
    for partition, instant_time in zip(partitions, first_instants(config, None), strict=False):
        kind = get_known_kind(partition)
        new = NewPartition(partition, file_rows({}) if kind.lists_files else NO_ROWS)
        if partitioned_record_index and kind.can_be_partitioned:
            new = NewPartition(partition, by_table_partition={})
        firsts.append(first_commit_steps(config, new, instant_time, completion_times()))
    properties = partition_properties(partitions)
    steps = [properties_step(config), *side_by_side(firsts)]
    if definitions:
        steps.append(definitions_step(definitions))
        properties[INDEX_DEFINITIONS_PROPERTY] = INDEX_DEFINITIONS_PATH
    return steps, properties


def possible_partitions(version: int) -> list[str]:
    """The partitions that a table of this version can have, but for those with names of their own, in the order in which they
    are made."""
    return [kind.name for kind in KINDS if not kind.is_named and version >= kind.since]


def order_partitions(indexes: Sequence[str], version: int) -> list[str]:
    """The partitions in the order in which they are made. Raises `UsageError`."""
    possible = possible_partitions(version)
    strange = sorted(set(indexes) - set(possible))
    if strange:
        raise UsageError("indexes", expected=f"some of {', '.join(possible)}", found=", ".join(strange))
    for kind in KINDS:
        if kind.name in indexes and kind.needs is not None and kind.needs not in indexes:
            raise UsageError("indexes", expected=f"{kind.needs} as well, which {kind.name} needs", found="none")
    return [name for name in possible if has_listing([name]) or name in indexes]


def new_definitions(
    partitions: Sequence[str], schema: Schema, config: TableConfig, *, partitioned_record_index: bool = False
) -> dict[str, IndexDefinition]:
    """Definitions of new indexes: statistics of the first columns that can have some, and of three of Hudi's own."""
    return {
        partition: define(schema, config, partitioned_record_index)
        for partition, define in NEW_DEFINITIONS.among(partitions)
    }


def _statistics_of(schema: Schema, config: TableConfig, _: bool) -> IndexDefinition:
    version = V2 if config.version >= 9 else V1
    columns = default_columns(leave_out(schema, config.left_out_columns), version, own=config.populate_meta_fields)
    return IndexDefinition(indexType=COLUMN_STATS, indexFunction=COLUMN_STATS, sourceFields=columns, version=version)


def _places_of_keys(_: Schema, __: TableConfig, partitioned: bool) -> IndexDefinition:
    options = {"isPartitioned": str(partitioned).lower()}
    return IndexDefinition(indexType=RECORD_INDEX, indexFunction="", sourceFields=(), indexOptions=options, version=V1)


NEW_DEFINITIONS: Final = PerKind[Callable[[Schema, TableConfig, bool], IndexDefinition]](
    {COLUMN_STATS: _statistics_of, RECORD_INDEX: _places_of_keys}
)
"""The first definition of an index without a name: by the schema, and whether a record index is partitioned."""


def partition_properties(partitions: Sequence[str]) -> dict[str, str]:
    """The table properties that make these metadata partitions usable."""
    return {PARTITIONS_PROPERTY: ",".join(sorted(partitions)), INFLIGHT_PROPERTY: ""}


def definitions_step(definitions: Mapping[str, IndexDefinition], path: str = INDEX_DEFINITIONS_PATH) -> Step:
    """The file of index definitions, in the form of Apache Hudi."""
    document: dict[str, Any] = {
        name: {
            "indexName": name,
            "indexType": definition.kind,
            "indexFunction": definition.function,
            "sourceFields": list(definition.columns),
            "indexOptions": dict(definition.options),
            "version": definition.version,
        }
        for name, definition in definitions.items()
    }
    return Replace(path, json.dumps({"indexDefinitions": document}, indent=2).encode())
