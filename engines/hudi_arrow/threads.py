"""Kernels that make texts row by row, on all cores where there are many rows: Arrow runs each on one."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from hudi_arrow.arrays import Array

_MANY = 100_000
"""Rows from which threads cost less than they save."""


def in_parts(make: Callable[[int, int], Array], rows: int) -> Array:
    """The array that `make` gives for the rows `first, count`, put together of parts that are made side by side."""
    workers = min(os.cpu_count() or 1, rows // _MANY)
    if workers < 2:
        return make(0, rows)
    count = -(-rows // workers)
    with ThreadPoolExecutor(workers) as pool:
        return pa.concat_arrays(
            list(pool.map(lambda first: make(first, min(count, rows - first)), range(0, rows, count)))
        )
