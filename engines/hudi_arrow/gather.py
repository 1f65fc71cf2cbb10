"""Rows put together from rows of several batches, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hudi_arrow.arrays import Array
from hudi_arrow.numpy_arrays import from_numpy
from hudi_core.arrays import Numbers

PIECE = 1 << 15
"""Rows of a batch that is put together."""
_MOST_ROWS = 0.5
JOINED_BYTES = 1 << 27
"""Bytes of batches that are joined at most."""


def gather(batches: Sequence[pa.RecordBatch], sources: Sequence[Numbers]) -> Iterator[pa.RecordBatch]:
    """Batches whose row i has in column c what row `sources[c][i]` of all batches has there; null where it is negative."""
    schema = _common_schema([batch.schema for batch in batches])
    count = len(sources[0]) if sources else 0
    batches = _join(batches, schema, count)
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
    types = schema.types
    whole = all(rows is sources[0] for rows in sources)
    for low in range(0, count, PIECE):
        arrays, previous = [], sources[0]
        places = _places(starts, previous[low : low + PIECE])
        run = places.run
        if whole and run is not None and batches[run[0]].schema.equals(schema):
            holder, chosen = run
            yield batches[holder].slice(chosen.start, chosen.stop - chosen.start)
            continue
        for number, (rows, kind) in enumerate(zip(sources, types, strict=True)):
            if rows is not previous:
                # Columns of rows that stay whole share one array of rows: their places are looked for once.
                previous, places = rows, _places(starts, rows[low : low + PIECE])
            arrays.append(_take(batches, number, places, kind))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _common_schema(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The schema of rows of all batches: what may be null inside a column of one of them may be null."""
    first, common = schemas[0], schemas[0]
    others = [schema for schema in schemas[1:] if not schema.equals(first)]
    if not others:
        return first
    for number, column in enumerate(first):
        if any(schema.field(number).type != column.type for schema in others):
            common = common.set(number, column.with_type(_with_nulls(column.type)))
    return common


def _join(batches: Sequence[pa.RecordBatch], schema: pa.Schema, count: int) -> Sequence[pa.RecordBatch]:
    """The batches as one where most of their rows are wanted: these are taken once, not batch by batch and once more into
    their order. Large ones stay as they are."""
    if len(batches) < 2 or count < _MOST_ROWS * sum(batch.num_rows for batch in batches):
        return batches
    if not _may_be_joined(batches):
        return batches
    return [pa.concat_batches([_cast(batch, schema) for batch in batches])]


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch in the types of a schema. Columns in dictionaries are cast once so, and not for each piece."""
    if batch.schema.equals(schema):
        return batch
    arrays = [_as_type(column, kind) for column, kind in zip(batch.columns, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _as_type(column: Array, kind: pa.DataType) -> Array:
    return column if column.type == kind else column.cast(kind)


def _may_be_joined(batches: Sequence[pa.RecordBatch]) -> bool:
    """Whether the batches have at most `JOINED_BYTES`. The bytes of their buffers are known at once, those of their rows take a
    walk through all columns: they matter where batches are slices of something larger."""
    buffers = sum(int(batch.get_total_buffer_size()) for batch in batches)
    return buffers <= JOINED_BYTES or sum(int(batch.nbytes) for batch in batches) <= JOINED_BYTES


def _with_nulls(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(kind):
        return pa.struct([_optional(inner) for inner in kind])
    if pa.types.is_list(kind):
        return pa.list_(_optional(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_optional(kind.value_field))
    if pa.types.is_map(kind):
        return pa.map_(kind.key_field.with_type(_with_nulls(kind.key_type)), _optional(kind.item_field))
    return kind


def _optional(inner: pa.Field) -> pa.Field:
    return inner.with_type(_with_nulls(inner.type)).with_nullable(True)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where rows are: for each batch that has some its number (negative for none) and the rows in it, neighbours as a `slice`;
    and how to bring what is taken from all of them back into order; None where it is in order."""

    rows: list[tuple[int, Array]]
    back: Array | None

    @property
    def run(self) -> tuple[int, slice] | None:
        """The number of the batch that has all these rows side by side, and which rows of it they are; None elsewhere."""
        if len(self.rows) != 1 or self.back is not None:
            return None
        number, rows = self.rows[0]
        return (number, rows) if number >= 0 and isinstance(rows, slice) else None


def _places(starts: Numbers, rows: Numbers) -> _Places:
    if len(starts) == 2 and rows.min(initial=0) >= 0:  # there is one batch, in which all are
        return _Places([(0, _within(rows, starts, 0))], None)
    numbers = np.searchsorted(starts, rows, side="right") - 1
    numbers[rows < 0] = -1
    if len(numbers) and (numbers == numbers[0]).all():
        only = int(numbers[0])
        return _Places([(only, _within(rows, starts, only))], None)
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = numbers[order]
    begins = np.flatnonzero(np.diff(sorted_numbers, prepend=-2))
    ends = np.append(begins[1:], len(numbers))
    parts = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        number, chosen = int(sorted_numbers[begin]), rows[order[begin:end]]
        parts.append((number, _within(chosen, starts, number)))
    if (np.diff(order) == 1).all():
        return _Places(parts, None)
    back = np.empty(len(rows), np.int64)
    back[order] = np.arange(len(rows))
    return _Places(parts, from_numpy(back))


def _within(rows: Numbers, starts: Numbers, number: int) -> Array:
    """Rows as their batch counts them."""
    if number < 0:
        return from_numpy(rows)
    first = int(rows[0] - starts[number])
    if (np.diff(rows) == 1).all():
        return slice(first, first + len(rows))
    return from_numpy(rows - starts[number])


def _rows_of(part: Array, rows: Array) -> Array:
    return part.slice(rows.start, rows.stop - rows.start) if isinstance(rows, slice) else part.take(rows)


def _take(batches: Sequence[pa.RecordBatch], column: int, places: _Places, kind: pa.DataType) -> Array:
    """Rows of a column, without joining all batches: together they may be larger than an array can be."""
    taken = [
        pa.nulls(len(rows), kind) if number < 0 else _rows_of(batches[number].column(column), rows)
        for number, rows in places.rows
    ]
    taken = [_as_type(part, kind) for part in taken]
    joined = taken[0] if len(taken) == 1 else pa.concat_arrays(taken)
    return joined if places.back is None else pc.take(joined, places.back)
