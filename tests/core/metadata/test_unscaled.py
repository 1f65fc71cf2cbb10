"""Unscaled decimals as arrays, against Python's integers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.int128 import from_bytes, to_integers, to_texts
from hudi_core.pruning.statistics import wide_bytes

wide = st.integers(-(2**127), 2**127 - 1)


def minimal(number: int) -> bytes:
    return number.to_bytes((number + (number < 0)).bit_length() // 8 + 1, "big", signed=True)


@given(st.lists(wide | st.integers(-300, 300), max_size=8))
def test_bytes_of_any_length_become_the_carriers(numbers: list[int]) -> None:
    found, known = from_bytes(ByteStrings.from_list([minimal(number) for number in numbers]))
    assert known.all()
    carried = to_texts(found)
    assert [carried[row] for row in range(len(numbers))] == [wide_bytes(number) for number in numbers]
    integers, fits = to_integers(found)
    assert fits.tolist() == [-(2**63) <= number < 2**63 for number in numbers]
    assert integers[fits].tolist() == [number for number in numbers if -(2**63) <= number < 2**63]


def test_no_bytes_and_too_many_bytes_are_no_integer() -> None:
    _, known = from_bytes(ByteStrings.from_list([b"", b"\x00", bytes(17)]))
    assert known.tolist() == [False, True, False]
