"""Columns of a row group that are encoded side by side: by whom, in which parts, and in how much memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files import parquet_write
from hudi_arrow.files.parquet_write import ParquetWriter
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.errors import UnsupportedError
from hudi_core.parallel.ordered import in_order
from hudi_core.types import nodes as t
from tests.engines.arrow.test_parquet_write import batch_of, schema_of
from tests.support.column_parts import columns_encoded

SCHEMA = schema_of(a=t.Long(), b=t.String(), c=t.Double(), d=t.String())
ROWS = [(number, f"text {number}", number / 8, f"kind {number % 3}") for number in range(20_000)]


def write(folder: Path, name: str = "f.parquet", **settings: Any) -> int:
    batches = [batch_of(SCHEMA, ROWS[:10_000]), batch_of(SCHEMA, ROWS[10_000:])]
    return ParquetWriter(**settings).write(ArrowStorage(str(folder)), name, SCHEMA, batches, dict).size


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """The threads that encode, each with the columns that it encodes at a time."""
    calls: list[tuple[str, list[str]]] = []
    encode = ParquetWriter._encode

    def count(self: ParquetWriter, statistics: Any, repeating: Any, rows: pa.Table) -> pa.Buffer:
        calls.append((threading.current_thread().name, rows.column_names))
        return encode(self, statistics, repeating, rows)

    monkeypatch.setattr(ParquetWriter, "_encode", count)
    return calls


def test_columns_are_encoded_by_other_threads(tmp_path: Path, encoded: list[tuple[str, list[str]]]) -> None:
    """WRITE-1601."""
    with columns_encoded("side by side"):
        write(tmp_path, row_group_rows=10_000)
    assert sorted(columns for _, columns in encoded) == [[name] for name in "aabbccdd"]
    assert threading.current_thread().name not in {thread for thread, _ in encoded}
    assert pq.read_table(tmp_path / "f.parquet").to_pydict() == {
        name: [row[number] for row in ROWS] for number, name in enumerate("abcd")
    }


def test_bytes_are_the_same_from_run_to_run(tmp_path: Path) -> None:
    """WRITE-1601: which thread is first does not matter."""
    with columns_encoded("side by side"):
        for number in range(4):
            write(tmp_path, f"{number}.parquet")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_neighbours_are_encoded_together_until_they_are_worth_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1601."""
    monkeypatch.setattr(parquet_write, "PROCESSORS", 2)
    numbers = pa.array([0] * (1 << 16), pa.int64())
    wide = pa.table({f"c{number}": numbers for number in range(65)})

    def split(rows: pa.Table) -> list[int]:
        return [part.num_columns for part in parquet_write._split_columns(rows)]

    assert split(wide) == [2] * 32 + [1]
    assert split(wide.slice(0, 30_000)) == [65]
    assert split(wide.select(wide.column_names[:31])) == [31]
    monkeypatch.setattr(parquet_write, "PROCESSORS", 1)
    assert split(wide) == [65]


def test_files_that_are_written_side_by_side_encode_their_own_columns(
    tmp_path: Path, encoded: list[tuple[str, list[str]]]
) -> None:
    """WRITE-1601: threads that share the processors already start no more of them."""

    def work(name: str) -> str:
        write(tmp_path, name)
        return threading.current_thread().name

    with columns_encoded("side by side"):
        threads = set(in_order(work, ["1.parquet", "2.parquet"], workers=2))
    assert encoded == []
    assert threading.current_thread().name not in threads


def test_little_memory_means_one_column_after_the_other(tmp_path: Path, encoded: list[tuple[str, list[str]]]) -> None:
    """WRITE-1601."""
    with columns_encoded("side by side"):
        write(tmp_path, lean=True)
    assert encoded == []


def test_an_error_of_a_column_is_that_of_the_file_and_ends_the_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WRITE-1601, and nothing is left."""

    def fail(_: ParquetWriter, __: Any, ___: Any, rows: pa.Table) -> pa.Buffer:
        raise pa.ArrowNotImplementedError(f"no room for {rows.column_names[0]}")

    monkeypatch.setattr(ParquetWriter, "_encode", fail)
    before = threading.active_count()
    with columns_encoded("side by side"), pytest.raises(UnsupportedError, match=r"f\.parquet.*no room for a"):
        write(tmp_path)
    assert threading.active_count() == before
    assert list(tmp_path.iterdir()) == []


def test_memory_has_a_few_encoded_columns_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1601: not the whole encoded row group."""
    kept: list[int] = []
    encode = ParquetWriter._encode
    schema = schema_of(**{f"c{number}": t.String() for number in range(24)})
    column = pa.array([f"{number * 7919 % 10_007:05}" * 8 for number in range(10_007)])
    batch = pa.RecordBatch.from_arrays([column] * 24, names=[field.name for field in schema.fields])

    def count(self: ParquetWriter, statistics: Any, repeating: Any, rows: pa.Table) -> pa.Buffer:
        made = encode(self, statistics, repeating, rows)
        kept.append(pa.total_allocated_bytes())
        return made

    monkeypatch.setattr(ParquetWriter, "_encode", count)

    def batches() -> Iterator[pa.RecordBatch]:
        yield batch

    before = pa.total_allocated_bytes()
    with columns_encoded("side by side"):
        size = (
            ParquetWriter(compression="none")
            .write(ArrowStorage(str(tmp_path)), "f.parquet", schema, batches(), dict)
            .size
        )
    assert len(kept) == 24
    assert max(kept) - before < size / 2
