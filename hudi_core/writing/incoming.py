"""Rows that are to be written: in the table's schema, with their keys, and checked before anything is written."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import concat_strings, string_column
from hudi_core.data_files.spool import Spool, spool
from hudi_core.engine import Engine, InputRows
from hudi_core.errors import RowError, UnknownColumnError
from hudi_core.index_kinds.file_notes import list_noted_indexes
from hudi_core.index_kinds.secondary import list_indexed_columns
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.generator import Generator
from hudi_core.keys.options import AUTO_INSTANT, AUTO_TASK
from hudi_core.keys.path_values import HIVE_DEFAULT
from hudi_core.portable import Portable
from hudi_core.rows.exact_types import widens_integers
from hudi_core.schema.meta import META_COLUMNS, with_meta_columns
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.table.keying import table_generator
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns, concat_keys
from hudi_core.tagging.key_reader import PARTITION_PATH, RECORD_KEY, KeyReader, key_columns, number_keys, number_rows
from hudi_core.tally import READING, Tally
from hudi_core.types import nodes as t
from hudi_core.writing.batch_columns import BatchColumns
from hudi_core.writing.incoming_checks import refuse_new_index
from hudi_core.writing.schema_on_write import SchemaOnWrite, schema_on_write
from hudi_core.writing.timestamp_types import refuse_corrections

if TYPE_CHECKING:
    from hudi_core.table import change_effects
else:
    change_effects = ModuleByNeed("hudi_core.table.change_effects")  # few writes change the schema

_NO_KEYS = KeyColumns(string_column([]), np.zeros(0, np.int32), ())


@dataclass(frozen=True)
class Incoming:
    """Rows of one write. Those in `spool` have the columns of `rows`; `keys` has the key of each.

    `table` is the table's schema after the write without the meta columns, `rows` with these where the table stores them:
    record key and partition path are filled in, the others are null until a file is written.
    """

    table: Schema
    rows: Schema
    spool: Spool
    keys: KeyColumns
    kept: frozenset[int] = frozenset()
    """The columns that the rows lack and whose stored values stay."""

    @property
    def count(self) -> int:
        return len(self.keys)


def incoming_rows(
    table: Table,
    given: InputRows[Any],
    auto_instant: str,
    columns: BatchColumns | None = None,
    tally: Tally | None = None,
    *,
    keeps_records: bool = True,
) -> Incoming:
    """Draws all rows of an input and checks them. `auto_instant` begins the keys of a table whose keys are generated. Where
    record keys are not to be kept, those of `keys` are missing: its partitions alone count. Rule WRITE-1071.

    Raises `UnknownColumnError` for rows without a column of the key or the partition and `SchemaError` for columns that do not
    fit the table, `UnsupportedError` for those that change a column with an index of its own, before a row is drawn; `RowError`
    with the row for one without a key or without a value in a required column. Warns (`UserWarning`) of a column whose wider
    type rounds values: numbers that are not whole make a column of integers one of theirs only where no row takes the place of
    another, each row has one, and their type was meant. Rules WRITE-43, WRITE-62, WRITE-74, WRITE-201.
    """
    columns = columns or BatchColumns()
    if given.index:
        refuse_new_index(table, given.index)
    if tally is not None:
        tally.enter(READING)
    if columns.replaces or given.inferred or not widens_integers(given.schema, table.schema):
        return _incoming(table, given, auto_instant, columns, tally, keeps_records)
    with closing(spool(table.engine, given.schema, given.batches)) as drawn:
        try:
            again = InputRows(given.schema, iter(drawn.batches))
            return _incoming(table, again, auto_instant, columns, tally, keeps_records)
        except RowError:
            again, wider = InputRows(given.schema, iter(drawn.batches)), replace(columns, whole=False)
            return _incoming(table, again, auto_instant, wider, tally, keeps_records)


def _incoming(
    table: Table,
    given: InputRows[Any],
    auto_instant: str,
    columns: BatchColumns,
    tally: Tally | None,
    keeps_records: bool,
) -> Incoming:
    prepares = replace(preparation(table, given.schema, auto_instant, columns), keeps_records=keeps_records)
    keys: list[KeyColumns] = []

    def prepare() -> Iterator[Any]:
        for rows in prepares.rows(given.batches):
            keys.append(rows.keys)
            if tally is not None:
                tally.add(read=table.engine.rows.count(rows.batch))
            yield rows.batch

    rows = spool(table.engine, prepares.stored, prepare())
    joined = concat_keys(keys) if keys else _NO_KEYS
    warn_of_partitions(table, joined.count_by_path())
    return Incoming(prepares.schema.table, prepares.stored, rows, joined, prepares.schema.kept)


def warn_of_partitions(table: Table, rows: Mapping[str, int]) -> None:
    """Warns of rows without a value in a partition column, of those that are counted by partition: most people who have such rows
    do not want them there. Also of new partitions that keep Apache Hudi from the table. Rules WRITE-1385, WRITE-1681."""
    for path, count in rows.items():
        if HIVE_DEFAULT in path:
            warnings.warn(
                f"rows without a value in a partition column: {count:,}, which go to partition {path}", stacklevel=3
            )
    colons = {path for path in rows if ":" in path.partition("/")[0]}
    if colons and (new := colons.difference(table.snapshot().slices.partitions)):
        warnings.warn(
            f"partitions whose first folder has a colon: {len(new):,}, as {min(new)}; Apache Hudi neither writes them nor "
            "reads a table that has one (hoodie.datasource.write.partitionpath.urlencode=true of a new table encodes it)",
            stacklevel=3,
        )


def join_keys(records: Sequence[StringColumn], paths: Sequence[StringColumn]) -> KeyColumns:
    """The keys of several batches."""
    return key_columns(concat_strings(records), concat_strings(paths)) if records else _NO_KEYS


@dataclass(frozen=True, slots=True, eq=False)
class PreparedRows:
    """A batch of rows as it is written, and the key of each."""

    batch: Any
    keys: KeyColumns


@dataclass(frozen=True)
class Preparation(Portable):
    """How rows of an input become rows to write. It can be pickled: a part of the rows is prepared as the whole. `part` is the
    number of the part, which keys that are generated contain."""

    table: Table
    schema: SchemaOnWrite
    auto_instant: str
    part: int = 0
    keeps_records: bool = True
    """Without it keys have no record keys: their partitions alone count."""
    known: Generator | None = None
    """The generator, where all parts have the same: none has to look at stored rows."""

    @cached_property
    def stored(self) -> Schema:
        """The schema of the prepared rows."""
        return row_schema(self.table, self.schema.table)

    @cached_property
    def generator(self) -> KeyGenerator[Any, Any]:
        """The generator of the rows' keys."""
        made_up = {AUTO_INSTANT: self.auto_instant, AUTO_TASK: str(self.part)}
        options = {} if self.table.config.record_key_fields else made_up
        generator = self.known or table_generator(self.table, options)
        return KeyGenerator(generator, self.schema.table, self.table.engine.values)

    def rows(self, batches: Iterable[Any]) -> Iterator[PreparedRows]:
        """The rows of batches, which are counted on. Raises `RowError` with the row's number, and as `SchemaOnWrite`."""
        engine, first = self.table.engine, 0
        for batch in batches:
            count = engine.rows.count(batch)
            if count == 0:
                continue
            root = self.schema.rows(batch, first)
            made = number_keys(self.generator, root, first)
            with_keys = _with_keys(engine, self.stored, root, made.record_key, made.partition_path)
            records = _strings(engine, made.record_key) if self.keeps_records else _NO_KEYS.records
            keys = key_columns(records, _strings(engine, made.partition_path))
            if any(HIVE_DEFAULT in path for path in keys.paths):
                with number_rows(first):
                    self.generator.refuse_default_texts(root)
            yield PreparedRows(engine.rows.batch(with_keys), keys)
            first += count


def preparation(table: Table, given: Schema, auto_instant: str, columns: BatchColumns | None = None) -> Preparation:
    """The preparation of rows of a schema for the table. Raises and warns of what `incoming_rows` does before a row is drawn."""
    _refuse_keyless(table, given)
    schema = schema_on_write(table.engine, table.schema, given, table.storage.uri, columns)
    prepares = Preparation(table, schema, auto_instant)
    generator = prepares.generator.generator
    if table.config.record_key_fields and isinstance(generator, Generator):
        prepares = replace(prepares, known=generator)
    if schema.changes_table:
        refuse_corrections(table, schema.table)
        change_effects.refuse_effects(table, schema.table)
        list_indexed_columns(table, schema.table)
        list_noted_indexes(table, schema.table)
    for notice in schema.notices:
        warnings.warn(notice, stacklevel=3)
    return prepares


def _refuse_keyless(table: Table, rows: Schema) -> None:
    """A column of nulls in the place of one that is missing would make no key, or put all rows into one partition."""
    config = table.config
    names = {field.name.lower() for field in rows.fields}
    for column in (*config.record_key_fields, *config.partition_fields):
        top = column.partition(":")[0].partition(".")[0]
        if top.lower() not in names:
            found = f"columns {', '.join(field.name for field in rows.fields)}" if rows.fields else "no column"
            raise UnknownColumnError(top, expected="a column of the rows to write, for their keys", found=found)


def incoming_keys(
    table: Table, given: InputRows[Any], names: tuple[str, str] = (RECORD_KEY, PARTITION_PATH)
) -> KeyColumns:
    """The keys of an input of rows, or in columns of these names. Raises `RowError` for a row without one and for
    a value that the table's column cannot have, `SchemaError` for a column of another kind than the table's."""
    reader = KeyReader(table, given.schema, columns=names)
    parts = [reader.keys(batch) for batch in given.batches if table.engine.rows.count(batch)]
    return join_keys([keys for keys, _ in parts], [paths for _, paths in parts])


def row_schema(table: Table | Snapshot, bare: Schema) -> Schema:
    """The schema of rows as they are merged: the meta columns first, where the table stores them, with their ids."""
    if not table.config.populate_meta_fields:
        return bare
    meta = {column.name: column for column in table.schema.fields if column.name in META_COLUMNS}
    own = tuple(meta[name] for name in META_COLUMNS)
    return replace(bare, record=replace(bare.record, fields=(*own, *bare.fields)))


def file_schema(bare: Schema) -> Schema:
    """The schema of base files, which have the meta columns in any case."""
    return Schema(with_meta_columns(bare.record))


def _strings(engine: Engine[Any, Any, Any], value: Any) -> StringColumn:
    column = engine.rows.to_column(value, t.String(), "keys")
    assert isinstance(column, StringColumn)
    return StringColumn(column.offsets, column.data)


def _with_keys(engine: Engine[Any, Any, Any], schema: Schema, root: Any, key: Any, path: Any) -> Any:
    """Rows with the meta columns before the others, where the schema has them."""
    values = engine.values
    own: Mapping[str, Any] = {"_hoodie_record_key": key, "_hoodie_partition_path": path}
    meta = sum(column.name in META_COLUMNS for column in schema.fields)
    parts = []
    for position, column in enumerate(schema.fields):
        if position >= meta:
            parts.append((column, values.field(root, position - meta)))
        elif column.name in own:
            parts.append((column, own[column.name]))
        else:
            parts.append((column, values.literal(None, column.type, root)))
    return values.struct(parts, values.is_null(root), root)
