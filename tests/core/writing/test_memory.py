"""The memory that a write of many rows takes: some row groups, and the keys. WRITE-22. By `make soak`."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table

TYPES = pa.schema([("id", pa.string()), ("n", pa.int64()), ("x", pa.float64()), ("s", pa.string())])
ROWS, BATCH = 10_000_000, 100_000
MIB = 1 << 20


def batches() -> Iterator[pa.RecordBatch]:
    for first in range(0, ROWS, BATCH):
        numbers = np.arange(first, first + BATCH)
        strings = np.char.add("a string of some length ", (numbers % 1000).astype(str))
        yield pa.record_batch([pa.array(numbers).cast(pa.string()), numbers, numbers / 3, strings], schema=TYPES)


def peak(path: str, op: str) -> int:
    """The most memory in bytes that this process ever had."""
    import resource  # noqa: PLC0415 - not on every system

    table = create_table(path, TYPES, "id")
    assert table.write(pa.RecordBatchReader.from_batches(TYPES, batches()), op).inserted == ROWS
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.soak
@pytest.mark.parametrize("op", ["append", "upsert"])
def test_ten_million_rows_take_memory_for_their_keys_alone(tmp_path: Path, op: str) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(peak, str(tmp_path / "t"), op).result() < 4096 * MIB
