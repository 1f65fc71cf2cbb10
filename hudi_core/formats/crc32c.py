"""CRC-32C (Castagnoli) of many pieces of bytes at once, on NumPy. Rule FORMAT-17.

A CRC register is linear in the bytes fed to it. So each piece is cut into strips of one length, all strips of all pieces are fed
side by side to registers that start at zero, and neighbouring strips are then joined: the register of the left one is
moved on over as many zero bytes as the right one is long, and the two are added (exclusive or).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Words32

_POLYNOMIAL = 0x82F63B78  # bits reversed: the lowest bit is the highest power
_ONES = 0xFFFFFFFF
_STRIP = 64  # bytes fed one after the other; longer ones leave too few strips side by side in a small block
_BATCH = 1 << 20  # bytes worked on at once, so that they stay in the processor's cache


def crc32c(pieces: Sequence[bytes | memoryview]) -> Words32:
    """The CRC-32C of each piece."""
    result = np.empty(len(pieces), np.uint32)
    max_length = max((len(piece) for piece in pieces), default=0)
    width = _STRIP
    while width < max_length:
        width *= 2
    step = max(_BATCH // width, 1)
    for first in range(0, len(pieces), step):
        result[first : first + step] = _same_width(pieces[first : first + step], width)
    return result


def _same_width(pieces: Sequence[bytes | memoryview], width: int) -> Words32:
    """Pieces of at most `width` bytes, a strip times a power of two. They are set to the right: leading zeros add nothing."""
    rows = np.zeros((len(pieces), width), np.uint8)
    for row, piece in zip(rows, pieces, strict=True):
        if piece:
            row[-len(piece) :] = np.frombuffer(piece, np.uint8)
    lengths = np.array([len(piece) for piece in pieces])
    # A register that starts with all bits set does to the bytes what setting all bits of the first four does.
    for position in range(4):
        inverted = np.flatnonzero(lengths > position)
        rows[inverted, width - lengths[inverted] + position] ^= 0xFF
    unused = np.maximum(32 - 8 * lengths, 0).astype(np.uint64)
    start = (_ONES >> (32 - unused)).astype(np.uint32)

    registers = _feed(rows.reshape(-1, _STRIP).view("<u2"))
    length = _STRIP
    while length < width:
        registers = _move(registers[0::2], length) ^ registers[1::2]
        length *= 2
    result: Words32 = registers ^ start ^ np.uint32(_ONES)
    return result


def _feed(strips: NDArray[np.uint16]) -> Words32:
    """The registers, zero at first, after the two-byte words of each row."""
    table = _two_byte_table()
    registers = np.zeros(len(strips), np.uint32)
    for words in np.ascontiguousarray(strips.T):
        registers = (registers >> 16) ^ table[registers.astype(np.uint16) ^ words]
    return registers


def _move(registers: Words32, length: int) -> Words32:
    """The registers after `length` zero bytes."""
    low_table, high_table = _move_tables(length)
    moved: Words32 = low_table[registers & 0xFFFF] ^ high_table[registers >> 16]
    return moved


@cache
def _two_byte_table() -> Words32:
    """The register after two zero bytes, for each register below 2^16."""
    registers: Words32 = np.arange(1 << 16, dtype=np.uint32)
    one, polynomial = np.uint32(1), np.uint32(_POLYNOMIAL)
    for _ in range(16):
        registers = (registers >> one) ^ (registers & one) * polynomial
    return registers


@cache
def _move_tables(length: int) -> tuple[Words32, Words32]:
    """The register after `length` (a power of two) zero bytes, for the low and for the high half of a register."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    half = length // 2
    images = _move(_move(bits, half), half) if half > 1 else (bits >> 16) ^ _two_byte_table()[bits & 0xFFFF]
    low_table, high_table = np.zeros((2, 1 << 16), np.uint32)
    for bit in range(16):
        low_table[1 << bit : 2 << bit] = low_table[: 1 << bit] ^ images[bit]
        high_table[1 << bit : 2 << bit] = high_table[: 1 << bit] ^ images[bit + 16]
    return low_table, high_table
