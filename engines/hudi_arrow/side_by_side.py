"""Batches of different columns of the same rows, put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa


def side_by_side(parts: Sequence[Iterator[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    """Batches of all the parts' columns. The parts have the same rows, cut into batches in different places, none empty."""
    heads: list[Any] = [next(part, None) for part in parts]
    while all(head is not None for head in heads):
        rows = min(head.num_rows for head in heads)
        fields = [field for head in heads for field in head.schema]
        arrays = [column for head in heads for column in head.slice(0, rows).columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
        heads = [
            head.slice(rows) if rows < head.num_rows else next(part, None)
            for head, part in zip(heads, parts, strict=True)
        ]
