"""Rows in the forms that people have them in."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset

import hudi_core
from hudi_arrow.incoming.given import stream_of
from hudi_core import RowError, UsageError

TYPES = pa.schema({"id": pa.string(), "n": pa.int32(), "fee": pa.decimal128(6, 2), "day": pa.date32()})
ROWS: list[dict[str, Any]] = [
    {"id": "a", "n": 1, "fee": Decimal("1.50"), "day": dt.date(2024, 1, 1)},
    {"id": "b", "n": None, "fee": Decimal("-2.25"), "day": dt.date(1960, 2, 29)},
    {"id": "c", "n": 3, "fee": None, "day": None},
]
TABLE = pa.Table.from_pylist(ROWS, TYPES)


def batches() -> Iterator[pa.RecordBatch]:
    """One batch a row."""
    yield from TABLE.to_batches(max_chunksize=1)


FORMS: dict[str, Callable[[], Any]] = {
    "table": lambda: TABLE,
    "reader": lambda: TABLE.to_reader(),
    "batch": lambda: TABLE.to_batches()[0],
    "dictionaries": lambda: ROWS,
    "dictionaries, one after the other": lambda: (row for row in ROWS),
    "dictionary of columns": lambda: {name: [row[name] for row in ROWS] for name in TYPES.names},
    "dictionary of arrays": lambda: dict(zip(TABLE.column_names, TABLE.columns, strict=True)),
    "generator of batches": batches,
    "list of tables": lambda: [TABLE.slice(0, 1), TABLE.slice(1)],
    "polars": lambda: pl.DataFrame(TABLE),
    "lazy frame": lambda: pl.DataFrame(TABLE).lazy().filter(pl.col("id") != "z"),
    "polars frames": lambda: (pl.DataFrame(batch) for batch in batches()),
    "pandas": lambda: pd.DataFrame(ROWS),
    "duckdb": lambda: duckdb.connect().from_arrow(TABLE),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_writes_the_same_rows(tmp_path: Path, form: str) -> None:
    """ROWS-690."""
    table = hudi_core.create(tmp_path / "t", TYPES, "id")
    result = table.upsert(FORMS[form]())
    assert result.inserted == 3
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == ROWS


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"id": ["a", "b"], "n": np.array([1, 2], "u8"), "fee": np.array([3, 4], "i2")}, [(1, 3), (2, 4)]),
        ({"id": ["a", "b"], "n": np.ma.array([1, 2], mask=[False, True])}, [(1, None), (None, None)]),
        ({"id": ["a", "b"], "n": pd.Series([1.0, np.nan])}, [(1, None), (None, None)]),
        ({"id": ["a", "b"], "fee": pd.array([1, None], "Int64")}, [(None, 1), (None, None)]),
        ({"id": ["a", "b"], "n": np.array([1, 2], ">i4")}, [(1, None), (2, None)]),
        ([{"id": "a", "fee": np.int64(5)}, {"id": "b", "fee": None}], [(None, 5), (None, None)]),
        ([{"id": "a", "n": np.float16(5)}, {"id": "b", "n": pd.NA}], [(5, None), (None, None)]),
    ],
)
def test_arrays_have_their_values_and_nulls(form: Any, expected: list[tuple[object, object]]) -> None:
    """ROWS-1493."""
    types = {field.name: field.type for field in TYPES}
    rows = stream_of(form, types).read_all().to_pylist()
    assert [(row.get("n"), row.get("fee")) for row in rows] == expected


@pytest.mark.parametrize("moments", [[pd.NaT, dt.datetime(2020, 1, 1)], [pd.Timestamp(2020, 1, 1, tz="UTC"), pd.NaT]])
def test_times_of_pandas_that_are_missing_are_null(moments: list[Any]) -> None:
    """ROWS-1493: also as `DataFrame.to_dict` gives them."""
    null = [moment is pd.NaT for moment in moments]
    frame = pd.DataFrame({"t": pd.Series(moments, dtype=object)})
    for form in (frame, frame.to_dict("records"), {"t": moments}):
        assert stream_of(form, {}).read_all()["t"].is_null().to_pylist() == null


@pytest.mark.parametrize("values", [[1.5, 2.0], [2**40, 1], [True, False]])
def test_arrays_are_exact_as_values_of_python_are(values: list[Any]) -> None:
    """ROWS-1493, ROWS-500."""
    for column in (np.array(values), pd.Series(values)):
        with pytest.raises(RowError, match="rows: n: row 1: expected a value of int32"):
            stream_of({"n": column}, {"n": pa.int32()}).read_all()


def test_a_lazy_frame_and_a_dataset_are_schemas_of_new_tables(tmp_path: Path) -> None:
    """ROWS-690."""
    for number, form in enumerate((pl.DataFrame(TABLE).lazy(), dataset.dataset(TABLE))):
        table = hudi_core.create(tmp_path / str(number), form, "id")
        assert table.upsert(form).inserted == 3


def test_a_query_that_fails_is_an_error_of_its_rows(tmp_path: Path) -> None:
    """ROWS-1492."""
    table = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, n int"), "id")
    lazy = pl.DataFrame({"id": ["a"], "n": ["x"]}).lazy().with_columns(pl.col("n").cast(pl.Int32))
    with pytest.raises(UsageError, match="rows: expected a source that gives its rows, found conversion from"):
        table.upsert(lazy)


def test_all_verbs_that_take_rows_take_dictionaries(tmp_path: Path) -> None:
    table = hudi_core.create(tmp_path / "t", ROWS[:1], "id", partition_by="day")
    day = dt.date(2024, 1, 1)
    for verb in (table.append, table.insert, table.upsert, table.bulk_insert):
        verb([{"id": verb.__name__, "n": 1, "fee": None, "day": day}])
    table = table.refresh()
    assert table.count() == 4
    tagged = hudi_core.tag(table, [{"id": "append", "day": day}, {"id": "no", "day": day}]).read_all()
    assert tagged[tagged.column_names[-1]].is_valid().to_pylist() == [True, False]
    assert table.delete([{"id": "append", "day": day}]).deleted == 1
    table.overwrite_partitions([{"id": "only", "n": 1, "fee": None, "day": day}])
    assert table.refresh().to_arrow()["id"].to_pylist() == ["only"]
    table.overwrite([{"id": "last", "n": 2, "fee": None, "day": dt.date(2024, 1, 2)}])
    assert table.refresh().to_arrow()["id"].to_pylist() == ["last"]


def test_a_name_that_the_format_lacks_is_refused_by_name(tmp_path: Path) -> None:
    rows = [{"id": "a", "unit price": 2}]
    with pytest.raises(hudi_core.HudiError, match="unit price"):
        hudi_core.create(tmp_path / "t", rows, "id")


@pytest.mark.parametrize(
    ("data", "error", "says"),
    [
        (7, UsageError, r"rows: expected an object .* found 7 \(int\)"),
        ("a string", UsageError, "found 'a string'"),
        ([7], UsageError, r"found an iterable of 7 \(int\)"),
        ([None], UsageError, "found an iterable of None"),
        ([{"id": "a"}, 7], RowError, r"rows: row 2: expected a dictionary, found 7 \(int\)"),
        (
            [{"id": "a", "n": 1}, {"id": "b", "n": "x"}],
            RowError,
            "rows: n: row 2: expected a value of int32, found 'x'",
        ),
        ([{"id": "a", "n": 2**40}], RowError, "rows: n: row 1: expected a value of int32, found 1099511627776"),
        ([{1: "a"}], UsageError, r"expected names of columns as strings, found 1 \(int\)"),
        ({"id": ["a"], "n": [1, 2]}, UsageError, "expected columns of one length, found 1 of id, 2 of n"),
        ({"id": "abc"}, UsageError, r"rows: id: expected a list of values, found 'abc'"),
        ([TABLE, TABLE.select(["id"])], UsageError, "expected the first batch's columns, id, n, fee, day, found id"),
        ([TABLE, 7], UsageError, r"expected a batch, as the first item is one, found 7"),
        (
            [{"other": 1}, {"other": "x"}],
            RowError,
            r"rows: other: row 2: expected a value of int64, as in the rows before, found 'x' \(str\)",
        ),
        ({"id": {"a"}}, UsageError, r"rows: id: expected a list of values, in the order of the rows, found \{'a'\}"),
    ],
)
def test_what_are_no_rows_is_named(data: object, error: type[Exception], says: str) -> None:
    types = {field.name: field.type for field in TYPES}
    with pytest.raises(error, match=says):
        stream_of(data, types).read_all()


def test_dictionaries_are_taken_a_batch_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hudi_arrow.incoming.given._BATCH_ROWS", 2)
    taken = []

    def rows() -> Iterator[dict[str, int]]:
        for number in range(6):
            taken.append(number)
            yield {"n": number}

    reader = stream_of(rows(), {})
    assert reader.read_next_batch().num_rows == 2 and len(taken) == 2
    with pytest.raises(RowError, match="row 3: expected columns of the first 2 rows, found 'm'"):
        stream_of([{"n": 1}, {"n": 2}, {"m": 3}], {}).read_all()


def test_no_rows_have_the_tables_columns() -> None:
    assert stream_of([], {"id": pa.string()}).read_all().schema == pa.schema({"id": pa.string()})


def test_datasets_and_scanners_are_scanned(tmp_path: Path) -> None:
    """ROWS-690."""
    rows = pa.table({"id": [1, 2], "v": ["a", "b"]})
    held = dataset.dataset(rows)
    assert stream_of(held, {}).read_all() == rows
    assert stream_of(held.scanner(filter=dataset.field("id") == 2), {}).read_all() == rows.slice(1)
    first, copy = (hudi_core.create(tmp_path / name, rows, key="id") for name in ("first", "copy"))
    first.upsert(held)
    copy.append(first.refresh().to_dataset())
    assert copy.refresh().to_arrow(columns=["id", "v"]).sort_by("id") == rows


def test_bytes_are_values_of_fixed_columns(tmp_path: Path) -> None:
    """WRITE-1428."""
    one = uuid.UUID(int=10)
    inner = pa.StructArray.from_arrays([pa.array([one.bytes, None], pa.uuid())], ["u"])
    rows = pa.table(
        {
            "id": [1, 2],
            "u": pa.array([one.bytes, None], pa.uuid()),
            "f": pa.array([b"abcd", None], pa.binary(4)),
            "s": inner,
        }
    )
    table = hudi_core.create(tmp_path / "t", rows, key="id")
    table.upsert(rows)
    table = table.refresh()
    stored = table.to_arrow(columns=rows.column_names).sort_by("id")
    objects = [
        {"id": 1, "u": one, "f": b"abcd", "s": {"u": one.bytes}},
        {"id": 2, "u": None, "f": None, "s": {"u": None}},
    ]
    forms = [
        stored,
        stored.to_pylist(),
        objects,
        table.to_pandas(columns=rows.column_names),
        table.to_polars(columns=rows.column_names),
        table.to_duckdb().project("id, u, f, s"),
    ]
    for form in forms:
        table.refresh().upsert(form)
        read = table.refresh()
        assert read.to_arrow(columns=rows.column_names).sort_by("id") == stored
        assert read.schema == table.schema
    for column, value in (("u", b"x"), ("f", b"abcde"), ("f", b"")):
        wrong = pl.DataFrame({**{name: [None] for name in rows.column_names}, "id": [1], column: [value]})
        with pytest.raises(RowError, match=f"^{column}: row 1: expected (4|16) bytes, found {len(value)}$"):
            table.refresh().upsert(wrong.cast({"s": pl.Struct({"u": pl.Binary})}))


def test_lists_and_maps_of_uuids_in_bytes_are_those_of_the_table(tmp_path: Path) -> None:
    """WRITE-1428."""
    one = uuid.UUID(int=10).bytes
    types = pa.schema([("id", pa.int64()), ("l", pa.list_(pa.uuid())), ("m", pa.map_(pa.string(), pa.uuid()))])
    plain = pa.schema([("id", pa.int64()), ("l", pa.list_(pa.binary(16))), ("m", pa.map_(pa.string(), pa.binary(16)))])
    rows = [{"id": 1, "l": [one, None], "m": [("k", one)]}, {"id": 2, "l": None, "m": None}]
    table = hudi_core.create(tmp_path / "t", types, key="id")
    table.upsert(pa.Table.from_pylist(rows, plain))
    table.refresh().upsert(table.refresh().to_arrow(columns=types.names))
    read = table.refresh().to_arrow(columns=types.names).sort_by("id")
    assert read.cast(plain).to_pylist() == rows


def test_a_generator_that_has_ended_is_no_empty_input(tmp_path: Path) -> None:
    """WRITE-1414: its rows went into an earlier write."""
    table = hudi_core.create(tmp_path / "t", hudi_core.schema_of("id string, n int"), "id")
    rows = ({"id": one, "n": 1} for one in "ab")
    table.upsert(rows)
    for use in (table.refresh().upsert, table.refresh().append, table.refresh().delete, table.refresh().overwrite):
        with pytest.raises(
            UsageError, match="expected a generator that has not ended, found one whose rows were read before"
        ):
            use(rows)
    assert table.refresh().count() == 2
    assert table.refresh().append(row for row in list[dict[str, object]]()).inserted == 0
