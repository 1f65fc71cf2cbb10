"""Murmur2 as Hadoop has it, over whole columns of keys, round after round. Rule FORMAT-25."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hudi_core.arrays import Numbers, Octets, Offsets, Words32
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.spans import windows

BLOCK_ROWS = 1 << 14
"""Keys hashed together: their words and hashes stay in the second-level cache."""

_FACTOR = np.uint32(0x5BD1E995)
_WORD, _WORD_SHIFT = 4, 2
_MIX, _FIRST, _LAST = np.uint32(24), np.uint32(13), np.uint32(15)


class KeyBlock:
    """Some keys made ready to be hashed: their words mixed once, for all rounds.

    Keys are in descending order of their words, so that word `w` belongs to the first keys of the block; `order` is
    the position of each in the input, None when nothing moved.
    """

    def __init__(self, starts: Offsets, lengths: Offsets, data: Octets) -> None:
        counts = lengths >> _WORD_SHIFT
        self.order: Numbers | None = None
        if len(counts) and int(counts.min()) != int(counts.max()):
            self.order = np.argsort(-counts, kind="stable")
            starts, lengths, counts = starts[self.order], lengths[self.order], counts[self.order]
        self._lengths = lengths.astype(np.uint32)
        self._words = _word_columns(starts, counts, data)
        rest = lengths & (_WORD - 1)
        self._tails: Words32 | None = None
        if rest.any():
            self._tails = _tails(starts + lengths, rest, data)
            self._factors = np.where(rest > 0, _FACTOR, np.uint32(1))

    def __len__(self) -> int:
        return len(self._lengths)

    def stir(self, hashes: Words32) -> None:
        """One round, in place: seeds in, hashes out."""
        hashes ^= self._lengths
        for words in self._words:
            longer = hashes[: len(words)]
            longer *= _FACTOR
            longer ^= words
        if self._tails is not None:
            hashes ^= self._tails
            hashes *= self._factors
        hashes ^= hashes >> _FIRST
        hashes *= _FACTOR
        hashes ^= hashes >> _LAST

    def in_order(self, hashes: Words32) -> Words32:
        """What belongs to the keys of the block, in the order in which they were given."""
        if self.order is None:
            return hashes
        ordered = np.empty_like(hashes)
        ordered[self.order] = hashes
        return ordered


def key_block(keys: StringColumn, start: int, stop: int) -> KeyBlock:
    """The keys from row `start` up to row `stop`."""
    return KeyBlock(keys.offsets[start:stop], np.diff(keys.offsets[start : stop + 1]), keys.data)


def key_block_of_rows(keys: StringColumn, rows: Numbers) -> KeyBlock:
    """The keys in these rows."""
    starts = keys.offsets[rows]
    return KeyBlock(starts, keys.offsets[rows + 1] - starts, keys.data)


def hash_chain(keys: StringColumn, seed: int = 0) -> Iterator[Words32]:
    """The hashes of the keys, round after round without end; each round's seeds are the hashes of the round before."""
    block = key_block(keys, 0, len(keys.offsets) - 1)
    hashes = np.full(len(block), seed & 0xFFFFFFFF, np.uint32)
    while True:
        block.stir(hashes)
        yield block.in_order(hashes.copy())


def _word_columns(starts: Offsets, counts: Offsets, data: Octets) -> Sequence[Words32]:
    """Word by word, those of the keys that have so many; keys descend by their number of words."""
    if not len(counts):
        return []
    most_words, least_words = int(counts[0]), int(counts[-1])
    # what all keys have is taken in one go, a key at a time
    width = least_words * _WORD
    start, end = int(starts[0]), int(starts[0]) + width * len(starts)
    if end <= len(data) and (starts[1:] - starts[:-1] == width).all():  # side by side
        common = data[start:end].reshape(len(starts), width)
    else:
        common = windows(data, starts, width)
    common_words = common.view("<u4").reshape(len(counts), least_words)
    columns = list(_mix(np.array(common_words.T, np.uint32, order="C")))
    for word in range(least_words, most_words):
        count = int(np.searchsorted(-counts, -word, side="left"))
        words = windows(data, starts[:count], _WORD, word * _WORD).view("<u4").reshape(-1)
        columns.append(_mix(words.astype(np.uint32)))
    return columns


def _mix(words: Words32) -> Words32:
    words *= _FACTOR
    words ^= words >> _MIX
    words *= _FACTOR
    return words


def _tails(ends: Offsets, rest: Offsets, data: Octets) -> Words32:
    """The one to three bytes after the last word as one number: each counts as signed, the very last one as the lowest."""
    tails = np.zeros(len(ends), np.uint32)
    least, most = int(rest.min()), int(rest.max())
    for back in range(1, most + 1):
        rows = slice(None) if back <= least else np.flatnonzero(rest >= back)
        signed = data[ends[rows] - back].view(np.int8).astype(np.int32).view(np.uint32)
        tails[rows] ^= signed << np.uint32(8 * (back - 1))
    return tails
