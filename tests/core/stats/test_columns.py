from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from hudi_core.stats.columns import (
    Carrier,
    absent,
    as_hudi_means,
    carrier,
    concatenated,
    from_values,
    text_bytes,
    unknown,
    widened_high,
)
from hudi_core.stats.texts import Texts
from hudi_core.types import nodes as t


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (t.Boolean(), Carrier.INTEGERS),
        (t.Timestamp(), Carrier.INTEGERS),
        (t.Decimal(18, 3), Carrier.INTEGERS),
        (t.Decimal(19, 3), Carrier.TEXTS),
        (t.Float(), Carrier.FLOATS),
        (t.Uuid(), Carrier.TEXTS),
        (t.Record(()), Carrier.INTEGERS),
    ],
)
def test_carrier_of_each_kind_of_type(of: t.Type, expected: Carrier) -> None:
    assert carrier(of) is expected


def test_values_become_bounds() -> None:
    found = from_values(t.Decimal(9, 2), [Decimal("-1.50"), None], [None, Decimal("2.00")], [0, None], [5, 6])
    assert found.low.tolist() == [-150, 0] and found.low_known.tolist() == [True, False]
    assert found.high.tolist() == [0, 200] and found.high_known.tolist() == [False, True]
    assert found.nulls.tolist() == [0, -1] and found.rows.tolist() == [5, 6]


def test_long_decimals_sort_by_their_bytes() -> None:
    of = t.Decimal(30, 2)
    values = [Decimal(text) for text in ("-1e25", "-1.00", "-0.01", "0.00", "0.01", "1e25")]
    carried = [text_bytes(value, of) for value in values]
    assert carried == sorted(carried) and {len(one) for one in carried} == {16}


def test_absent_without_default_holds_null_alone() -> None:
    found = absent(t.String(), 3)
    assert not found.low_known.any() and (found.nulls == found.rows).all()


def test_absent_with_default_holds_that_alone() -> None:
    found = absent(t.String(), 2, "x")
    assert isinstance(found.low, Texts)
    assert [found.low[0], found.low[1]] == [b"x", b"x"]
    assert (found.nulls == 0).all() and found.low_known.all()


def test_concatenated_fills_in_what_only_some_parts_tell() -> None:
    told = from_values(t.Double(), [1.0], [2.0], [0], [1], [False])
    found = concatenated([told, unknown(t.Double(), 2)])
    assert found.nans is not None and found.nans.tolist() == [False, True, True]
    assert found.low_known.tolist() == [True, False, False]


class TestAsHudiMeans:
    def test_zero_bounds_of_floats_say_nothing(self) -> None:
        found = as_hudi_means(from_values(t.Double(), [0.0, 0.0, -1.0], [-0.0, 5.0, 0.0], [0] * 3, [9] * 3))
        assert found.low_known.tolist() == found.high_known.tolist() == [False, True, True]
        assert found.nans is not None and found.nans.tolist() == [True, False, False]

    def test_merged_bounds_of_floats_say_nothing(self) -> None:
        found = as_hudi_means(from_values(t.Float(), [1.0], [2.0], [0], [9]), merged=True)
        assert not found.low_known.any() and found.nans is not None and found.nans.all()

    def test_all_null_texts_without_bounds_may_be_long_texts(self) -> None:
        found = as_hudi_means(from_values(t.String(), [None, "a", None], [None, "b", None], [9, 1, 3], [9, 9, 9]))
        assert found.nulls.tolist() == [-1, 1, 3]

    def test_a_small_column_has_no_room_for_a_long_text(self) -> None:
        bounds = from_values(t.Binary(), [None] * 3, [None] * 3, [9] * 3, [9] * 3)
        found = as_hudi_means(bounds, np.array([100, 10_000, -1]))
        assert found.nulls.tolist() == [9, -1, -1]

    def test_merged_texts_with_nulls_say_nothing(self) -> None:
        found = as_hudi_means(from_values(t.String(), ["a", "a"], ["b", "b"], [1, 0], [9, 9]), merged=True)
        assert found.low_known.tolist() == [False, True] and found.nulls.tolist() == [-1, 0]

    def test_integers_are_believed(self) -> None:
        bounds = from_values(t.Long(), [0], [0], [9], [9])
        assert as_hudi_means(bounds) is bounds


def test_a_cut_text_is_widened_past_all_its_continuations() -> None:
    for cut in (b"a", b"a\xff", b"\x00", b"\xfe\xff\xff"):
        high = widened_high(cut)
        assert high is not None and all(cut + more < high for more in (b"", b"\0", b"\xff" * 9))
    assert widened_high(b"\xff\xff") is None
