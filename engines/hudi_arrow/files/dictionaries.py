"""The columns of a Parquet file for which a dictionary pays, and texts as numbers of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from hudi_arrow.arrays import Array, is_coded, plain
from hudi_arrow.files.footers import cast_batch, cast_column
from hudi_arrow.gather import gather
from hudi_core.formats.parquet.statistics import leaves
from hudi_core.schema.meta import COMMIT_SEQNO, RECORD_KEY
from hudi_core.schema.schema import Schema

_CODED: Final = pa.dictionary(pa.int32(), pa.string())
_KEYS: Final = (COMMIT_SEQNO, RECORD_KEY)
"""Columns of Hudi in which no value comes twice, where they have values."""
_SAMPLED_ROWS: Final = 1 << 12
_FEW_ROWS: Final = 16
_MOST_DIFFERENT: Final = 0.9875
"""The share of different values in the sample up to which a dictionary is made. With more there are above 160,000
different values: the dictionary is as large as the values, or beyond the limit of its page, after half the time of writing."""
_MOST_DIFFERENT_TEXTS: Final = 0.945
"""The same for texts. With more there are above 35,000 different texts, and Parquet's table of them leaves the cache of a
processor: they take twice the time to write and to read, to save half of their bytes."""
_CATEGORIES: Final = 1 / 16
"""The share of different texts in the sample up to which a column is encoded before Parquet's writer gets it: Arrow does that in
half of the time."""


@dataclass(frozen=True, slots=True)
class Repeating:
    """Columns whose values repeat: `leaves` as Parquet names them, and the texts among them that have few different values."""

    leaves: list[str]
    categories: frozenset[str] = frozenset()


def find_repeating(rows: pa.Table, schema: Schema) -> Repeating:
    """The columns whose values repeat in a sample of the rows, which have some of the schema's columns; those inside others
    always. In few rows nothing repeats that matters, and in none all columns do."""
    names = set(rows.column_names)
    if rows.num_rows == 0:
        return Repeating([".".join(path) for path in leaves(schema.record) if path[0] in names])
    if rows.num_rows < _FEW_ROWS:
        return Repeating([])
    sampled = [
        number
        for number, column in enumerate(rows.columns)
        if not pa.types.is_nested(column.type)
        and not pa.types.is_dictionary(column.type)
        and rows.schema.names[number] not in _KEYS
    ]
    unique = {name for name in _KEYS if name in names and rows.column(name).null_count == 0}
    categories = frozenset[str]()
    if sampled:
        chosen = np.linspace(0, rows.num_rows - 1, min(rows.num_rows, _SAMPLED_ROWS), dtype=np.int64)
        (few,) = gather(rows.select(sampled).to_batches(), [chosen] * len(sampled))
        shares = {name: _share(column) for name, column in zip(few.schema.names, few.columns, strict=True)}
        unique |= {name for name, share in shares.items() if share > _most_different(few.schema.field(name).type)}
        if rows.num_rows > _SAMPLED_ROWS:
            categories = frozenset(
                column.name
                for column in rows.schema
                if pa.types.is_string(column.type) and shares.get(column.name, 1) <= _CATEGORIES
            )
    return Repeating([".".join(path) for path in leaves(schema.record) if path[0] in names - unique], categories)


def _most_different(kind: pa.DataType) -> float:
    return _MOST_DIFFERENT_TEXTS if pa.types.is_string(kind) or pa.types.is_large_string(kind) else _MOST_DIFFERENT


def _share(values: Array) -> float:
    """How many values are different, as a share of all. Nulls take no room, and do not count."""
    present = len(values) - values.null_count
    if present == 0:
        return 0.0
    return float((len(plain(values).unique()) - (values.null_count > 0)) / present)


def with_coded(types: pa.Schema, first: pa.RecordBatch) -> pa.Schema:
    """The types of a file's columns: texts that come as numbers of a dictionary are written from these, as Parquet does."""
    for number, column in enumerate(types):
        if pa.types.is_string(column.type) and is_coded(first.column(column.name)):
            types = types.set(number, column.with_type(_CODED))
    return types


def cast_coded(batch: pa.RecordBatch, types: pa.Schema) -> pa.RecordBatch:
    """The columns in their types. Texts of columns that are written from a dictionary are looked up where they come plain."""
    if _CODED not in types.types:
        return cast_batch(batch, types)
    columns = zip(map(batch.column, types.names), types.types, strict=True)
    arrays = [_in_numbers(array) if kind == _CODED else cast_column(array, kind) for array, kind in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=types)


def _in_numbers(texts: Array) -> Array:
    return texts if texts.type == _CODED else plain(texts).cast(pa.string()).dictionary_encode()


def code_categories(rows: pa.Table, names: frozenset[str]) -> pa.Table:
    """The rows with these columns as numbers of a dictionary."""
    for number, column in enumerate(rows.schema):
        if column.name in names:
            rows = rows.set_column(number, column.with_type(_CODED), rows.column(number).dictionary_encode())
    return rows
