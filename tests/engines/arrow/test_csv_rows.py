"""Rows of CSV files: long ones, line breaks, quotes, nulls and texts of JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_arrow.engine import ENGINE
from hudi_arrow.incoming import csv_rows
from hudi_arrow.types import schema_from_arrow
from hudi_core.errors import CorruptFileError, RowError
from tests.support.drawing import cases

TEXTS = pa.schema([("id", pa.string()), ("v", pa.string())])
NULLS = pa.schema([("id", pa.string()), ("v", pa.string()), ("i", pa.int32()), ("b", pa.binary())])


def read(file: Path, arrow: pa.Schema) -> pa.Table:
    return pa.Table.from_batches(list(ENGINE.rows.read(str(file), schema_from_arrow(arrow).value).batches))


def write(file: Path, content: str) -> Path:
    file.write_bytes(content.encode())
    return file


@pytest.mark.parametrize(
    "values",
    [
        ["x" * 3_000_000, "y"],
        ["line\n" * 500_000, "y"],
        ["z" * 40] * 40_000 + ["line\n" * 2_000_000] + ["z" * 40] * 40_000,
        [f"line one\nk{number},x\n" * (number % 5) for number in range(40_000)],
    ],
    ids=["long", "line breaks", "late", "rows in values"],
)
def test_rows_are_as_long_as_they_are(tmp_path: Path, values: list[str]) -> None:
    """ROWS-1271: rows come once each, wherever blocks of the file end."""
    rows = pa.table({"id": [str(number) for number in range(len(values))], "v": values})
    pa.csv.write_csv(rows, tmp_path / "rows.csv")
    assert read(tmp_path / "rows.csv", TEXTS).equals(rows)


@pytest.mark.parametrize("value", ['"1\nb,2\n', '"', '"\n', '"1', '"1""', '"1""\n'])
def test_a_quote_that_nothing_closes_is_refused(tmp_path: Path, value: str) -> None:
    """ROWS-1272."""
    with pytest.raises(RowError, match="row 2: expected a quote that closes the last value, found '\"") as refused:
        read(write(tmp_path / "rows.csv", f"id,v\nz,z\na,{value}"), TEXTS)
    assert refused.value.row == 1


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
@pytest.mark.parametrize(
    ("written", "value"),
    [('""', ""), ('"1"', "1"), ('""""', '"'), ('"a"""', 'a"'), ('"a""b"', 'a"b'), ('x"', 'x"'), ('"a\n"', "a\n"),
     ('""""""', '""')],
)  # fmt: skip
def test_quotes_that_are_closed_are_taken(tmp_path: Path, written: str, value: str, end: str) -> None:
    """ROWS-1272."""
    assert read(write(tmp_path / "rows.csv", f"id,v\na,{written}{end}"), TEXTS)["v"].to_pylist() == [value]


def test_nulls_of_texts_are_other_ones_than_those_of_numbers(tmp_path: Path) -> None:
    """ROWS-802."""
    file = write(tmp_path / "rows.csv", 'id,v,i,b\na,,,\nb,"",1,""\nc,NULL,NULL,NULL\nd,x,"",x\n')
    assert read(file, NULLS).to_pylist() == [
        {"id": "a", "v": None, "i": None, "b": None},
        {"id": "b", "v": "", "i": 1, "b": b""},
        {"id": "c", "v": "NULL", "i": None, "b": b"NULL"},
        {"id": "d", "v": "x", "i": None, "b": b"x"},
    ]
    with pytest.raises(RowError, match="i: row 2: expected a value of int, found 'x'"):
        read(write(file, 'id,v,i\na,"",1\nb,NULL,x\n'), NULLS)
    numbers = pa.schema([("id", pa.int64()), ("i", pa.int32())])
    assert read(write(file, 'id,i\n1,\n2,""\n3,NULL\n'), numbers)["i"].to_pylist() == [None] * 3


def test_whole_numbers_beyond_64_bits_are_refused_where_no_type_is_stated(tmp_path: Path) -> None:
    """ROWS-1276."""
    file = write(tmp_path / "rows.csv", "id,w\na,1.5\nb,9223372036854775808\n")
    with pytest.raises(RowError, match="w: row 2: expected a whole number of 64 bits"):
        read(file, TEXTS)
    for rounded in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(
            RowError, match=f"w: row 2: expected a whole number .* that a double has exactly, .* {rounded}$"
        ):
            read(write(file, f"id,w\na,1.5\nb,{rounded}\n"), TEXTS)
    assert read(write(file, f"id,w\na,1.5\nb,{2**60}\n"), TEXTS)["w"].to_pylist() == [1.5, 2.0**60]
    assert read(write(file, "id,w\na,1e30\n"), TEXTS)["w"].to_pylist() == [1e30]
    stated = pa.schema([("id", pa.string()), ("w", pa.float64())])
    assert read(write(file, "id,w\na,9223372036854775808\n"), stated)["w"].to_pylist() == [2.0**63]


ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("s", pa.string()),
        ("b", pa.binary()),
        ("two", pa.binary(2)),
        ("f", pa.float64()),
        ("d", pa.decimal128(20, 3)),
        ("z", pa.timestamp("ms", "UTC")),
        ("names", pa.list_(pa.string())),
        ("m", pa.map_(pa.string(), pa.float64())),
        ("p", pa.struct([("x", pa.int32()), ("b", pa.binary()), ("t", pa.timestamp("us"))])),
    ]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
MILLIS = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(
    lambda point: point.replace(microsecond=point.microsecond // 1000 * 1000, tzinfo=UTC)
)
PART = st.fixed_dictionaries(
    {
        "x": st.none() | st.integers(-9, 9),
        "b": st.none() | st.binary(max_size=2),
        "t": st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    }
)
VALUES = {
    "s": TEXT,
    "b": st.binary(max_size=3),
    "two": st.binary(min_size=2, max_size=2),
    "f": st.floats(),
    "d": st.decimals(-(10**16), 10**16, places=3),
    "z": MILLIS,
    "names": st.lists(st.none() | TEXT, max_size=2),
    "m": st.dictionaries(TEXT, st.none() | st.floats(), max_size=2).map(lambda made: list(made.items())),
    "p": PART,
}
ROWS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 99), **{name: st.none() | one for name, one in VALUES.items()}}),
    min_size=1,
    max_size=4,
)


@settings(max_examples=cases(120))
@given(rows=ROWS)
def test_what_is_written_as_csv_is_read_back(
    rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """ROWS-1273: for each type and value."""
    file = tmp_path_factory.mktemp("rows") / "rows.csv"
    table = pa.Table.from_pylist(rows, ARROW)
    ENGINE.rows.write(str(file), schema_from_arrow(ARROW).value, iter(table.to_batches()))
    assert repr(read(file, ARROW).to_pylist()) == repr(table.to_pylist())


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("names", "[1", "JSON of list<.*, found '\\[1'"),
        ("names", "[1]", "JSON of list<.*"),
        ("names", '[], ""value"": [1]', "JSON of list<.*"),
        ("p", '{""y"": 1}', "JSON of struct<.*"),
        ("b", '{""base64"": 1}', "bytes: a text, or .*"),
        ("two", "abc", "a value of fixed_size_binary\\[2\\], found 'abc'"),
    ],
)
def test_texts_that_are_no_json_of_their_column_are_refused(tmp_path: Path, column: str, text: str, words: str) -> None:
    """ROWS-1273."""
    file = write(tmp_path / "rows.csv", f'id,{column}\n1,\n2,"{text}"\n')
    with pytest.raises(RowError, match=f"{column}: row 2: expected {words}"):
        read(file, ARROW)


def test_a_null_in_a_file_of_one_column_is_a_row(tmp_path: Path) -> None:
    """ROWS-1273."""
    arrow = pa.schema([("i", pa.int32())])
    batch = pa.table({"i": pa.array([1, None, 3], pa.int32())}).to_batches()
    ENGINE.rows.write(str(tmp_path / "rows.csv"), schema_from_arrow(arrow).value, iter(batch))
    assert read(tmp_path / "rows.csv", arrow)["i"].to_pylist() == [1, None, 3]


def test_wide_numbers_are_looked_up_in_one_more_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1276: however many blocks have some; the row is named all the same."""
    opened: list[Path] = []
    blocks = csv_rows.read_blocks

    def count(source: Path, *options: Any) -> Any:
        opened.append(source)
        return blocks(source, *options)

    monkeypatch.setattr(csv_rows, "read_blocks", count)
    file, rows = tmp_path / "rows.csv", 300_000
    file.write_text("id,x\n" + "".join(f"{number},{number}e300\n" for number in range(rows)))
    assert sum(batch.num_rows for batch in csv_rows.csv_batches(file, {})) == rows
    assert opened == [file]
    with file.open("a") as more:
        more.write("7,12345678901234567890\n")
    with pytest.raises(RowError, match=f"row {rows + 1:,}: expected a whole number of 64 bits"):
        list(csv_rows.csv_batches(file, {}))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_file_of_names_alone_has_no_rows(tmp_path: Path, mark: str, end: str) -> None:
    """ROWS-1495."""
    path = tmp_path / "t.csv"
    path.write_bytes(f"{mark}id,n{end}".encode())
    (batch,) = csv_rows.csv_batches(path, {"n": pa.int32()})
    assert (batch.schema.names, batch.num_rows) == (["id", "n"], 0)


@pytest.mark.parametrize("content", ["\ufeff", "\n\n", " ", "\ufeff\n"])
def test_a_file_without_names_says_so(tmp_path: Path, content: str) -> None:
    """ROWS-1495."""
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with pytest.raises(CorruptFileError, match=r"expected a (line with the names of columns|name of each column)"):
        list(csv_rows.csv_batches(path, {}))


NUMBERS = pa.schema([("id", pa.string()), ("i", pa.int32()), ("l", pa.int64())])


@pytest.mark.parametrize(("column", "kind"), [("i", "int"), ("l", "long")])
@pytest.mark.parametrize("value", ["0x10", "0X1f", " 0x10", '"0x10"', "0xFFFFFFFF", "0xFFFFFFFFFFFFFFFF"])
def test_a_number_of_hexadecimal_digits_is_refused(tmp_path: Path, column: str, kind: str, value: str) -> None:
    """ROWS-1514: pyarrow takes it for a number, and the largest ones for negative ones."""
    values = {"i": "1", "l": "1"} | {column: value}
    file = write(tmp_path / "rows.csv", f"id,i,l\n0x10,1,2\nb,{values['i']},{values['l']}\n")
    shown = value.strip('"')
    with pytest.raises(
        RowError, match=f"rows.csv: {column}: row 2: expected a value of {kind}, found '{shown}'"
    ) as refused:
        read(file, NUMBERS)
    assert refused.value.row == 1


def test_a_number_of_hexadecimal_digits_is_found_behind_many_rows(tmp_path: Path) -> None:
    """ROWS-1514."""
    lines = [f"{number},{number},{number}" for number in range(200_000)]
    lines[150_000] = "150000,0x1,1"
    with pytest.raises(RowError, match="i: row 150,001: expected a value of int, found '0x1'"):
        read(write(tmp_path / "rows.csv", "\n".join(["id,i,l", *lines, ""])), NUMBERS)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_names_of_columns_among_the_rows_are_refused(tmp_path: Path, mark: str) -> None:
    """ROWS-1515: files that were put together have them once each."""
    with pytest.raises(
        RowError, match=r"rows.csv: row 2: expected values, found the names of the columns again"
    ) as refused:
        read(write(tmp_path / "rows.csv", f"id,v\na,1\n{mark}id,v\nb,2\n"), TEXTS)
    assert refused.value.row == 1
    with pytest.raises(RowError, match=r"rows.csv: row 2: expected values, found the names"):
        ENGINE.rows.read(str(write(tmp_path / "rows.csv", f"id,v\na,1\n{mark}id,v\nb,2\n")))
    file = write(tmp_path / "rows.csv", "id,v\nid,1\nb,v\n")
    assert read(file, TEXTS)["id"].to_pylist() == ["id", "b"]
    alone = pa.schema([("word", pa.string())])
    assert read(write(file, "word\na\nword\n"), alone)["word"].to_pylist() == ["a", "word"]


CLOCKS = pa.schema(
    [
        ("ms", pa.timestamp("ms", "UTC")),
        ("local", pa.timestamp("ms")),
        ("time", pa.time64("us")),
        ("short", pa.time32("ms")),
    ]
)


def test_digits_of_times_that_are_zeros_may_follow(tmp_path: Path) -> None:
    """ROWS-1516: pandas writes six digits, Polars nine."""
    file = tmp_path / "rows.csv"
    names = "ms,local,time,short"
    long = "2024-03-01T12:30:00.123000Z,2024-03-01 12:30:00.123000,12:30:00.123456000,12:30:00.123000000"
    plain = "2024-03-01T12:30:00.123Z,2024-03-01 12:30:00.123,12:30:00.123456,12:30:00.123"
    assert read(write(file, f"{names}\n{long}\n"), CLOCKS).equals(read(write(file, f"{names}\n{plain}\n"), CLOCKS))
    finer = ("2024-03-01T12:30:00.123001Z", "2024-03-01 12:30:00.123001", "12:30:00.123456001", "12:30:00.123000001")
    for place, value in enumerate(finer):
        values = plain.split(",")
        values[place] = value
        with pytest.raises(RowError, match=f"{CLOCKS.names[place]}: row 2: expected a value of .*, found '{value}'"):
            read(write(file, f"{names}\n{plain}\n{','.join(values)}\n"), CLOCKS)


@pytest.mark.parametrize("kind", [pa.binary(), pa.binary(4)], ids=str)
@pytest.mark.parametrize("value", [b"abcd", b"\x00\xff'\"", b""])
def test_what_python_shows_of_bytes_is_refused(tmp_path: Path, kind: pa.DataType, value: bytes) -> None:
    """ROWS-1273: pandas writes bytes so, and they would be other ones."""
    file, types = tmp_path / "rows.csv", pa.schema([("id", pa.string()), ("b", kind)])
    pyarrow.csv.write_csv(pa.table({"id": ["a", "b"], "b": [None, repr(value)]}), file)
    with pytest.raises(RowError, match=r"b: row 2: expected .*, found Python's text b"):
        read(file, types)
    others = [b"b'ab", b"b\"x'"]
    pyarrow.csv.write_csv(pa.table({"id": ["a", "b"], "b": [one.decode() for one in others]}), file)
    assert read(file, types)["b"].to_pylist() == others
