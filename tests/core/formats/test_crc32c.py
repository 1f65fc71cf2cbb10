"""FORMAT-17: the CRC-32C of block checksums."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.formats.crc32c import crc32c


def bit_by_bit(data: bytes) -> int:
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def test_the_check_value_of_the_catalogue_comes_out() -> None:
    assert crc32c([b"123456789"]).tolist() == [0xE3069283]


def test_no_pieces_have_no_sums() -> None:
    assert crc32c([]).tolist() == []


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_pieces_of_any_length_side_by_side_have_the_sums_they_have_alone(pieces: list[bytes]) -> None:
    assert crc32c(pieces).tolist() == [bit_by_bit(piece) for piece in pieces]


def test_pieces_of_checksum_size_have_the_sums_they_have_alone() -> None:
    chance = random.Random(7)
    pieces = [chance.randbytes(size) for size in (16384, 16383, 1, 4096, 16384, 63, 64, 65)]
    assert crc32c(pieces).tolist() == [bit_by_bit(piece) for piece in pieces]


def test_more_bytes_than_are_worked_on_at_once_have_the_sums_they_have_alone() -> None:
    chance = random.Random(8)
    pieces = [chance.randbytes(16384) for _ in range(70)]
    assert crc32c(pieces).tolist() == [int(crc32c([piece])[0]) for piece in pieces]
