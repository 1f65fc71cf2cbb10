"""MERGE-5: items of arrays compare as the values of their columns do."""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.nodes import NullColumn, PrimitiveColumn
from hudi_core.errors import UnsupportedError
from hudi_core.merge.ordering_values import comparable, width_of
from hudi_core.types import nodes as t
from hudi_core.values.order import less
from hudi_plain.buffers import from_values
from tests.support.strategies import values_of

TYPES: list[t.Type] = [
    t.Boolean(),
    t.Int(),
    t.Long(),
    t.Float(),
    t.Double(),
    t.Date(),
    t.Timestamp(),
    t.String(),
    t.Binary(),
    t.Decimal(7, 2),
    t.Decimal(38, 10),
    t.Decimal(20, 0, t.Fixed(12, "d")),
    t.Fixed(3, "f"),
]


@settings(deadline=None)
@given(st.data())
def test_items_compare_as_values(data: st.DataObject) -> None:
    of = data.draw(st.sampled_from(TYPES))
    values = data.draw(st.lists(values_of(of), min_size=1, max_size=8))
    others = data.draw(st.lists(values_of(of), min_size=1, max_size=8))
    column = from_values(values, of, "here")
    width = width_of(column, of)
    ours, theirs = comparable(column, of, width), comparable(from_values(others, of, "here"), of, width)
    longest = max(map(_bytes, values))
    for value, item in zip(values, ours, strict=True):
        for other, another in zip(others, theirs, strict=True):
            if _bytes(value) <= longest:
                assert (item < another) == _below(value, other, of)
                assert (another < item) == _below(other, value, of)


def _below(value: Any, other: Any, of: t.Type) -> bool:
    """As `less`, and -0.0 is below 0.0."""
    if isinstance(value, float) and value == other == 0:
        return math.copysign(1, value) < math.copysign(1, other)
    return less(value, other, of)


@pytest.mark.parametrize("of", [t.Float(), t.Double()])
def test_real_numbers_compare_as_java_compares_them(of: t.Type) -> None:
    ascending = [-math.inf, -1.5, -0.0, 0.0, 1.5, math.inf, math.nan]
    items = comparable(from_values(ascending, of, "here"), of, 0)
    assert (items[:-1] < items[1:]).all()
    (other_nan,) = comparable(
        PrimitiveColumn(np.array([np.uint64(0xFFF8_0000_0000_0001)]).view(np.float64)), t.Double(), 0
    )
    assert other_nan == items[-1]


def _bytes(value: Any) -> int:
    return len(value.encode() if isinstance(value, str) else value) if isinstance(value, str | bytes) else 0


@pytest.mark.parametrize(
    ("of", "below", "above"),
    [
        (t.Long(), -1, 1),
        (t.Double(), -0.5, 0.5),
        (t.Decimal(5, 2), decimal.Decimal("-0.01"), decimal.Decimal("0.01")),
    ],
)
def test_a_null_is_as_zero_among_numbers(of: t.Type, below: Any, above: Any) -> None:
    column = from_values([below, None, above], of, "here")
    items = comparable(column, of, width_of(column, of))
    assert items[0] < items[1] < items[2]


def test_a_null_is_below_every_string() -> None:
    column = from_values([None, "", "\x00", "a"], t.String(), "here")
    items = comparable(column, t.String(), width_of(column, t.String()))
    assert items.tolist() == sorted(items.tolist())
    assert len(set(items.tolist())) == 4


def test_nulls_alone_are_equal() -> None:
    assert len(set(comparable(NullColumn(3), t.Long(), 0).tolist())) == 1


@pytest.mark.parametrize(
    ("of", "values"),
    [
        (t.Long(), [None, -5, 0, 2**63 - 2]),
        (t.Double(), [None, -1.5, 0.0, 1e300]),
        (t.String(), [None, "", "a", "\U0010ffff"]),
        (t.Decimal(20, 2), [None, *map(decimal.Decimal, ("-1.00", "0.00", "99.99"))]),
    ],
)
def test_nulls_are_above_every_value_on_request(of: t.Type, values: list[object]) -> None:
    column = from_values(values, of, "here")
    null, *others = comparable(column, of, width_of(column, of), nulls_above=True).tolist()
    assert others == sorted(others) and null > others[-1]


def test_nulls_alone_are_above_every_value_too() -> None:
    column = from_values(["abc"], t.String(), "here")
    width = width_of(column, t.String())
    (value,), (null,) = comparable(column, t.String(), width), comparable(NullColumn(1), t.String(), width, True)
    assert null > value


def test_a_type_without_order_is_refused() -> None:
    of = t.Array(t.Field(1, "element", t.Int()))
    with pytest.raises(UnsupportedError, match="a type with an order"):
        comparable(from_values([(1,)], of, "here"), of, 0)
