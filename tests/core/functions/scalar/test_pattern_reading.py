"""Texts read by date patterns: parts that may be missing, numbers side by side, names of months, hours of twelve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import UnsupportedError
from hudi_core.functions.scalar.pattern_reading import check_reading, parse_micros
from hudi_core.functions.scalar.patterns import date_pattern, format_micros

WITHIN_FOUR_DIGITS = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)
WHOLE = (
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "yyyyMMddHHmmss.SSSSSS",
    "yyyy-DDD hh:mm:ss.SSSSSS a",
    "d MMMM yyyy[ k:m:s[.SSSSSS]]",
)


@given(WITHIN_FOUR_DIGITS, st.sampled_from(WHOLE))
def test_a_string_with_all_parts_is_read_back(micros: int, text: str) -> None:
    """FUNC-291."""
    pattern = date_pattern(text)
    assert parse_micros(format_micros(micros, pattern), pattern) == micros


@given(
    st.text("0123456789-: .JanPM", max_size=12), st.sampled_from([*WHOLE, "M/d/yy", "yyyy[-MM][-dd]", "h a", "yyyyMd"])
)
def test_any_string_is_a_time_or_none(text: str, pattern: str) -> None:
    parse_micros(text, date_pattern(pattern))


@pytest.mark.parametrize(
    "text", ["2024-02-30", "2024-13-01", "2024-1-01", "x", "2024-01-01 ", "-0000-01-01", "20240-01-01"]
)
def test_strings_outside_of_the_pattern_are_none(text: str) -> None:
    assert parse_micros(text, date_pattern("yyyy-MM-dd")) is None


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("10 11", "H HH"), ("10 PM 10", "h a HH"), ("2024 060 03", "yyyy DDD MM"), ("1 2", "d dd"), ("+19:00", "XXX")],
)
def test_parts_that_contradict_each_other_are_none(text: str, pattern: str) -> None:
    """FUNC-291."""
    assert parse_micros(text, date_pattern(pattern)) is None


@pytest.mark.parametrize("pattern", ["E", "QQ", "z", "VV", "XXXX"])
def test_parts_that_cannot_be_read_are_named(pattern: str) -> None:
    with pytest.raises(UnsupportedError, match="reading"):
        check_reading(date_pattern(pattern))
