"""Which features of Apache Hudi a table uses: those that a reader has to know. Rule TABLE-721."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import Final

from hudi_core.errors import SchemaError
from hudi_core.formats.names import METADATA_BOOTSTRAP, parse_log_file
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.kinds import (
    BLOOM_FILTERS,
    COLUMN_STATS,
    EXPRESSION_INDEX,
    FILES,
    PARTITION_STATS,
    RECORD_INDEX,
    SECONDARY_INDEX,
    PerKind,
)
from hudi_core.options import BOOTSTRAP_BASE_PATH, BaseFileFormat, MergeMode, MetaFieldsMode, StorageLayout, TimeZone
from hudi_core.snapshot.external_files import SUFFIX
from hudi_core.table.table import Table
from hudi_core.tally import LISTING_FILES, Tally
from hudi_core.timeline.schemas import LATEST_SCHEMA
from hudi_core.types.nodes import Vector
from hudi_core.types.walk import walk


class Feature(StrEnum):
    """A feature, by the words in which it is shown."""

    LOG_FILES = "log files to merge"
    NATIVE_LOGS = "native log files"
    SORTED_FILES = "files sorted by key (lsm_tree)"
    ORC = "base files in ORC"
    HFILE = "base files in HFile"
    LANCE = "base files in Lance"
    VIRTUAL_KEYS = "virtual keys"
    SELECTIVE_META_FIELDS = "some of the meta columns"
    RENAMED_COLUMNS = "schemas with column ids (columns may be renamed)"
    PARTIAL_UPDATES = "updates of parts of rows"
    DELETE_MARKER = "a marker of deletes"
    CUSTOM_MERGE = "a merger of the user's"
    ORDERING_COLUMNS = "several ordering columns"
    CDC = "logs of changes"
    BOOTSTRAP = "files that a bootstrap left in place"
    BOOTSTRAP_PATH = "a bootstrap base path"
    EXTERNAL_FILES = "registered files of other writers"
    DROPPED_PARTITION_COLUMNS = "partition columns that files leave out"
    UTC = "instants in UTC"
    VECTORS = "vectors"
    METADATA_TABLE = "a metadata table"
    COLUMN_STATS = "column_stats"
    PARTITION_STATS = "partition_stats"
    BLOOM_FILTERS = "bloom_filters"
    RECORD_INDEX = "record_index"
    PARTITIONED_RECORD_INDEX = "a partitioned record_index"
    SECONDARY_INDEX = "secondary indexes"
    EXPRESSION_INDEX = "expression indexes"


_FORMATS: Final = {
    BaseFileFormat.ORC: Feature.ORC,
    BaseFileFormat.HFILE: Feature.HFILE,
    BaseFileFormat.LANCE: Feature.LANCE,
}
_INDEXES: Final = PerKind(
    {
        FILES: Feature.METADATA_TABLE,
        COLUMN_STATS: Feature.COLUMN_STATS,
        PARTITION_STATS: Feature.PARTITION_STATS,
        BLOOM_FILTERS: Feature.BLOOM_FILTERS,
        RECORD_INDEX: Feature.RECORD_INDEX,
        SECONDARY_INDEX: Feature.SECONDARY_INDEX,
        EXPRESSION_INDEX: Feature.EXPRESSION_INDEX,
    }
)
_WHERE_PARTITIONED: Final = PerKind({RECORD_INDEX: Feature.PARTITIONED_RECORD_INDEX})


def features(table: Table, tally: Tally | None = None) -> list[Feature]:
    """The features in use: by the properties, the timeline and the names of files. Reads the commits' metadata; `tally` gets how
    many of them are read, and that files are listed then."""
    # The commits first: what is asked of the files reads some of them.
    renames = any(extra.get(LATEST_SCHEMA) for extra in table.timeline.extras(tally))
    if tally is not None:
        tally.enter(LISTING_FILES)
    used = {*_of_properties(table), *_of_files(table), *_of_indexes(table)}
    if renames:
        used.add(Feature.RENAMED_COLUMNS)
    with suppress(SchemaError):  # before the first commit there may be none
        if any(isinstance(field.type, Vector) for _, field in walk(table.schema.record)):
            used.add(Feature.VECTORS)
    return [feature for feature in Feature if feature in used]


def _of_properties(table: Table) -> set[Feature]:
    config, properties = table.config, table.config.properties
    in_use = {
        Feature.SORTED_FILES: config.storage_layout is StorageLayout.LSM_TREE,
        Feature.VIRTUAL_KEYS: not config.populate_meta_fields,
        Feature.SELECTIVE_META_FIELDS: config.meta_fields_mode not in (None, MetaFieldsMode.ALL, MetaFieldsMode.NONE),
        Feature.PARTIAL_UPDATES: config.partial_update_mode is not None,
        Feature.DELETE_MARKER: any(key.endswith("payload.delete.marker") for key in properties),
        Feature.CUSTOM_MERGE: config.merge_mode is MergeMode.CUSTOM,
        Feature.ORDERING_COLUMNS: len(config.ordering_fields) > 1,
        Feature.CDC: config.cdc_enabled,
        Feature.BOOTSTRAP_PATH: bool(properties.get(BOOTSTRAP_BASE_PATH, "").strip()),
        Feature.DROPPED_PARTITION_COLUMNS: config.drop_partition_columns,
        Feature.UTC: config.timezone is TimeZone.UTC,
    }
    used = {feature for feature, is_used in in_use.items() if is_used}
    return used | ({_FORMATS[config.base_file_format]} if config.base_file_format in _FORMATS else set())


def _of_files(table: Table) -> set[Feature]:
    slices = table.slices()
    logs = [parse_log_file(log.name) for file_slice in slices for log in file_slice.logs]
    in_use = {
        Feature.LOG_FILES: bool(logs),
        Feature.NATIVE_LOGS: any(log is not None and log.is_native for log in logs),
        Feature.BOOTSTRAP: any(file_slice.instant == METADATA_BOOTSTRAP for file_slice in slices),
        Feature.EXTERNAL_FILES: any(
            stat.path.endswith(SUFFIX)
            for commit in table.timeline.commits
            for stats in table.timeline.metadata(commit).stats.values()
            for stat in stats
        ),
    }
    return {feature for feature, is_used in in_use.items() if is_used}


def _of_indexes(table: Table) -> set[Feature]:
    definitions = index_definitions(table.storage, table.config)
    used: set[Feature] = set()
    for name in table.config.metadata_partitions:
        is_partitioned = name in definitions and definitions[name].is_partitioned
        feature = (_WHERE_PARTITIONED if is_partitioned else _INDEXES).of_partition(name)
        if feature is not None:
            used.add(feature)
    return used
