"""Axes: places between 0 and 1 in the order of values, and round values below them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.cli.explain.scale import Linear, Ranked, scale_over, shorten
from hudi_core.types import nodes as t
from hudi_core.values.order import less
from tests.support.strategies import values_of

_TYPES: list[t.Type] = [
    t.Int(), t.Long(), t.Float(), t.Double(), t.Decimal(9, 2), t.Decimal(38, 10), t.Date(), t.Boolean(), t.String(), t.Binary(),
    t.Time(t.Unit.MICROS), *(t.Timestamp(unit, zoned) for unit in t.Unit for zoned in (True, False)),
]  # fmt: skip

_of_a_type = st.sampled_from(_TYPES).flatmap(
    lambda of: st.tuples(st.just(of), st.lists(values_of(of).filter(lambda v: v == v), min_size=1, max_size=8))
)


@given(_of_a_type)
def test_places_keep_the_order_and_stay_on_the_axis(case: tuple[t.Type, list[Any]]) -> None:
    of, values = case
    scale = scale_over(values, values[:2], of)
    for one in values:
        assert 0.0 <= scale.position(one) - scale.half <= scale.position(one) + scale.half <= 1.0
        for other in values:
            assert not less(one, other, of) or scale.position(one) <= scale.position(other)


@given(_of_a_type)
def test_ticks_are_few_in_order_and_on_the_axis(case: tuple[t.Type, list[Any]]) -> None:
    of, values = case
    ticks = scale_over(values, [], of).ticks()
    places = [place for place, _ in ticks]
    assert places == sorted(places)
    assert len(ticks) <= 9
    assert all(-1e-9 <= place <= 1 + 1e-9 and answer for place, answer in ticks)


@pytest.mark.parametrize(
    ("of", "values", "answer"),
    [
        (t.Int(), [0, 3], ["0", "1", "2", "3"]),
        (t.Int(), [5], ["5"]),
        (t.Decimal(10, 2), [Decimal("0.10"), Decimal("1234.56")], ["200", "400", "600", "800", "1,000", "1,200"]),
        (t.Double(), [0.1, 0.3], ["0.10", "0.15", "0.20", "0.25", "0.30"]),
        (t.Date(), [0, 100], ["1970-01", "1970-02", "1970-03", "1970-04"]),
        (t.Date(), [0, 8], ["1970-01-01", "1970-01-03", "1970-01-05", "1970-01-07", "1970-01-09"]),
        (t.Date(), [0, 20_000], ["1970", "1980", "1990", "2000", "2010", "2020"]),
        (t.Time(), [0, 86_399_999_999], ["00:00", "06:00", "12:00", "18:00"]),
        (
            t.Timestamp(t.Unit.MILLIS),
            [0, 86_400_000],
            ["1970-01-01 00:00", "1970-01-01 06:00", "1970-01-01 12:00", "1970-01-01 18:00", "1970-01-02 00:00"],
        ),
        (t.Timestamp(), [0, 5], ["1970-01-01 00:00:00", "1970-01-01 00:00:00.000005"]),
        (t.Boolean(), [True, False], ["false", "true"]),
        (t.String(), ["b", "", "a" * 30], ["''", f"'{'a' * 17}…'", "'b'"]),
        (t.Double(), [], ["0"]),
    ],
)
def test_ticks_are_round_values(of: t.Type, values: list[Any], answer: list[str]) -> None:
    assert [text for _, text in scale_over(values, [], of).ticks()] == answer


def test_infinities_stand_at_the_ends_and_nan_has_no_place() -> None:
    scale = scale_over([-math.inf, 0.0, 10.0, math.inf, math.nan], [], t.Double())
    assert isinstance(scale, Linear)
    assert (scale.low, scale.high) == (0.0, 10.0)
    assert scale.position(-math.inf) == scale.position(0.0) < scale.position(10.0) == scale.position(math.inf)


def test_the_widest_floats_have_different_places() -> None:
    scale = scale_over([-1.7e308, 0.0, 1.7e308], [], t.Double())
    assert scale.position(-1.7e308) < scale.position(0.0) < scale.position(1.7e308)


def test_there_is_room_beyond_a_named_value_at_an_end() -> None:
    plain = scale_over([0, 45], [], t.Int())
    named = scale_over([0], [45], t.Int())
    assert named.position(45) < plain.position(45)
    assert named.position(0) == plain.position(0)


def test_a_named_value_far_away_does_not_squeeze_the_others() -> None:
    scale = scale_over([0, 10], [1_000_000, -1_000_000, 15], t.Int())
    assert isinstance(scale, Linear)
    assert (scale.low, scale.high) == pytest.approx((-1.2, 16.2))
    assert (
        scale.position(-1_000_000)
        < scale.position(0)
        < scale.position(10)
        < scale.position(15)
        < scale.position(1_000_000)
    )


def test_values_without_distances_have_places_of_their_own() -> None:
    scale = scale_over(["a", "b", "zz"], ["b"], t.String())
    assert isinstance(scale, Ranked)
    assert scale.position("b") == 0.5
    assert scale.position("a") + scale.half < scale.position("b") - scale.half


def test_cut_strings_are_marked() -> None:
    assert shorten("abcdef", t.String(), 4) == "'abc…'"
    assert shorten(b"\x01\xff", t.Binary(), 4) == "x'01ff'"
    assert shorten(1.5, t.Double(), 4) == "1.5"
