"""Rows put together from rows of several batches, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
        arrays, previous, places = [], None, _Places([], None)
        for parts, rows in zip(columns, sources, strict=True):
            if rows is not previous:
                # Columns of rows that stay whole share one array of rows: their places are looked for once.
                previous, places = rows, _places(starts, rows[low : low + PIECE])
            arrays.append(_taken(parts, places))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where rows are: for each batch that has some its number (negative for none) and the rows in it, and how to bring what is
    taken from all of them back into order; None where it is in order."""

    rows: list[tuple[int, Array]]
    back: Array | None


def _places(starts: NDArray[np.int64], rows: NDArray[np.int64]) -> _Places:
    numbers = np.searchsorted(starts, rows, side="right") - 1
    numbers[rows < 0] = -1
    if len(numbers) and (numbers == numbers[0]).all():
        only = int(numbers[0])
        return _Places([(only, pa.array(rows - starts[only] if only >= 0 else rows))], None)
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = numbers[order]
    begins = np.flatnonzero(np.diff(sorted_numbers, prepend=-2))
    ends = np.append(begins[1:], len(numbers))
    parts = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        number, chosen = int(sorted_numbers[begin]), rows[order[begin:end]]
        parts.append((number, pa.array(chosen - starts[number] if number >= 0 else chosen)))
    if (np.diff(order) == 1).all():
        return _Places(parts, None)
    back = np.empty(len(rows), np.int64)
    back[order] = np.arange(len(rows))
    return _Places(parts, pa.array(back))


def _taken(parts: list[Array], places: _Places) -> Array:
    """Rows of a column that is in parts, without joining the parts: together they may be larger than an array can be."""
    taken = [
        pa.nulls(len(rows), parts[0].type) if number < 0 else parts[number].take(rows) for number, rows in places.rows
    ]
    joined = taken[0] if len(taken) == 1 else pa.concat_arrays(taken)
    return joined if places.back is None else pc.take(joined, places.back)
