"""Date patterns: text and back, and the step within which a text stays the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import UnsupportedError
from hudi_core.functions.scalar.patterns import date_pattern, format_micros, parse_micros

WITHIN_FOUR_DIGITS = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)


@given(WITHIN_FOUR_DIGITS)
def test_a_string_with_all_parts_is_read_back(micros: int) -> None:
    pattern = date_pattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
    assert parse_micros(format_micros(micros, pattern), pattern) == micros


@given(
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.sampled_from(["yyyy", "yyyy-MM-dd", "a", "h", "H", "m", "s.SSS", "'x'", "E D"]),
)
def test_a_formatted_time_is_the_same_within_its_step(micros: int, text: str) -> None:
    pattern = date_pattern(text)
    first = micros - micros % pattern.step
    assert (
        format_micros(micros, pattern)
        == format_micros(first, pattern)
        == format_micros(first + pattern.step - 1, pattern)
    )


@pytest.mark.parametrize("text", ["2024-02-30", "2024-13-01", "2024-1-01", "x", "2024-01-01 "])
def test_strings_outside_of_the_pattern_are_none(text: str) -> None:
    assert parse_micros(text, date_pattern("yyyy-MM-dd")) is None


@pytest.mark.parametrize("pattern", ["MMM", "yy", "d", "a"])
def test_parts_that_cannot_be_read_are_named(pattern: str) -> None:
    with pytest.raises(UnsupportedError, match="reading"):
        parse_micros("1", date_pattern(pattern))
