"""Rows of other libraries and of several batches: each value is stored as it is, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hudi_core
from hudi_arrow.arrays import decodable
from hudi_arrow.incoming.given import stream_of
from hudi_arrow.types import schema_from_arrow
from hudi_core.errors import HudiError, RowError, SchemaError, UsageError
from tests.support.drawing import cases

NOON = dt.datetime(2020, 1, 1, 12)
VALUES: dict[pa.DataType, list[Any]] = {
    pa.bool_(): [True, False],
    pa.int32(): [0, 5, -(2**31)],
    pa.int64(): [1, 2**53 + 1, 2**63 - 1],
    pa.float32(): [0.5, 3.0],
    pa.float64(): [0.1, 2.0, 1e300],
    pa.decimal128(5, 2): [Decimal("1.25"), Decimal("7.00")],
    pa.decimal128(9, 4): [Decimal("1.2345"), Decimal("7.0000")],
    pa.string(): ["007", "1", "2020-01-01"],
    pa.binary(): [b"1", b"\xff"],
    pa.date32(): [NOON.date()],
    pa.time64("us"): [NOON.time()],
    pa.timestamp("us"): [NOON, dt.datetime(2020, 1, 1)],
    pa.timestamp("ms", "UTC"): [NOON.replace(tzinfo=dt.UTC)],
    pa.timestamp("us", "America/New_York"): [NOON.replace(tzinfo=dt.UTC)],
    pa.list_(pa.int64()): [[1, 2]],
    pa.struct([("a", pa.string())]): [{"a": "1"}],
    pa.struct([("a", pa.int64())]): [{"a": 1}],
}


def batch(kind: pa.DataType, values: list[Any]) -> pa.RecordBatch:
    return pa.record_batch({"v": pa.array(values, kind)})


@settings(max_examples=cases(300, part=6))
@given(st.data())
def test_a_later_batch_keeps_its_values_or_is_refused(data: st.DataObject) -> None:
    """ROWS-1375, over pairs of types."""
    first, later = (data.draw(st.sampled_from(list(VALUES))) for _ in range(2))
    value = data.draw(st.sampled_from(VALUES[later]))
    try:
        read = stream_of(iter([batch(first, [None]), batch(later, [value])]), {}).read_all()["v"].to_pylist()[1]
    except HudiError:
        return
    assert read == value and isinstance(read, bool) is isinstance(value, bool)
    assert isinstance(read, int | float | Decimal) is isinstance(value, int | float | Decimal)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (pa.array([True]), pa.array([5])),
        (pa.array([Decimal("1.00")]), pa.array([1.005])),
        (pa.array([1.0], pa.float32()), pa.array([1e300])),
        (pa.array([NOON.date()]), pa.array([NOON])),
        (pa.array([NOON.time()]), pa.array([NOON])),
        (pa.array([NOON]), pa.array([5])),
        (pa.array([5]), pa.array([NOON])),
        (pa.array([NOON]), pa.array([NOON], pa.timestamp("us", "America/New_York"))),
        (pa.array(["007"]), pa.array([8])),
        (pa.array([["a"]]), pa.array([[8]])),
    ],
)
def test_a_value_of_another_kind_in_a_later_batch_is_refused(first: pa.Array, later: pa.Array) -> None:
    """ROWS-1375."""
    batches = [pa.record_batch({"v": first}), pa.record_batch({"v": later})]
    with pytest.raises(UsageError, match=r"^rows: v: expected .* as the first batch has it, found"):
        stream_of(iter(batches), {}).read_all()


@pytest.mark.parametrize(
    "rows",
    [
        pl.DataFrame({"v": pl.Series([object()], dtype=pl.Object)}),
        duckdb.sql("SELECT '101'::BIT AS v"),
        duckdb.sql("SELECT ['101'::BIT] AS v"),
        duckdb.sql("SELECT TIMETZ '01:02:03+05' AS v"),
        pd.DataFrame({"v": pd.period_range("2020-01", periods=2, freq="M")}),
        duckdb.sql("SELECT '12345678901234567890123'::VARINT AS v"),
    ],
)
def test_values_that_arrow_does_not_have_are_refused(rows: object) -> None:
    """ROWS-1376."""
    with pytest.raises(SchemaError):
        schema_from_arrow(stream_of(rows, {}).schema)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["a", 1, 2]], columns=["id", "v", "v"]),
        pd.DataFrame({"v": pd.arrays.SparseArray([0, 5])}),
        pd.DataFrame({"v": ["a\ud800b"]}, dtype=object),
    ],
)
def test_a_frame_that_arrow_does_not_take_is_one_error(frame: pd.DataFrame) -> None:
    """ROWS-690."""
    with pytest.raises(
        (UsageError, RowError), match=r"^rows: (expected columns of one type each|expected each column once|v: row 1: )"
    ):
        stream_of(frame, {}).read_all()


BROKEN = pa.Array.from_buffers(pa.string(), 3, pa.array([b"a", b"b\xff", b"c"]).buffers())
PLAIN = pa.array([1, 2, 3])


@pytest.mark.parametrize(
    "column",
    [
        BROKEN,
        BROKEN.slice(1),
        BROKEN.dictionary_encode(),
        pa.StructArray.from_arrays([PLAIN, BROKEN], ["n", "x"]),
        pa.ListArray.from_arrays([0, 1, 2, 3], BROKEN),
        pa.MapArray.from_arrays([0, 1, 2, 3], pa.array(["k", "k", "k"]), BROKEN),
    ],
)
def test_texts_that_are_no_utf8_are_refused(tmp_path: Path, column: pa.Array) -> None:
    """ROWS-1498: from memory, and from a file of a writer that did not look."""
    rows = pa.table({"id": PLAIN.slice(0, len(column)), "v": column})
    table = hudi_core.create(tmp_path / "t", rows.schema, "id")
    number = 1 if len(column) == 2 else 2
    pq.write_table(rows, tmp_path / "rows.parquet", write_statistics=False)
    for data in (rows, tmp_path / "rows.parquet", pa.concat_tables([rows.slice(2), rows])):
        with pytest.raises(
            RowError, match=r"v: (a row|row [123]): expected texts in UTF-8, found (b'b\\xff'|one with)"
        ):
            table.upsert(data)
    with pytest.raises(RowError, match=f"^v: (row {number}|a row): "):
        table.upsert(rows)
    assert table.refresh().commits() == []


def test_texts_of_no_row_need_no_offsets(tmp_path: Path) -> None:
    """ROWS-1498: Arrow's Java library, and Spark with it, leaves the first offset of an empty array as memory has it."""
    offsets = np.zeros(1, np.int32)
    none = pa.Array.from_buffers(pa.string(), 0, [None, pa.py_buffer(offsets), pa.py_buffer(b"")])
    lists = pa.ListArray.from_arrays(pa.array([None, 0], pa.int32()), none)
    offsets[0] = -5
    table = hudi_core.create(tmp_path / "t", pa.schema([("id", pa.string()), ("v", lists.type)]), "id")
    with pytest.raises(pa.ArrowInvalid):
        lists.validate(full=True)
    table.upsert(pa.table({"id": ["a"], "v": lists}))
    assert table.refresh().to_arrow().to_pylist() == [{"id": "a", "v": None}]


def test_row_numbers_of_a_frame_are_no_column(tmp_path: Path) -> None:
    """ROWS-1452: pandas has them after rows were chosen, and writes them into files."""
    frame = pd.DataFrame({"id": ["a", "b", "c"], "v": [1, 2, 3]})
    chosen = frame[frame.v != 2]
    table = hudi_core.create(tmp_path / "t", chosen, "id")
    table.upsert(chosen)
    chosen.to_parquet(tmp_path / "chosen.parquet")
    table.refresh().upsert(str(tmp_path / "chosen.parquet"))
    table.refresh().upsert(pa.Table.from_pandas(chosen))
    rows = [{"id": "a", "v": 1}, {"id": "c", "v": 3}]
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == rows
    stated = pa.Table.from_pandas(chosen).replace_schema_metadata({"pandas": "{"})
    assert "__index_level_0__" in hudi_core.create(tmp_path / "other", stated, "id").schema


def test_row_numbers_that_a_table_has_are_a_column(tmp_path: Path) -> None:
    """ROWS-1452."""
    frame = pd.DataFrame({"id": ["a", "b"], "__index_level_0__": [5, 6]})
    table = hudi_core.create(tmp_path / "t", frame, "id")
    table.upsert(frame)
    other = pd.DataFrame({"id": ["a", "c"]}, index=[7, 8])
    table.refresh().upsert(other)
    rows = table.refresh().to_arrow().sort_by("id").to_pylist()
    assert [row["__index_level_0__"] for row in rows] == [7, 6, 8]


def test_an_index_of_values_without_a_name_is_refused(tmp_path: Path) -> None:
    """ROWS-1452."""
    frame = pd.DataFrame({"v": [1, 2]}, index=["a", "b"])
    with pytest.raises(UsageError, match=r"^rows: expected a name of the frame's index"):
        stream_of(frame, {})
    table = hudi_core.create(tmp_path / "t", frame.rename_axis("id"), "id")
    table.upsert(frame.rename_axis("id"))
    assert table.refresh().to_arrow(columns=["id", "v"]).to_pylist() == [{"v": 1, "id": "a"}, {"v": 2, "id": "b"}]


VIEWS: list[Any] = [[1], None, [2, 3], [], [None, 5]]


@pytest.mark.parametrize("view", [pa.list_view, pa.large_list_view])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_views_of_lists_are_lists(tmp_path: Path, view: Any, first: int) -> None:
    """ROWS-1450: at each depth, also in slices."""
    kind = view(pa.int64())
    columns = {
        "id": pa.array(list("abcde")),
        "lists": pa.array(VIEWS, kind),
        "deep": pa.array([[one, one] for one in VIEWS], view(kind)),
        "structs": pa.array([{"x": one} if one != [] else None for one in VIEWS], pa.struct([("x", kind)])),
        "maps": pa.array([[("k", one)] for one in VIEWS], pa.map_(pa.string(), kind)),
        "fixed": pa.array([[one, one] if one != [] else None for one in VIEWS], pa.list_(kind, 2)),
    }
    rows = pa.table(columns).slice(first)
    table = hudi_core.create(tmp_path / "t", rows, "id")
    table.upsert(rows)
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == rows.to_pylist()


@pytest.mark.parametrize("view", [pa.list_view, pa.large_list_view])
def test_views_that_share_values_in_any_order(view: Any) -> None:
    """ROWS-1450."""
    array = pa.array([[1]], view(pa.int64()))
    number = pa.int32() if view is pa.list_view else pa.int64()
    made = type(array).from_arrays(pa.array([3, 0, 1], number), pa.array([2, 3, 2], number), pa.array([1, 2, 3, 4, 5]))
    read = decodable(made)
    read.validate(full=True)
    assert read.to_pylist() == [[4, 5], [1, 2, 3], [2, 3]]


@pytest.mark.parametrize("values", [{"n": 1, "v": 2}.values(), "iterator"])
def test_columns_that_can_be_looked_at_once(tmp_path: Path, values: Any) -> None:
    """ROWS-690: an iterator gave no rows at all, and values of a dictionary lost what lists would not."""
    table = hudi_core.create(tmp_path / "t", pa.schema({"id": pa.int64(), "v": pa.int64()}), "id")
    wanted = [{"id": 1, "v": 1}, {"id": 2, "v": 2}]
    column = (lambda: values) if values != "iterator" else (lambda: map(int, "12"))
    table.upsert({"id": column(), "v": column()})
    assert table.refresh().to_arrow().sort_by("id").to_pylist() == wanted
    with pytest.raises(RowError):
        stream_of({"day": {1: NOON.date(), 2: NOON}.values()}, {})
