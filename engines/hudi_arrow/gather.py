"""Rows put together from rows of several batches, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hudi_arrow.arrays import Array

PIECE = 1 << 15
"""Rows of a batch that is put together."""


def flags(mask: Array) -> NDArray[np.bool_]:
    """A mask as one bool a row."""
    return np.asarray(mask.to_numpy(zero_copy_only=False), np.bool_)


def gather(batches: Sequence[pa.RecordBatch], sources: Sequence[NDArray[np.int64]]) -> Iterator[pa.RecordBatch]:
    """Batches whose row i has in column c what row `sources[c][i]` of all batches has there; null where it is negative."""
    schema = batches[0].schema
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    columns = [[batch.column(number) for batch in batches] for number in range(len(schema))]
    for low in range(0, len(sources[0]) if sources else 0, PIECE):
        arrays = [_taken(parts, starts, rows[low : low + PIECE]) for parts, rows in zip(columns, sources, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _taken(parts: list[Array], starts: NDArray[np.int64], rows: NDArray[np.int64]) -> Array:
    """Rows of a column that is in parts, without joining the parts: together they may be larger than an array can be."""
    absent = rows < 0
    sources = np.searchsorted(starts, rows, side="right") - 1
    sources[absent] = -1
    used = np.unique(sources)
    if len(used) == 1:
        only = int(used[0])
        return pa.nulls(len(rows), parts[0].type) if only < 0 else parts[only].take(pa.array(rows - starts[only]))
    order = np.argsort(sources, kind="stable")
    ends = np.searchsorted(sources[order], used, side="right")
    taken = []
    for number, low, high in zip(used.tolist(), [0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        chosen = rows[order[low:high]]
        taken.append(
            pa.nulls(len(chosen), parts[0].type)
            if number < 0
            else parts[number].take(pa.array(chosen - starts[number]))
        )
    back = np.empty(len(rows), np.int64)
    back[order] = np.arange(len(rows))
    return pc.take(pa.concat_arrays(taken), pa.array(back))
