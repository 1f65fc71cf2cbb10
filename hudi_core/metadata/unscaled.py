"""Unscaled values of decimals: two's-complement bytes to the carriers of bounds, and to another scale. No loop over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hudi_core.stats.columns import WIDE_SIZE, Bools, Ints
from hudi_core.stats.texts import Texts

_TOP_BIT = 0x80
_LIMB = np.uint64(0xFFFFFFFF)
_DIGITS_AT_ONCE = 9  # what a limb of 32 bits can be divided by without leaving 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class Wide:
    """Integers of 128 bits, two's complement in two halves."""

    high: NDArray[np.int64]
    low: NDArray[np.uint64]


def from_bytes(texts: Texts) -> tuple[Wide, Bools]:
    """The integers that big-endian two's-complement bytes stand for, and which there are: 1 to 16 bytes say one."""
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


def from_texts(texts: Texts) -> Wide:
    """The integers of texts in the carrier's form: 16 bytes each, plus 2^127."""
    rows = texts.data[texts.offsets[0] : texts.offsets[-1]].reshape(len(texts), WIDE_SIZE).copy()
    rows[:, 0] ^= _TOP_BIT
    return _wide(rows)


def to_texts(of: Wide) -> Texts:
    """The inverse of `from_texts`."""
    rows = np.empty((len(of.low), 2), ">u8")
    rows[:, 0] = of.high.view(np.uint64) ^ np.uint64(1 << 63)
    rows[:, 1] = of.low
    offsets = np.arange(len(of.low) + 1, dtype=np.int64) * WIDE_SIZE
    return Texts(offsets, rows.view(np.uint8).reshape(-1))


def to_integers(of: Wide) -> tuple[Ints, Bools]:
    """The integers, and which fit 64 bits."""
    low = of.low.view(np.int64)
    return low, of.high == low >> 63


def divided(of: Wide, power: int, *, up: bool) -> Wide:
    """The integers divided by 10^power and rounded down (or up): a bound at a coarser scale."""
    negative = of.high < 0
    limbs = _limbs(_negated(of, negative))
    inexact = np.zeros(len(of.low), np.bool_)
    while power > 0:
        digits = min(power, _DIGITS_AT_ONCE)
        rest = _divide(limbs, np.uint64(10**digits))
        inexact |= rest != 0
        power -= digits
    away = inexact & (negative != up)
    for limb in reversed(limbs):
        limb += away
        away = limb > _LIMB
        limb &= _LIMB
    shift = np.uint64(32)
    magnitude = Wide((limbs[0] << shift | limbs[1]).view(np.int64), limbs[2] << shift | limbs[3])
    return _negated(magnitude, negative)


def _wide(rows: NDArray[np.uint8]) -> Wide:
    halves = rows.reshape(-1).view(">u8").reshape(len(rows), 2).astype(np.uint64)
    return Wide(halves[:, 0].copy().view(np.int64), halves[:, 1].copy())


def _limbs(of: Wide) -> list[NDArray[np.uint64]]:
    shift = np.uint64(32)
    high = of.high.view(np.uint64)
    return [high >> shift, high & _LIMB, of.low >> shift, of.low & _LIMB]


def _divide(limbs: list[NDArray[np.uint64]], by: np.uint64) -> NDArray[np.uint64]:
    """Divides in place, highest limb first; gives the remainders."""
    rest = np.zeros(len(limbs[0]), np.uint64)
    for position, limb in enumerate(limbs):
        part = rest << np.uint64(32) | limb
        limbs[position], rest = part // by, part % by
    return rest


def _negated(of: Wide, which: Bools) -> Wide:
    low = ~of.low + np.uint64(1)
    high = ~of.high.view(np.uint64) + (low == 0)
    return Wide(np.where(which, high.view(np.int64), of.high), np.where(which, low, of.low))
