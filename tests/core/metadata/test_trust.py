"""What of recorded statistics is trusted. The law: whatever a writer may have hidden, no value lies outside what is trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.metadata.trust import LONG_STRING, ONE_ROW_GROUP, Origin, trust_statistics
from hudi_core.pruning.statistics import ColumnStatistics, from_values
from hudi_core.types import nodes as t
from tests.support.drawing import cases

SMALL, LARGE, MEMORY = 50, LONG_STRING, 0
MANY = ONE_ROW_GROUP + 1


def belief(
    of: t.Type,
    lower: object,
    upper: object,
    *,
    nulls: int | None = 0,
    rows: int | None = 3,
    size: int = SMALL,
    of_files: bool = True,
    typed: bool = True,
) -> ColumnStatistics:
    recorded = from_values(of, [lower], [upper], [nulls], [rows])
    return trust_statistics(recorded, Origin(recorded.rows, np.array([size]), of_files), typed=typed)


def known(of: ColumnStatistics) -> tuple[bool, bool]:
    return bool(of.lower_known[0]), bool(of.upper_known[0])


def counts(of: ColumnStatistics) -> tuple[int, int]:
    return int(of.nulls[0]), int(of.rows[0])


@pytest.mark.parametrize("of", [t.Int(), t.Long(), t.Date(), t.Timestamp(), t.Boolean()])
def test_bounds_of_a_column_without_values_are_placeholders(of: t.Type) -> None:
    """META-20."""
    found = belief(of, 0, 0, nulls=3, rows=3)
    assert (known(found), counts(found)) == ((False, False), (3, 3))


def test_contradictory_counts_are_unknown() -> None:
    """META-28."""
    found = belief(t.Int(), 1, 2, nulls=4, rows=3)
    assert (known(found), counts(found)) == ((True, True), (-1, 3))
    assert counts(belief(t.Int(), 1, 2, nulls=None, rows=None)) == (-1, -1)


@pytest.mark.parametrize("of", [t.String(), t.Binary(), t.Fixed(4096), t.Enumeration(("a",))])
def test_strings_too_long_for_a_footer_are_counted_as_nulls(of: t.Type) -> None:
    """PRUNE-17."""
    assert counts(belief(of, None, None, nulls=3, rows=3, size=LARGE)) == (-1, 3)
    assert counts(belief(of, None, None, nulls=3, rows=3, size=LONG_STRING - 1)) == (3, 3)
    assert counts(belief(of, None, None, nulls=3, rows=3, size=MEMORY)) == (3, 3)
    assert counts(belief(of, None, None, nulls=3, rows=3, size=-1)) == (-1, 3)


def test_a_record_of_unknown_type_may_be_of_long_strings() -> None:
    assert counts(belief(t.Binary(), None, None, nulls=3, rows=3, size=LARGE, typed=False)) == (-1, 3)
    assert counts(belief(t.Binary(), None, None, nulls=3, rows=3, typed=False)) == (3, 3)


def test_other_types_are_never_too_long() -> None:
    assert counts(belief(t.Decimal(38, 2), None, None, nulls=3, rows=3, size=10**6)) == (3, 3)


def test_file_without_rows_has_no_values() -> None:
    assert counts(belief(t.String(), None, None, nulls=0, rows=0, size=LARGE)) == (0, 0)


@pytest.mark.parametrize("of", [t.Float(), t.Double()])
def test_zero_bounds_of_floats_stand_for_nan(of: t.Type) -> None:
    """META-23, PRUNE-17."""
    for size in (SMALL, MEMORY):
        found = belief(of, 0.0, 0.0, size=size)
        assert known(found) == (False, False)
        assert found.nans is not None
        assert found.nans.tolist() == [True]


def test_footer_has_minus_zero_below_real_zeros() -> None:
    """META-23."""
    found = belief(t.Double(), -0.0, 0.0)
    assert known(found) == (True, True)
    assert found.nans is not None
    assert found.nans.tolist() == [False]


@pytest.mark.parametrize(
    ("lower", "upper", "trusted"), [(-1.0, 1.0, False), (-0.0, 2.0, False), (0.5, 2.0, True), (-3.0, -1.0, True)]
)
def test_nan_in_one_of_several_row_groups_leaves_a_range_that_reaches_zero(
    lower: float, upper: float, trusted: bool
) -> None:
    """META-24."""
    assert known(belief(t.Double(), lower, upper, rows=MANY)) == (trusted, trusted)
    assert known(belief(t.Double(), lower, upper, of_files=False)) == (trusted, trusted)
    assert known(belief(t.Double(), lower, upper, size=-1)) == (trusted, trusted)
    assert known(belief(t.Double(), lower, upper, rows=None)) == (trusted, trusted)
    assert known(belief(t.Double(), lower, upper)) == (True, True)
    assert known(belief(t.Double(), lower, upper, rows=MANY, size=MEMORY)) == (True, True)


def test_nan_as_a_bound_is_no_bound() -> None:
    """META-25."""
    found = belief(t.Double(), 1.0, math.nan, size=MEMORY)
    assert known(found) == (True, False)
    assert found.nans is not None
    assert found.nans.tolist() == [True]


def test_floats_without_values_hold_no_nan() -> None:
    found = belief(t.Double(), 0.0, 0.0, nulls=3, rows=3)
    assert found.nans is not None
    assert (known(found), found.nans.tolist()) == ((False, False), [False])


def test_a_row_group_of_long_strings_may_hide_among_nulls() -> None:
    """META-22."""

    def hiding(*, nulls: int = 1, rows: int = MANY, size: int = LARGE, of_files: bool = True) -> tuple[bool, bool]:
        return known(belief(t.String(), "a", "b", nulls=nulls, rows=rows, size=size, of_files=of_files))

    assert hiding() == hiding(rows=3, of_files=False) == (False, False)
    assert hiding(nulls=0) == hiding(rows=3) == hiding(size=SMALL) == (True, True)


def test_strings_are_widened_where_java_may_have_compared_them() -> None:
    """META-26."""
    found = belief(t.String(), "a\U0001f600b", "z\uffff", rows=MANY)
    assert isinstance(found.lower, ByteStrings)
    assert (found.lower[0], known(found)) == (b"a", (True, False))
    exact = belief(t.String(), "a\U0001f600b", "z\uffff")
    assert isinstance(exact.lower, ByteStrings)
    assert (exact.lower[0], known(exact)) == ("a\U0001f600b".encode(), (True, True))


def test_bounds_of_bytes_are_trusted_where_the_order_cannot_matter() -> None:
    """META-27."""
    assert known(belief(t.Binary(), b"\x01", b"\x80")) == (True, True)
    assert known(belief(t.Binary(), b"\x01", b"\x80", size=MEMORY)) == (False, False)
    assert known(belief(t.Binary(), b"\x80", b"\x80", size=MEMORY)) == (True, True)
    assert known(belief(t.Binary(), b"", b"", size=MEMORY)) == (True, True)
    assert known(belief(t.Binary(), b"", b"\x01", size=MEMORY)) == (False, False)


strings = st.text(st.sampled_from("a~é\ud7ff\ue000\uffff\U00010000\U0010ffff"), max_size=4)


@settings(max_examples=cases(300))
@given(st.lists(strings, min_size=1, max_size=6))
def test_no_string_is_outside_bounds_that_java_compared(values: list[str]) -> None:
    lower, upper = (choose(values, key=lambda text: text.encode("utf-16-be")) for choose in (min, max))
    found = belief(t.String(), lower, upper, rows=MANY)
    assert isinstance(found.lower, ByteStrings)
    assert isinstance(found.upper, ByteStrings)
    assert found.lower_known[0]
    assert all(found.lower[0] <= value.encode() for value in values)
    assert not found.upper_known[0] or all(value.encode() <= found.upper[0] for value in values)


numbers = st.sampled_from([-math.inf, -2.0, -0.0, 0.0, 1.5, math.inf, math.nan])


@settings(max_examples=cases(300))
@given(st.lists(st.lists(numbers, min_size=1, max_size=4), min_size=1, max_size=3))
def test_no_number_lies_outside_bounds_of_row_groups(groups: list[list[float]]) -> None:
    """As Hudi takes them from footers: 0.0 for a group with NaN, least and greatest of all groups as Java compares."""
    taken = [_footer(group) for group in groups]
    lower, upper = min((item[0] for item in taken), key=_java), max((item[1] for item in taken), key=_java)
    single = len(groups) == 1
    found = belief(t.Double(), lower, upper, rows=3 if single else MANY)
    values = [value for group in groups for value in group]
    assert found.nans is not None
    assert found.nans[0] or not any(map(math.isnan, values))
    rest = [value for value in values if not math.isnan(value)]
    assert isinstance(found.lower, np.ndarray)
    assert isinstance(found.upper, np.ndarray)
    assert not found.lower_known[0] or all(found.lower[0] <= value for value in rest)
    assert not found.upper_known[0] or all(value <= found.upper[0] for value in rest)


def _footer(group: Sequence[float]) -> tuple[float, float]:
    if any(map(math.isnan, group)):
        return 0.0, 0.0
    lower, upper = min(group), max(group)
    return -0.0 if lower == 0 else lower, 0.0 if upper == 0 else upper


def _java(value: float) -> tuple[float, float]:
    return value, math.copysign(1, value)


class TestRealSizes:
    """The sizes of Apache Hudi's writers, as numbers of their own: what is trusted must not move with our constants."""

    @pytest.mark.parametrize(("size", "nulls"), [(2047, 3), (2048, -1), (4095, -1), (1 << 20, -1)])
    def test_bounds_of_4096_bytes_together_need_a_chunk_of_2048(self, size: int, nulls: int) -> None:
        """Parquet's writer leaves statistics out from 4,096 bytes of both bounds on; the longer has at least half of them."""
        assert counts(belief(t.String(), None, None, nulls=3, rows=3, size=size)) == (nulls, 3)

    @pytest.mark.parametrize(("rows", "known_as_one"), [(2, True), (100, True), (101, False), (10_000, False)])
    def test_a_file_of_a_hundred_rows_has_one_row_group(self, rows: int, known_as_one: bool) -> None:
        """Parquet's writer looks at its memory after 100 rows first (`parquet.page.size.row.check.min`)."""
        expected = (known_as_one, known_as_one)
        assert known(belief(t.Double(), -1.0, 1.0, rows=rows)) == expected
        assert known(belief(t.Binary(), b"\x01", b"\x80", rows=rows)) == expected
        assert known(belief(t.String(), "a", "b", nulls=1, rows=rows, size=5000)) == expected

    @pytest.mark.parametrize("text", ["\ue000", "\uf8ff", "\uffff"])
    def test_characters_that_utf16_sorts_last_are_no_upper_bound(self, text: str) -> None:
        assert known(belief(t.String(), "a", text, rows=101)) == (True, False)
        assert known(belief(t.String(), "a", text, rows=100)) == (True, True)

    def test_other_characters_are_an_upper_bound(self) -> None:
        assert known(belief(t.String(), "a", "\ud7ff", rows=101)) == (True, True)
        assert known(belief(t.String(), "a", "\U00010000", rows=101)) == (True, True)


@pytest.mark.parametrize("of", [t.Date(), t.Timestamp(t.Unit.MICROS), t.Timestamp(t.Unit.MILLIS)])
def test_early_bounds_may_be_days_of_the_julian_calendar(of: t.Type) -> None:
    """FORMAT-1571: which rows are not read with."""
    day = 86_400 * of.unit.value if isinstance(of, t.Timestamp) else 1
    found = belief(of, -719_164 * day, -171_595 * day)
    assert known(found) == (True, True)
    assert (found.lower[0], found.upper[0]) == (-719_175 * day, -171_592 * day)
    later = belief(of, -20_000 * day, 5 * day)
    assert (later.lower[0], later.upper[0]) == (-20_000 * day, 5 * day)
    least = -(2**63) if isinstance(of, t.Timestamp) else -(2**31)
    found = belief(of, least, least)
    assert found.lower[0] <= least + 11 * day
    assert found.upper[0] == -719_161 * day


@pytest.mark.parametrize("unit", t.Unit)
def test_days_and_instants_are_counted_alike_from_other_days_on(unit: t.Unit) -> None:
    """FORMAT-1571."""
    day = 86_400 * unit.value
    instants, days = belief(t.Timestamp(unit), -30_000 * day, -29_000 * day), belief(t.Date(), -30_000, -29_000)
    assert (instants.lower[0], instants.upper[0]) == (-30_011 * day, -28_997 * day)
    assert (days.lower[0], days.upper[0]) == (-30_000, -29_000)
