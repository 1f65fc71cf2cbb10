"""Murmur2 as Hadoop has it, over whole columns of keys, round after round. Rule FORMAT-25."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import Bytes8, Offsets, StringColumn
from hudi_core.columns.spans import windows

Hashes = NDArray[np.uint32]
Numbers = NDArray[np.int64]

BLOCK_ROWS = 1 << 14
"""Keys hashed together: their words and hashes stay in the second-level cache."""

_FACTOR = np.uint32(0x5BD1E995)
_WORD = 4
_MIX, _FIRST, _LAST = np.uint32(24), np.uint32(13), np.uint32(15)


class KeyBlock:
    """Some keys made ready to be hashed: their words mixed once, for all rounds.

    Keys stand in descending order of their words, so that word `w` belongs to the first keys of the block; `places` tells
    where each stood among those given, None when nothing moved.
    """

    def __init__(self, starts: Offsets, lengths: Offsets, data: Bytes8) -> None:
        counts = lengths // _WORD
        self.places: Numbers | None = None
        if len(counts) and int(counts.min()) != int(counts.max()):
            self.places = np.argsort(-counts, kind="stable")
            starts, lengths, counts = starts[self.places], lengths[self.places], counts[self.places]
        self._lengths = lengths.astype(np.uint32)
        self._words = _word_columns(starts, counts, data)
        rest = lengths % _WORD
        self._tails: Hashes | None = None
        if rest.any():
            self._tails = _tails(starts + lengths, rest, data)
            self._factors = np.where(rest > 0, _FACTOR, np.uint32(1))

    def __len__(self) -> int:
        return len(self._lengths)

    def stir(self, hashes: Hashes) -> None:
        """One round, in place: seeds in, hashes out."""
        hashes ^= self._lengths
        for words in self._words:
            head = hashes[: len(words)]
            head *= _FACTOR
            head ^= words
        if self._tails is not None:
            hashes ^= self._tails
            hashes *= self._factors
        hashes ^= hashes >> _FIRST
        hashes *= _FACTOR
        hashes ^= hashes >> _LAST

    def in_order(self, hashes: Hashes) -> Hashes:
        """What belongs to the keys of the block, in the order in which they were given."""
        if self.places is None:
            return hashes
        found = np.empty_like(hashes)
        found[self.places] = hashes
        return found


def key_block(texts: StringColumn, low: int, high: int) -> KeyBlock:
    """The keys from row `low` up to row `high`."""
    return KeyBlock(texts.offsets[low:high], np.diff(texts.offsets[low : high + 1]), texts.data)


def key_block_of_rows(texts: StringColumn, rows: Numbers) -> KeyBlock:
    """The keys in these rows."""
    starts = texts.offsets[rows]
    return KeyBlock(starts, texts.offsets[rows + 1] - starts, texts.data)


def hash_chain(texts: StringColumn, seed: int = 0) -> Iterator[Hashes]:
    """The hashes of the keys, round after round without end; each round's seeds are the hashes of the round before."""
    whole = key_block(texts, 0, len(texts.offsets) - 1)
    hashes = np.full(len(whole), seed & 0xFFFFFFFF, np.uint32)
    while True:
        whole.stir(hashes)
        yield whole.in_order(hashes.copy())


def murmurs(texts: StringColumn, seed: int = -1) -> NDArray[np.int32]:
    """The hash of each key, a signed number."""
    found = np.full(len(texts.offsets) - 1, seed & 0xFFFFFFFF, np.uint32)
    for low in range(0, len(found), BLOCK_ROWS):
        part = key_block(texts, low, min(low + BLOCK_ROWS, len(found)))
        hashes = found[low : low + BLOCK_ROWS].copy()
        part.stir(hashes)
        found[low : low + BLOCK_ROWS] = part.in_order(hashes)
    return found.view(np.int32)


def _word_columns(starts: Offsets, counts: Offsets, data: Bytes8) -> Sequence[Hashes]:
    """Word by word, those of the keys that have so many; keys descend by their number of words."""
    if not len(counts):
        return []
    most, least = int(counts[0]), int(counts[-1])
    # what all keys have is taken in one go, a key at a time
    width = least * _WORD
    begin, end = int(starts[0]), int(starts[0]) + width * len(starts)
    if end <= len(data) and (starts[1:] - starts[:-1] == width).all():  # side by side
        common = data[begin:end].reshape(len(starts), width)
    else:
        common = windows(data, starts, width)
    words = common.view("<u4").reshape(len(counts), least)
    columns = list(_mixed(np.array(words.T, np.uint32, order="C")))
    for word in range(least, most):
        having = int(np.searchsorted(-counts, -word, side="left"))
        found = windows(data, starts[:having], _WORD, word * _WORD).view("<u4").reshape(-1)
        columns.append(_mixed(found.astype(np.uint32)))
    return columns


def _mixed(words: Hashes) -> Hashes:
    words *= _FACTOR
    words ^= words >> _MIX
    words *= _FACTOR
    return words


def _tails(ends: Offsets, rest: Offsets, data: Bytes8) -> Hashes:
    """The one to three bytes after the last word as one number: each counts as signed, the very last one as the lowest."""
    tails = np.zeros(len(ends), np.uint32)
    for back in range(1, _WORD):
        rows = np.flatnonzero(rest >= back)
        signed = data[ends[rows] - back].view(np.int8).astype(np.int32).view(np.uint32)
        tails[rows] ^= signed << np.uint32(8 * (back - 1))
    return tails
