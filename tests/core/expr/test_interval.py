"""Intervals: units, texts and ranges of units."""

from __future__ import annotations

from decimal import localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.expr.interval import Interval, of_range, of_text, of_unit, to_text


@given(st.builds(Interval, st.integers(-500, 500), st.integers(-500, 500), st.integers(-(10**15), 10**15)))
def test_an_interval_is_read_back_from_its_string(interval: Interval) -> None:
    assert of_text(to_text(interval)) == interval
    assert interval + -interval == Interval()


@pytest.mark.parametrize(
    ("number", "unit", "interval"),
    [
        ("2", "YEARS", Interval(months=24)),
        ("1", "quarter", Interval(months=3)),
        ("-3", "Day", Interval(days=-3)),
        ("1.5", "HOUR", Interval(micros=5_400_000_000)),
        ("1.5", "day", None),
        ("0.0000001", "second", None),
        ("1", "fortnight", None),
    ],
)
def test_so_many_of_a_unit(number: str, unit: str, interval: Interval | None) -> None:
    assert of_unit(number, unit) == interval


@pytest.mark.parametrize(
    ("text", "first", "last", "interval"),
    [
        ("1-6", "YEAR", "MONTH", Interval(months=18)),
        ("-1-6", "YEAR", "MONTH", Interval(months=-18)),
        ("1 02:03:04.5", "DAY", "SECOND", Interval(days=1, micros=7_384_500_000)),
        ("-02:30", "HOUR", "MINUTE", Interval(micros=-9_000_000_000)),
        ("1-12", "YEAR", "MONTH", None),
        ("1:2", "DAY", "SECOND", None),
        ("1 2", "SECOND", "DAY", None),
        ("x", "DAY", "HOUR", None),
    ],
)
def test_a_range_of_units(text: str, first: str, last: str, interval: Interval | None) -> None:
    assert of_range(text, first, last) == interval


def test_a_quantity_of_many_digits_is_exact() -> None:
    """ENGINE-1604."""
    with localcontext(prec=3):
        assert of_unit("1234567.000001", "second") == Interval(micros=1_234_567_000_001)
        assert of_unit("12345678901234567890123456789.5", "second") == Interval(
            micros=12345678901234567890123456789_500_000
        )


@pytest.mark.parametrize("text", ["", "1", "day", "1 day 2", "1 day x hours"])
def test_invalid_intervals_are_refused(text: str) -> None:
    assert of_text(text) is None
