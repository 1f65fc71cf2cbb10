"""XXH32 over whole columns of strings. Rule INDEX-15."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Octets, Offsets, Words32
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import windows

BLOCK_ROWS = 1 << 13
"""Strings hashed together: what is made for them stays in the second-level cache."""

_PRIMES = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)
_P1, _P2, _P3, _P4, _P5 = map(np.uint32, _PRIMES)
_LANE_SEEDS = (_PRIMES[0] + _PRIMES[1], _PRIMES[1], 0, -_PRIMES[0])
_ALL_BITS = 0xFFFFFFFF
_LANES, _WORD = 4, 4
_STRIPE = _LANES * _WORD
_MERGED = (1, 7, 12, 18)
"""By how much each lane is turned when they become one hash."""


def xxh32_hashes(strings: StringColumn, seed: int = 0) -> Words32:
    """The hash of each string's bytes; nulls are empty."""
    hashes = np.empty(len(strings.offsets) - 1, np.uint32)
    for start in range(0, len(hashes), BLOCK_ROWS):
        offsets = strings.offsets[start : start + BLOCK_ROWS + 1]
        hashes[start : start + BLOCK_ROWS] = _block(strings.data, offsets[:-1], np.diff(offsets), np.uint32(seed))
    return hashes


def _block(data: Octets, starts: Offsets, lengths: Offsets, seed: np.uint32) -> Words32:
    hashes = np.full(len(starts), seed, np.uint32)
    hashes += _P5
    striped = np.flatnonzero(lengths >= _STRIPE)
    if len(striped):
        hashes[striped] = _hash_stripes(data, starts[striped], lengths[striped] // _STRIPE, seed)
    hashes += lengths.astype(np.uint32)
    offsets, rest = starts + lengths // _STRIPE * _STRIPE, lengths % _STRIPE
    for word in range(_LANES - 1):
        rows = np.flatnonzero(rest >= (word + 1) * _WORD)
        if len(rows):
            words = windows(data, offsets[rows], _WORD, word * _WORD).view("<u4").reshape(-1)
            hashes[rows] = _rotate(hashes[rows] + words * _P3, 17) * _P4
    offsets, rest = offsets + rest // _WORD * _WORD, rest % _WORD
    for byte in range(_WORD - 1):
        rows = np.flatnonzero(rest > byte)
        hashes[rows] = _rotate(hashes[rows] + data[offsets[rows] + byte] * _P5, 11) * _P1
    hashes ^= hashes >> np.uint32(15)
    hashes *= _P2
    hashes ^= hashes >> np.uint32(13)
    hashes *= _P3
    hashes ^= hashes >> np.uint32(16)
    return hashes


def _hash_stripes(data: Octets, starts: Offsets, stripes: Offsets, seed: np.uint32) -> Words32:
    """What the whole stripes of strings come to: four lanes, each of every fourth word."""
    begun = np.array([of_lane + int(seed) & _ALL_BITS for of_lane in _LANE_SEEDS], np.uint32)
    lanes = np.tile(begun, (len(starts), 1))
    rows, stripe = np.arange(len(starts)), 0
    while len(rows):
        words = windows(data, starts[rows], _STRIPE, stripe * _STRIPE).view("<u4")
        lanes[rows] = _rotate(lanes[rows] + words * _P2, 13) * _P1
        stripe += 1
        rows = rows[stripes[rows] > stripe]
    hashes = np.zeros(len(starts), np.uint32)
    for lane, bits in enumerate(_MERGED):
        hashes += _rotate(lanes[:, lane], bits)
    return hashes


def _rotate(hashes: NDArray[Any], bits: int) -> Words32:
    return (hashes << np.uint32(bits)) | (hashes >> np.uint32(32 - bits))
