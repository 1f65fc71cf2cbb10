"""Data skipping over files of any kind, by one's own statistics."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hudi_core
from hudi_core import (
    ColumnBounds,
    ExpressionError,
    PrunedFiles,
    SchemaError,
    UnknownColumnError,
    UsageError,
    col,
    prune,
    schema_of,
)

TRIPS = schema_of({"city": "string", "fare": "double", "day": "date", "price": "decimal(6,2)", "n": "bigint"})
BOUNDS = {
    "city": ColumnBounds(["bergen", "oslo", "oslo"], ["lima", "oslo", "paris"], nulls=[0, 0, None]),
    "fare": ColumnBounds([3.0, 5.0, None], [99.0, 40.0, None], nulls=[0, 0, None], nan_counts=[0, 0, None]),
    "day": ColumnBounds([dt.date(2024, 1, 1)] * 3, [dt.date(2024, 1, 2), dt.date(2024, 2, 1), None]),
}


def test_files_that_may_match_and_why() -> None:
    """PRUNE-690."""
    pruned = prune("city = 'oslo' AND fare > 80", BOUNDS, TRIPS, rows=[100, 100, 100])
    assert pruned == PrunedFiles(3, (2,), (), {"city = 'oslo'": 1, "fare > 80": 1})
    assert repr(pruned) == "PrunedFiles: 1 of 3 files may hold matching rows"
    assert prune(col("city") == "oslo", BOUNDS, TRIPS).all_match == (1,)
    assert prune("day > '2024-01-15'", BOUNDS, TRIPS).possible == (1, 2)
    assert prune("price > 3 OR n = 1", BOUNDS, TRIPS).possible == (0, 1, 2)  # nothing is known of them


def test_bounds_are_values_of_python() -> None:
    prices = {"price": ColumnBounds([Decimal("1.50"), 2], [Decimal("1.75"), Decimal(9)])}
    assert prune("price > 1.8", prices, TRIPS).possible == (1,)


@pytest.mark.parametrize(
    ("where", "bounds", "rows", "error", "says"),
    [
        ("fare > 1", {"fare": ColumnBounds([1.0], [2.0, 3.0])}, None, UsageError, "1 lower of fare, 2 upper of fare"),
        ("fare > 1", {"fare": ColumnBounds([1.0], [2.0])}, [1, 2], UsageError, "2 rows, 1 lower of fare"),
        ("fare > 1", {}, None, UsageError, "found none"),
        ("fare > 1", {"fair": ColumnBounds([1.0], [2.0])}, None, UnknownColumnError, "did you mean fare"),
        ("fair > 1", BOUNDS, None, ExpressionError, "did you mean fare"),
        ("n > 1", {"n": ColumnBounds(["x"], [2])}, None, SchemaError, "expected"),
    ],
)
def test_what_does_not_fit_is_named(
    where: str, bounds: dict[str, ColumnBounds], rows: list[int | None] | None, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        prune(where, bounds, TRIPS, rows)


VALUES = st.one_of(st.none(), st.sampled_from([math.nan, -1.5, 0.0, 2.0, 80.0]))


@given(
    st.lists(st.lists(VALUES, min_size=1, max_size=4), min_size=1, max_size=4), st.sampled_from(["<", "=", ">", "<>"])
)
def test_no_file_with_a_matching_row_is_left_out(files: list[list[float | None]], operator: str) -> None:
    """PRUNE-690: NaN is greater than all numbers, and equal to itself."""
    known = [[value for value in values if value is not None and value == value] for values in files]
    bounds = ColumnBounds(
        [min(values) if values else None for values in known],
        [max(values) if values else None for values in known],
        [values.count(None) for values in files],
        [sum(value is not None and value != value for value in values) for values in files],
    )
    pruned = prune(f"fare {operator} 2.0", {"fare": bounds}, TRIPS, [len(values) for values in files])
    rank = [[math.inf if value != value else value for value in values if value is not None] for values in files]
    holds = {"<": lambda v: v < 2, "=": lambda v: v == 2, ">": lambda v: v > 2, "<>": lambda v: v != 2}[operator]
    assert {number for number, values in enumerate(rank) if any(map(holds, values))} <= set(pruned.possible)
    for number in pruned.all_match:
        assert len(rank[number]) == len(files[number]) and all(map(holds, rank[number]))


def test_the_front_offers_it() -> None:
    assert hudi_core.prune is prune
