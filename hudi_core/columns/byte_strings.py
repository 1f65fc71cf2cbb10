"""Many byte texts in two arrays, and their bytes eight at a time as numbers that sort as the bytes do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.spans import gather

WORD = 8
"""Bytes in a word."""

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ByteStrings:
    """Byte texts: text i is `data[offsets[i]:offsets[i + 1]]`; int64 and uint8, as Arrow lays out `large_binary`."""

    offsets: Ints
    data: NDArray[np.uint8]

    @staticmethod
    def from_list(texts: Sequence[bytes]) -> ByteStrings:
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        return ByteStrings(np.append(0, lengths).cumsum(), np.frombuffer(b"".join(texts), np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def take(self, numbers: NDArray[Any]) -> ByteStrings:
        """The texts at these places."""
        starts = self.offsets[numbers]
        return ByteStrings(*gather(self.data, starts, self.offsets[numbers + 1] - starts))


def concat_byte_strings(parts: Sequence[ByteStrings]) -> ByteStrings:
    """All texts of all parts, in order."""
    lengths = [np.diff(part.offsets) for part in parts]
    data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
    return ByteStrings(np.concatenate([[0], *lengths]).cumsum(), np.concatenate(data))


class WordReader:
    """The bytes of texts as big-endian words: word w of a text is its bytes from `skip + 8 w` on, zeros past its end.

    Two texts compare as their (word, size) pairs do at the first word where these differ; `size` is the number of bytes that
    the word really has, at most eight.
    """

    def __init__(self, texts: ByteStrings, skip: int = 0) -> None:
        self.starts, self.ends = texts.offsets[:-1] + skip, texts.offsets[1:]
        data = texts.data
        if len(data) < 2 * WORD:
            data = np.concatenate([data, np.zeros(2 * WORD, np.uint8)])
        self._lanes: Words = np.ndarray((len(data) - WORD + 1,), np.dtype(">u8"), data, strides=(1,))
        self._texts, self._skip = texts, skip

    @cached_property
    def _rows(self) -> NDArray[np.uint8] | None:
        """The bytes of texts of one length, a row each: they stand side by side. None for others."""
        lengths = np.diff(self._texts.offsets)
        if len(lengths) == 0 or int(lengths[0]) == 0 or (lengths != lengths[0]).any():
            return None
        begin, end = int(self._texts.offsets[0]), int(self._texts.offsets[-1])
        return self._texts.data[begin:end].reshape(len(lengths), -1)

    def read(self, word: int, at: NDArray[Any] | None = None) -> tuple[Words, NDArray[np.uint8]]:
        """The words and their sizes: of all texts, or of those at the given places."""
        begin = self._skip + WORD * word
        if at is None and self._rows is not None and begin + WORD <= self._rows.shape[1]:
            whole = self._rows[:, begin : begin + WORD].view(">u8")[:, 0].astype(np.uint64)
            return whole, np.full(len(whole), WORD, np.uint8)
        starts, ends = (self.starts, self.ends) if at is None else (self.starts[at], self.ends[at])
        first = starts + WORD * word
        size = np.minimum(np.maximum(ends - first, 0), WORD).astype(np.uint8)
        last = len(self._lanes) - 1
        if len(first) and int(first.max()) > last:  # the word at the end of the data, moved up
            at = np.minimum(first, last)
            beyond = np.minimum(first - at, WORD - 1).astype(np.uint64)
            found = self._lanes[at].astype(np.uint64) << np.uint64(8) * beyond
        else:
            found = self._lanes[first].astype(np.uint64)
        if int(size.min(initial=WORD)) < WORD:
            found &= _KEPT[size]
        return found, size


_KEPT = np.array([(2**64 - 1) >> (64 - 8 * size) << (64 - 8 * size) for size in range(WORD + 1)], np.uint64)
"""By size, which bits of a word belong to the text."""


def common_prefix(texts: ByteStrings) -> int:
    """How many bytes at the start all texts share."""
    if not len(texts):
        return 0
    shortest = int(np.diff(texts.offsets).min())
    reader = WordReader(texts)
    for word in range(-(-shortest // WORD)):
        words, _ = reader.read(word)
        differing = int(np.bitwise_or.reduce(words ^ words[0]))
        if differing:
            return min(shortest, WORD * word + (64 - differing.bit_length()) // 8)
    return shortest
