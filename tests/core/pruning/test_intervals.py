from __future__ import annotations

import math
from typing import Any

import numpy as np

from hudi_core.pruning.intervals import BLOCK, fold, hull, place
from hudi_core.pruning.order_keys import INFINITY_KEY, FloatKeys, IntegerKeys, float_keys
from hudi_core.pruning.statistics import from_values
from hudi_core.types import nodes as t


def _longs(lower: list[Any], upper: list[Any], nulls: list[Any], rows: list[Any]) -> tuple[Any, Any]:
    return fold(from_values(t.Long(), lower, upper, nulls, rows))


def test_an_unknown_bound_is_the_end_of_the_keys() -> None:
    keys, of = _longs([None, 1, None], [9, None, None], [0] * 3, [9] * 3)
    assert of.lower.tolist() == [keys.bottom, 1 - keys.base, keys.bottom]
    assert of.upper.tolist() == [9 - keys.base, keys.top, keys.top]


def test_a_column_without_values_has_low_above_high_whatever_its_bounds_say() -> None:
    keys, of = _longs([0, None], [0, None], [5, 0], [5, 0])
    assert (of.lower.tolist(), of.upper.tolist()) == ([keys.top] * 2, [keys.bottom] * 2)
    assert of.nulls.tolist() == [True, False]


def test_contradictory_bounds_are_unknown_ones() -> None:
    keys, of = _longs([9], [1], [0], [9])
    assert (of.lower.tolist(), of.upper.tolist()) == ([keys.bottom], [keys.top])


def test_bounds_that_the_type_cannot_hold_are_unknown_ones() -> None:
    for type_, bound in ((t.Int(), 2**40), (t.Boolean(), 2), (t.Date(), -(2**40))):
        keys, of = fold(from_values(type_, [bound], [bound], [0], [9]))
        assert (of.lower.tolist(), of.upper.tolist()) == ([keys.bottom], [keys.top])


def test_unknown_counts_may_mean_nulls_and_values() -> None:
    _, of = _longs([1, 1, 1], [2, 2, 2], [None, None, 3], [None, 9, None])
    assert of.nulls.tolist() == [True] * 3
    assert (of.lower <= of.upper).all()


def test_keys_take_as_few_bytes_as_hold_them() -> None:
    def width(type_: t.Type, lower: Any, upper: Any) -> int:
        return int(fold(from_values(type_, [lower], [upper], [0], [9]))[1].lower.itemsize)

    assert width(t.Boolean(), False, True) == 1
    assert width(t.Date(), -5, 5) == 4
    assert width(t.Long(), 2**62, 2**62 + 2**31) == 4
    assert width(t.Long(), 2**63 - 9, 2**63 - 1) == 4
    assert width(t.Long(), 0, 2**40) == 8
    assert width(t.Long(), -(2**63), 2**63 - 1) == 8


def test_the_ends_of_narrow_keys_stand_for_unknown_bounds() -> None:
    for lower, upper in ((0, 2**32 - 4), (-(2**63), -(2**63)), (2**63 - 1, 2**63 - 1)):
        keys, of = _longs([lower], [upper], [0], [9])
        assert isinstance(keys, IntegerKeys) and keys.open
        assert keys.bottom < of.lower[0] <= of.upper[0] < keys.top
        assert (int(of.lower[0]) + keys.base, int(of.upper[0]) + keys.base) == (lower, upper)


class TestNaN:
    def test_floats_may_hold_nan_unless_stated_otherwise(self) -> None:
        statistics = from_values(t.Double(), [1.0, None], [2.0, None], [0, 5], [9, 5])
        _, of = fold(statistics)
        assert of.nans is not None and of.nans.tolist() == [True, False]

    def test_no_file_with_nan_leaves_no_array(self) -> None:
        assert fold(from_values(t.Double(), [1.0], [2.0], [0], [9], [False]))[1].nans is None

    def test_nan_as_upper_bound_states_that_there_is_nan(self) -> None:
        _, of = fold(from_values(t.Double(), [1.0], [math.nan], [0], [9], [False]))
        assert of.nans is not None and of.nans.tolist() == [True]
        assert of.lower.tolist() == float_keys(np.array([1.0])).tolist() and of.upper.tolist() == [INFINITY_KEY]

    def test_nan_as_lower_bound_does_not_bound_the_others(self) -> None:
        keys, of = fold(from_values(t.Double(), [math.nan], [math.nan], [0], [9], [False]))
        assert (of.lower.tolist(), of.upper.tolist()) == ([keys.bottom], [keys.top])


class TestPlaced:
    def test_files_nobody_speaks_of_are_unknown_and_the_rest_of_the_block_holds_nothing(self) -> None:
        keys, of = _longs([1, 5], [2, 6], [0, 0], [9, 9])
        found = place(of, keys, np.array([2, 0]), 3)
        assert len(found.lower) == BLOCK
        assert found.lower[:3].tolist() == [of.lower[1], keys.bottom, of.lower[0]]
        assert found.upper[:3].tolist() == [of.upper[1], keys.top, of.upper[0]]
        assert found.nulls[:3].tolist() == [False, True, False]
        assert (found.lower[3:] == keys.top).all() and (found.upper[3:] == keys.bottom).all()
        assert not found.nulls[3:].any()

    def test_several_statistics_of_one_file_are_joined(self) -> None:
        keys, of = _longs([1, 5, None], [2, 6, 9], [0, 1, 0], [9, 9, 9])
        found = place(of, keys, np.array([0, 0, 1]), 2)
        assert (found.lower[0], found.upper[0]) == (of.lower[0], of.upper[1])
        assert found.nulls[:2].tolist() == [True, False]

    def test_a_float_file_nobody_speaks_of_may_hold_nan(self) -> None:
        keys, of = fold(from_values(t.Double(), [1.0], [2.0], [0], [9], [False]))
        assert isinstance(keys, FloatKeys)
        found = place(of, keys, np.array([1]), 2)
        assert found.nans is not None and found.nans[:2].tolist() == [True, False]

    def test_nobody_speaks_of_any_file(self) -> None:
        keys, of = _longs([], [], [], [])
        found = place(of, keys, np.zeros(0, np.int64), 2)
        assert found.lower[:2].tolist() == [keys.bottom] * 2 and found.nulls[:2].all()


def test_a_hull_is_what_some_file_may_hold() -> None:
    _, of = _longs([1, 5, 7, 9], [2, 6, 8, 9], [0, 1, 0, 0], [9] * 4)
    found = hull(of.map(lambda array: array.reshape(2, 2)))
    assert found.lower.tolist() == [of.lower[0], of.lower[2]] and found.upper.tolist() == [of.upper[1], of.upper[3]]
    assert found.nulls.tolist() == [True, False]
