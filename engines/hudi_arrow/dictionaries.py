"""The columns of a Parquet file for which a dictionary pays."""

from __future__ import annotations

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


def with_dictionary(rows: pa.Table, schema: Schema) -> list[str]:
    """The leaf columns whose values repeat, in a sample of the rows, as Parquet names them; those inside others always. In few
    rows nothing repeats that matters."""
    if rows.num_rows < _FEW_ROWS:
        return []
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
    if sampled:
        chosen = np.linspace(0, rows.num_rows - 1, min(rows.num_rows, _SAMPLED_ROWS), dtype=np.int64)
        (few,) = gather(rows.select(sampled).to_batches(), [chosen] * len(sampled))
        unique |= {name for name, column in zip(few.schema.names, few.columns, strict=True) if not _repeats(column)}
    return [".".join(path) for path in leaves(schema.record) if path[0] not in unique]


def _repeats(values: Array) -> bool:
    """Nulls take no room, and do not count."""
    present = len(values) - values.null_count
    if present == 0:
        return True
    distinct = len(plain(values).unique()) - (values.null_count > 0)
    return bool(distinct <= _MOST_DIFFERENT * present)
