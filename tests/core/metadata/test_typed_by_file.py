"""Statistics without a type, read as those of the type that the file has."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hudi_core.metadata.typed_by_file import V1_DECIMAL, as_stored
from hudi_core.pruning.statistics import ColumnStatistics, from_values, unscale
from hudi_core.types import nodes as t


def one(of: t.Type, lower: object, upper: object) -> ColumnStatistics:
    return from_values(of, [lower], [upper], [0], [1])


MICROS = t.Timestamp(t.Unit.MICROS)


@pytest.mark.parametrize(
    ("carried", "stored"),
    [
        (t.Long(), t.Timestamp(t.Unit.MILLIS)),
        (t.Long(), t.Timestamp(t.Unit.MICROS, zoned=False)),
        (t.Long(), t.Time(t.Unit.MICROS)),
        (t.Int(), t.Date()),
        (t.Int(), t.Time(t.Unit.MILLIS)),
        (MICROS, t.Timestamp(t.Unit.MICROS, zoned=False)),
        (t.String(), t.Uuid()),
        (t.String(), t.Enumeration(("a", "b"))),
        (t.Binary(), t.Fixed(2)),
    ],
    ids=str,
)
def test_bounds_that_only_look_different_keep_their_values(carried: t.Type, stored: t.Type) -> None:
    values: tuple[object, object] = ("a", "b") if isinstance(carried, t.String) else (1, 2)
    if isinstance(carried, t.Binary):
        values = (b"a", b"b")
    found = as_stored(one(carried, *values), stored)
    assert found is not None
    assert found.type == stored
    assert found.lower_known.all()


@pytest.mark.parametrize(
    ("carried", "stored"),
    [(t.Int(), t.Long()), (MICROS, t.Timestamp(t.Unit.MILLIS)), (t.String(), t.Int()), (t.Date(), t.Int())],
    ids=str,
)
def test_bounds_of_another_type_are_not_the_files(carried: t.Type, stored: t.Type) -> None:
    """META-12."""
    value: object = "a" if isinstance(carried, t.String) else 1
    assert as_stored(one(carried, value, value), stored) is None


def test_statistics_without_bounds_have_the_counts_of_any_type() -> None:
    found = as_stored(from_values(t.Binary(), [None], [None], [2], [3]), t.Double())
    assert found is not None
    assert (found.type, found.nulls.tolist(), found.rows.tolist()) == (t.Double(), [2], [3])
    assert not found.lower_known.any()


@pytest.mark.parametrize("stored", [t.Decimal(10, 2), t.Decimal(25, 2, t.Fixed(11))], ids=str)
def test_decimals_come_to_the_scale_of_the_file(stored: t.Decimal) -> None:
    """META-12."""
    lower, upper = Decimal("-1234.50"), Decimal("0.07")
    found = as_stored(one(V1_DECIMAL, lower, upper), stored)
    assert found is not None
    expected = one(stored, lower, upper)
    assert (found.lower[0], found.upper[0]) == (expected.lower[0], expected.upper[0])
    assert unscale(lower, stored.scale) == -123450


@pytest.mark.parametrize(
    ("lower", "upper", "known"),
    [
        (Decimal("0.005"), Decimal("1"), ([False], [True])),
        (Decimal("0.01"), Decimal("1.005"), ([True], [False])),
        (Decimal("0.01"), None, ([True], [False])),
        (None, Decimal("1"), ([False], [True])),
    ],
)
def test_a_bound_that_the_type_cannot_have_or_that_is_not_recorded_is_unknown(
    lower: Decimal | None, upper: Decimal | None, known: tuple[list[bool], list[bool]]
) -> None:
    """META-12."""
    found = as_stored(one(V1_DECIMAL, lower, upper), t.Decimal(10, 2))
    assert found is not None
    assert (found.lower_known.tolist(), found.upper_known.tolist()) == known
