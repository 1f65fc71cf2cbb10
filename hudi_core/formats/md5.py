"""MD5 of whole columns of texts: each of its 64 steps is done for all texts at once. RFC 1321."""

from __future__ import annotations

import hashlib
from math import sin

import numpy as np
from numpy.typing import NDArray

from hudi_core.formats.columns import Bytes8, Offsets, Text
from hudi_core.formats.spans import items

Words = NDArray[np.uint32]

_MANY = 2048
"""Texts of as many blocks from which on the steps done for all of them take less time than each text by itself."""

_TOGETHER = 1 << 15
"""Blocks hashed together: what is made for them stays in the cache, and a step takes longer than its call."""

_BLOCK, _WORDS, _DIGEST = 64, 16, 16
_BEGUN = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
_TURNS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
"""By how much the steps of each round turn."""
_ADDED = [np.uint32(int(abs(sin(step + 1)) * 2**32)) for step in range(64)]


def md5_digests(texts: Text) -> Bytes8:
    """The digest of each text's bytes, in shape (texts, 16); nulls are empty."""
    starts, lengths = texts.offsets[:-1], np.diff(texts.offsets)
    found = np.empty((len(starts), _DIGEST), np.uint8)
    blocks = (lengths + 8) // _BLOCK + 1  # behind the text are a bit that is set and, in eight bytes, its size
    for count in np.unique(blocks).tolist():
        alike = np.flatnonzero(blocks == count)
        if len(alike) < _MANY:
            found[alike] = _one_by_one(texts.data, starts[alike], lengths[alike])
            continue
        step = max(_TOGETHER // count, 1)
        for low in range(0, len(alike), step):
            rows = alike[low : low + step]
            found[rows] = _digests(_padded(texts.data, starts[rows], lengths[rows], count), count)
    return found


def _one_by_one(data: Bytes8, starts: Offsets, lengths: Offsets) -> Bytes8:
    whole, bounds = data.tobytes(), zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
    made = b"".join(hashlib.md5(whole[low:high], usedforsecurity=False).digest() for low, high in bounds)
    return np.frombuffer(made, np.uint8).reshape(-1, _DIGEST)


def _padded(data: Bytes8, starts: Offsets, lengths: Offsets, blocks: int) -> Bytes8:
    """The texts as rows of so many blocks, filled up as the rule says."""
    size = blocks * _BLOCK
    first, last = int(starts.min()), int((starts + lengths).max())
    near = np.append(data[first:last], np.zeros(size, np.uint8))  # so that the last one has so many bytes, too
    rows = items(near, size)[starts - first].view(np.uint8).reshape(-1, size)
    rows *= (np.arange(size, dtype=np.int32) < lengths.astype(np.int32)[:, np.newaxis]).view(np.uint8)
    rows[np.arange(len(rows)), lengths] = 0x80
    rows.view("<u8")[:, -1] = lengths << 3
    return rows


def _digests(padded: Bytes8, blocks: int) -> Bytes8:
    words = np.ascontiguousarray(padded.view("<u4").T, np.uint32)
    state = [np.full(len(padded), begun, np.uint32) for begun in _BEGUN]
    for block in range(blocks):
        mixed = _mixed(state, words[block * _WORDS : (block + 1) * _WORDS])
        state = [before + after for before, after in zip(state, mixed, strict=True)]
    return np.stack(state, axis=1).astype("<u4", copy=False).view(np.uint8)


def _mixed(state: list[Words], words: Words) -> tuple[Words, Words, Words, Words]:
    """What a block makes of the state."""
    a, b, c, d = state
    for step, added in enumerate(_ADDED):
        match step // _WORDS:
            case 0:
                found, word = ((c ^ d) & b) ^ d, step
            case 1:
                found, word = ((b ^ c) & d) ^ c, 5 * step + 1
            case 2:
                found, word = b ^ c ^ d, 3 * step + 5
            case _:
                found, word = (~d | b) ^ c, 7 * step
        found += a
        found += added
        found += words[word % _WORDS]
        turn = _TURNS[step // _WORDS][step % 4]
        turned = found >> np.uint32(32 - turn)
        found <<= np.uint32(turn)
        found |= turned
        found += b
        a, b, c, d = d, found, b, c
    return a, b, c, d
