"""Batches of different columns of the same rows, joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa


def joined_columns(parts: Sequence[Iterator[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    """Batches of all the parts' columns. The parts have the same rows, cut into batches in different places, none empty."""
    current: list[Any] = [next(part, None) for part in parts]
    while all(batch is not None for batch in current):
        rows = min(batch.num_rows for batch in current)
        fields = [field for batch in current for field in batch.schema]
        arrays = [column for batch in current for column in batch.slice(0, rows).columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
        current = [
            batch.slice(rows) if rows < batch.num_rows else next(part, None)
            for batch, part in zip(current, parts, strict=True)
        ]
