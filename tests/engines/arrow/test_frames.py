"""Frames of pandas, in and out: every type goes through a frame and back unchanged, and an index is a column or an error."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hudi_core
from hudi_arrow.frames import to_frame
from hudi_arrow.incoming.given import stream_of
from hudi_core import RowError, UnsupportedError, UsageError
from tests.support.drawing import cases

_INTEGERS = st.sampled_from((0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63))) | st.integers(-(2**63), 2**63 - 1)
_TEXTS = st.sampled_from(("", "null", "NaN", "007", "1e3", "2024-01-01", "true", " a ", "\x00", "\u2028")) | st.text(
    max_size=3
)
_MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))
_DECIMALS = st.integers(-(10**38) + 1, 10**38 - 1).map(lambda number: Decimal(f"{number}E-10"))
_LEAVES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): _INTEGERS,
    pa.float64(): st.floats() | st.sampled_from((-0.0, math.inf)),
    pa.bool_(): st.booleans(),
    pa.string(): _TEXTS,
    pa.binary(): st.binary(max_size=3),
    pa.date32(): st.dates(),
    pa.time64("us"): st.times(),
    pa.timestamp("us"): _MOMENTS,
    pa.timestamp("us", "UTC"): _MOMENTS.map(lambda moment: moment.replace(tzinfo=dt.UTC)),
    pa.decimal128(38, 10): _DECIMALS,
}


def _nested(kind: pa.DataType, values: st.SearchStrategy[Any]) -> Iterator[tuple[pa.DataType, st.SearchStrategy[Any]]]:
    yield pa.list_(kind), st.lists(values, max_size=2)
    yield pa.struct([("x", kind), ("y", pa.string())]), st.fixed_dictionaries({"x": values, "y": st.none() | _TEXTS})
    pairs = st.lists(st.tuples(st.text(max_size=2), values), max_size=2, unique_by=lambda pair: pair[0])
    yield pa.map_(pa.string(), kind), pairs


def _columns() -> Iterator[tuple[pa.DataType, st.SearchStrategy[Any]]]:
    for kind, values in _LEAVES.items():
        yield kind, st.none() | values
        for once, inner in _nested(kind, st.none() | values):
            yield once, st.none() | inner
    for once, inner in _nested(pa.int64(), st.none() | _INTEGERS):
        for twice, deep in _nested(once, st.none() | inner):
            yield twice, st.none() | deep


COLUMNS = dict(_columns())


def comparable(value: Any, *, is_nan_null: bool) -> Any:
    """The value with NaN and -0.0 told apart from others, or NaN as null."""
    if isinstance(value, float):
        if math.isnan(value):
            return None if is_nan_null else "NaN"
        return value, math.copysign(1, value)
    if isinstance(value, dict):
        return {name: comparable(part, is_nan_null=is_nan_null) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(part, is_nan_null=is_nan_null) for part in value]
    return value


def rows_of(stream: pa.RecordBatchReader, *, is_nan_null: bool) -> list[Any]:
    return [comparable(row["v"], is_nan_null=is_nan_null) for row in stream.read_all().to_pylist()]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", COLUMNS, ids=str)
def test_a_frame_gives_back_what_the_table_has(kind: pa.DataType) -> None:
    """ROWS-1517: exactly, but for NaN of the frames that pandas has by itself, which is null."""

    @settings(max_examples=cases(60))
    @given(st.lists(COLUMNS[kind], max_size=4))
    def check(values: list[Any]) -> None:
        table = pa.table({"v": pa.array(values, kind)})
        for backend, is_nan_null in ((None, True), ("pyarrow", False)):
            try:
                frame = to_frame(table, backend)
            except UnsupportedError:
                continue
            again = stream_of(frame, {"v": kind}).read_all()
            made = [comparable(value, is_nan_null=is_nan_null) for value in again["v"].cast(kind).to_pylist()]
            assert made == [comparable(value, is_nan_null=is_nan_null) for value in table["v"].to_pylist()], backend

    check()


def test_integers_of_a_frame_are_exact_beside_nulls() -> None:
    """ROWS-1519: as floats those beyond 2**53 would be others."""
    wide, few = 2**53 + 1, 7
    kinds: dict[pa.DataType, Callable[[Any], Any]] = {
        pa.list_(pa.int64()): lambda number: [number, None],
        pa.struct([("x", pa.int64())]): lambda number: {"x": number},
        pa.map_(pa.string(), pa.int64()): lambda number: [("a", number), ("b", None)],
    }
    for kind, make in kinds.items():
        frame = to_frame(pa.table({"v": pa.array([make(wide), make(None)], kind)}), None)
        value = frame["v"][0]
        assert (value.tolist() if isinstance(value, np.ndarray) else value) == make(wide), kind
    frame = to_frame(pa.table({"wide": [wide, None], "few": [few, None], "whole": [wide, wide]}), None)
    assert [str(kind) for kind in frame.dtypes] == ["Int64", "float64", "int64"]
    assert frame["wide"][0] == wide


def test_a_frame_has_types_of_arrow_if_these_are_asked_for(tmp_path: Path) -> None:
    """ROWS-1519: null and NaN are two values there."""
    rows = pa.table({"id": ["a", "b"], "v": pa.array([None, math.nan])})
    table = hudi_core.create(tmp_path / "t", rows, "id")
    table.upsert(rows)
    frame = table.refresh().to_pandas(dtype_backend="pyarrow")
    assert frame["v"].dtype == pd.ArrowDtype(pa.float64())
    table.upsert(frame)
    again = table.refresh().scan(columns=["v"]).to_arrow()["v"].to_pylist()
    assert again[0] is None
    assert math.isnan(again[1])
    with pytest.raises(UsageError, match="dtype_backend: expected 'pyarrow' or None, found 'numpy'"):
        table.to_pandas(dtype_backend="numpy")


def test_objects_of_a_frame_are_taken_in_the_types_of_the_table(tmp_path: Path) -> None:
    """ROWS-1517."""
    kinds = pa.schema(
        [
            ("id", pa.string()),
            ("m", pa.map_(pa.string(), pa.int64())),
            ("s", pa.struct([("x", pa.int64()), ("y", pa.list_(pa.float64()))])),
        ]
    )
    table = hudi_core.create(tmp_path / "t", kinds, "id")
    frame = pd.DataFrame(
        {
            "m": [{"a": 1.0, "b": np.nan}, [("c", 2)], None],
            "id": ["a", "b", "c"],
            "s": [{"x": 1.0, "y": np.array([1.5])}, {"x": pd.NA, "y": None}, None],
        }
    )
    table.upsert(frame)
    assert table.refresh().to_arrow(columns=["id", "m", "s"]).to_pylist() == [
        {"id": "a", "m": [("a", 1), ("b", None)], "s": {"x": 1, "y": [1.5]}},
        {"id": "b", "m": [("c", 2)], "s": {"x": None, "y": None}},
        {"id": "c", "m": None, "s": None},
    ]
    for wrong, where in (
        ({"m": [{"a": 1.5}]}, "m"),
        ({"m": ["text"]}, "m"),
        ({"s": [{"x": 1.5, "y": None}]}, "s.x"),
        ({"s": [{"x": "1", "y": None}]}, "s"),
    ):
        columns = {"id": ["a"], "m": [None], "s": [None], **wrong}
        with pytest.raises(RowError, match=f"rows: {where}: "):
            table.refresh().upsert(pd.DataFrame(columns))


def test_an_object_of_a_frame_that_lacks_a_part_is_refused(tmp_path: Path) -> None:
    """ROWS-800."""
    rows = [{"id": "a", "s": {"x": 1, "y": 1}}, {"id": "b", "s": {"x": 1, "y": 1}}]
    table = hudi_core.create(tmp_path / "t", rows, "id")
    table.upsert(rows)
    frame = pd.DataFrame({"id": ["a", "b"], "s": [{"x": 2}, {"x": 3, "y": 3}]})
    for lacking in (frame, frame.rename(columns={"s": "new"}).assign(s=[None, None])):
        with pytest.raises(RowError, match=r"y: row 1: expected a value or null in each row"):
            table.upsert(lacking)
    table.insert(pd.DataFrame({"id": ["c", "d"], "s": [{"x": 2}, {"x": 3, "y": 3}]}))


INDEXES: dict[str, Any] = {
    "numbers": pd.RangeIndex(5, 7, name="n"),
    "integers": pd.Index([5, 6], name="n"),
    "levels": pd.MultiIndex.from_tuples([(5, 0), (6, 1)], names=["n", None]),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_an_index_with_a_name_is_a_column(tmp_path: Path, index: Any) -> None:
    """ROWS-1452: row numbers with a name too."""
    frame = pd.DataFrame({"id": ["a", "b"]}, index=index)
    table = hudi_core.create(tmp_path / "t", frame, "id")
    table.upsert(frame)
    rows = [{"id": "a", "n": 5}, {"id": "b", "n": 6}]
    assert table.refresh().to_arrow(columns=["id", "n"]).to_pylist() == rows
    table.refresh().upsert(frame.assign(n=[5, 6]))
    with pytest.raises(UsageError, match=r"expected each column once: .*, found a column n and an index of this name"):
        table.refresh().upsert(frame.assign(n=[5, 7]))
    assert table.refresh().to_arrow(columns=["id", "n"]).to_pylist() == rows


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_an_index_makes_no_new_column(tmp_path: Path, index: Any) -> None:
    """WRITE-1518."""
    frame = pd.DataFrame({"id": ["a", "b"], "v": [1, 2]}, index=index)
    table = hudi_core.create(tmp_path / "t", frame.reset_index(drop=True), "id")
    table.upsert(frame.reset_index(drop=True))
    refused = (
        r"rows: expected an index of a frame that is a column of the table, found the index n; reset_index\(\) makes"
    )
    forms = [frame, pa.Table.from_pandas(frame, preserve_index=True)]
    for rows in forms:
        with pytest.raises(UsageError, match=refused):
            table.refresh().upsert(rows)
    assert len(table.refresh().timeline.instants) == len(table.timeline.instants) + 1
    assert table.refresh().delete(frame[:1]).deleted == 1
    table.refresh().upsert(frame.reset_index(level="n"))
    assert table.refresh().to_arrow(columns=["id", "n"]).to_pylist() == [{"id": "b", "n": 6}, {"id": "a", "n": 5}]


def test_a_float_among_objects_that_may_be_another_integer_is_refused(tmp_path: Path) -> None:
    """ROWS-1517: 2**53 + 1 beside a gap is this float."""
    table = hudi_core.create(
        tmp_path / "t", pa.schema([("id", pa.string()), ("s", pa.struct([("x", pa.int64())]))]), "id"
    )
    for value in (2.0**53, -(2.0**60)):
        frame = pd.DataFrame({"id": ["a", "b"], "s": [None, {"x": value}]})
        with pytest.raises(RowError, match="rows: s: row 2: expected a whole number, exact in long, found"):
            table.upsert(frame)
    table.upsert(pd.DataFrame({"id": ["a"], "s": [{"x": 2.0**53 - 1}]}))
    assert table.refresh().to_arrow(columns=["s"]).to_pylist() == [{"s": {"x": 2**53 - 1}}]


def test_columns_of_pandas_with_other_labels_of_rows_are_refused() -> None:
    """ROWS-1522: a frame of them has other rows than Arrow."""
    frame = pd.DataFrame({"id": ["a", "b"], "v": [2, 1]})
    with pytest.raises(
        UsageError, match=r"rows: expected the same labels of rows .*, found those of id and others of v"
    ):
        stream_of({"id": frame["id"], "n": [1, 2], "v": frame.sort_values("v")["v"]}, {})
    columns = {"id": frame["id"], "n": [1, 2], "v": frame.sort_values("v")["v"].array}
    assert stream_of(columns, {}).read_all()["v"].to_pylist() == [1, 2]
    assert stream_of({"id": frame["id"][::-1], "v": frame["v"][::-1]}, {}).read_all()["v"].to_pylist() == [1, 2]
