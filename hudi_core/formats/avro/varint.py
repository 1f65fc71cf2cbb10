"""Numbers as Avro writes them: zigzag, then seven bits a byte, the lowest first, a set top bit where more follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers, Words64
from hudi_core.formats.avro.pieces import Words

_ONE = np.uint64(1)
_MARKS = 0x8080_8080_8080_8080
_TOPS = np.uint64(_MARKS)
_SPREADING = tuple(
    (7 * groups, groups, low, low << 8 * groups)
    for groups, low in ((4, (1 << 28) - 1), (2, 0x0000_3FFF_0000_3FFF), (1, 0x007F_007F_007F_007F))
)
"""Fours, pairs and single groups of seven bits: the bits of the lower half, how far the upper moves, and where both then lie."""

_SMALL_BITS = 28
"""Bits of numbers whose bytes fit half a word, and are counted sooner by comparing."""

_EXACT_BITS, _BIAS = 53, 1023
"""Bits that a double has, one of them unsaid, and what its exponent has more."""

_GROUPS = 56
"""Bits that eight bytes hold."""


def zigzag(values: NDArray[Any]) -> Words64:
    """Signed integers as unsigned ones of as many bits: 0, -1, 1, -2, ... are 0, 1, 2, 3, ..."""
    signs = values >> 8 * values.itemsize - 1
    unsigned: Words64 = ((values << 1) ^ signs).view(f"u{values.itemsize}")
    return unsigned


def varints(raw: Words64) -> Words:
    """Words64 numbers in as few bytes as they need, at least one."""
    greatest = int(raw.max()) if len(raw) else 0
    if greatest < 128:
        return Words(raw.astype(np.uint64, copy=False), None, 1, 1)
    if greatest >> _SMALL_BITS:
        raw = raw.astype(np.uint64, copy=False)
    max_size = -(-greatest.bit_length() // 7)
    if greatest >> _GROUPS:
        return _long(raw, greatest, max_size)
    spread = _spread(raw, greatest)
    if int(raw.min()) >> 7 * (max_size - 1):  # all have as many bytes
        spread |= _MARKS & (1 << 8 * (max_size - 1)) - 1
        return Words(spread.astype(np.uint64, copy=False), None, max_size, max_size)
    sizes = _sizes(raw, greatest)
    return Words(spread | _marks(sizes), None, sizes, max_size)


def _sizes(raw: Words64, greatest: int) -> Numbers:
    """Bytes of each number: its bits, by way of the exponent of a double, divided by seven."""
    if greatest >> _SMALL_BITS == 0:
        sizes = np.ones(len(raw), np.int64)
        for bits in range(7, greatest.bit_length(), 7):
            sizes += raw >= 1 << bits
        return sizes
    top = raw | _ONE
    if greatest >> _EXACT_BITS:
        top &= ~(raw >> _ONE) | _ONE  # the highest bit stays, and rounding cannot reach the next
    exponents = top.astype(np.float64).view(np.int64)
    exponents >>= _EXACT_BITS - 1
    exponents -= _BIAS - 1
    exponents *= 9  # (9 n + 64) // 64 is n / 7 rounded up, for n from 1 to 64
    exponents += 64
    exponents >>= 6
    return exponents


def _spread(raw: Words64, greatest: int) -> Words64:
    """Groups of seven bits moved apart, one a byte; numbers of at most 56 bits."""
    kind: Any = raw.dtype.type
    all_bits = (1 << 8 * raw.itemsize) - 1
    for bits, shift, lower_half, upper_half in _SPREADING:
        if greatest >> bits:
            upper = raw << shift
            upper &= kind(upper_half & all_bits)
            raw = raw & kind(lower_half & all_bits)
            raw |= upper
    return raw


def _marks(sizes: Numbers) -> Words64:
    """The top bits of all bytes but the last of as many as `sizes`, of which there are at most eight."""
    below = (sizes.view(np.uint64) << np.uint64(3)) - np.uint64(8)
    marks: Words64 = (_ONE << below) - _ONE
    marks &= _TOPS
    return marks


def _long(raw: Words64, greatest: int, max_size: int) -> Words:
    """As `varints`, where some number has more than eight bytes: the ninth holds bits 56 to 62, the tenth bit 63."""
    sizes = _sizes(raw, greatest)
    tail = raw >> np.uint64(_GROUPS)
    low_word = _spread(raw & np.uint64((1 << _GROUPS) - 1), (1 << _GROUPS) - 1)
    low_word |= np.where(tail != 0, _TOPS, _marks(np.minimum(sizes, 8)))
    last = tail >> np.uint64(7)
    high_word = tail | last << np.uint64(8)  # bit 63 is the mark of the ninth byte already, when there is a tenth
    return Words(low_word, high_word, sizes, max_size)
