"""Integers of 128 bits, many at once: from and to bytes and strings that sort, and rescaled as decimals of more than 18 digits.

A magnitude is four limbs of 32 bits, least first, each in a uint64, so that a limb times a factor below 2^32 never overflows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Bools, Numbers, Octets, Words64
from hudi_core.columns.byte_strings import ByteStrings, WordReader

WIDE_SIZE = 16
"""Bytes of an integer of 128 bits, and of the carrier of a long decimal."""

_TOP_BIT = 0x80


@dataclass(frozen=True, slots=True, eq=False)
class Int128:
    """Integers of 128 bits, two's complement in two halves."""

    high: Numbers
    low: Words64


def from_bytes(texts: ByteStrings) -> tuple[Int128, Bools]:
    """The integers in big-endian two's-complement bytes, and flags of the valid ones: those of 1 to 16 bytes."""
    lengths = np.diff(texts.offsets)
    known = (lengths >= 1) & (lengths <= WIDE_SIZE)
    rows = np.zeros((len(texts), WIDE_SIZE), np.uint8)
    if known.any():
        first = texts.data[np.where(known, texts.offsets[:-1], 0)]
        rows[:] = np.where(first >= _TOP_BIT, 0xFF, 0).astype(np.uint8)[:, None]
        for back in range(1, min(int(lengths[known].max()), WIDE_SIZE) + 1):
            there = known & (back <= lengths)
            rows[there, -back] = texts.data[texts.offsets[1:][there] - back]
    return _wide(rows), known


def to_texts(integers: Int128) -> ByteStrings:
    """The integers as the carrier of long decimals: 16 bytes each, plus 2^127."""
    rows = np.empty((len(integers.low), 2), ">u8")
    rows[:, 0] = integers.high.view(np.uint64) ^ np.uint64(1 << 63)
    rows[:, 1] = integers.low
    offsets = np.arange(len(integers.low) + 1, dtype=np.int64) * WIDE_SIZE
    return ByteStrings(offsets, rows.view(np.uint8).reshape(-1))


def to_integers(integers: Int128) -> tuple[Numbers, Bools]:
    """The integers, and which fit 64 bits."""
    low = integers.low.view(np.int64)
    return low, integers.high == low >> 63


def _wide(rows: Octets) -> Int128:
    halves = rows.reshape(-1).view(">u8").reshape(len(rows), 2).astype(np.uint64)
    return Int128(halves[:, 0].copy().view(np.int64), halves[:, 1].copy())


_LIMB = np.uint64(2**32 - 1)
_BITS = np.uint64(32)
_SIGN = np.uint64(2**63)
_DIGITS = 9
"""Decimal digits of the largest power of ten that fits a limb."""


def rescale_wide(values: Numbers | ByteStrings, digits: int, precision: int) -> tuple[Numbers | ByteStrings, Bools]:
    """Unscaled values times 10^digits, as the carrier of a decimal of that precision, and which of them are exact and fit.

    Strings are the 16 bytes that carry a long decimal. What stands for values that do not fit has no meaning.
    """
    negative, limbs = _from_byte_strings(values) if isinstance(values, ByteStrings) else _from_integers(values)
    fits = np.ones(len(negative), np.bool_)
    while digits > 0:
        step = min(digits, _DIGITS)
        fits &= _multiply(limbs, 10**step) == 0
        digits -= step
    while digits < 0:
        step = min(-digits, _DIGITS)
        fits &= _divide(limbs, 10**step) == 0
        digits += step
    fits &= _below(limbs, 10**precision)
    return (_to_byte_strings if precision > 18 else _to_integers)(negative, limbs), fits


def _from_integers(values: Numbers) -> tuple[Bools, Words64]:
    negative = values < 0
    magnitude = np.where(negative, -values, values).astype(np.uint64)
    return negative, _limbs(np.zeros(len(values), np.uint64), magnitude)


def _from_byte_strings(values: ByteStrings) -> tuple[Bools, Words64]:
    reader = WordReader(values)
    high, low = reader.read(0)[0] ^ _SIGN, reader.read(1)[0]  # two's complement
    negative = high >= _SIGN
    return negative, _limbs(*_negate(high, low, negative))


def _to_integers(negative: Bools, limbs: Words64) -> Numbers:
    magnitude = (limbs[0] | limbs[1] << _BITS).astype(np.int64)
    signed: Numbers = np.where(negative, -magnitude, magnitude)
    return signed


def _to_byte_strings(negative: Bools, limbs: Words64) -> ByteStrings:
    high, low = _negate(limbs[2] | limbs[3] << _BITS, limbs[0] | limbs[1] << _BITS, negative)
    pairs = np.stack([high ^ _SIGN, low], axis=1).astype(">u8")
    return ByteStrings(np.arange(len(negative) + 1, dtype=np.int64) * 16, pairs.view(np.uint8).reshape(-1))


def _negate(high: Words64, low: Words64, where: Bools) -> tuple[Words64, Words64]:
    """128-bit two's complement of the numbers that `where` picks."""
    return np.where(where, ~high + (low == 0), high), np.where(where, ~low + np.uint64(1), low)


def _limbs(high: Words64, low: Words64) -> Words64:
    return np.stack([low & _LIMB, low >> _BITS, high & _LIMB, high >> _BITS])


def _multiply(limbs: Words64, factor: int) -> Words64:
    """In place; returns what overflows."""
    carry = np.zeros(limbs.shape[1], np.uint64)
    for limb in limbs:
        product = limb * np.uint64(factor) + carry
        limb[:] = product & _LIMB
        carry = product >> _BITS
    return carry


def _divide(limbs: Words64, by: int) -> Words64:
    """In place; returns the remainder."""
    rest = np.zeros(limbs.shape[1], np.uint64)
    for limb in limbs[::-1]:
        part = (rest << _BITS) | limb
        limb[:], rest = np.divmod(part, np.uint64(by))
    return rest


def _below(limbs: Words64, bound: int) -> Bools:
    below = np.zeros(limbs.shape[1], np.bool_)
    for limb in range(4):
        part = np.uint64((bound >> (32 * limb)) & 0xFFFF_FFFF)
        below = (limbs[limb] < part) | ((limbs[limb] == part) & below)
    return below
