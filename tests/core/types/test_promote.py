"""The one table of type changes: that it is coherent, and the rows that existing tables depend on."""

from __future__ import annotations

from itertools import product

import pytest

from hudi_core.types import nodes as t
from hudi_core.types.promote import CastKind, CastLoss, Purpose, promotion
from tests.support.evolution import PRIMITIVES

PAIRS = list(product(PRIMITIVES, PRIMITIVES))
FIXED = t.Fixed(16)


def test_promotions_for_any_purpose_can_be_read() -> None:
    """PROMOTE-2."""
    for from_, to in PAIRS:
        for purpose in (Purpose.ALTER, Purpose.WRITE, Purpose.STATISTICS):
            found = promotion(from_, to, purpose)
            assert found is None or Purpose.READ in found.purposes


def test_bounds_are_promoted_exactly_where_the_cast_keeps_order() -> None:
    """PROMOTE-3."""
    for from_, to in PAIRS:
        found = promotion(from_, to)
        if found is not None:
            assert found.keeps_order == (Purpose.STATISTICS in found.purposes)


@pytest.mark.parametrize("of", PRIMITIVES, ids=str)
def test_a_type_is_promoted_to_itself_for_every_purpose(of: t.Type) -> None:
    found = promotion(of, of, Purpose.ALTER)
    assert found is not None
    assert (found.purposes, found.cast, found.loss) == (frozenset(Purpose), CastKind.SAME, CastLoss.EXACT)


def test_names_docs_and_aliases_of_types_do_not_count() -> None:
    """PROMOTE-4."""
    found = promotion(t.Fixed(4, "x"), t.Fixed(4, "y", doc="other"), Purpose.ALTER)
    assert found is not None
    assert found.cast is CastKind.SAME


def test_nested_types_have_no_promotion() -> None:
    array = t.Array(t.Field(0, "element", t.Int()))
    assert promotion(array, array) is None
    assert promotion(t.Record(()), t.String()) is None


def test_whatever_changes_led_to_can_be_read_from_files_before_them() -> None:
    """PROMOTE-2."""
    steps = {
        from_: [to for to in PRIMITIVES if promotion(from_, to, Purpose.ALTER) or promotion(from_, to, Purpose.WRITE)]
        for from_ in PRIMITIVES
    }
    for first in PRIMITIVES:
        reached, news = {first}, [first]
        while news:
            news = [to for from_ in news for to in steps[from_] if to not in reached]
            reached.update(news)
        assert [last for last in reached if promotion(first, last) is None] == []


def test_every_cast_is_made_by_some_row() -> None:
    wanted = [*PAIRS, (t.Long(), t.Decimal(3)), (t.Double(), t.Decimal(9, 2, t.Fixed(4))), (t.String(), t.Uuid())]
    assert {found.cast for pair in wanted if (found := promotion(*pair))} == set(CastKind)


@pytest.mark.parametrize(
    ("from_", "to", "digits"),
    [
        (t.Int(), t.Decimal(12, 2, FIXED), True),
        (t.Int(), t.Decimal(11, 2, FIXED), False),
        (t.Long(), t.Decimal(19, 0, FIXED), True),
        (t.Long(), t.Decimal(20, 2, FIXED), False),
    ],
    ids=str,
)
def test_a_column_of_integers_changes_to_decimals_that_hold_all_of_them(
    from_: t.Type, to: t.Type, digits: bool
) -> None:
    """PROMOTE-5."""
    assert (promotion(from_, to, Purpose.ALTER) is not None) == digits
    assert promotion(from_, to, Purpose.READ) is not None


@pytest.mark.parametrize(
    ("from_", "to", "allowed"),
    [
        (t.Decimal(10, 2), t.Decimal(12, 4), True),
        (t.Decimal(10, 2), t.Decimal(11, 2), True),
        (t.Decimal(10, 2), t.Decimal(10, 2, t.Fixed(5)), True),
        (t.Decimal(10, 2, t.Fixed(9)), t.Decimal(10, 2, t.Fixed(5)), False),
        (t.Decimal(10, 2), t.Decimal(12, 5), False),
        (t.Decimal(10, 2), t.Decimal(12, 1), False),
    ],
    ids=str,
)
def test_decimals_widen_on_both_sides_of_the_point_and_keep_their_size(
    from_: t.Type, to: t.Type, allowed: bool
) -> None:
    """PROMOTE-6."""
    assert (promotion(from_, to, Purpose.ALTER) is not None) == allowed
    assert promotion(from_, to, Purpose.READ) is not None


@pytest.mark.parametrize(
    ("from_", "to"),
    [
        (t.Long(), t.Int()),
        (t.Double(), t.Float()),
        (t.Int(), t.Time()),
        (t.Date(), t.Int()),
        (t.Date(), t.Timestamp()),
        (t.Timestamp(), t.Timestamp(zoned=False)),
        (t.Timestamp(), t.String()),
        (t.Fixed(4), t.Fixed(5)),
        (t.Vector(2), t.Vector(3)),
        (t.Boolean(), t.Int()),
        (t.Uuid(), t.Binary()),
    ],
    ids=str,
)
def test_casts_that_lose_or_relabel_values_are_no_promotions(from_: t.Type, to: t.Type) -> None:
    """PROMOTE-6, PROMOTE-8."""
    assert promotion(from_, to, Purpose.READ) is None


@pytest.mark.parametrize(
    ("from_", "to", "purposes"),
    [
        (t.Boolean(), t.String(), {Purpose.READ, Purpose.STATISTICS}),
        (t.Long(), t.Timestamp(), {Purpose.READ, Purpose.WRITE, Purpose.STATISTICS}),
        (t.Timestamp(t.Unit.MILLIS), t.Timestamp(), {Purpose.READ, Purpose.STATISTICS}),
        (t.Timestamp(), t.Timestamp(t.Unit.MILLIS), {Purpose.READ, Purpose.STATISTICS}),
        (t.Date(), t.String(), {Purpose.READ, Purpose.ALTER}),
        (t.Enumeration(("A",)), t.String(), {Purpose.READ, Purpose.ALTER, Purpose.STATISTICS}),
        (t.String(), t.Enumeration(("A",)), {Purpose.READ, Purpose.STATISTICS}),
    ],
    ids=lambda value: "+".join(sorted(item.name for item in value)) if isinstance(value, set) else str(value),
)
def test_purposes(from_: t.Type, to: t.Type, purposes: set[Purpose]) -> None:
    """PROMOTE-1."""
    assert {purpose for purpose in Purpose if promotion(from_, to, purpose)} == purposes
