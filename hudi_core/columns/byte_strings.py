"""Many byte strings in two arrays, and their bytes eight at a time as numbers that sort as the bytes do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Numbers, Octets, Words64
from hudi_core.columns.spans import gather

WORD = 8
"""Bytes in a word."""


@dataclass(frozen=True, slots=True, eq=False)
class ByteStrings:
    """Byte strings: text i is `data[offsets[i]:offsets[i + 1]]`; int64 and uint8, as Arrow lays out `large_binary`."""

    offsets: Numbers
    data: Octets

    @staticmethod
    def from_list(values: Sequence[bytes]) -> ByteStrings:
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        return ByteStrings(np.append(0, lengths).cumsum(), np.frombuffer(b"".join(values), np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> bytes:
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def take(self, indexes: NDArray[Any]) -> ByteStrings:
        """The strings at these indexes."""
        starts = self.offsets[indexes]
        return ByteStrings(*gather(self.data, starts, self.offsets[indexes + 1] - starts))


def concat_byte_strings(parts: Sequence[ByteStrings]) -> ByteStrings:
    """All strings of all parts, in order."""
    lengths = [np.diff(part.offsets) for part in parts]
    data = [part.data[part.offsets[0] : part.offsets[-1]] for part in parts]
    return ByteStrings(np.concatenate([[0], *lengths]).cumsum(), np.concatenate(data))


class WordReader:
    """The bytes of strings as big-endian words: word w of a string is its bytes from `skip + 8 w` on, zeros past its end.

    Two strings compare as their (word, size) pairs do at the first word where these differ; `size` is the number of bytes that
    the word really has, at most eight.
    """

    def __init__(self, strings: ByteStrings, skip: int = 0) -> None:
        offsets = strings.offsets
        self.starts, self.ends = offsets[:-1] + skip if skip else offsets[:-1], offsets[1:]
        data = strings.data
        if len(data) < 2 * WORD:
            data = np.concatenate([data, np.zeros(2 * WORD, np.uint8)])
        self._lanes: Words64 = np.ndarray((len(data) - WORD + 1,), np.dtype(">u8"), data, strides=(1,))
        self._strings, self._skip = strings, skip

    @cached_property
    def _rows(self) -> Octets | None:
        """The bytes of strings of one length, a row each: they stand side by side. None for others."""
        offsets = self._strings.offsets
        start, end = int(offsets[0]), int(offsets[-1])
        size = (end - start) // max(len(self._strings), 1)
        if size == 0 or (offsets[1:] - offsets[:-1] != size).any():
            return None
        return self._strings.data[start:end].reshape(len(self._strings), size)

    def read(self, word: int, rows: NDArray[Any] | None = None) -> tuple[Words64, Octets]:
        """The words and their sizes: of all strings, or of those in `rows`."""
        offset = self._skip + WORD * word
        if rows is None and self._rows is not None and offset + WORD <= self._rows.shape[1]:
            words = self._rows[:, offset : offset + WORD].view(">u8")[:, 0].astype(np.uint64)
            return words, np.full(len(words), WORD, np.uint8)
        starts, ends = (self.starts, self.ends) if rows is None else (self.starts[rows], self.ends[rows])
        first = starts + WORD * word
        size = np.minimum(np.maximum(ends - first, 0), WORD).astype(np.uint8)
        last = len(self._lanes) - 1
        if len(first) and int(first.max()) > last:  # the word at the end of the data, moved up
            rows = np.minimum(first, last)
            beyond = np.minimum(first - rows, WORD - 1).astype(np.uint64)
            words = self._lanes[rows].astype(np.uint64) << np.uint64(8) * beyond
        else:
            words = self._lanes[first].astype(np.uint64)
        if int(size.min(initial=WORD)) < WORD:
            words &= _MASKS[size]
        return words, size


_MASKS = np.array([(2**64 - 1) >> (64 - 8 * size) << (64 - 8 * size) for size in range(WORD + 1)], np.uint64)
"""The bits of a word that belong to the string, by its size."""


def common_prefix(strings: ByteStrings) -> int:
    """How many bytes at the start all strings share."""
    if not len(strings):
        return 0
    shortest = int(np.diff(strings.offsets).min())
    reader = WordReader(strings)
    for word in range(-(-shortest // WORD)):
        words, _ = reader.read(word)
        differing = int(np.bitwise_or.reduce(words ^ words[0]))
        if differing:
            return min(shortest, WORD * word + (64 - differing.bit_length()) // 8)
    return shortest
