"""Values of Python a part of which pyarrow would leave out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from hudi_arrow.incoming.given import stream_of
from hudi_arrow.incoming.python_values import exact_array
from hudi_core.errors import RowError

NANOS = pd.Timestamp("2020-01-01 00:00:00.000000001")
NOON = datetime(2020, 1, 1, 12)
ZONED = datetime(2020, 1, 1, tzinfo=UTC)
COUNTS = pa.map_(pa.string(), pa.int64())
MICROS = pa.timestamp("us")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (MICROS, NANOS),
        (pa.timestamp("us", "UTC"), NANOS.tz_localize("UTC")),
        (MICROS, ZONED),
        (pa.date32(), NOON),
        (pa.date32(), NANOS),
        (pa.time64("us"), time(1, tzinfo=UTC)),
        (pa.int64(), np.datetime64("2020-01-01T00:00:00", "ns")),
        (COUNTS, ""),
        (COUNTS, b""),
        (COUNTS, {"a": 1.5}),
        (pa.float64(), True),
    ],
)
@pytest.mark.parametrize("depth", ["column", "list", "struct", "map", "struct in a list"])
def test_a_value_that_would_lose_a_part_is_refused(kind: pa.DataType, value: Any, depth: str) -> None:
    """ROWS-1278, ROWS-1451: at each depth, also where an earlier value has the column's type."""
    plain = {
        pa.date32(): date(2020, 1, 1),
        pa.int64(): 1,
        pa.time64("us"): time(1),
        COUNTS: {"a": 1},
        pa.float64(): 2.5,
    }
    first: Any = plain.get(kind, NOON if kind.equals(MICROS) else ZONED)
    depths: dict[str, tuple[pa.DataType, Callable[[Any], Any]]] = {
        "column": (kind, lambda one: one),
        "list": (pa.list_(kind), lambda one: [one]),
        "struct": (pa.struct([("x", kind)]), lambda one: {"x": one}),
        "map": (pa.map_(pa.string(), kind), lambda one: {"k": one}),
        "struct in a list": (pa.list_(pa.struct([("x", kind)])), lambda one: [{"x": one}]),
    }
    wrapped, wrap = depths[depth]
    assert len(exact_array("c", [wrap(first), None], wrapped, 0)) == 2
    for values in ([wrap(value)], [wrap(first), wrap(value)]):
        with pytest.raises((RowError, pa.ArrowException, TypeError)) as refused:
            exact_array("c", values, wrapped, 0)
        if depth in ("column", "struct") and isinstance(refused.value, RowError) and not pa.types.is_map(kind):
            assert refused.value.row == len(values) - 1


@pytest.mark.parametrize(
    "values",
    [
        [date(2020, 1, 1), NOON],
        [NOON, ZONED],
        [ZONED, NOON],
        [NANOS],
        [time(1, tzinfo=UTC)],
        [[NOON], [ZONED]],
        [1.5, True],
        [[date(2020, 1, 1)], [NOON]],
        [{"a": [2.5, 1]}, {"a": [True]}],
    ],
)
@pytest.mark.parametrize("form", [list, lambda one: pd.Series(one, dtype=object), "frame", "lists of objects"])
def test_values_of_a_column_without_a_type_lose_nothing(values: list[Any], form: Any) -> None:
    """ROWS-1278, ROWS-1451: of a frame of pandas too, in columns of objects."""
    with pytest.raises(RowError, match=r"c[.:]"):
        if form == "frame":
            stream_of(pd.DataFrame({"c": pd.Series(values, dtype=object)}), {})
        elif form == "lists of objects":
            inner = np.empty(len(values), dtype=object)
            inner[:] = values
            exact_array("c", pd.Series([inner]), None, 0)
        else:
            exact_array("c", form(values), None, 0)


def test_the_index_of_a_frame_loses_nothing() -> None:
    """ROWS-1451."""
    with pytest.raises(RowError, match=r"^rows: c: row 2: "):
        stream_of(pd.DataFrame({"v": [1, 2]}, index=pd.Index([date(2020, 1, 1), NOON], dtype=object, name="c")), {})


def test_values_that_lose_nothing_are_taken() -> None:
    """ROWS-1278."""
    whole = pd.Timestamp("2020-01-01 00:00:00.000001")
    assert exact_array("c", [whole, NOON], MICROS, 0).to_pylist() == [whole.to_pydatetime(), NOON]
    assert exact_array("c", [datetime(2020, 1, 1), pd.Timestamp("2020-01-02")], pa.date32(), 0).to_pylist() == [
        date(2020, 1, 1), date(2020, 1, 2)
    ]  # fmt: skip
    assert exact_array("new", [ZONED, None, ZONED], None, 0).to_pylist() == [ZONED, None, ZONED]
    frame = pd.Series([NANOS])
    assert exact_array("new", frame, None, 0).type == pa.timestamp("ns")
