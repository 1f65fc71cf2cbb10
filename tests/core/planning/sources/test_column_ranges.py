"""Ranges of a column in some slices, as values, from pieces of statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from hudi_core.expr.predicate import Column
from hudi_core.planning.sources.column_ranges import ColumnRange, ranges
from hudi_core.pruning.statistics import absent, from_values, unknown
from hudi_core.pruning.store import StatisticsPart
from hudi_core.types import nodes as t


def piece(
    of: t.Type, numbers: Sequence[int], *files: tuple[Any, Any, int | None, int | None], nans: bool = False
) -> StatisticsPart:
    """Statistics of files (lower, upper, nulls, rows) of numbered slices."""
    lower, upper, nulls, rows = zip(*files, strict=True)
    return StatisticsPart(np.array(numbers, np.int64), from_values(of, lower, upper, nulls, rows, [nans] * len(files)))


def found(of: t.Type, *pieces: StatisticsPart, of_slices: Sequence[int] = (0,)) -> list[ColumnRange | None]:
    return ranges(Column(7, "c", of), pieces, of_slices)


@pytest.mark.parametrize(
    ("of", "lower", "upper"),
    [
        (t.Int(), -5, 7),
        (t.Boolean(), False, True),
        (t.Double(), -0.5, math.inf),
        (t.Decimal(9, 2), Decimal("1.50"), Decimal("20.00")),
        (t.Decimal(38, 10), Decimal("-12345678901234567890.0000000001"), Decimal("0.0000000001")),
        (t.String(), "", "größe"),
        (t.Binary(), b"\x00", b"\xff"),
        (t.Timestamp(), 0, 1_700_000_000_000_000),
    ],
)
def test_bounds_come_back_as_the_values_they_were(of: t.Type, lower: Any, upper: Any) -> None:
    (known,) = found(of, piece(of, [0], (lower, upper, 0, 10)))
    assert known == ColumnRange(lower, upper, nulls=False)
    assert type(known.lower) is type(lower)


def test_files_of_one_slice_are_joined() -> None:
    """TABLE-8."""
    first = piece(t.Int(), [0, 1, 0], (3, 9, 0, 5), (1, 1, 0, 5), (5, 20, 2, 5))
    assert found(t.Int(), first, of_slices=[1, 0]) == [ColumnRange(1, 1, nulls=False), ColumnRange(3, 20, nulls=True)]


def test_a_bound_that_one_file_does_not_know_is_not_known_of_the_slice() -> None:
    assert found(t.Int(), piece(t.Int(), [0, 0], (3, 9, 0, 5), (None, 4, 0, 5))) == [ColumnRange(None, 9, nulls=False)]


def test_a_file_without_statistics_makes_the_slice_unknown() -> None:
    """TABLE-8."""
    nothing = StatisticsPart(np.array([0], np.int64), unknown(t.Int(), 1))
    assert found(t.Int(), piece(t.Int(), [0], (3, 9, 0, 5)), nothing) == [None]


def test_a_file_of_nulls_only_adds_nulls() -> None:
    nulls = StatisticsPart(np.array([0], np.int64), absent(t.Int(), 1))
    assert found(t.Int(), nulls) == [ColumnRange(None, None, values=False)]
    assert found(t.Int(), piece(t.Int(), [0], (3, 9, 0, 5)), nulls) == [ColumnRange(3, 9, nulls=True)]


def test_nan_is_separate_from_the_bounds() -> None:
    assert found(t.Double(), piece(t.Double(), [0], (1.0, 2.0, 0, 5), nans=True)) == [
        ColumnRange(1.0, 2.0, nulls=False, nans=True)
    ]


def test_bounds_are_those_of_the_wanted_type() -> None:
    assert found(t.Decimal(12, 3), piece(t.Int(), [0], (3, 9, 0, 5))) == [
        ColumnRange(Decimal("3.000"), Decimal("9.000"), nulls=False)
    ]


def test_slices_without_statistics_are_unknown() -> None:
    assert found(t.Int(), piece(t.Int(), [4], (3, 9, 0, 5)), of_slices=[3, 4]) == [None, ColumnRange(3, 9, nulls=False)]
