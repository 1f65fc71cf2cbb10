"""Values of Python in the type of a table's column: exactly, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from hudi_arrow.incoming.given import stream_of
from hudi_core.errors import HudiError, RowError, UsageError

UTC = dt.UTC
LATER = dt.timezone(dt.timedelta(hours=2))
MAPS = pa.struct([("m", pa.map_(pa.string(), pa.int64()))])
NUMBERS = pa.struct([("x", pa.int64()), ("y", pa.int32())])

REFUSED: list[tuple[pa.DataType, Any]] = [
    (pa.int64(), 1.5),
    (pa.int32(), Decimal("1.5")),
    (pa.float32(), 1e39),
    (pa.float64(), True),
    (pa.list_(pa.float32()), [1.0, -1e39]),
    (pa.date32(), dt.datetime(2024, 1, 1, 5)),
    (pa.date32(), 5),
    (pa.timestamp("us", "UTC"), 5),
    (pa.timestamp("us"), dt.datetime(2024, 1, 1, tzinfo=LATER)),
    (pa.timestamp("ms"), dt.datetime(2024, 1, 1, 0, 0, 0, 1)),
    (pa.time32("ms"), dt.time(1, 2, 3, 4)),
    (NUMBERS, {"x": 1.5, "y": 1}),
    (pa.list_(pa.int64()), [1, 2.5]),
    (pa.list_(NUMBERS), [{"x": 1, "y": 2.5}]),
    (pa.map_(pa.string(), pa.int64()), {"k": 1.5}),
    (pa.map_(pa.string(), pa.int64()), [("k", 1.5)]),
    (pa.list_(MAPS), [{"m": [("k", 1.5)]}]),
    (pa.list_(MAPS), [{"m": [{"key": "k", "value": 1}]}]),
    (pa.map_(pa.string(), NUMBERS), {"k": {"x": 1.5, "y": 1}}),
]
TAKEN: list[tuple[pa.DataType, Any]] = [
    (pa.int64(), 2.0),
    (pa.int64(), 2**53 + 1),
    (pa.int32(), Decimal(2)),
    (pa.float32(), 0.5),
    (pa.float32(), float("-inf")),
    (pa.date32(), dt.date(1960, 2, 29)),
    (pa.date32(), dt.datetime(2024, 1, 1)),
    (pa.timestamp("us", "UTC"), dt.datetime(2024, 1, 1, 5, tzinfo=LATER)),
    (pa.timestamp("ms"), dt.datetime(2024, 1, 1, 0, 0, 0, 1000)),
    (NUMBERS, {"x": 1.0, "y": None}),
    (pa.list_(NUMBERS), [{"x": 1, "y": 2}, None]),
    (pa.map_(pa.string(), pa.int64()), {"k": 2.0}),
    (pa.list_(MAPS), [{"m": [("k", 1)]}, {"m": {"k": 2}}, {"m": None}, None]),
    (pa.map_(pa.string(), NUMBERS), [("k", {"x": 1, "y": None})]),
    (pa.map_(pa.string(), pa.float64()), [("k", 1.5)]),
    (pa.string(), "x"),
    (pa.binary(), "x"),
]


@pytest.mark.parametrize(("type", "value"), REFUSED)
def test_a_value_that_the_type_would_change_is_refused_with_its_row(type: pa.DataType, value: Any) -> None:
    """ROWS-500."""
    with pytest.raises(RowError, match=r"^rows: v") as caught:
        stream_of([{"v": None}, {"v": None}, {"v": value}], {"v": type}).read_all()
    assert caught.value.row == (2 if not (pa.types.is_list(type) or pa.types.is_map(type)) else None)
    with pytest.raises(HudiError):
        stream_of({"v": [value]}, {"v": type}).read_all()


@pytest.mark.parametrize(("type", "value"), TAKEN)
def test_other_values_are_taken(type: pa.DataType, value: Any) -> None:
    """ROWS-500."""
    table = stream_of([{"v": None}, {"v": value}], {"v": type}).read_all()
    assert table.schema.field("v").type == type
    assert table["v"].to_pylist()[0] is None
    assert table["v"].null_count == 1


def test_parts_of_dictionaries_are_those_that_rows_have() -> None:
    """ROWS-500: so that a part that is mistyped is refused as a column is."""
    schema = stream_of([{"v": {"x": 1, "z": "new"}}], {"v": NUMBERS}).schema
    assert schema.field("v").type == pa.struct([("x", pa.int64()), ("z", pa.string())])


def test_dictionaries_in_the_place_of_pairs_are_refused_with_their_row() -> None:
    """ROWS-500."""
    with pytest.raises(RowError, match=r"^rows: v: row 2: expected a value of map<string, string>"):
        stream_of(
            [{"v": None}, {"v": [{"key": "k", "value": "a"}]}], {"v": pa.map_(pa.string(), pa.string())}
        ).read_all()


@pytest.mark.parametrize("one", [{"k": {"x": 1, "z": "new"}}, [("k", {"x": 1, "z": "new"})]])
@pytest.mark.parametrize("depth", range(3))
def test_parts_of_structs_in_maps_are_those_that_rows_have(one: Any, depth: int) -> None:
    """ROWS-500: they were left out, with what they held."""
    wanted = pa.map_(pa.string(), NUMBERS)
    expected = pa.map_(pa.string(), pa.struct([("x", pa.int64()), ("z", pa.string())]))
    for _ in range(depth):
        wanted, expected = (pa.list_(pa.struct([("m", inner)])) for inner in (wanted, expected))
        one = [{"m": one}]
    table = stream_of([{"v": one}, {"v": None}], {"v": wanted}).read_all()
    assert table.schema.field("v").type == expected
    assert "new" in str(table["v"].to_pylist())


def test_later_batches_are_of_the_types_of_the_first() -> None:
    """ROWS-500."""
    frames = [pd.DataFrame({"v": [1, 2]}), pd.DataFrame({"v": [1.0, None, 2.5]})]
    with pytest.raises(UsageError, match="values of the first batch's types"):
        stream_of(iter(frames), {}).read_all()
