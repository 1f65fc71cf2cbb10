"""The types in which values are compared and calculated."""

from __future__ import annotations

import pytest
from hypothesis import given

from hudi_core.functions.coerce import find_calculation_types, find_comparison_type, widest
from hudi_core.types import nodes as t
from tests.support.strategies import PRIMITIVES

D10 = t.Decimal(10, 2)


@given(PRIMITIVES, PRIMITIVES)
def test_the_order_of_two_types_does_not_matter(left: t.Type, right: t.Type) -> None:
    assert find_comparison_type(left, right) == find_comparison_type(right, left)
    assert widest([left, right]) == widest([right, left])


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        (t.Int(), t.Long(), t.Long()),
        (t.Long(), t.Float(), t.Float()),
        (t.Float(), t.Double(), t.Double()),
        (D10, t.Int(), t.Decimal(12, 2)),
        (D10, t.Long(), t.Decimal(22, 2)),
        (D10, t.Decimal(4, 4), t.Decimal(12, 4)),
        (t.Decimal(38, 0), t.Decimal(38, 38), t.Decimal(76, 38)),
        (D10, t.Float(), t.Double()),
        (t.String(), t.Int(), t.Int()),
        (t.String(), D10, t.Double()),
        (t.String(), t.Binary(), t.Binary()),
        (t.String(), t.Boolean(), t.Boolean()),
        (t.String(), t.Timestamp(t.Unit.MILLIS, zoned=False), t.Timestamp(zoned=False)),
        (t.String(), t.Time(t.Unit.MILLIS), t.Time()),
        (t.Enumeration(("a",)), t.String(), t.String()),
        (t.Uuid(), t.String(), t.String()),
        (t.Fixed(3), t.Binary(), t.Binary()),
        (t.Date(), t.Timestamp(t.Unit.MILLIS), t.Timestamp(t.Unit.MILLIS)),
        (t.Timestamp(t.Unit.MILLIS), t.Timestamp(zoned=False), t.Timestamp()),
        (t.Int(), t.Date(), None),
        (t.Boolean(), t.Int(), None),
        (t.Binary(), t.Int(), None),
        (t.String(), t.Array(t.Field(0, "element", t.Int())), None),
    ],
)
def test_two_types_are_compared_in_one(left: t.Type, right: t.Type, common: t.Type | None) -> None:
    assert find_comparison_type(left, right) == common


@pytest.mark.parametrize(
    ("types", "common"),
    [
        ([t.Int(), t.String(), t.Date()], t.String()),
        ([t.Int(), D10, t.Long()], t.Decimal(22, 2)),
        ([t.Int(), D10, t.Float()], t.Double()),
        ([t.Boolean(), t.String()], None),
        ([t.Date(), t.Int()], None),
    ],
)
def test_a_list_has_one_type(types: list[t.Type], common: t.Type | None) -> None:
    assert widest(types) == common


@pytest.mark.parametrize(
    ("symbol", "left", "right", "of"),
    [
        ("+", t.Int(), t.Int(), t.Int()),
        ("/", t.Int(), t.Int(), t.Double()),
        ("+", t.Float(), t.Float(), t.Float()),
        ("+", t.String(), t.Int(), t.Double()),
        ("+", D10, D10, t.Decimal(11, 2)),
        ("*", D10, D10, t.Decimal(21, 4)),
        ("/", D10, D10, t.Decimal(23, 13)),
        ("%", D10, t.Int(), D10),
        ("*", t.Decimal(38, 10), t.Decimal(38, 10), t.Decimal(38, 6)),
        ("+", t.Decimal(38, 10), t.Decimal(38, 10), t.Decimal(38, 9)),
    ],
)
def test_a_result_has_sparks_type(symbol: str, left: t.Type, right: t.Type, of: t.Type) -> None:
    found = find_calculation_types(symbol, left, right)
    assert found is not None and found[2] == of
