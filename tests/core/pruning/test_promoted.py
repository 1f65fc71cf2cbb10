from __future__ import annotations

import random
import struct
from decimal import Decimal
from typing import Any

import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.errors import SchemaError
from hudi_core.pruning.promoted import promote
from hudi_core.pruning.statistics import Carrier, carrier, from_values
from hudi_core.types import nodes as t
from hudi_core.values.cast import cast

_R = random.Random(11)
_INTS = [0, 1, -1, 7, 2**31 - 1, -(2**31), *(_R.randrange(-(2**31), 2**31) for _ in range(50))]
_LONGS = [
    *_INTS,
    2**53 + 1,
    2**60 + 2**36 + 1,
    2**63 - 1,
    -(2**63),
    *(_R.randrange(-(2**63), 2**63) for _ in range(50)),
]
_FLOATS = [struct.unpack("<f", struct.pack("<I", _R.randrange(2**32)))[0] for _ in range(2_000)]
_LEAST = [sign * count * 2.0**-149 for count in range(1, 200) for sign in (1, -1)]
_FLOATS = [value for value in _FLOATS if value == value] + [0.0, -0.0, *_LEAST, 3.4028234663852886e38, float("inf")]
_CENTS = [Decimal(number).scaleb(-2) for number in (0, 1, -1, 150, 999_999_999, -999_999_999)]
_WIDE = [
    Decimal(text) for text in ("0.0000", "-0.0001", "12345678901234567890123.4567", "-99999999999999999.0000", "1.5000")
]


@pytest.mark.parametrize(
    ("stored", "wanted", "values"),
    [
        (t.Int(), t.Long(), _INTS),
        (t.Int(), t.Double(), _INTS),
        (t.Int(), t.Float(), _INTS),
        (t.Long(), t.Double(), _LONGS),
        (t.Long(), t.Float(), _LONGS),
        (t.Float(), t.Double(), _FLOATS),
        (t.Int(), t.Decimal(12, 2), _INTS),
        (t.Int(), t.Decimal(5, 2), _INTS),
        (t.Long(), t.Decimal(38, 18), _LONGS),
        (t.Long(), t.Decimal(20, 0), _LONGS),
        (t.Decimal(9, 2), t.Decimal(12, 4), _CENTS),
        (t.Decimal(9, 2), t.Decimal(9, 1), _CENTS),
        (t.Decimal(9, 2), t.Decimal(38, 20), _CENTS),
        (t.Decimal(27, 4), t.Decimal(38, 10), _WIDE),
        (t.Decimal(27, 4), t.Decimal(27, 3), _WIDE),
        (t.Decimal(27, 4), t.Decimal(18, 4), _WIDE),
        (t.Decimal(27, 4), t.Decimal(18, 1), _WIDE),
        (t.Date(), t.Timestamp(t.Unit.NANOS, False), [0, 1, -1, 20_000, 2**31 - 1]),
        (t.Timestamp(t.Unit.MILLIS), t.Timestamp(t.Unit.MICROS), _LONGS),
        (t.Timestamp(t.Unit.NANOS), t.Timestamp(t.Unit.MILLIS), _LONGS),
        (t.Long(), t.Timestamp(), _LONGS),
        (t.String(), t.Binary(), ["", "é", "abc"]),
        (t.Binary(), t.String(), ["é".encode(), b"abc"]),
        (t.Enumeration(("A", "B")), t.String(), ["A", "B"]),
        (t.Fixed(2), t.Binary(), [b"ab", b"\xff\0"]),
    ],
    ids=str,
)
def test_bounds_are_cast_as_values_are(stored: t.Type, wanted: t.Type, values: list[Any]) -> None:
    """One by one, by `values.cast`; a bound that it refuses is unknown."""
    count = len(values)
    found = promote(from_values(stored, values, values, [0] * count, [1] * count), wanted)
    read, expected = cast(stored, wanted), []
    for value in values:
        try:
            expected.append(read(value))
        except SchemaError:
            expected.append(None)
    carried = from_values(wanted, expected, expected, [0] * count, [1] * count)
    assert found.lower_known.tolist() == found.upper_known.tolist() == carried.lower_known.tolist()
    known = [number for number in range(count) if carried.lower_known[number]]
    assert known, "no value has a counterpart"
    if isinstance(found.lower, ByteStrings):
        assert isinstance(carried.lower, ByteStrings)
        assert [found.lower[number] for number in known] == [carried.lower[number] for number in known]
    else:
        assert found.lower[known].tolist() == carried.lower[known].tolist()


@pytest.mark.parametrize("wanted", [t.String(), t.Date(), t.Array(t.Field(2, "element", t.Int()))])
def test_promotions_that_do_not_keep_order_keep_the_counts_alone(wanted: t.Type) -> None:
    """PRUNE-14, PROMOTE-3."""
    found = promote(from_values(t.Long(), [2], [10], [3], [9]), wanted)
    assert found.type == wanted
    assert not found.lower_known.any() and not found.upper_known.any()
    assert found.nulls.tolist() == [3] and found.rows.tolist() == [9]


def test_integers_read_as_floats_hold_no_nan() -> None:
    found = promote(from_values(t.Int(), [2], [10], [3], [9]), t.Double())
    assert carrier(found.type) is Carrier.FLOATS
    assert found.nans is not None and not found.nans.any()


def test_floats_read_as_doubles_hold_the_nan_that_they_held() -> None:
    reported = promote(from_values(t.Float(), [2.0] * 2, [10.0] * 2, [3] * 2, [9] * 2, [True, False]), t.Double())
    assert reported.nans is not None and reported.nans.tolist() == [True, False]
    assert promote(from_values(t.Float(), [2.0], [10.0], [3], [9]), t.Double()).nans is None


def test_a_type_stays_itself() -> None:
    statistics = from_values(t.Int(), [2], [10], [3], [9])
    assert promote(statistics, t.Int()) is statistics
