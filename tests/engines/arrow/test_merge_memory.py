"""The memory that merging a file slice takes, by its bytes as they are stored and as they are decoded."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.support.logged_tables import BASE_NAME, COLUMNS, FILE_ID, META, Block, LoggedTable

ROWS, LENGTH = 400_000, 64
UPDATED = range(0, 60_000, 20)


def table(folder: Path, positions: bool, compresses: bool, groups: int = 1) -> Table:
    """A slice with a base file in gzip and a log of updates. The file is a tenth of what it is decoded, or half of it."""
    keys = [f"{number:08d}" for number in range(ROWS)]
    updates = [{"id": keys[number], "ts": 2, "v": "new", "n": number} for number in UPDATED]
    made = LoggedTable([], [Block(updates, positions=list(UPDATED) if positions else None)])
    made.open()
    columns = {
        **{name: pa.array([""] * ROWS) for name in META},
        "_hoodie_record_key": pa.array(keys),
        "id": pa.array(keys),
        "ts": pa.array(np.ones(ROWS, np.int64)),
        "v": _alike() if compresses else _random(),
        "n": pa.array(range(ROWS), pa.int32()),
    }
    for path, content in made.memory.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    settings = {"compression": "gzip", "compression_level": 1, "use_dictionary": False}
    pq.write_table(pa.table(columns), folder / BASE_NAME, row_group_size=ROWS // groups, **settings)
    (folder / ".hoodie" / "hoodie.properties").write_text(
        "hoodie.table.name=t\nhoodie.table.type=MERGE_ON_READ\nhoodie.table.version=9\n"
        "hoodie.table.recordkey.fields=id\nhoodie.table.ordering.fields=ts\nhoodie.record.merge.mode=EVENT_TIME_ORDERING\n"
    )
    return open_table(str(folder))


def _random() -> pa.Array:
    texts = np.random.default_rng(1).integers(0, 256, ROWS * LENGTH, np.uint8)
    offsets = np.arange(ROWS + 1, dtype=np.int32) * LENGTH
    return pa.Array.from_buffers(pa.string(), ROWS, [None, pa.py_buffer(offsets), pa.py_buffer(texts & 0x7F)])


def _alike() -> pa.Array:
    return pa.array([f"{number % 10:0{LENGTH}}" for number in range(ROWS)])


def peak_of(read: Table) -> int:
    """The most bytes held at a time while all rows are read, by Python and by Arrow."""
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        rows = sum(batch.num_rows for batch in read.scan(columns=list(COLUMNS)).batches())
        peak = tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)
    assert rows == ROWS
    return peak


def sizes_of(folder: Path) -> tuple[int, int]:
    """The bytes of the slice as it is stored, and of its base file as it is decoded."""
    footer = pq.read_metadata(folder / BASE_NAME)
    decoded = sum(footer.row_group(number).total_byte_size for number in range(footer.num_row_groups))
    return sum(file.stat().st_size for file in folder.iterdir() if FILE_ID in file.name), decoded


@pytest.mark.parametrize("positions", [True, False])
def test_a_slice_of_random_bytes_is_merged_in_less_than_twice_its_bytes(tmp_path: Path, positions: bool) -> None:
    peak = peak_of(table(tmp_path, positions, compresses=False))
    stored, decoded = sizes_of(tmp_path)
    assert decoded < 2 * stored
    assert peak < 2 * stored


@pytest.mark.parametrize("positions", [True, False])
def test_a_slice_that_compresses_is_merged_in_less_than_its_decoded_bytes(tmp_path: Path, positions: bool) -> None:
    peak = peak_of(table(tmp_path, positions, compresses=True))
    stored, decoded = sizes_of(tmp_path)
    assert decoded > 10 * stored
    assert peak < decoded


@pytest.mark.parametrize("compresses", [True, False])
def test_of_many_row_groups_a_few_are_held_at_a_time(tmp_path: Path, compresses: bool) -> None:
    peak = peak_of(table(tmp_path, positions=False, compresses=compresses, groups=20))
    assert peak < sizes_of(tmp_path)[1] / 3
