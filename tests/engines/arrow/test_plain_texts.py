"""Texts taken from plain pages are those that pyarrow reads, and where pages are others pyarrow reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow import parquet
from hudi_arrow.plain_texts import plain_texts
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
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each page that was looked at, whether its texts were taken."""
    seen: list[bool] = []

    def noted(*given: Any) -> pa.Array | None:
        found = plain_texts(*given)
        seen.append(found is not None)
        return found

    monkeypatch.setattr(parquet, "plain_texts", noted)
    return seen


def read(folder: Path, rows: pa.Table, **options: Any) -> pa.Table:
    pq.write_table(rows, folder / "f.parquet", **(PAGE | options))
    file = FileInfo("f.parquet", (folder / "f.parquet").stat().st_size)
    found = pa.Table.from_batches(READER.batches(ArrowStorage(str(folder)), file, ["key"]))
    found.validate(full=True)
    return found


def column(values: Any, of: pa.DataType = pa.string(), nullable: bool = True) -> pa.Table:  # noqa: B008 - a type
    return pa.table({"key": pa.array(values, of)}, pa.schema([pa.field("key", of, nullable)]))


ALIKE = [f"key-{number:07}" for number in range(ROWS)]


@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("of", [pa.string(), pa.binary()])
def test_texts_of_one_length_are_taken_from_their_pages(
    tmp_path: Path, taken: list[bool], of: pa.DataType, nullable: bool
) -> None:
    rows = column([text.encode() for text in ALIKE], of, nullable)
    assert read(tmp_path, rows, row_group_size=1_000).column(0).equals(rows.column(0))
    assert len(taken) > 6
    assert all(taken)


@pytest.mark.parametrize(
    "values",
    [
        [*ALIKE[:1_111], "another length", *ALIKE],
        [*ALIKE[:1_111], None, *ALIKE],
        [f"key-{number}" for number in range(9_050, 11_000)],
        [*ALIKE[:1_200], "longer" * 900, *ALIKE[:100]],
    ],
)
def test_pages_behind_those_of_one_length_are_read_too(tmp_path: Path, taken: list[bool], values: list[Any]) -> None:
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
    tmp_path: Path, taken: list[bool], values: list[Any], options: dict[str, Any]
) -> None:
    assert read(tmp_path, column(values), **options).column(0).to_pylist() == values
    assert not any(taken)


def test_texts_in_lists_and_records_are_left_to_pyarrow(tmp_path: Path, taken: list[bool]) -> None:
    for values in ([["a", "b"], [], ["c"]] * 50, [{"x": "a"}, None, {"x": "b"}] * 50):
        assert read(tmp_path, pa.table({"key": values})).column(0).to_pylist() == values
    assert taken == []
