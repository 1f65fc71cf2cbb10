"""Tables that are not written to, and errors that name the reason. Rule WRITE-21."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hudi_core.columns.nodes import to_list
from hudi_core.data_files.file_properties import CODEC, CODECS, block_bytes
from hudi_core.errors import ConflictError, RowError, UnsupportedError, UsageError
from hudi_core.index_kinds.planned_builds import list_planned_builds
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.options import BARE_SINGLE_KEY
from hudi_core.merge.rules import merge_rules
from hudi_core.metadata.kinds import IndexKind, kind_of
from hudi_core.options import BaseFileFormat, KeyGeneratorType, StorageLayout, TableConfig
from hudi_core.schema.meta import PARTITION_PATH, RECORD_KEY
from hudi_core.table.keying import is_ambiguous, table_generator
from hudi_core.table.table import Table
from hudi_core.timeline.instants import RESTORE
from hudi_core.timeline.services import pending_work
from hudi_core.transactions.left_out import refuse_left_out
from hudi_core.transactions.metadata_steps import refuse_unusable_metadata
from hudi_core.transactions.old_versions import refuse_read_only
from hudi_core.types.nodes import String

_MADE_UP_KEY: Final = re.compile(r"[0-9]+_[0-9]+_[0-9]+")
"""A record key that a table without key fields gives a row."""
_TRUE: Final = "true"


def refuse_unwritable(table: Table, *, merges: bool, changes_files: bool = True) -> None:
    """Raises `UnsupportedError` for a table that this library must not write to; with `merges` also where the
    rules do not determine which of two records with one key wins. Raises `ConflictError` while a restore, or an index build of
    another writer, is under way: rule RESTORE-890. A change of files needs a sound metadata table: rule META-1374."""
    config, where = table.config, table.storage.uri
    refuse_unwritable_properties(config, where)
    if config.left_out_columns:  # else the schema is not needed
        refuse_left_out(config, table.schema, where)
    refuse_restoring(table)
    for build in list_planned_builds(table.timeline):
        # Builds of Apache Hudi take a commit that is in the metadata table for one that is in their index.
        if not build.own:
            found = f"indexing {build.instant.requested_time}"
            raise ConflictError(where, expected="no indexing of another writer under way", found=found)
    if merges:
        merge_rules(config, where)
    if changes_files:
        refuse_unusable_metadata(table)


def refuse_restoring(table: Table) -> None:
    """Raises `ConflictError` while a restore is under way, or waits to be finished: it undoes what was written after its
    target, and a commit that began meanwhile would be among it."""
    for instant in table.timeline.pending:
        if instant.action == RESTORE:
            found = f"restore {instant.requested_time}"
            raise ConflictError(table.storage.uri, expected="no restore under way", found=found)


def refuse_unwritable_properties(config: TableConfig, where: str) -> None:
    """Raises `UnsupportedError` for the properties of a table that this library must not write to, whatever it holds."""
    properties = config.properties

    def refuse(expected: str, found: str) -> None:
        raise UnsupportedError(where, expected=expected, found=found)

    refuse_read_only(config, where)
    if config.layout != config.layout_of_version:
        refuse("the timeline layout of the table's version", f"layout {config.layout}")
    if (stated := properties.get("hoodie.table.format", "native")) != "native":
        refuse("the native table format", stated)
    if config.base_file_format is not BaseFileFormat.PARQUET:
        refuse("base files in Parquet to write to", config.base_file_format.value)
    for key in (
        "hoodie.table.multiple.base.file.formats.enable",
        "hoodie.partition.metafile.use.base.format",
    ):
        if properties.get(key, "").strip().lower() == _TRUE:
            refuse(f"a table without {key}", _TRUE)
    if (mode := config.meta_fields_mode) is not None and config.has_meta_columns and not config.populate_meta_fields:
        refuse("hoodie.meta.fields.mode of ALL or NONE", mode.value)
    if config.storage_layout is not StorageLayout.DEFAULT:
        refuse("hoodie.table.storage.layout of default", config.storage_layout.value.lower())
    if (codec := properties.get(CODEC, "")) and codec.strip().lower() not in CODECS:
        refuse(f"{CODEC} of {', '.join(CODECS)}", codec)
    try:
        block_bytes(properties)
    except UsageError as problem:
        raise UnsupportedError(where, message=str(problem)) from problem
    if config.key_generator is KeyGeneratorType.USER_PROVIDED:
        refuse("a key generator of Apache Hudi's", "one of the user's")


def list_excluded_groups(table: Table) -> frozenset[tuple[str, str]]:
    """The file groups that a compaction or clustering is going to rewrite: they get no new rows."""
    return frozenset(group for work in pending_work(table.timeline) for group in work.file_groups)


def refuse_new_indexes(before: Table, latest: Table, lacks: Callable[[IndexKind], bool]) -> None:
    """Raises `ConflictError` where an index was begun since a write began which `lacks` what the write's files have, for that was
    not kept."""
    new = latest.config.kept_partitions - before.config.kept_partitions
    begun = [partition for partition in new if (kind := kind_of(partition)) is not None and lacks(kind)]
    if begun:
        where = latest.storage.uri
        raise ConflictError(
            where, expected="no new index since the write began", found=f"a new one: {', '.join(sorted(begun))}"
        )


def refuse_other_keys(table: Table) -> None:
    """Raises `UnsupportedError` where a row that the table has would get another record key or partition path: rows that are
    merged would not meet those that have their keys."""
    config, engine = table.config, table.engine
    if not config.populate_meta_fields:
        return
    if not config.record_key_fields:
        _refuse_keys_of_fields(table)
        return
    named = (*config.record_key_fields, *config.partition_fields)
    columns = dict.fromkeys((RECORD_KEY, PARTITION_PATH, *(name.partition(".")[0] for name in named)))
    scan = table.scan(columns=list(columns), limit=1)
    generator = KeyGenerator(table_generator(table), scan.schema, engine.values)
    for batch in scan.batches():
        root = engine.rows.root(batch)
        try:
            made = generator.keys(root)
        except RowError as error:
            expected = "rows with the values that their record keys are made of"
            found = f"one whose columns make no key: {error.expected}, found {error.found}"
            raise UnsupportedError(table.storage.uri, expected=expected, found=found) from error
        for position, value in enumerate((made.record_key, made.partition_path)):
            stored, again = (
                to_list(engine.rows.to_column(column, String(), "keys"))
                for column in (engine.values.field(root, position), value)
            )
            if stored != again:
                expected = f"{list(columns)[position]} {stored[0]!r}, as a row of the table has it"
                if is_ambiguous(config):
                    expected += f" ({BARE_SINGLE_KEY} says whether keys have their field's name)"
                raise UnsupportedError(table.storage.uri, expected=expected, found=repr(again[0]))


def _refuse_keys_of_fields(table: Table) -> None:
    """Raises `UnsupportedError` for a table whose properties name no key field, though its rows have keys of some: properties
    that were cut, or lost a line."""
    scan = table.scan(columns=[RECORD_KEY], limit=1)
    for batch in scan.batches():
        root = table.engine.rows.root(batch)
        for key in to_list(table.engine.rows.to_column(table.engine.values.field(root, 0), String(), "keys")):
            if key is not None and not _MADE_UP_KEY.fullmatch(str(key)):
                expected = (
                    "hoodie.table.recordkey.fields in the table's properties, since keys of its rows are made of fields"
                )
                raise UnsupportedError(
                    table.storage.uri, expected=expected, found=f"none, and a row of the key {key!r}"
                )
