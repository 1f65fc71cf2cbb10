"""Keys in ascending order, and which run of them lies between two bounds. Rules INDEX-3, INDEX-4.

Each file asks for one run of the sorted keys: 10,000 files are 20,000 searches, whatever the number of keys and however much
their ranges overlap. Strings are compared eight bytes at a time, as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import WORD, ByteStrings, WordReader, common_prefix
from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import take_strings

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SortedKeys:
    """Keys by their bytes. `order` has for each the row of the column it came from; equal keys stand in any order."""

    column: StringColumn
    order: Numbers
    _skip: int
    """Bytes that all keys begin with."""
    _words: Words
    """The eight bytes after those, of each key, ascending."""

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def texts(self) -> StringColumn:
        """The keys in order."""
        return take_strings(self.column, self.order)

    def runs(self, low: ByteStrings, high: ByteStrings) -> tuple[Numbers, Numbers]:
        """For each pair of bounds, both inclusive, where the keys between them start and stop; an empty run for none."""
        starts, stops = self._search(low, after=False), self._search(high, after=True)
        return starts, np.maximum(starts, stops)

    def _search(self, bounds: ByteStrings, *, after: bool) -> Numbers:
        """For each bound, how many keys are below it; with `after` how many are not above it."""
        side = _against(bounds, self.column, self._skip)
        words, _ = WordReader(bounds, self._skip).read(0)
        low = np.searchsorted(self._words, words, "left").astype(np.int64)
        high = np.searchsorted(self._words, words, "right").astype(np.int64)
        low[side < 0], high[side < 0] = 0, 0
        low[side > 0], high[side > 0] = len(self), len(self)
        self._bisect(bounds, low, high, after)
        return low

    def _bisect(self, bounds: ByteStrings, low: Numbers, high: Numbers, after: bool) -> None:
        """Narrows each bound's places down to one, in `low`, where the first words do not tell."""
        keys = (
            WordReader(ByteStrings(self.column.offsets, self.column.data), self._skip) if (low < high).any() else None
        )
        asked = WordReader(bounds, self._skip)
        open_bounds = np.flatnonzero(low < high)
        while len(open_bounds) and keys is not None:
            middle = (low[open_bounds] + high[open_bounds]) // 2
            sign = _compared(keys, self.order[middle], asked, open_bounds)
            below = sign <= 0 if after else sign < 0
            low[open_bounds] = np.where(below, middle + 1, low[open_bounds])
            high[open_bounds] = np.where(below, high[open_bounds], middle)
            open_bounds = open_bounds[low[open_bounds] < high[open_bounds]]


def sorted_keys(texts: StringColumn) -> SortedKeys:
    """The keys of a column without nulls, in order."""
    whole = ByteStrings(texts.offsets, texts.data)
    skip = common_prefix(whole)
    reader = WordReader(whole, skip)
    words, _ = reader.read(0)
    order = np.argsort(words)
    words = words[order]
    tied = words[1:] == words[:-1]
    if tied.any():
        _settle(reader, order, tied)
    return SortedKeys(texts, order, skip, words)


def _settle(reader: WordReader, order: Numbers, tied: NDArray[np.bool_]) -> None:
    """Brings keys whose first words are equal into order, word by word. `tied` tells which are equal to the next one."""
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
        same = (words[1:] == words[:-1]) & (groups[1:] == groups[:-1]) & (sizes[1:] == WORD) & (sizes[:-1] == WORD)
        member = np.append(same, False)
        member[1:] |= same
        starts = np.append(True, ~same)[member]
        places = places[member]


def _against(bounds: ByteStrings, keys: StringColumn, skip: int) -> NDArray[np.int8]:
    """Where each bound stands to what all keys begin with: below all keys (-1), above all (1), or among them (0)."""
    found = np.zeros(len(bounds), np.int8)
    if not len(keys.offsets) - 1 or not skip:
        return found
    begin = int(keys.offsets[0])
    prefix = WordReader(ByteStrings(np.array([0, skip], np.int64), keys.data[begin : begin + skip]))
    reader = WordReader(bounds)
    left = np.arange(len(bounds))
    for word in range(-(-skip // WORD)):
        ((ours,), (size,)) = prefix.read(word)
        theirs, sizes = reader.read(word, left)
        cut = np.uint64(8 * (WORD - int(size)))
        theirs = theirs >> cut << cut
        short = sizes < size
        found[left[theirs > ours]] = 1
        found[left[(theirs < ours) | ((theirs == ours) & short)]] = -1
        left = left[(theirs == ours) & ~short]
    return found


def _compared(left: WordReader, left_rows: Numbers, right: WordReader, right_rows: Numbers) -> NDArray[np.int8]:
    """-1, 0 or 1 for each pair of strings."""
    found = np.zeros(len(left_rows), np.int8)
    pairs = np.arange(len(left_rows))
    word = 0
    while len(pairs):
        ours, sizes = left.read(word, left_rows[pairs])
        theirs, others = right.read(word, right_rows[pairs])
        found[pairs] = (ours > theirs).astype(np.int8) - (ours < theirs)
        same = ours == theirs
        found[pairs[same]] = (sizes[same] > others[same]).astype(np.int8) - (sizes[same] < others[same])
        pairs = pairs[same & (sizes == WORD) & (others == WORD)]
        word += 1
    return found
