"""The columns of a Parquet file for which a dictionary pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from hudi_arrow.arrays import Array, plain
from hudi_arrow.gather import gather
from hudi_core.formats.parquet.statistics import leaves
from hudi_core.schema.meta import COMMIT_SEQNO, RECORD_KEY
from hudi_core.schema.schema import Schema

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
    """The columns whose values repeat in a sample of the rows; those inside others always. In few rows nothing repeats that
    matters, and in none all columns do."""
    if rows.num_rows == 0:
        return Repeating([".".join(path) for path in leaves(schema.record)])
    if rows.num_rows < _FEW_ROWS:
        return Repeating([])
    sampled = [
        number
        for number, column in enumerate(rows.columns)
        if not pa.types.is_nested(column.type)
        and not pa.types.is_dictionary(column.type)
        and schema.fields[number].name not in _KEYS
    ]
    unique = {
        column.name for column in schema.fields if column.name in _KEYS and rows.column(column.name).null_count == 0
    }
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
    return Repeating([".".join(path) for path in leaves(schema.record) if path[0] not in unique], categories)


def _most_different(kind: pa.DataType) -> float:
    return _MOST_DIFFERENT_TEXTS if pa.types.is_string(kind) or pa.types.is_large_string(kind) else _MOST_DIFFERENT


def _share(values: Array) -> float:
    """How many values are different, as a share of all. Nulls take no room, and do not count."""
    present = len(values) - values.null_count
    if present == 0:
        return 0.0
    return float((len(plain(values).unique()) - (values.null_count > 0)) / present)
