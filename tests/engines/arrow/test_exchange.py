"""Answers of a scan taken by others without a copy, and the memory that they take on the way.

Also covers: `reading/result.py`.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.front.opening import open_table
from hudi_core.table.scan import Scan
from tests.support.commands import rides
from tests.support.one_commit_tables import base_file_path, commit_base_files

WHERE = "city = 'vienna' AND fare > 60"


@pytest.fixture(scope="module")
def scan() -> Scan:
    return open_table(str(rides())).scan(where=WHERE, columns=["ride_id", "city", "fare"])


def test_pandas(scan: Scan) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert scan.to_pandas()["ride_id"].tolist() == scan.to_arrow()["ride_id"].to_pylist()


def test_polars(scan: Scan) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    expected = scan.to_arrow().to_pylist()
    assert scan.to_polars().to_dicts() == polars.from_arrow(scan.to_stream()).to_dicts() == expected


def test_duckdb(scan: Scan) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    rows = scan.to_stream()
    found = duckdb.connect().sql("SELECT city, count(*), max(fare) FROM rows GROUP BY city").fetchall()
    expected = scan.to_arrow()
    assert found == [("vienna", expected.num_rows, max(expected["fare"].to_pylist()))]
    assert rows.schema.names == ["ride_id", "city", "fare"]


def test_datafusion(scan: Scan) -> None:
    datafusion = pytest.importorskip("datafusion", reason="datafusion is not installed")
    context = datafusion.SessionContext()
    context.from_arrow(scan, name="rides")
    found = context.sql("SELECT city, count(*) AS n FROM rides GROUP BY city").to_pydict()
    assert found == {"city": ["vienna"], "n": [scan.count()]}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_memory_is_bounded_by_batches_and_not_by_the_table(tmp_path: Path, compression: str) -> None:
    rows, files = 300_000, 12
    schema = {"type": "record", "name": "r", "fields": [{"name": "n", "type": "long"}, {"name": "s", "type": "string"}]}
    content = pa.table({"n": range(rows), "s": [f"{number % 1000:0100d}" for number in range(rows)]})
    for number in range(files):
        path = base_file_path(tmp_path, number)
        if number:
            path.hardlink_to(base_file_path(tmp_path, 0))
        else:
            pq.write_table(content, path, compression=compression, data_page_size=1 << 18)
    commit_base_files(tmp_path, schema)
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        largest = taken = 0
        for batch in open_table(str(tmp_path)).scan().batches():
            largest, taken = max(largest, batch.nbytes), taken + batch.num_rows
        del batch
    finally:
        pa.set_memory_pool(before)
    assert taken == rows * files
    # What waits, what is in hand, and what each of two files is decoded with.
    assert 0 < pool.max_memory() < largest * 20 < files * content.nbytes / 2
