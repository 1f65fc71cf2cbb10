"""Properties of new tables beside those that Apache Hudi wrote for the same options, one by one. Rule CREATE-2."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from itertools import count
from typing import Final

import pytest

from hudi_core.creating.new_table import WRITABLE_VERSIONS, NewTable, new_properties
from hudi_core.formats.properties import parse_properties
from hudi_core.metadata_writer.initial import new_table_steps, possible_partitions
from hudi_core.options import MergeMode, TableConfig, TableType, table_config
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support.conformance import TableEntry, each_table

OURS_ALONE: Final = {
    "hoodie.table.create.schema": None,
    "hoodie.archivelog.folder": "history",
    "hoodie.partition.metafile.use.base.format": "false",
    "hoodie.populate.meta.fields": "true",
    "hoodie.table.base.file.format": "PARQUET",
    "hoodie.table.cdc.enabled": "false",
    "hoodie.table.format": "native",
    "hoodie.table.multiple.base.file.formats.enable": "false",
    "hoodie.table.partition.fields": "",
    "hoodie.timeline.history.path": "history",
    "hoodie.timeline.path": "timeline",
}
"""What Spark SQL or a release before 1.2 leaves out, and what Apache Hudi takes for it then; None: any."""
THEIRS_ALONE: Final = {
    "hoodie.table.index.defs.path": "stays when the last index that has a definition is dropped",
    "hoodie.table.partition_extractor_class": "synchronises a table with a catalogue, and can be told from the key generator",
    "hoodie.compaction.record.merger.strategy": "a name of before 1.0",
}
RENAMED: Final = {"hoodie.table.precombine.field": "hoodie.table.ordering.fields"}
DIFFER: Final = {
    "hoodie.table.timeline.timezone": {"UTC"},
    "hoodie.archivelog.folder": {"history"},
    "hoodie.table.create.schema": None,
}
"""What is written in another way on purpose: the zone, for LOCAL is that of the machine that writes; the folder of SQL; names of
records."""
BEFORE_1: Final = {
    "hoodie.record.merge.strategy.id",
    "hoodie.compaction.payload.class",
    "hoodie.table.keygenerator.type",
}
"""What a release before 1.0 writes in its own way, or not."""


def written(entry: TableEntry) -> dict[str, str]:
    """The properties that Apache Hudi wrote."""
    (path,) = (name for name in entry.files if name.count("/") == 2 and name.endswith("/.hoodie/hoodie.properties"))
    with zipfile.ZipFile(entry.folder / "table.zip") as archive:
        return dict(parse_properties(archive.read(path), path))


def created(config: TableConfig, properties: Mapping[str, str]) -> dict[str, str]:
    """The properties of a new table for the options that a table was made with."""
    partition_by = tuple(filter(None, properties.get("hoodie.table.partition.fields", "").split(",")))
    columns = (*config.record_key_fields, *partition_by, *config.ordering_fields)
    names = dict.fromkeys(["value", *(column.partition(":")[0].partition(".")[0] for column in columns)])
    schema = Schema(t.Record(tuple(t.Field(number, name, t.String()) for number, name in enumerate(names))))
    options = {key: value for key, value in properties.items() if key.startswith(OPTIONS)}
    mode = config.merge_mode or implied_mode(properties)
    if mode in (MergeMode.EVENT_TIME_ORDERING, MergeMode.COMMIT_TIME_ORDERING):
        options["hoodie.record.merge.mode"] = mode.value
    kind = "cow" if config.type is TableType.COPY_ON_WRITE else "mor"
    made = new_properties(
        NewTable(
            config.name,
            schema,
            config.record_key_fields,
            partition_by,
            config.ordering_fields,
            kind,
            config.version,
            options,
        )
    )
    indexes = [name for name in config.metadata_partitions if name in possible_partitions(config.version)]
    if indexes:
        times = (f"{number:017}" for number in count(1))
        made |= new_table_steps(table_config(made), indexes, schema, lambda: next(times))[1]
    return made


OPTIONS: Final = (
    "hoodie.keygen.", "hoodie.datasource.write.", "hoodie.record.merge.property.", "hoodie.populate.", "hoodie.database.",
    "hoodie.table.cdc.", "hoodie.table.keygenerator.type",
)  # fmt: skip


def implied_mode(properties: Mapping[str, str]) -> MergeMode | None:
    """The mode of a table before version 8, by its payload."""
    payload = properties.get("hoodie.compaction.payload.class", "")
    return MergeMode.COMMIT_TIME_ORDERING if payload.endswith("OverwriteWithLatestAvroPayload") else None


@each_table()
def test_a_new_table_has_the_properties_that_apache_hudi_writes(entry: TableEntry) -> None:
    """CREATE-2."""
    theirs = written(entry)
    config = table_config(theirs)
    if config.version not in WRITABLE_VERSIONS or theirs.get("hoodie.table.base.file.format", "PARQUET") != "PARQUET":
        pytest.skip("a version or format that is not created")
    if any(name not in possible_partitions(config.version) for name in config.metadata_partitions):
        pytest.skip("indexes that a new table has not")
    ours = created(config, theirs)
    theirs = {RENAMED.get(key, key): value for key, value in theirs.items()}
    is_of_before_1 = "hoodie.timeline.path" not in theirs
    differences = []
    for key in sorted(set(ours) | set(theirs)):
        one, other = ours.get(key), theirs.get(key)
        if one == other or (is_of_before_1 and (key in BEFORE_1 or key == "hoodie.table.keygenerator.class")):
            continue
        if one is None and key in THEIRS_ALONE:
            continue
        if other is None and key in OURS_ALONE and OURS_ALONE[key] in (None, one):
            continue
        if key in DIFFER and (DIFFER[key] is None or one in DIFFER[key]):
            continue
        differences.append((key, one, other))
    assert differences == []
