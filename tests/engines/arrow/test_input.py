"""Rows from outside: the same rows whatever the format, in the types that are asked for where the format does not say."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from hudi_arrow.engine import ENGINE
from hudi_arrow.incoming.input import read
from hudi_arrow.types import schema_from_arrow, to_arrow
from hudi_core import schema_of
from hudi_core.errors import CorruptFileError, HudiError, RowError, StorageError, UsageError
from hudi_core.types import nodes as t

ROWS = pa.table({"id": ["2024-01-01", "b"], "day": ["2024-05-01", "2024-05-02"], "n": [1, 2]})
COMMAS = "commas between the names in the first line, as between values"
LIKE = schema_from_arrow(pa.schema([("id", pa.string()), ("day", pa.string()), ("other", pa.int32())])).value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    (tmp_path / "parts").mkdir()
    for number in range(2):
        pq.write_table(ROWS.slice(number, 1), tmp_path / "parts" / f"part-{number}.parquet")
    csv.write_csv(ROWS, tmp_path / "rows.csv")
    lines = ['{"id": "2024-01-01", "day": "2024-05-01", "n": 1}', '{"id": "b", "day": "2024-05-02", "n": 2}']
    for name in ("rows.json", "rows.ndjson"):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    for name, new in (("rows.arrow", pa.ipc.new_file), ("stream.arrow", pa.ipc.new_stream)):
        with new(tmp_path / name, ROWS.schema) as sink:
            sink.write_table(ROWS)
    return tmp_path


@pytest.mark.parametrize(
    "name", ["rows.parquet", "parts", "rows.csv", "rows.json", "rows.ndjson", "rows.arrow", "stream.arrow"]
)
def test_rows_of_each_format_are_the_same(folder: Path, name: str) -> None:
    given = ENGINE.rows.read(str(folder / name), LIKE)
    assert [field.name for field in given.schema.fields] == ["id", "day", "n"]
    found = pa.Table.from_batches(list(given.batches))
    assert found.cast(ROWS.schema).to_pylist() == ROWS.to_pylist()


@pytest.mark.parametrize("before", [1, 150_000])
def test_a_value_of_another_type_in_csv_is_refused_with_its_row_and_column(tmp_path: Path, before: int) -> None:
    """ROWS-9, in the first block that is read and in a later one."""
    file = tmp_path / "rows.csv"
    file.write_text("id,other\n" + "".join(f"k{number},7\n" for number in range(before)) + "z,none\ny,none\n")
    with pytest.raises(
        RowError, match=r"rows\.csv: other: row [\d,]+: expected a value of int, found 'none'$"
    ) as refused:
        list(ENGINE.rows.read(str(file), LIKE).batches)
    assert refused.value.row == before


@pytest.mark.parametrize("values", ["z", "z,2024-05-01,3,4"])
def test_a_row_of_csv_with_another_number_of_values_than_columns_is_refused_with_its_number(
    tmp_path: Path, values: str
) -> None:
    """ROWS-9."""
    file = tmp_path / "rows.csv"
    file.write_text(f'id,day,n\n"a\nb",2024-05-01,1\n{values}\n')
    count = values.count(",") + 1
    with pytest.raises(RowError, match=rf"rows\.csv: row 2: expected 3 values, found {count}$"):
        list(ENGINE.rows.read(str(file), LIKE).batches)


def test_dates_are_strings_in_json(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    like = schema_from_arrow(pa.schema([("id", pa.string()), ("day", pa.date32()), ("other", pa.date32())])).value
    file.write_text('{"id": "a", "day": "2024-05-01"}\n{"id": "b", "day": null}\n')
    given = ENGINE.rows.read(str(file), like)
    assert pa.Table.from_batches(list(given.batches)).to_pydict() == {"id": ["a", "b"], "day": [date(2024, 5, 1), None]}
    file.write_text('{"id": "a", "day": "no date"}\n')
    with pytest.raises(
        RowError, match=r"rows\.json: day: row 1: expected a value of date, as 2024-03-01, found 'no date'$"
    ):
        list(ENGINE.rows.read(str(file), like).batches)


def test_columns_that_are_null_in_every_row_are_there_in_json(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text('{"id": "a", "day": null}\n')
    given = ENGINE.rows.read(str(file), LIKE)
    assert pa.Table.from_batches(list(given.batches)).to_pylist() == [{"id": "a", "day": None}]
    without_types = ENGINE.rows.read(str(file))
    assert pa.Table.from_batches(list(without_types.batches)).to_pylist() == [{"id": "a", "day": None}]


def test_a_column_of_nulls_without_a_type_is_a_string_column() -> None:
    rows = pa.table({"id": ["a", "b"], "none": pa.nulls(2)})
    given = ENGINE.rows.read_given(rows)
    assert pa.Table.from_batches(list(given.batches)).to_pylist() == rows.to_pylist()


def test_rows_that_are_handed_over_are_taken() -> None:
    given = ENGINE.rows.read_given(ROWS)
    assert pa.Table.from_batches(list(given.batches)).to_pylist() == ROWS.to_pylist()
    with pytest.raises(UsageError, match="__arrow_c_stream__"):
        ENGINE.rows.read_given([1])


def test_values_that_arrow_itself_refuses_are_an_error_of_ours() -> None:
    """WRITE-200."""

    def broken() -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"id": ["a"]})
        raise pa.ArrowInvalid("no more")

    for data in (pa.table({"day": pa.array([1], pa.date64())}), broken()):
        with pytest.raises(UsageError, match=r"^rows(: day)?: expected values that their columns can have"):
            list(ENGINE.rows.read_given(data).batches)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file or directory"):
        ENGINE.rows.read(str(tmp_path / "none.csv"))
    for name, error in (("rows.txt", UsageError), ("rows.parquet", CorruptFileError), ("rows.arrow", CorruptFileError)):
        (tmp_path / name).write_text("nothing of the kind")
        with pytest.raises(error, match=name):
            ENGINE.rows.read(str(tmp_path / name))
    (tmp_path / "empty.json").write_text("")
    with pytest.raises(UsageError, match="empty"):
        ENGINE.rows.read(str(tmp_path / "empty.json"))


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet", ".arrow"])
def test_a_file_of_another_format_than_its_name_says_is_refused_by_both(tmp_path: Path, suffix: str) -> None:
    """ROWS-1000."""
    rows = pa.table({"id": ["a"]})
    pq.write_table(rows, tmp_path / "x.parquet")
    with pa.ipc.new_file(tmp_path / "x.arrow", rows.schema) as file:
        file.write_table(rows)
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"id\na\n"))
    for made in (".parquet", ".arrow", ".gz"):
        if made != suffix:
            wrong = tmp_path / f"wrong{suffix}"
            wrong.write_bytes((tmp_path / f"x{made}").read_bytes())
            with pytest.raises(
                UsageError, match=rf"expected a {suffix} file, as its name says, found one that .* {made}"
            ):
                ENGINE.rows.read(str(wrong))
    (tmp_path / "text.csv").write_text("PAR1,ARROW1,PK\na,b,c\n")
    assert [field.name for field in ENGINE.rows.read(str(tmp_path / "text.csv")).schema.fields] == [
        "PAR1",
        "ARROW1",
        "PK",
    ]


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_is_no_file(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the current folder, whose Parquet files would be written."""
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "x.parquet")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="rows: expected the path of a file"):
        ENGINE.rows.read(path)


def test_dictionaries_of_views_are_decoded_at_any_depth() -> None:
    """As Polars hands over categories."""
    plain = pa.array(["a", "b", "a", None]).dictionary_encode()
    for view in (pa.string_view(), pa.binary_view()):
        coded = pa.DictionaryArray.from_arrays(plain.indices, plain.dictionary.cast(pa.binary()).cast(view))
        offsets = pa.array([0, 1, 2, 4, 4], pa.int32())
        nested = {
            "column": coded,
            "struct": pa.StructArray.from_arrays([coded], ["a"]),
            "list": pa.ListArray.from_arrays(offsets, coded),
            "large": pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), coded),
            "pairs": pa.FixedSizeListArray.from_arrays(coded.take(pa.array([0, 1, 2, 3, 3, 2, 1, 0])), 2),
            "map": pa.MapArray.from_arrays(offsets, pa.array(["p", "q", "r", "s"]), coded),
        }
        for name, array in nested.items():
            rows = ENGINE.rows.read_given(pa.table({"c": array}))
            assert [value for batch in rows.batches for value in batch.column(0).to_pylist()] == array.to_pylist(), name


def test_schemas_without_columns_are_refused() -> None:
    class Mixed:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table({"m": [1, "x"]}).__arrow_c_stream__(requested_schema)

    with pytest.raises(UsageError, match="rows: expected columns of one type each"):
        ENGINE.rows.read_given(Mixed())


BEYOND = [datetime(1500, 1, 2, 3, 4, 5, 678_901), None, datetime(3000, 1, 1), datetime(2024, 1, 1)]


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("store_schema", [True, False])
def test_int96_of_parquet_is_exact_in_each_year_at_any_depth(
    tmp_path: Path, store_schema: bool, zone: str | None
) -> None:
    """ROWS-480."""
    kind, file = pa.timestamp("us"), tmp_path / "rows.parquet"
    nested = [{"l": [time]} for time in BEYOND]
    rows = pa.table({"t": pa.array(BEYOND, kind), "s": pa.array(nested, pa.struct([("l", pa.list_(kind))]))})
    pq.write_table(rows, file, use_deprecated_int96_timestamps=True, store_schema=store_schema)
    like = schema_from_arrow(pa.schema([("t", pa.timestamp("us", zone))])).value
    given = ENGINE.rows.read(str(file), like)
    taken = pa.Table.from_batches(list(given.batches))
    assert taken.schema.types == [
        pa.timestamp("us", zone),
        pa.struct([("l", pa.list_(pa.field("element", pa.timestamp("us", "UTC"))))]),
    ]
    assert taken["t"].cast(kind).to_pylist() == BEYOND
    assert taken["s"].cast(rows.schema.field("s").type).to_pylist() == nested
    assert ENGINE.rows.read(str(file), None).schema.get("t").field.type == t.Timestamp()


def test_int96_of_parquet_that_is_finer_than_microseconds_is_refused_with_its_row(tmp_path: Path) -> None:
    """ROWS-480."""
    file = tmp_path / "rows.parquet"
    times = pa.array([1_000, None, 2_001], pa.timestamp("ns"))
    pq.write_table(pa.table({"n": [1, 2, 3], "t": times}), file, use_deprecated_int96_timestamps=True)
    with pytest.raises(RowError, match=r"rows\.parquet: t: row 3: expected whole microseconds, found a finer time$"):
        list(ENGINE.rows.read(str(file), LIKE).batches)


@pytest.mark.parametrize("row", [1, 40, 200])
def test_a_line_of_json_that_cannot_be_read_is_named(tmp_path: Path, row: int) -> None:
    """CLI-679, CLI-1331: whether its value is of another type than the table's, or than those before."""
    lines = [f'{{"id": "{number}", "n": {number}}}' for number in range(200)]
    lines[row - 1] = '{"id": "x", "n": "five"}'
    (tmp_path / "rows.json").write_text("\n".join(lines))
    like = schema_from_arrow(pa.schema([("id", pa.string()), ("n", pa.int64())])).value
    with pytest.raises(
        RowError,
        match=rf"rows.json: n: row {row}: expected a number, as (its type|rows before it have), found a string$",
    ):
        list(ENGINE.rows.read(str(tmp_path / "rows.json"), like).batches)
    if row > 1:
        with pytest.raises(RowError, match=rf"row {row}: "):
            list(ENGINE.rows.read(str(tmp_path / "rows.json"), None).batches)


TYPED = schema_from_arrow(
    pa.schema(
        [
            ("id", pa.string()), ("x", pa.float32()), ("at", pa.time64("us")), ("local", pa.timestamp("us")),
            ("days", pa.list_(pa.struct([("day", pa.date32())]))), ("y", pa.float64()),
        ]
    )
).value  # fmt: skip


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("x", "1e39"),
        ("at", "5"),
        ("at", '"25:00:00"'),
        ("at", '"12:00:00.1234567"'),
        ("local", '"2024-01-01T00:00:00Z"'),
        ("local", '"2024-01-01T02:00:00+02:00"'),
        ("days", '[{"day": 5}]'),
        ("days", '[{"day": "no"}]'),
    ],
)
def test_values_of_json_that_a_column_would_change_are_refused_with_their_row(
    tmp_path: Path, column: str, value: str
) -> None:
    """ROWS-801."""
    file = tmp_path / "rows.jsonl"
    file.write_text(f'{{"id": "a", "{column}": null}}\n{{"id": "b", "{column}": {value}}}\n')
    with pytest.raises(RowError) as refused:
        list(ENGINE.rows.read(str(file), TYPED).batches)
    assert refused.value.row == 1


def test_json_has_dates_and_times_as_texts_at_each_depth(tmp_path: Path) -> None:
    """ROWS-801."""
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"id": "a", "x": 0.1, "at": "23:59:59.5", "local": "1969-12-31T23:59:59.999999", "y": 1e300, '
        '"days": [{"day": "1960-02-29"}, null]}\n{"id": "b", "days": null}\n'
    )
    (row, empty) = pa.Table.from_batches(list(ENGINE.rows.read(str(file), TYPED).batches)).to_pylist()
    assert row == {
        "id": "a", "x": pa.scalar(0.1, pa.float32()).as_py(), "at": time(23, 59, 59, 500_000),
        "local": datetime(1969, 12, 31, 23, 59, 59, 999_999), "days": [{"day": date(1960, 2, 29)}, None], "y": 1e300,
    }  # fmt: skip
    assert {value for name, value in empty.items() if name != "id"} == {None}


def test_numbers_of_csv_beyond_their_column_are_refused_and_nan_is_a_number(tmp_path: Path) -> None:
    """ROWS-802."""
    file = tmp_path / "rows.csv"
    file.write_text("id,x,y\na,nan,NaN\nb,inf,-Infinity\nc,,\n")
    rows = pa.Table.from_batches(list(ENGINE.rows.read(str(file), TYPED).batches))
    assert [str(rows[name].to_pylist()) for name in "xy"] == ["[nan, inf, None]", "[nan, -inf, None]"]
    for column, value in (("x", "1e39"), ("y", "-1e400")):
        file.write_text(f"id,{column}\na,inf\nb,{value}\n")
        with pytest.raises(
            RowError, match=f"{column}: row 2: expected a number within the range of .*, found '{value}'"
        ):
            list(ENGINE.rows.read(str(file), TYPED).batches)


def test_nulls_alone_take_the_type_of_the_column() -> None:
    """ROWS-803."""
    rows = pa.table({"id": ["a"], "x": pa.nulls(1), "days": pa.array([[]]), "new": pa.nulls(1)})
    given = ENGINE.rows.read_given(rows, TYPED)
    assert [str(field.type) for field in pa.Table.from_batches(list(given.batches)).schema] == [
        "string", "float", "list<element: struct<day: date32[day]>>", "string"
    ]  # fmt: skip
    parts = pa.array([[{"day": None}]])
    (_, field) = ENGINE.rows.read_given(pa.table({"id": ["a"], "days": parts}), TYPED).schema.fields
    assert to_arrow(field.type) == to_arrow(TYPED.fields[4].type)


@pytest.mark.parametrize("entries", [[("k", None)], []])
def test_values_of_maps_that_are_nulls_alone_take_the_type_of_the_column(entries: list[object]) -> None:
    """ROWS-803: in lists, too, and texts where the table has no such column."""
    like = schema_of({"m": "map<string, bigint>", "l": "array<map<string, double>>"})
    of_nulls = pa.map_(pa.string(), pa.null())
    rows = pa.table({"m": pa.array([entries], of_nulls), "l": pa.array([[entries]], pa.list_(of_nulls))})
    rows = rows.append_column("new", rows.column("m"))
    given = ENGINE.rows.read_given(rows, like)
    made = pa.Table.from_batches(list(given.batches))
    kinds = [made.schema.field("m").type, made.schema.field("l").type.value_type, made.schema.field("new").type]
    assert [kind.item_type for kind in kinds] == [pa.int64(), pa.float64(), pa.string()]
    assert made.to_pylist() == [{"m": entries, "l": [entries], "new": entries}]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"id,price\na,1.5\nb,x\n", "price: row 2: expected a value of decimal(8,2), found 'x'"),
        (b"id,price\na,1.5\nb,1.555\n", "price: row 2: expected a value of decimal(8,2), found '1.555'"),
        (b"id,price\na\xe5,1.5\n", "id: row 1: expected text in UTF-8, found b'a\\xe5'"),
        (b"id,n\na,1\nb,2.5\n", "n: row 2: expected a value of long, found '2.5'"),
        (b"id,day\na,2026-13-01\n", "day: row 1: expected a value of date, as 2024-03-01, found '2026-13-01'"),
    ],
)
def test_values_of_csv_files_are_named(tmp_path: Path, content: bytes, text: str) -> None:
    """ROWS-982."""
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    like = schema_of({"id": "string", "price": "decimal(8,2)", "n": "bigint", "day": "date"})
    with pytest.raises(RowError) as raised:
        list(read(str(path), like).batches)
    assert str(raised.value) == f"{path}: {text}"


@pytest.mark.parametrize("value", ['{"x": 1e39}', '{"xs": [1, 1e39]}', '{"pairs": [{"x": null}, {"x": -1e39}]}'])
def test_numbers_within_a_column_that_are_beyond_a_float_are_refused(tmp_path: Path, value: str) -> None:
    """ROWS-801: at each depth."""
    part = pa.struct([("x", pa.float32())])
    arrow = pa.schema(
        [("s", pa.struct([("x", pa.float32()), ("xs", pa.list_(pa.float32())), ("pairs", pa.list_(part))]))]
    )
    (tmp_path / "rows.jsonl").write_text(f'{{"s": {{"xs": [1.5]}}}}\n{{"s": null}}\n{{"s": {value}}}\n')
    with pytest.raises(RowError, match="expected a number within the range of float") as refused:
        list(ENGINE.rows.read(str(tmp_path / "rows.jsonl"), schema_from_arrow(arrow).value).batches)
    assert refused.value.row == 2


def test_a_pipe_in_place_of_a_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """ROWS-1328."""
    os.mkfifo(tmp_path / "rows.csv")
    with pytest.raises(
        UsageError, match=r"expected a file, found a pipe or a device, .* pass its rows to standard input"
    ):
        read(str(tmp_path / "rows.csv"), None)


@pytest.mark.parametrize("content", ["id,n\na,1\n".encode("utf-16"), "id,n\na,1\n".encode("utf-16-be")])
def test_a_text_of_utf16_is_refused_by_its_mark(tmp_path: Path, content: bytes) -> None:
    """ROWS-1328."""
    marked = content if content[:2] == b"\xff\xfe" else b"\xfe\xff" + content
    (tmp_path / "rows.csv").write_bytes(marked)
    with pytest.raises(UsageError, match="found one that begins as UTF-16 text does"):
        read(str(tmp_path / "rows.csv"), None)


@pytest.mark.parametrize("cut", [12, 200, -4])
def test_a_packed_file_that_ends_early_is_refused(tmp_path: Path, cut: int) -> None:
    """ROWS-1328."""
    packed = gzip.compress(b"id,n\n" + b"".join(b"%d,%d\n" % (row, row * row) for row in range(2000)))
    (tmp_path / "rows.csv.gz").write_bytes(packed[:cut])
    with pytest.raises(CorruptFileError, match=r"rows\.csv\.gz: expected a whole \.gz file, found one that ends"):
        read(str(tmp_path / "rows.csv.gz"), None)


def test_errors_of_a_packed_file_name_it(tmp_path: Path) -> None:
    """ROWS-1328: those that come when it is opened, and later."""
    rows = b"id,other\n" + b"".join(b"k%d,7\n" % row for row in range(300_000))
    for content in (b"id,other\na,x\n", rows + b"z,x\n"):
        (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(content, 1))
        with pytest.raises(RowError, match=f"^{tmp_path}/rows.csv.gz: other: row [0-9,]+: expected a value of int"):
            list(read(str(tmp_path / "rows.csv.gz"), LIKE).batches)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("rows.csv", b"\n\r\n\n", "expected a line with the names of columns, found a file of blank lines"),
        ("rows.csv", b"id,,n\n1,2,3\n", "expected a name of each column in the first line, found none of column 2"),
        ("rows.csv", b"id;n\n1;2\n", f"expected {COMMAS}, found 'id;n', with ';' in their place"),
        ("rows.csv", b"id\tn\n1\t2,5\n", f"expected {COMMAS}, found 'id\\tn', with '\\t' in their place"),
        ("rows.csv.gz", b"id,n\n1,2\n", "expected a .gz file, found one that begins with b'id,n"),
        ("rows.csv", b"BZh91AY&SY", "expected a .csv file, as its name says, found one that begins as .bz2 does"),
        ("rows.parquet", b"no file of Parquet", "expected a .parquet file, found no footer of Parquet at its end"),
    ],
)
def test_a_file_that_is_none_of_its_kind_is_refused_in_our_words(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    """ROWS-1387."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(HudiError) as refused:
        list(ENGINE.rows.read(str(tmp_path / name), None).batches)
    assert str(refused.value).startswith(f"{tmp_path / name}: {words}")
