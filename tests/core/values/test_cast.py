"""One value from a type to another."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastLoss, promotion
from hudi_core.values.cast import cast, nearest_binary32
from hudi_core.values.domain import LONG_RANGE, check
from hudi_core.values.order import equal, less
from tests.support.evolution import PRIMITIVES
from tests.support.promotions import PAIRS, named, values_at_the_ends
from tests.support.strategies import values_of

MILLIS, MICROS, NANOS = t.Unit
FIXED = t.Fixed(8)
ALL_TYPES = (*PRIMITIVES, t.Decimal(3, 1), t.Decimal(38, 30))
PROMOTIONS = [pair for pair in product(ALL_TYPES, ALL_TYPES) if promotion(*pair)]
TENTH = float(np.float32(0.1))


@pytest.mark.parametrize(
    ("from_", "to", "value", "expected"),
    [
        (t.Int(), t.Long(), -5, -5),
        (t.Int(), t.Float(), 16_777_217, 16_777_216.0),
        (t.Long(), t.Double(), 9_007_199_254_740_993, 9_007_199_254_740_992.0),
        (t.Float(), t.Double(), TENTH, 0.1),
        (t.Float(), t.Double(), 2.0**-149, 1.4e-45),
        (t.Long(), t.Float(), 2**60 + 2**36 + 1, 2.0**60 + 2.0**37),
        (t.Float(), t.Double(), -math.inf, -math.inf),
        (t.Int(), t.String(), -12, "-12"),
        (t.Float(), t.String(), TENTH, "0.1"),
        (t.Double(), t.String(), 1e10, "1.0E10"),
        (t.Boolean(), t.String(), True, "true"),
        (t.Date(), t.String(), -719_162, "0001-01-01"),
        (t.Decimal(10, 2), t.String(), Decimal("56630.81"), "56630.81"),
        (t.Decimal(38, 10), t.String(), Decimal("0E-10"), "0.0000000000"),
        (t.Decimal(10, 2), t.Decimal(12, 4), Decimal("56630.81"), Decimal("56630.8100")),
        (t.Decimal(12, 4), t.Decimal(10, 2), Decimal("1.5000"), Decimal("1.50")),
        (t.Int(), t.Decimal(10, 2), -3, Decimal("-3.00")),
        (t.Double(), t.Decimal(5, 1), 0.25, Decimal("0.3")),
        (t.Float(), t.Decimal(12, 10), TENTH, Decimal("0.1000000000")),
        (t.Double(), t.Decimal(5, 2), -0.0, Decimal("0.00")),
        (t.String(), t.Decimal(6, 2), "1e3", Decimal("1000.00")),
        (t.String(), t.Date(), "2024-02-29", 19_782),
        (t.String(), t.Binary(), "ä", b"\xc3\xa4"),
        (t.Binary(), t.String(), b"\xc3\xa4", "ä"),
        (t.String(), t.Uuid(), "0000000A-0000-0000-0000-00000000002A", "0000000a-0000-0000-0000-00000000002a"),
        (t.String(), t.Enumeration(("A", "B")), "B", "B"),
        (t.Enumeration(("A", "B")), t.String(), "B", "B"),
        (t.Fixed(2), t.Binary(), b"ab", b"ab"),
        (t.Int(), t.Binary(), 12, b"12"),
        (t.Binary(), t.Decimal(6, 2), b"12.5", Decimal("12.50")),
        (t.Enumeration(("A",)), t.Binary(), "A", b"A"),
        (t.Long(), t.Timestamp(), 17, 17),
        (t.Date(), t.Timestamp(MILLIS, zoned=False), -1, -86_400_000),
        (t.Timestamp(MILLIS), t.Timestamp(MICROS), -1, -1000),
        (t.Timestamp(MICROS), t.Timestamp(MILLIS), -1001, -2),
        (t.Time(MILLIS), t.Time(MICROS), 7, 7000),
    ],
    ids=str,
)
def test_a_value_keeps_its_meaning(from_: t.Type, to: t.Type, value: Any, expected: Any) -> None:
    """PROMOTE-7 to PROMOTE-9."""
    found = cast(from_, to)(value)
    assert repr(found) == repr(expected)
    check(found, to)


@pytest.mark.parametrize(
    ("from_", "to", "value"),
    [
        (t.Int(), t.Decimal(3, 0), 1000),
        (t.Double(), t.Decimal(38, 0), math.nan),
        (t.Double(), t.Decimal(38, 0), 1e300),
        (t.Decimal(12, 4), t.Decimal(12, 2), Decimal("1.2345")),
        (t.Decimal(12, 2), t.Decimal(5, 2), Decimal("1000.00")),
        (t.String(), t.Decimal(6, 2), "apple"),
        (t.String(), t.Date(), "2024-13-01"),
        (t.String(), t.Uuid(), "apple"),
        (t.String(), t.Enumeration(("A",)), "B"),
        (t.Binary(), t.String(), b"\xff"),
        (t.Binary(), t.Date(), b"\xff"),
        (t.Int(), t.Date(), 2024),
        (t.Date(), t.Decimal(10, 2), 0),
        (t.Timestamp(MICROS), t.Timestamp(NANOS), LONG_RANGE[1]),
        (t.Date(), t.Timestamp(NANOS, zoned=False), 2**31 - 1),
    ],
    ids=str,
)
def test_a_value_without_a_counterpart_is_refused(from_: t.Type, to: t.Type, value: Any) -> None:
    """PROMOTE-6, PROMOTE-10."""
    with pytest.raises(SchemaError, match=r"expected .*, found "):
        cast(from_, to)(value)


def test_there_is_no_cast_without_a_promotion() -> None:
    with pytest.raises(SchemaError, match="expected a type that can be read as int, found long"):
        cast(t.Long(), t.Int())


def test_null_stays_null() -> None:
    assert all(cast(*pair)(None) is None for pair in PROMOTIONS)


@given(st.integers(*LONG_RANGE))
def test_integers_are_rounded_to_binary32_once(value: int) -> None:
    assert nearest_binary32(value) == float(np.float32(np.int64(value)))


def samples(of: t.Type) -> st.SearchStrategy[Any]:
    found = values_of(of)
    return found | st.sampled_from(["RED", "12.5", "2024-02-29"]) if isinstance(of, t.String) else found


def attempt(pair: tuple[t.Type, t.Type], value: Any) -> Any:
    try:
        return cast(*pair)(value)
    except SchemaError:
        return None


@given(st.data())
def test_law_the_result_has_the_form_of_the_type_and_only_some_casts_refuse(data: st.DataObject) -> None:
    pair = data.draw(st.sampled_from(PROMOTIONS))
    value = data.draw(samples(pair[0]))
    found, way = attempt(pair, value), promotion(*pair)
    assert way is not None
    if found is None:
        assert way.loss is CastLoss.VALUE_DEPENDENT
    else:
        check(found, pair[1])


@given(st.data())
def test_law_order_keeping_casts_keep_order(data: st.DataObject) -> None:
    pair = data.draw(st.sampled_from([pair for pair in PROMOTIONS if _keeps_order(pair)]))
    a, b = data.draw(samples(pair[0])), data.draw(samples(pair[0]))
    if less(b, a, pair[0]):
        a, b = b, a
    low, high = attempt(pair, a), attempt(pair, b)
    if low is not None and high is not None:
        assert not less(high, low, pair[1])
        if equal(a, b, pair[0]):
            assert equal(low, high, pair[1])


@pytest.mark.parametrize("key", [key for key in PAIRS if key[2].keeps_order], ids=named)
def test_order_keeping_casts_keep_the_order_of_values_at_the_ends(key: Any) -> None:
    for source, to in PAIRS[key]:
        found = [(value, attempt((source, to), value)) for value in values_at_the_ends(source)]
        known = [(value, cast_) for value, cast_ in found if cast_ is not None]
        for one, low in known:
            for other, high in known:
                assert less(other, one, source) or not less(high, low, to), (source, to, one, other)


def _keeps_order(pair: tuple[t.Type, t.Type]) -> bool:
    way = promotion(*pair)
    return way is not None and way.keeps_order


@given(values_of(t.Decimal(12, 4)))
def test_law_widening_a_decimal_keeps_the_number(value: decimal.Decimal) -> None:
    assert cast(t.Decimal(12, 4), t.Decimal(38, 10))(value) == value
