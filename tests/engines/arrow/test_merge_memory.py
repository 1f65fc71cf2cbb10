"""The memory that merging a file slice takes: less than twice its bytes for each slice that is read at the same time."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from tests.support.logged_tables import BASE_NAME, COLUMNS, FILE_ID, META, Block, LoggedTable

ROWS, LENGTH = 400_000, 64
UPDATED = range(0, 60_000, 20)


def table(folder: Path, positions: bool) -> Table:
    """A slice of one row group in gzip, hardly smaller than it is decoded, and a log of updates."""
    keys = [f"{number:08d}" for number in range(ROWS)]
    updates = [{"id": keys[number], "ts": 2, "v": "new", "n": number} for number in UPDATED]
    made = LoggedTable([], [Block(updates, positions=list(UPDATED) if positions else None)])
    made.open()
    texts = np.random.default_rng(1).integers(0, 256, ROWS * LENGTH, np.uint8)
    offsets = np.arange(ROWS + 1, dtype=np.int32) * LENGTH
    columns = {
        **{name: pa.array([""] * ROWS) for name in META},
        "_hoodie_record_key": pa.array(keys),
        "id": pa.array(keys),
        "ts": pa.array(np.ones(ROWS, np.int64)),
        "v": pa.Array.from_buffers(pa.string(), ROWS, [None, pa.py_buffer(offsets), pa.py_buffer(texts & 0x7F)]),
        "n": pa.array(range(ROWS), pa.int32()),
    }
    for path, content in made.memory.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    pq.write_table(pa.table(columns), folder / BASE_NAME, compression="gzip", compression_level=1, use_dictionary=False)
    (folder / ".hoodie" / "hoodie.properties").write_text(
        "hoodie.table.name=t\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.version=9\n"
        "hoodie.table.recordkey.fields=id\nhoodie.table.ordering.fields=ts\nhoodie.record.merge.mode=EVENT_TIME_ORDERING\n"
    )
    return open_table(str(folder))


@pytest.mark.parametrize("positions", [True, False])
def test_a_slice_is_merged_in_less_than_twice_its_bytes(tmp_path: Path, positions: bool) -> None:
    found = table(tmp_path, positions)
    size = sum(file.stat().st_size for file in tmp_path.iterdir() if FILE_ID in file.name)
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        rows = sum(batch.num_rows for batch in found.scan(columns=list(COLUMNS)).batches())
        peak = tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)
    assert rows == ROWS
    assert peak < 2 * size
