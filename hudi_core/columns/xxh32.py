"""XXH32 over whole columns of texts. Rule INDEX-15."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import Bytes8, Offsets, StringColumn
from hudi_core.columns.spans import windows

Hashes = NDArray[np.uint32]

BLOCK_ROWS = 1 << 13
"""Texts hashed together: what is made for them stays in the second-level cache."""

_PRIMES = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)
_P1, _P2, _P3, _P4, _P5 = map(np.uint32, _PRIMES)
_LANE_SEEDS = (_PRIMES[0] + _PRIMES[1], _PRIMES[1], 0, -_PRIMES[0])
_ALL_BITS = 0xFFFFFFFF
_LANES, _WORD = 4, 4
_STRIPE = _LANES * _WORD
_MERGED = (1, 7, 12, 18)
"""By how much each lane is turned when they become one hash."""


def xxh32_hashes(texts: StringColumn, seed: int = 0) -> Hashes:
    """The hash of each text's bytes; nulls are empty."""
    found = np.empty(len(texts.offsets) - 1, np.uint32)
    for low in range(0, len(found), BLOCK_ROWS):
        offsets = texts.offsets[low : low + BLOCK_ROWS + 1]
        found[low : low + BLOCK_ROWS] = _block(texts.data, offsets[:-1], np.diff(offsets), np.uint32(seed))
    return found


def _block(data: Bytes8, starts: Offsets, lengths: Offsets, seed: np.uint32) -> Hashes:
    hashes = np.full(len(starts), seed, np.uint32)
    hashes += _P5
    striped = np.flatnonzero(lengths >= _STRIPE)
    if len(striped):
        hashes[striped] = _of_stripes(data, starts[striped], lengths[striped] // _STRIPE, seed)
    hashes += lengths.astype(np.uint32)
    at, left = starts + lengths // _STRIPE * _STRIPE, lengths % _STRIPE
    for word in range(_LANES - 1):
        rows = np.flatnonzero(left >= (word + 1) * _WORD)
        if len(rows):
            words = windows(data, at[rows], _WORD, word * _WORD).view("<u4").reshape(-1)
            hashes[rows] = _turned(hashes[rows] + words * _P3, 17) * _P4
    at, left = at + left // _WORD * _WORD, left % _WORD
    for byte in range(_WORD - 1):
        rows = np.flatnonzero(left > byte)
        hashes[rows] = _turned(hashes[rows] + data[at[rows] + byte] * _P5, 11) * _P1
    hashes ^= hashes >> np.uint32(15)
    hashes *= _P2
    hashes ^= hashes >> np.uint32(13)
    hashes *= _P3
    hashes ^= hashes >> np.uint32(16)
    return hashes


def _of_stripes(data: Bytes8, starts: Offsets, stripes: Offsets, seed: np.uint32) -> Hashes:
    """What the whole stripes of texts come to: four lanes, each of every fourth word."""
    begun = np.array([of_lane + int(seed) & _ALL_BITS for of_lane in _LANE_SEEDS], np.uint32)
    lanes = np.tile(begun, (len(starts), 1))
    rows, stripe = np.arange(len(starts)), 0
    while len(rows):
        words = windows(data, starts[rows], _STRIPE, stripe * _STRIPE).view("<u4")
        lanes[rows] = _turned(lanes[rows] + words * _P2, 13) * _P1
        stripe += 1
        rows = rows[stripes[rows] > stripe]
    found = np.zeros(len(starts), np.uint32)
    for lane, bits in enumerate(_MERGED):
        found += _turned(lanes[:, lane], bits)
    return found


def _turned(hashes: NDArray[Any], bits: int) -> Hashes:
    return (hashes << np.uint32(bits)) | (hashes >> np.uint32(32 - bits))
