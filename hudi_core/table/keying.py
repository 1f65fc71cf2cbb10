"""The key generator of a table, by its properties, and where these are ambiguous by one of its keys. Rule KEY-3."""

from __future__ import annotations

from collections.abc import Mapping

from hudi_core.errors import UsageError
from hudi_core.keys.choose import UTC_MACHINE, WriterEnvironment, choose, choose_kind, list_lacking_times
from hudi_core.keys.generator import AnyGenerator, WritePath
from hudi_core.keys.options import (
    BARE_SINGLE_KEY,
    GENERATOR_CLASS,
    GENERATOR_TYPE,
    SINCE_NAMED,
    key_options,
    refuse_misspelled,
    table_options,
)
from hudi_core.options import KeyGeneratorType as Kind
from hudi_core.options import TableConfig
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.table.table import Table


def table_generator(
    table: Table,
    options: Mapping[str, str] | None = None,
    *,
    writer: WritePath = WritePath.ROW,
    machine: WriterEnvironment = UTC_MACHINE,
) -> AnyGenerator:
    """The generator that made a table's keys. `options` override the table's properties, and those that a write states.

    One row is read where releases differ on the form of keys and no property states it. Raises what `choose` raises, and
    `UsageError` with the names of options that the times in partition paths need and that nobody states.
    """
    refuse_misspelled(options or {})
    properties = {**table_options(table.config), **table.key_options}
    if BARE_SINGLE_KEY not in properties and is_ambiguous(table.config):
        properties[BARE_SINGLE_KEY] = str(_has_bare_keys(table)).lower()
    stated = {**properties, **(options or {})}
    if has_times(table.config) and not (options or {}).keys() & {GENERATOR_CLASS, GENERATOR_TYPE}:
        _refuse_lacking_times(stated, table.storage.uri)
    return choose(stated, writer=writer, machine=machine)


def has_times(config: TableConfig) -> bool:
    """Whether a part of the partition paths is a formatted time."""
    kind = config.key_generator
    return kind is Kind.TIMESTAMP or (kind is Kind.CUSTOM and "TIMESTAMP" in config.partition_field_types)


def _refuse_lacking_times(stated: Mapping[str, str], where: str) -> None:
    """Raises `UsageError` for options of times that are missing, and says how they are given. Rule KEY-1565."""
    lacking = list_lacking_times(key_options(stated))
    if lacking:
        raise UsageError(
            where,
            expected=f"{' and '.join(lacking)}, which the table does not store, for the times in its partition paths",
            found="none",
            hint="state what its other writers state: properties={...} or --option NAME=VALUE of a write, or --options FILE "
            "of keys and tag",
        )


def is_ambiguous(config: TableConfig) -> bool:
    """Whether keys may have their field's name, or not: those of one field of the complex generator, before table version 9."""
    if config.key_encoding is not None:
        return False
    single = len(config.record_key_fields) == 1 and choose_kind(key_options(table_options(config))) is Kind.COMPLEX
    return single and config.version < SINCE_NAMED and config.populate_meta_fields


def _has_bare_keys(table: Table) -> bool:
    """Whether the first key has no field name before its value; false for an empty table."""
    named = f"{table.config.record_key_fields[0]}:"
    for row in table.scan(columns=[RECORD_KEY], limit=1).to_json_rows():
        return not str(row[RECORD_KEY]).startswith(named)
    return False
