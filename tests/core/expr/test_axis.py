"""Positions of values: one after the other, in the order of their type."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.expr.inverse import first_where, limits, position, value_at
from hudi_core.types import nodes as t
from hudi_core.values.order import equal, less
from tests.support.strategies import values_of

TYPES = [
    t.Boolean(),
    t.Int(),
    t.Long(),
    t.Float(),
    t.Double(),
    t.Decimal(7, 3),
    t.Decimal(38),
    t.Date(),
    t.Time(),
    t.Timestamp(),
]


@pytest.mark.parametrize("of", TYPES)
@given(data=st.data())
def test_positions_order_and_name_values(of: t.Type, data: st.DataObject) -> None:
    left, right = data.draw(values_of(of)), data.draw(values_of(of))
    low, high = limits(of) or (0, 0)
    assert low <= position(left, of) <= high
    assert equal(value_at(position(left, of), of), left, of)
    assert less(left, right, of) == (position(left, of) < position(right, of))


@pytest.mark.parametrize("of", TYPES)
def test_nothing_lies_between_neighbours(of: t.Type) -> None:
    low, high = limits(of) or (0, 0)
    for place in (low, low + 1, 0, 1, high - 1, high):
        assert position(value_at(place, of), of) == place


@pytest.mark.parametrize("of", [t.String(), t.Binary(), t.Uuid(), t.Record(())])
def test_strings_have_no_neighbours(of: Any) -> None:
    assert limits(of) is None


@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(-25, 25))
def test_bisection_finds_the_first_place(low: int, high: int, edge: int) -> None:
    if low <= high:
        assert first_where(low, high, lambda place: place >= edge) == min(max(edge, low), high + 1)
