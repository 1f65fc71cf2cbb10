"""Kernels that make strings row by row, on all processors where there are many rows: Arrow runs such a kernel on one."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from hudi_arrow.arrays import Array
from hudi_core.parallel.limits import PROCESSORS
from hudi_core.parallel.ordered import in_order

_MIN_ROWS_PER_WORKER = 100_000
"""Rows from which threads cost less than they save."""


def in_parts(make: Callable[[int, int], Array], rows: int) -> Array:
    """The array that `make` gives for the rows `first, count`, put together of parts that are made side by side."""
    workers = min(PROCESSORS, rows // _MIN_ROWS_PER_WORKER)
    if workers < 2:
        return make(0, rows)
    count = -(-rows // workers)
    return pa.concat_arrays(list(in_order(lambda first: make(first, min(count, rows - first)), range(0, rows, count))))
