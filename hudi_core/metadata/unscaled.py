"""Unscaled values of decimals: two's-complement bytes of any length to the carriers of bounds. No loop over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.pruning.statistics import WIDE_SIZE, Bools, Ints

_TOP_BIT = 0x80


@dataclass(frozen=True, slots=True, eq=False)
class Int128:
    """Integers of 128 bits, two's complement in two halves."""

    high: NDArray[np.int64]
    low: NDArray[np.uint64]


def from_bytes(texts: ByteStrings) -> tuple[Int128, Bools]:
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


def to_texts(of: Int128) -> ByteStrings:
    """The integers as the carrier of long decimals: 16 bytes each, plus 2^127."""
    rows = np.empty((len(of.low), 2), ">u8")
    rows[:, 0] = of.high.view(np.uint64) ^ np.uint64(1 << 63)
    rows[:, 1] = of.low
    offsets = np.arange(len(of.low) + 1, dtype=np.int64) * WIDE_SIZE
    return ByteStrings(offsets, rows.view(np.uint8).reshape(-1))


def to_integers(of: Int128) -> tuple[Ints, Bools]:
    """The integers, and which fit 64 bits."""
    low = of.low.view(np.int64)
    return low, of.high == low >> 63


def _wide(rows: NDArray[np.uint8]) -> Int128:
    halves = rows.reshape(-1).view(">u8").reshape(len(rows), 2).astype(np.uint64)
    return Int128(halves[:, 0].copy().view(np.int64), halves[:, 1].copy())
