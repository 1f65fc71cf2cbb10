from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.pruning.statistics import (
    Carrier,
    absent,
    carrier,
    concatenate,
    from_values,
    take_files,
    text_bytes,
    unknown,
)
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.types import nodes as t
from tests.support.predicate_texts import SCHEMA


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (t.Boolean(), Carrier.INTEGERS),
        (t.Timestamp(), Carrier.INTEGERS),
        (t.Decimal(18, 3), Carrier.INTEGERS),
        (t.Decimal(19, 3), Carrier.TEXTS),
        (t.Float(), Carrier.FLOATS),
        (t.Uuid(), Carrier.TEXTS),
        (t.Record(()), Carrier.INTEGERS),
    ],
)
def test_carrier_of_each_kind_of_type(of: t.Type, expected: Carrier) -> None:
    assert carrier(of) is expected


def test_values_become_bounds() -> None:
    found = from_values(t.Decimal(9, 2), [Decimal("-1.50"), None], [None, Decimal("2.00")], [0, None], [5, 6])
    assert found.lower.tolist() == [-150, 0] and found.lower_known.tolist() == [True, False]
    assert found.upper.tolist() == [0, 200] and found.upper_known.tolist() == [False, True]
    assert found.nulls.tolist() == [0, -1] and found.rows.tolist() == [5, 6]


def test_long_decimals_sort_by_their_bytes() -> None:
    of = t.Decimal(30, 2)
    values = [Decimal(text) for text in ("-1e25", "-1.00", "-0.01", "0.00", "0.01", "1e25")]
    carried = [text_bytes(value, of) for value in values]
    assert carried == sorted(carried) and {len(one) for one in carried} == {16}


def test_absent_without_default_holds_null_alone() -> None:
    """PRUNE-15."""
    found = absent(t.String(), 3)
    assert not found.lower_known.any() and (found.nulls == found.rows).all()


def test_absent_with_default_holds_that_alone() -> None:
    """PRUNE-15."""
    found = absent(t.String(), 2, "x")
    assert isinstance(found.lower, ByteStrings)
    assert [found.lower[0], found.lower[1]] == [b"x", b"x"]
    assert (found.nulls == 0).all() and found.lower_known.all()


def test_absent_with_nan_as_default_holds_nan() -> None:
    found = absent(t.Double(), 2, float("nan"))
    assert found.nans is not None and found.nans.tolist() == [True, True]
    ordinary = absent(t.Double(), 2, 1.5)
    assert ordinary.nans is not None and not ordinary.nans.any()


def test_concatenated_statistics_are_unknown_where_some_parts_lack_them() -> None:
    reported = from_values(t.Double(), [1.0], [2.0], [0], [1], [False])
    found = concatenate([reported, unknown(t.Double(), 2)])
    assert found.nans is not None and found.nans.tolist() == [False, True, True]
    assert found.lower_known.tolist() == [True, False, False]


def test_taken_repeats_and_leaves_out() -> None:
    found = take_files(
        from_values(t.String(), ["a", "b", None], ["c", "d", None], [0, 1, None], [9] * 3), np.array([2, 0, 0])
    )
    assert isinstance(found.lower, ByteStrings)
    assert [found.lower[number] for number in range(3)] == [b"", b"a", b"a"]
    assert found.lower_known.tolist() == [False, True, True] and found.nulls.tolist() == [-1, 0, 0]


@pytest.mark.parametrize(
    ("of", "default"),
    [
        (t.Record((t.Field(1, "x", t.Int()), t.Field(2, "y", t.String()))), (1, "a")),
        (t.Array(t.Field(1, "element", t.Int())), (1, 2)),
        (t.Array(t.Field(1, "element", t.Int())), ()),
        (t.Map(t.Field(1, "key", t.String(), optional=False), t.Field(2, "value", t.Int())), (("a", 1),)),
    ],
)
def test_absent_nested_with_default_is_not_null_and_has_no_bounds(of: t.Type, default: object) -> None:
    found = absent(of, 2, default)
    assert not (found.lower_known.any() or found.upper_known.any())
    assert (found.nulls.tolist(), found.rows.tolist()) == ([0, 0], [1, 1])


@pytest.mark.parametrize(
    ("sql", "files"),
    [
        ("d = 5", [0, 3]),
        ("d < 5", [0, 3]),
        ("d > 5", [0, 1, 2, 3, 4]),
        ("isnan(d)", [1, 2, 3, 4]),
        ("NOT isnan(d)", [0, 2, 3]),  # of null it is false
        ("d IS NULL", [2, 3]),
        ("d IS NOT NULL", [0, 1, 2, 3, 4]),
    ],
)
def test_the_count_of_nan_tells_files_without_and_files_of_nothing_else(sql: str, files: list[int]) -> None:
    """PRUNE-290."""
    column = next(place.field for place in [SCHEMA.find(("d",))] if place is not None)
    statistics = from_values(
        *(column.type, [1.0] + [None] * 4, [9.0] + [None] * 4),
        *([0, 0, 2, None, None], [10, 10, 10, 10, 10]),
        nan_counts=[0, 10, 8, None, 10],
    )
    store = FileStatistics(5, lambda _: [StatisticsPart(np.arange(5), statistics)])
    assert store.plan(bind(parse_predicate(sql), SCHEMA)).possible().tolist() == files


@pytest.mark.parametrize("sql", ["d = 5", "d IS NULL", "d IS NOT NULL", "d <> 5 OR d IS NULL", "NOT isnan(d)"])
def test_a_file_without_rows_matches_nothing(sql: str) -> None:
    """PRUNE-290: whatever else is known of it."""
    column = next(place.field for place in [SCHEMA.find(("d",))] if place is not None)
    statistics = from_values(column.type, [None], [None], [None], [0], nan_counts=[None])
    store = FileStatistics(1, lambda _: [StatisticsPart(np.arange(1), statistics)])
    assert store.plan(bind(parse_predicate(sql), SCHEMA)).possible().tolist() == []
