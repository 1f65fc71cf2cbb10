"""The keys of rows that come in: columns that hold them, or made by the table's key generator. Rule INDEX-19."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hudi_core.columns.nodes import StringColumn, kind_name
from hudi_core.columns.string_index import first_rows
from hudi_core.columns.strings import concat_strings, string_column, string_list, take_strings
from hudi_core.errors import RowError, UsageError
from hudi_core.keys.bound import KeyGenerator, KeyStrings
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.table.keying import table_generator
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns
from hudi_core.tagging.stored_key_types import StoredKeyTypes, align_key_types
from hudi_core.types.nodes import Field, Record, String

RECORD_KEY, PARTITION_PATH = "record_key", "partition_path"
"""Columns of rows that bring their keys along."""


class KeyReader:
    """Takes the keys of rows, batch by batch. With `whole_table` their partitions need not be known.

    `columns` are the names of those that hold keys and their partitions; without them keys are made by the table's generator,
    of which `options` add what properties of the table lack, of values in the table's types. Raises `SchemaError` for a column
    of keys of another kind than the table's.
    """

    def __init__(
        self,
        table: Table,
        schema: Schema,
        whole_table: bool = False,
        columns: tuple[str, str] = (RECORD_KEY, PARTITION_PATH),
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._engine = table.engine
        positions = {field.name: position for position, field in enumerate(schema.fields)}
        for field in schema.fields:
            if field.name in columns and not isinstance(field.type, String):
                raise UsageError(field.name, expected="strings", found=type(field.type).__name__.lower())
        self._places = (positions.get(columns[0]), positions.get(columns[1]))
        self._generator: KeyGenerator[Any, Any] | None = None
        self._types: StoredKeyTypes | None = None
        self._rows = 0
        if self._places[0] is None or (self._places[1] is None and table.config.partition_fields and not whole_table):
            if columns[0] in positions or not table.config.record_key_fields:
                wanted = f"columns {' and '.join(columns)}"
                raise UsageError("rows", expected=wanted, found=", ".join(positions) or "no columns")
            self._types = align_key_types(self._engine, schema, table.schema, table.config)
            typed = schema if self._types is None else self._types.schema
            self._generator = KeyGenerator(table_generator(table, options), typed, self._engine.values)

    def keys(self, batch: Any) -> tuple[StringColumn, StringColumn]:
        """Record keys and partition paths. Raises `RowError` for a row without a key, and for a value that the table's column
        cannot have."""
        root, values = self._engine.rows.root(batch), self._engine.values
        first, count = self._rows, self._engine.rows.count(batch)
        self._rows += count
        if self._generator is not None:
            typed = root if self._types is None else self._types.rows(root, first)
            key_strings = number_keys(self._generator, typed, first)
            return self._strings(key_strings.record_key, RECORD_KEY, first), self._strings(
                key_strings.partition_path, PARTITION_PATH, first
            )
        key_place, path_place = self._places
        assert key_place is not None
        records = self._strings(values.field(root, key_place), RECORD_KEY, first)
        if path_place is None:
            return records, string_column([""] * count)
        return records, self._strings(values.field(root, path_place), PARTITION_PATH, first)

    def _strings(self, value: Any, name: str, first: int) -> StringColumn:
        column = self._engine.rows.to_column(value, String(), name)
        if not isinstance(column, StringColumn):
            raise UsageError(name, expected="strings", found=kind_name(column))
        if column.validity is not None and not column.validity.all():
            row = first + int(np.argmin(column.validity))
            raise RowError(row, expected=f"a {name}", found="null")
        return StringColumn(column.offsets, column.data)


def number_keys(generator: KeyGenerator[Any, Any], root: Any, first: int) -> KeyStrings[Any]:
    """The keys of rows of which the first has this number. `RowError` for one without a key has its number among all rows."""
    with number_rows(first):
        return generator.keys(root, first)


@contextmanager
def number_rows(first: int) -> Iterator[None]:
    """Gives a `RowError` about a batch whose first row has this number the row's number among all rows."""
    try:
        yield
    except RowError as error:
        row = None if error.row is None else error.row + first
        raise RowError(row, expected=error.expected or "", found=error.found or "") from None


def input_schema(table: Schema) -> Schema:
    """The types of an input's columns where its format has none: as the table has them, and keys are strings."""
    columns = [field for field in table.fields if field.name not in (RECORD_KEY, PARTITION_PATH)]
    keys = [Field(0, name, String()) for name in (RECORD_KEY, PARTITION_PATH)]
    return Schema(record_with_ids(Record((*columns, *keys))))


def key_columns(records: StringColumn, paths: StringColumn) -> KeyColumns:
    """Keys of two columns without nulls."""
    if _is_one(paths):
        return KeyColumns(
            records, np.zeros(len(paths.offsets) - 1, np.int32), tuple(string_list(take_strings(paths, slice(0, 1))))
        )
    first = first_rows(paths)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    numbers = np.empty(len(first), np.int32)
    numbers[distinct] = np.arange(len(distinct), dtype=np.int32)
    return KeyColumns(records, numbers[first], tuple(string_list(take_strings(paths, distinct))))


def _is_one(strings: StringColumn) -> bool:
    """Whether all strings are the same."""
    sizes = np.diff(strings.offsets)
    if len(sizes) < 2 or (sizes != sizes[0]).any():
        return len(sizes) == 1
    data = strings.data[strings.offsets[0] : strings.offsets[-1]].reshape(len(sizes), -1)
    return bool((data == data[0]).all())


def batches_with_keys(
    batches: Iterable[Any], reader: KeyReader, max_keys: int
) -> Iterator[tuple[Sequence[Any], KeyColumns]]:
    """Batches with their keys, as many together as have at most so many keys, one at least."""
    waiting: list[Any] = []
    records: list[StringColumn] = []
    paths: list[StringColumn] = []
    count = 0
    for batch in batches:
        record, path = reader.keys(batch)
        size = len(record.offsets) - 1
        if waiting and count + size > max_keys:
            yield waiting, key_columns(concat_strings(records), concat_strings(paths))
            waiting, records, paths, count = [], [], [], 0
        waiting.append(batch)
        records.append(record)
        paths.append(path)
        count += size
    if waiting:
        yield waiting, key_columns(concat_strings(records), concat_strings(paths))
