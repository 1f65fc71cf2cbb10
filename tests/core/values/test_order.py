"""The total order of each type."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.types import nodes as t
from hudi_core.values.order import after_prefix, distinct, equal, is_ordered, less, sort_key
from tests.support.strategies import types, values_of

ASCENDING: list[tuple[t.Type, list[Any]]] = [
    (t.Boolean(), [False, True]),
    (t.Int(), [-1, 0, 1]),
    (t.Double(), [-math.inf, -1.0, 0.0, 5e-324, math.inf, math.nan]),
    (t.Float(), [-math.inf, 0.0, math.nan]),
    (t.Decimal(5, 2), [Decimal("-1.00"), Decimal("0.99"), Decimal("10.00")]),
    (t.String(), ["", "A", "a", "aa", "é", "\ud7ff", "\ue000", "\uffff", "\U0001f600"]),
    (t.Binary(), [b"", b"\x00", b"a", b"\xff"]),
    (t.Array(t.Field(0, "element", t.Int())), [(), (None,), (1,), (1, None), (2,)]),
    (
        t.Record((t.Field(0, "a", t.Int()), t.Field(1, "b", t.Double()))),
        [(None, 1.0), (1, None), (1, math.nan), (2, 0.0)],
    ),
]


@pytest.mark.parametrize(("of", "values"), ASCENDING)
def test_values_stand_in_order(of: t.Type, values: list[Any]) -> None:
    for position, value in enumerate(values):
        assert equal(value, value, of)
        assert all(less(value, other, of) and not less(other, value, of) for other in values[position + 1 :])


def test_both_zeros_are_one_value_and_so_are_all_nans() -> None:
    assert equal(-0.0, 0.0, t.Double()) and not less(-0.0, 0.0, t.Double())
    assert equal(math.nan, -math.nan, t.Float())


@given(st.data())
def test_strings_are_ordered_by_their_bytes(data: st.DataObject) -> None:
    left, right = data.draw(values_of(t.String())), data.draw(values_of(t.String()))
    assert less(left, right, t.String()) == (left.encode() < right.encode())


@given(st.data())
def test_the_order_is_total(data: st.DataObject) -> None:
    of = data.draw(types())
    left, right = data.draw(values_of(of)), data.draw(values_of(of))
    assert [less(left, right, of), equal(left, right, of), less(right, left, of)].count(True) == 1
    assert sorted([left, right], key=lambda value: sort_key(value, of))


def test_maps_are_equal_whatever_the_order_of_their_entries() -> None:
    of = t.Map(t.Field(0, "key", t.String()), t.Field(1, "value", t.Int()))
    assert equal((("a", 1), ("b", None)), (("b", None), ("a", 1)), of)
    assert not is_ordered(of)
    assert is_ordered(t.Array(t.Field(0, "element", t.Int())))


def test_distinct_values_are_sorted_and_stand_once() -> None:
    assert distinct((2.0, 0.0, -0.0, math.nan, 2.0, math.nan), t.Double())[:2] == (-0.0, 2.0)
    assert len(distinct((2.0, 0.0, -0.0, math.nan, 2.0, math.nan), t.Double())) == 3


@given(st.text(st.characters(codec="utf-8"), max_size=4), st.text(st.characters(codec="utf-8"), max_size=3))
def test_the_end_of_a_prefix_is_the_least_string_above_all_that_begin_with_it(prefix: str, rest: str) -> None:
    end = after_prefix(prefix)
    assert end is None or prefix + rest < end
    if end is not None:
        assert end.encode("utf-8")
        assert not (prefix <= end[:-1] + chr(ord(end[-1]) - 1) < end) or end[-1] == "\ue000" or end[:-1] in prefix


@pytest.mark.parametrize(
    ("prefix", "end"),
    [("", None), ("\U0010ffff", None), ("a\ud7ff", "a\ue000"), ("a\U0010ffff\U0010ffff", "b"), ("a\x00", "a\x01")],
)
def test_the_end_of_a_prefix_skips_surrogates_and_last_characters(prefix: str, end: str | None) -> None:
    assert after_prefix(prefix) == end
