"""Unscaled decimals as arrays, against Python's integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.metadata.unscaled import divided, from_bytes, from_texts, to_integers, to_texts
from hudi_core.stats.columns import wide_bytes
from hudi_core.stats.texts import Texts

wide = st.integers(-(2**127), 2**127 - 1)


def minimal(number: int) -> bytes:
    return number.to_bytes((number + (number < 0)).bit_length() // 8 + 1, "big", signed=True)


@given(st.lists(wide | st.integers(-300, 300), max_size=8))
def test_bytes_of_any_length_become_the_carriers(numbers: list[int]) -> None:
    found, known = from_bytes(Texts.of([minimal(number) for number in numbers]))
    assert known.all()
    carried = to_texts(found)
    assert [carried[row] for row in range(len(numbers))] == [wide_bytes(number) for number in numbers]
    integers, fits = to_integers(found)
    assert fits.tolist() == [-(2**63) <= number < 2**63 for number in numbers]
    assert integers[fits].tolist() == [number for number in numbers if -(2**63) <= number < 2**63]


@given(st.lists(wide, min_size=1, max_size=8))
def test_carriers_are_read_back(numbers: list[int]) -> None:
    texts = Texts.of([wide_bytes(number) for number in numbers])
    again = to_texts(from_texts(texts))
    assert np.array_equal(again.data, texts.data)


def test_no_bytes_and_too_many_say_no_integer() -> None:
    _, known = from_bytes(Texts.of([b"", b"\x00", bytes(17)]))
    assert known.tolist() == [False, True, False]


@given(st.lists(wide | st.integers(-(10**16), 10**16), min_size=1, max_size=8), st.integers(0, 15), st.booleans())
def test_division_rounds_bounds_outwards(numbers: list[int], power: int, up: bool) -> None:
    found = divided(from_texts(Texts.of([wide_bytes(number) for number in numbers])), power, up=up)
    expected = [-(-number // 10**power) if up else number // 10**power for number in numbers]
    carried = to_texts(found)
    assert [carried[row] for row in range(len(numbers))] == [wide_bytes(number) for number in expected]
