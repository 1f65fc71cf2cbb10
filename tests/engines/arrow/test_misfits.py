"""Values of Python that are not of one type: the error names the first row."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hudi_arrow.incoming.given import stream_of
from hudi_core.errors import HudiError, RowError, SchemaError, UsageError

ALONE = "expected a value that Arrow has a type for"


@pytest.mark.parametrize(
    ("values", "row", "says"),
    [
        ([1, 2, "x", 3], 3, r"expected a value of int64, as in the rows before, found 'x' \(str\)"),
        ([None, "x", 1], 3, "expected a value of string, as in the rows before, found 1"),
        ([True, None, 2], 3, "expected a value of bool, as in the rows before, found 2"),
        ([1] * 5000 + [2**70], 5001, f"{ALONE}, found {2**70}"),
        ([object()], 1, f"{ALONE}, found builtins.object|{ALONE}, found <object"),
        ([1, Decimal("NaN")], 2, rf"{ALONE}, found Decimal\('NaN'\)"),
        (
            [dt.datetime(2020, 1, 1), dt.date(2020, 1, 1)],
            2,
            r"expected a value of timestamp\[us\], as in the rows before",
        ),
        (["a", "\ud800"], 2, rf"{ALONE}, found '\\ud800'"),
        ([[1], [1, "x"]], 2, rf"{ALONE}, found \[1, 'x'\]"),
        ([{"a": 1}, {"a": "x"}], 2, "expected a value of struct<a: int64>, as in the rows before"),
    ],
)
def test_the_first_value_of_another_type_is_named(values: list[Any], row: int, says: str) -> None:
    """ROWS-1492: in rows, columns and frames of pandas."""
    frame = pd.DataFrame({"v": pd.Series(values, dtype=object)})
    forms: list[Any] = [[{"v": value} for value in values], {"v": values}]
    if not isinstance(values[-1], Decimal):  # null to pandas
        forms.append(frame)
    for form in forms:
        with pytest.raises(RowError, match=rf"^rows: v: row {row:,}: ({says})") as refused:
            stream_of(form, {}).read_all()
        assert refused.value.row == row - 1
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("frame", "error", "says"),
    [
        (pd.DataFrame([[1, 2]], columns=["v", "v"]), UsageError, "^rows: expected each column once, found two of the name 'v'$"),
        (pd.DataFrame({"v": [1j]}), UsageError, "^rows: expected columns of one type each, found .*column v"),
        (pl.DataFrame({"v": pl.Series([1], dtype=pl.Int128)}), SchemaError, "^rows: v: .*found Int128 of polars$"),
    ],
)  # fmt: skip
def test_a_frame_that_makes_no_columns_says_why(frame: Any, error: type[HudiError], says: str) -> None:
    """ROWS-1492."""
    with pytest.raises(error, match=says) as refused:
        stream_of(frame, {}).read_all()
    assert "(" not in str(refused.value)


def test_values_that_each_fit_a_stated_type_are_named_by_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """ROWS-1492."""
    types = {"v": pa.struct([("a", pa.int64()), ("b", pa.string())])}
    with pytest.raises(RowError, match=r"^rows: v: row 2: expected a value of struct"):
        stream_of([{"v": {"a": 1}}, {"v": {"a": "x"}}], types).read_all()
