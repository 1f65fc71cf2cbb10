"""Values taken from plain pages are those that pyarrow reads, and where pages are others pyarrow reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from hudi_arrow import parquet, plain_pages
from hudi_arrow.plain_pages import plain_values
from hudi_arrow.storage import ArrowStorage
from hudi_core.engine import FileInfo

READER = parquet.ParquetReader()
ROWS = 2_500
PAGE = {"compression": "gzip", "use_dictionary": False, "data_page_size": 1_000, "write_batch_size": 100}


@pytest.fixture(autouse=True)
def _always() -> Iterator[None]:
    """Whatever library inflates here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "FASTER_THAN_ARROW", True)
        yield


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of each place in a chunk from which on pages were looked at, how many were taken."""
    seen: list[int] = []

    def noted(*given: Any) -> tuple[pa.Array, int] | None:
        found = plain_values(*given)
        seen.append(found[1] if found else 0)
        return found

    monkeypatch.setattr(parquet, "plain_values", noted)
    return seen


def read(folder: Path, rows: pa.Table, columns: Sequence[str] = ("key",), **options: Any) -> pa.Table:
    pq.write_table(rows, folder / "f.parquet", **(PAGE | options))
    file = FileInfo("f.parquet", (folder / "f.parquet").stat().st_size)
    found = pa.Table.from_batches(READER.open(ArrowStorage(str(folder)), file).batches(columns))
    found.validate(full=True)
    return found


def column(values: Any, of: pa.DataType = pa.string(), nullable: bool = True) -> pa.Table:  # noqa: B008 - a type
    return pa.table({"key": pa.array(values, of)}, pa.schema([pa.field("key", of, nullable)]))


ALIKE = [f"key-{number:07}" for number in range(ROWS)]


@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("of", [pa.string(), pa.binary()])
def test_strings_of_one_length_are_taken_from_their_pages(
    tmp_path: Path, taken: list[int], of: pa.DataType, nullable: bool
) -> None:
    rows = column([text.encode() for text in ALIKE], of, nullable)
    assert read(tmp_path, rows, row_group_size=1_000).column(0).equals(rows.column(0))
    assert sum(taken) == ROWS // 100
    assert all(taken)


def test_pages_are_taken_together_as_far_as_a_batch_and_offsets_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 750)
    assert read(tmp_path, column(ALIKE)).column(0).to_pylist() == ALIKE
    monkeypatch.setattr(plain_pages, "_MAX_BYTES", 300 * len(ALIKE[0]))
    assert read(tmp_path, column(ALIKE)).column(0).to_pylist() == ALIKE
    assert taken == [7, 7, 7, 4, *[3] * 8, 1]
    taken.clear()
    monkeypatch.setattr(plain_pages, "_MAX_BYTES", 99 * len(ALIKE[0]))
    assert read(tmp_path, column(ALIKE)).column(0).to_pylist() == ALIKE
    assert taken == [0]


@pytest.mark.parametrize(
    "values",
    [
        [*ALIKE[:1_111], "another length", *ALIKE],
        [*ALIKE[:1_111], None, *ALIKE],
        [f"key-{number}" for number in range(9_050, 11_000)],
        [*ALIKE[:1_200], "longer" * 900, *ALIKE[:100]],
    ],
)
def test_pages_behind_those_of_one_length_are_read_too(tmp_path: Path, taken: list[int], values: list[Any]) -> None:
    rows = column(values)
    assert read(tmp_path, rows).column(0).to_pylist() == values
    assert taken[0] and not taken[-1]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (["", *ALIKE], {}),
        ([""] * 300, {}),
        ([None] * 300, {}),
        ([text + "-" * (number % 3) for number, text in enumerate(ALIKE)], {}),
        (["a", "b"] * 500, {"use_dictionary": True}),
        (ALIKE, {"data_page_version": "2.0"}),
        (ALIKE, {"column_encoding": "DELTA_BYTE_ARRAY"}),
        (["\x04\0\0\0abcd", "\x04\0\0\0efgh", "1234"], {}),
    ],
)
def test_other_pages_are_left_to_pyarrow(
    tmp_path: Path, taken: list[int], values: list[Any], options: dict[str, Any]
) -> None:
    assert read(tmp_path, column(values), **options).column(0).to_pylist() == values
    assert not any(taken)


def test_strings_in_lists_and_records_are_left_to_pyarrow(tmp_path: Path, taken: list[int]) -> None:
    for values in ([["a", "b"], [], ["c"]] * 50, [{"x": "a"}, None, {"x": "b"}] * 50):
        assert read(tmp_path, pa.table({"key": values})).column(0).to_pylist() == values
    assert taken == []


def test_columns_with_pages_of_as_many_rows_are_taken_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    monkeypatch.setattr(parquet, "_LEAST_ROWS", 100)
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 350)
    numbers = pa.array(range(ROWS))
    columns = {
        "int": numbers.cast(pa.int32()),
        "long": numbers,
        "float": numbers.cast(pa.float32()),
        "double": numbers.cast(pa.float64()),
        "flag": pc.equal(pc.bit_wise_and(numbers, 3), 1),
        "day": numbers.cast(pa.int32()).view(pa.date32()),
        "at": numbers.view(pa.timestamp("us", "UTC")),
        "key": pa.array(ALIKE),
    }
    hollow = pa.array([None if number % 9 == 0 else number for number in range(ROWS)])
    others = {
        "list": pa.array([[number] for number in range(ROWS)]),
        "short": numbers.cast(pa.int16()),
        "hollow": hollow,
        "late": pa.array([*range(ROWS - 150), None, *range(149)]),
        "text": numbers.cast(pa.string()),
    }
    rows = pa.table(columns | others)
    folder, even = tmp_path / "f.parquet", PAGE | {"data_page_size": 1, "row_group_size": 1_700}
    pq.write_table(rows, folder, **even)
    found = list(READER.open(ArrowStorage(str(tmp_path)), FileInfo(folder.name, folder.stat().st_size)).batches())
    assert [batch.num_rows for batch in found] == [300] * 5 + [200] + [300] * 2 + [200]
    for batch in found:
        batch.validate(full=True)
    assert pa.Table.from_batches(found).to_pylist() == rows.to_pylist()
    assert sum(taken) >= len(columns) * ROWS // 100


def test_small_pages_and_large_ones_are_left_to_pyarrow(tmp_path: Path, taken: list[int]) -> None:
    rows = pa.table({"key": ALIKE, "number": range(ROWS)})
    assert read(tmp_path, rows, columns=["key", "number"]).equals(rows)
    assert taken == []


def test_numbers_are_where_they_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 250)
    rows = pa.table({"key": range(ROWS)})
    batches = read(tmp_path, rows, data_page_size=1, write_batch_size=250).column(0).chunks
    assert len(batches) == ROWS // 250  # levels of 250 rows are seven bytes
    assert all(batch.buffers()[1].address % 8 == 0 for batch in batches)
