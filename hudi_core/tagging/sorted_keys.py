"""Keys in ascending order, and which run of them lies between two bounds. Rules INDEX-3, INDEX-4.

Each file has one run of the sorted keys: 10,000 files are 20,000 searches, whatever the number of keys and however much
their ranges overlap. Strings are compared eight bytes at a time, as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Words64
from hudi_core.columns.byte_strings import WORD, ByteStrings, WordReader, common_prefix
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings


@dataclass(frozen=True, eq=False)
class SortedKeys:
    """Keys by their bytes. `order` has for each the row of the column it came from; equal keys are in any order."""

    column: StringColumn
    order: Numbers
    _skip: int
    """Bytes that all keys begin with."""
    _words: Words64
    """The eight bytes after those, of each key, ascending."""

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def strings(self) -> StringColumn:
        """The keys in order."""
        return take_strings(self.column, self.order)

    def runs(self, lower: ByteStrings, upper: ByteStrings) -> tuple[Numbers, Numbers]:
        """For each pair of bounds, both inclusive, where the keys between them start and stop; an empty run for none."""
        starts, stops = self._search(lower, after=False), self._search(upper, after=True)
        return starts, np.maximum(starts, stops)

    def _search(self, bounds: ByteStrings, *, after: bool) -> Numbers:
        """For each bound, how many keys are below it; with `after` how many are not above it."""
        side = _against(bounds, self.column, self._skip)
        words, _ = WordReader(bounds, self._skip).read(0)
        starts = np.searchsorted(self._words, words, "left").astype(np.int64)
        stops = np.searchsorted(self._words, words, "right").astype(np.int64)
        starts[side < 0], stops[side < 0] = 0, 0
        starts[side > 0], stops[side > 0] = len(self), len(self)
        self._bisect(bounds, starts, stops, after)
        return starts

    def _bisect(self, bounds: ByteStrings, starts: Numbers, stops: Numbers, after: bool) -> None:
        """Narrows each bound's places down to one, in `starts`, where the first words do not decide."""
        keys = (
            WordReader(ByteStrings(self.column.offsets, self.column.data), self._skip)
            if (starts < stops).any()
            else None
        )
        bound_reader = WordReader(bounds, self._skip)
        open_bounds = np.flatnonzero(starts < stops)
        while len(open_bounds) and keys is not None:
            middle = (starts[open_bounds] + stops[open_bounds]) // 2
            order_sign = _compare(keys, self.order[middle], bound_reader, open_bounds)
            below = order_sign <= 0 if after else order_sign < 0
            starts[open_bounds] = np.where(below, middle + 1, starts[open_bounds])
            stops[open_bounds] = np.where(below, stops[open_bounds], middle)
            open_bounds = open_bounds[starts[open_bounds] < stops[open_bounds]]


def sort_keys(keys: StringColumn) -> SortedKeys:
    """The keys of a column without nulls, in order."""
    strings = ByteStrings(keys.offsets, keys.data)
    skip = common_prefix(strings)
    reader = WordReader(strings, skip)
    words, _ = reader.read(0)
    order = np.argsort(words)
    words = words[order]
    tied = words[1:] == words[:-1]
    if tied.any():
        _settle(reader, order, tied)
    return SortedKeys(keys, order, skip, words)


def _settle(reader: WordReader, order: Numbers, tied: Bools) -> None:
    """Brings keys whose first words are equal into order, word by word. `tied` marks those that are equal to the next one."""
    member = np.append(tied, False)
    member[1:] |= tied
    places = np.flatnonzero(member)
    starts = np.append(True, ~tied)[places]
    word = 0
    while len(places):
        groups = np.cumsum(starts)
        rows = order[places]
        _, sizes = reader.read(word, rows)
        word += 1
        words, _ = reader.read(word, rows)
        ranked = np.lexsort((words, groups) if (sizes == WORD).all() else (words, sizes, groups))
        order[places] = rows[ranked]
        words, sizes, groups = words[ranked], sizes[ranked], groups[ranked]
        # keys that ended in this word, and are equal so far, are the same
        equal = (words[1:] == words[:-1]) & (groups[1:] == groups[:-1]) & (sizes[1:] == WORD) & (sizes[:-1] == WORD)
        member = np.append(equal, False)
        member[1:] |= equal
        starts = np.append(True, ~equal)[member]
        places = places[member]


def _against(bounds: ByteStrings, keys: StringColumn, skip: int) -> NDArray[np.int8]:
    """Where each bound stands to what all keys begin with: below all keys (-1), above all (1), or among them (0)."""
    sides = np.zeros(len(bounds), np.int8)
    if not len(keys.offsets) - 1 or not skip:
        return sides
    first = int(keys.offsets[0])
    prefix = WordReader(ByteStrings(np.array([0, skip], np.int64), keys.data[first : first + skip]))
    reader = WordReader(bounds)
    open_bounds = np.arange(len(bounds))
    for word in range(-(-skip // WORD)):
        ((prefix_word,), (size,)) = prefix.read(word)
        words, sizes = reader.read(word, open_bounds)
        cut = np.uint64(8 * (WORD - int(size)))
        words = words >> cut << cut
        short = sizes < size
        sides[open_bounds[words > prefix_word]] = 1
        sides[open_bounds[(words < prefix_word) | ((words == prefix_word) & short)]] = -1
        open_bounds = open_bounds[(words == prefix_word) & ~short]
    return sides


def _compare(left: WordReader, left_rows: Numbers, right: WordReader, right_rows: Numbers) -> NDArray[np.int8]:
    """-1, 0 or 1 for each pair of strings."""
    signs = np.zeros(len(left_rows), np.int8)
    pairs = np.arange(len(left_rows))
    word = 0
    while len(pairs):
        left_words, left_sizes = left.read(word, left_rows[pairs])
        right_words, right_sizes = right.read(word, right_rows[pairs])
        signs[pairs] = (left_words > right_words).astype(np.int8) - (left_words < right_words)
        equal = left_words == right_words
        signs[pairs[equal]] = (left_sizes[equal] > right_sizes[equal]).astype(np.int8) - (
            left_sizes[equal] < right_sizes[equal]
        )
        pairs = pairs[equal & (left_sizes == WORD) & (right_sizes == WORD)]
        word += 1
    return signs
