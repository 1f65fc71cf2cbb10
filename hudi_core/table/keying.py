"""The key generator of a table, by its properties, and where these are ambiguous by its keys. Rules KEY-3, KEY-1660."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from hudi_core.columns.nodes import to_list
from hudi_core.errors import HudiError, UnsupportedError, UsageError
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import UTC_MACHINE, WriterEnvironment, choose, choose_kind, list_lacking_times
from hudi_core.keys.generator import AnyGenerator, CompositeKey, Generator, TimePart, ValuePart, WritePath
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
from hudi_core.schema.meta import PARTITION_PATH, RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.types.nodes import Date, Fixed, String, Timestamp

_ROWS: Final = 1_000
"""Stored rows that are looked at: of some times the forms of several writers are the same."""


def table_generator(
    table: Table,
    options: Mapping[str, str] | None = None,
    *,
    writer: WritePath | None = None,
    machine: WriterEnvironment = UTC_MACHINE,
) -> AnyGenerator:
    """The generator that made a table's keys. `options` override the table's properties, and those that a write states.

    Rows are read where releases or, unless `writer` states which it is, writers differ on the form of keys and no property states
    it. Raises what `choose` raises, `UsageError` with the names of options that the times in partition paths need and that nobody
    states, and `UnsupportedError` for a table whose keys are none, or not all, of one form. Rule KEY-1660.
    """
    refuse_misspelled(options or {})
    properties = {**table_options(table.config), **table.key_options}
    if BARE_SINGLE_KEY not in properties and is_ambiguous(table.config):
        properties[BARE_SINGLE_KEY] = str(_has_bare_keys(table)).lower()
    stated = {**properties, **(options or {})}
    if has_times(table.config) and not (options or {}).keys() & {GENERATOR_CLASS, GENERATOR_TYPE}:
        _refuse_lacking_times(stated, table.storage.uri)
    if writer is not None:
        return choose(stated, writer=writer, machine=machine)
    return _as_stored(table, choose(stated, machine=machine))


def _as_stored(table: Table, generator: AnyGenerator) -> AnyGenerator:
    """The generator of the writer that made the stored keys, where writers make others of one value. Rule KEY-1660."""
    if not isinstance(generator, Generator):
        return generator
    if isinstance(generator.key, CompositeKey):
        generator = replace(generator, key=replace(generator.key, whole=False))
    if not (table.config.populate_meta_fields and table.config.record_key_fields):
        return generator
    by_values, by_times = _depends_on_writer(table, generator)
    if not by_values and not by_times:
        return generator
    forms, is_empty = _forms(generator), True
    for stored, root, schema in _read_stored_keys(table, generator):
        made = [(form, _make(table, form, schema, root)) for form in forms]
        forms, is_empty = [form for form, keys in made if keys == stored], False
        if not forms:
            expected = "rows with the keys and partition paths that one writer makes"
            raise UnsupportedError(table.storage.uri, expected=expected, found=f"{stored[0]} and others")
    return generator if is_empty and by_times else forms[0]


def _depends_on_writer(table: Table, generator: Generator) -> tuple[bool, bool]:
    """Whether writers make other keys or paths of some values: of the values, and of the times that are printed of them."""
    names = (*generator.key.fields, *(part.field for part in generator.parts if isinstance(part, ValuePart)))
    times = () if generator.consistent else (part.field for part in generator.parts if isinstance(part, TimePart))
    by_values = generator.style.slashes or _has_type(table.schema, names, (Timestamp, Fixed))
    return by_values, _has_type(table.schema, times, (Timestamp, Date))


def _has_type(schema: Schema, names: Iterable[str], kinds: tuple[type, ...]) -> bool:
    places = [schema.find(name) for name in names]
    return any(place is not None and isinstance(place.field.type, kinds) for place in places)


def _forms(generator: Generator) -> list[Generator]:
    """The generator as each writer has it. The first is that of Apache Hudi's upserts by Spark, whose paths have no colons."""
    avro = replace(generator, writer=WritePath.AVRO)
    internal = replace(generator, writer=WritePath.INTERNAL_ROW)
    return [replace(avro, spark_types=True), generator, avro, internal]


def _read_stored_keys(table: Table, generator: Generator) -> Iterator[tuple[list[tuple[Any, Any]], Any, Schema]]:
    """Record keys and partition paths of some rows, with what these rows are made of."""
    fields = (*generator.key.fields, *(part.field for part in generator.parts))
    columns = dict.fromkeys((RECORD_KEY, PARTITION_PATH, *(name.partition(".")[0] for name in fields)))
    scan, engine = table.scan(columns=list(columns), limit=_ROWS), table.engine
    for batch in scan.batches():
        if engine.rows.count(batch):
            root = engine.rows.root(batch)
            stored = [engine.values.field(root, place) for place in range(2)]
            yield _pairs(table, stored), root, scan.schema


def _make(table: Table, generator: Generator, schema: Schema, root: Any) -> list[tuple[Any, Any]] | None:
    """The keys of rows by a generator; None where it refuses them."""
    try:
        made = KeyGenerator(generator, schema, table.engine.values).keys(root)
    except HudiError:
        return None
    return _pairs(table, [made.record_key, made.partition_path])


def _pairs(table: Table, columns: list[Any]) -> list[tuple[Any, Any]]:
    texts = [to_list(table.engine.rows.to_column(column, String(), "keys")) for column in columns]
    return list(zip(*texts, strict=True))


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
