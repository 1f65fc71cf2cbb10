"""AVC-12 and AVC-13: decimals are whole numbers in big-endian bytes, of any size that holds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.decimals import from_words, to_words, words_of
from hudi_core.columns.nodes import BinaryColumn, FixedBinaryColumn, to_list
from hudi_core.errors import CorruptFileError, SchemaError
from hudi_core.types import nodes as t


@st.composite
def numbers(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A precision, and numbers that have no more digits."""
    precision = draw(st.integers(1, 90))
    most = 10**precision - 1
    near = st.integers(0, precision).map(lambda digits: 10**digits - 1)
    return precision, draw(st.lists(st.integers(-most, most) | near | near.map(lambda n: -n), min_size=1, max_size=9))


def integers(words: np.ndarray) -> list[int]:
    return [int.from_bytes(row.astype("<u8").tobytes(), "little", signed=True) for row in words]


@given(numbers(), st.integers(0, 50))
def test_bytes_of_any_size_become_the_number_and_the_fewest_bytes(case: tuple[int, list[int]], more: int) -> None:
    precision, values = case
    of = t.Decimal(precision)
    long = [value.to_bytes(value.bit_length() // 8 + 1 + more, "big", signed=True) for value in values]
    column = BinaryColumn(np.cumsum([0, *map(len, long)]), np.frombuffer(b"".join(long), np.uint8))
    words = to_words(column, of, "file")
    assert words.shape == (len(values), words_of(precision))
    assert integers(words) == values
    fewest = [
        next(value.to_bytes(n, "big", signed=True) for n in range(1, 50) if -(1 << 8 * n - 1) <= value < 1 << 8 * n - 1)
        for value in values
    ]
    assert to_list(from_words(words, of, None, "rows")) == fewest


@given(numbers(), st.integers(0, 20))
def test_fixed_sizes_survive_a_round_trip(case: tuple[int, list[int]], more: int) -> None:
    precision, values = case
    size = (10**precision).bit_length() // 8 + 1 + more
    of = t.Decimal(precision, 0, t.Fixed(size))
    stored = [value.to_bytes(size, "big", signed=True) for value in values]
    column = FixedBinaryColumn(size, np.frombuffer(b"".join(stored), np.uint8).reshape(-1, size))
    words = to_words(column, of, "file")
    assert integers(words) == values
    assert to_list(from_words(words, of, None, "rows")) == stored


def test_numbers_with_more_digits_are_refused_both_ways() -> None:
    words = np.array([[99, 0], [100, 0]], np.uint64)
    with pytest.raises(SchemaError, match=r"rows, row 1: expected a value of decimal\(2, ?0\), found the unscaled 100"):
        from_words(words, t.Decimal(2), None, "rows")
    assert to_list(from_words(words, t.Decimal(2), np.array([True, False]), "rows")) == [b"\x63", None]
    with pytest.raises(CorruptFileError, match="file, record 1"):
        to_words(FixedBinaryColumn(1, np.array([[99], [100]], np.uint8)), t.Decimal(2), "file")


def test_no_rows_have_no_prefixes() -> None:
    assert to_words(BinaryColumn(np.zeros(1, np.int64), np.zeros(0, np.uint8)), t.Decimal(40), "file").shape == (0, 4)
    assert to_words(FixedBinaryColumn(3, np.zeros((0, 3), np.uint8)), t.Decimal(4), "file").shape == (0, 2)
