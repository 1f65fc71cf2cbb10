"""Columns of CSV that a table does not state: their types follow from all values, and numbers lose nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import hudi_core
from hudi_arrow.incoming import csv_blocks
from hudi_arrow.incoming.csv_rows import csv_batches
from hudi_arrow.incoming.csv_types import infer_types
from hudi_core.errors import RowError
from tests.support.drawing import cases


def write(file: Path, content: str) -> Path:
    file.write_bytes(content.encode())
    return file


def read(file: Path, types: dict[str, pa.DataType] | None = None) -> pa.Table:
    return pa.Table.from_batches(list(csv_batches(file, types or {})))


VALUES = st.sampled_from(
    [
        "", "NA", "0", "1", "7", "-3", "1.5", "nan", "true", "False", "2020-01-01", "2020-01-01 10:00:00",
        "2020-01-01T10:00:00.5", "2020-01-01T10:00:00Z", "2020-01-01T10:00:00.5+02:00", "10:00:00", "x", '"a,\nb"',
    ]
)  # fmt: skip


@settings(max_examples=cases(200))
@given(
    values=st.lists(VALUES, min_size=1, max_size=8)
    | st.sampled_from(["0", "true", "2020-01-01"]).flatmap(
        lambda one: st.lists(st.just(one) | VALUES, min_size=1, max_size=4)
    ),
    size=st.integers(12, 80),
)
def test_types_are_those_of_the_file_as_a_whole(
    values: list[str], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """ROWS-1325: whatever its blocks."""
    file = write(tmp_path_factory.mktemp("rows") / "rows.csv", "id,x\n" + "".join(f"k,{value}\n" for value in values))
    parse = csv.ParseOptions(newlines_in_values=True)
    whole = csv.read_csv(file, parse_options=parse, convert_options=csv.ConvertOptions(null_values=csv_blocks.NULLS))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_blocks, "_BLOCK", size)
        assert infer_types(file, {"id": pa.string()}) == {"x": whole.schema.field("x").type}


@pytest.mark.parametrize("late", [0, 150_000])
def test_a_column_that_begins_empty_has_the_type_of_its_values(tmp_path: Path, late: int) -> None:
    """ROWS-1325: in the first block and behind it."""
    rows = "".join(f"k{number},,{number}\n" for number in range(late))
    table = read(write(tmp_path / "rows.csv", f"id,day,n\n{rows}a,2020-01-01,1.5\nb,,2\n"))
    assert table.schema == pa.schema([("id", pa.string()), ("day", pa.date32()), ("n", pa.float64())])
    assert table.slice(late).to_pydict() == {"id": ["a", "b"], "day": [date(2020, 1, 1), None], "n": [1.5, 2.0]}


@pytest.mark.parametrize("value", ["007", "-01", "00", "0123.50", "+4712345678", "0x10"])
def test_digits_that_a_number_would_lose_are_texts(tmp_path: Path, value: str) -> None:
    """ROWS-1325."""
    file = write(tmp_path / "rows.csv", f"id,x\na,5\nb,{value}\n")
    assert read(file)["x"].to_pylist() == ["5", value]


@pytest.mark.parametrize(
    ("value", "number"), [("0", 0), ("-0", 0), ("0.5", 0.5), ("10", 10), ("+1.5", 1.5), ("1e5", 1e5)]
)
def test_other_numbers_are_numbers(tmp_path: Path, value: str, number: float) -> None:
    """ROWS-1325."""
    assert read(write(tmp_path / "rows.csv", f"id,x\na,{value}\n"))["x"].to_pylist() == [number]


def test_a_table_like_a_file_keeps_what_it_has(tmp_path: Path) -> None:
    """ROWS-1325: postcodes are texts in the table, and in a column that a write adds; a stated number stays one."""
    file = write(tmp_path / "rows.csv", "id,postcode,n\n0042,01067,007\n0043,80331,8\n")
    table = hudi_core.create(tmp_path / "t", pa.schema([("id", pa.string()), ("n", pa.int64())]), "id")
    table.upsert(str(file))
    rows = table.refresh().scan(meta=False).to_arrow().select(["id", "n", "postcode"]).to_pylist()
    assert rows == [{"id": "0042", "n": 7, "postcode": "01067"}, {"id": "0043", "n": 8, "postcode": "80331"}]


def test_a_row_of_another_length_is_refused_as_elsewhere(tmp_path: Path) -> None:
    """ROWS-9."""
    with pytest.raises(RowError, match="row 2: expected 2 values, found 3"):
        read(write(tmp_path / "rows.csv", "id,x\na,1\nb,1,2\n"))
