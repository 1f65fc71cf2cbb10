"""Strings that end in the numbers of their rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import number_strings, string_list

NEAR_POWERS = st.tuples(st.integers(0, 12), st.integers(-30, 30)).map(lambda pair: max(0, 10 ** pair[0] + pair[1]))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), NEAR_POWERS, st.integers(0, 60))
def test_numbers_are_those_of_python(prefix: str, first: int, count: int) -> None:
    """Numbers get longer at each power of ten."""
    expected = [f"{prefix}{number}" for number in range(first, first + count)]
    assert string_list(number_strings(prefix, first, count)) == expected


def test_many_numbers_are_written_block_by_block() -> None:
    expected = [f"_{number}" for number in range(9_990, 130_010)]
    assert string_list(number_strings("_", 9_990, 120_020)) == expected
