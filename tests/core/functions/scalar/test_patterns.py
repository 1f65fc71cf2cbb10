"""Date patterns: text and back, and the step within which a text stays the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.functions.scalar.patterns import date_pattern, format_micros


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


@pytest.mark.parametrize("text", ["yyyy#", "{yyyy}", "yyyy]", "yyyy 'x"])
def test_what_java_reserves_is_refused(text: str) -> None:
    """FUNC-291."""
    with pytest.raises(ExpressionError, match="date pattern"):
        date_pattern(text)


@pytest.mark.parametrize("text", ["G", "w", "u", "MMMMM", "SSSSSSSSSS", "HHH"])
def test_letters_that_are_not_known_are_named(text: str) -> None:
    """FUNC-291."""
    with pytest.raises(UnsupportedError, match=f"`{text}` in a date pattern"):
        date_pattern(text)


def test_parts_in_brackets_are_written() -> None:
    """FUNC-291."""
    assert format_micros(0, date_pattern("yyyy[-MM[ HH]]")) == "1970-01 00"
