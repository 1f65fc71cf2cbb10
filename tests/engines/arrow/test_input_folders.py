"""Folders of Parquet files: all their rows, or an error."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.errors import UsageError
from hudi_core.front.opening import create_table

FIRST = {"id": [1], "n": [1]}
SECOND = {"id": [2], "n": [2]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    put(tmp_path / "in" / "a.parquet", FIRST)
    return tmp_path / "in"


def put(path: Path, columns: dict[str, list[Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path)


def rows(folder: Path) -> list[dict[str, Any]]:
    given = ENGINE.rows.read(str(folder), None)
    return [row for batch in given.batches for row in batch.to_pylist()]


def test_every_file_is_read_whatever_the_order_of_its_columns(folder: Path) -> None:
    """ROWS-1300."""
    put(folder / "b.PARQUET", {"n": [2], "id": [2]})
    for name in ("_SUCCESS", ".a.parquet.crc", "README"):
        (folder / name).write_bytes(b"")
    for name in (".a.parquet", "_temporary/c.parquet"):
        put(folder / name, {"id": [3], "n": [3]})
    assert rows(folder) == [{"id": 1, "n": 1}, {"id": 2, "n": 2}]


@pytest.mark.parametrize("columns", [{**SECOND, "x": [5]}, {"id": [2]}, {"id": [2], "N": [2]}])
def test_a_file_of_other_columns_is_refused_by_name(folder: Path, columns: dict[str, list[Any]]) -> None:
    """ROWS-1300: a column more was left out without a word."""
    put(folder / "b.parquet", columns)
    found = f"b.parquet: expected the columns of the first file of the folder, id, n, found {', '.join(columns)}"
    with pytest.raises(UsageError, match=re.escape(found)):
        rows(folder)


MORE: dict[str, Callable[[Path], object]] = {
    "a folder of .parquet files alone, found a folder more in it": lambda folder: put(
        folder / "more" / "b.parquet", SECOND
    ),
    "a folder of .parquet files alone, found b.csv in it": lambda folder: (folder / "b.csv").write_text("id,n\n2,2\n"),
    "a folder of .parquet files alone, found b.parquet.tmp in it": lambda folder: put(folder / "b.parquet.tmp", SECOND),
    "a folder of .parquet files alone, found 000000_0 in it": lambda folder: put(folder / "000000_0", SECOND),
    "and write these, found a Delta table": lambda folder: (folder / "_delta_log").mkdir(),
    "and write these, found a Hudi table": lambda folder: (folder / ".hoodie").mkdir(),
}


@pytest.mark.parametrize("found", MORE)
def test_rows_that_would_be_left_out_are_refused(folder: Path, found: str) -> None:
    """ROWS-1300."""
    MORE[found](folder)
    with pytest.raises(UsageError, match=re.escape(found)):
        rows(folder)


def test_deleted_rows_of_another_table_do_not_come_back(tmp_path: Path) -> None:
    """ROWS-1300: its folder has all versions of its files."""
    other = create_table(tmp_path / "other", pa.table(FIRST), "id")
    other.append(pa.table({"id": [1, 2], "n": [1, 2]}))
    other.delete(where="id = 2")
    table = create_table(tmp_path / "t", pa.table(FIRST), "id")
    with pytest.raises(UsageError, match="found a Hudi table"):
        table.upsert(str(tmp_path / "other"))
    table.upsert(other.refresh().scan(meta=False))
    assert [row["id"] for row in table.refresh().scan(meta=False).to_json_rows()] == [1]
