"""Texts as numbers in their order: their ranks among each other, and their places among a few literals.

Nothing here compares texts one by one: all texts are compared by their first eight bytes, and only those that are equal
so far by the next eight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import WORD, ByteStrings, WordReader, common_prefix

Ranks32 = NDArray[np.int32]
Ints = NDArray[np.int64]


def ranks(texts: ByteStrings) -> tuple[Ranks32, Ranks32]:
    """The rank of each text, and the place of one text of each rank. Equal texts share a rank, which counts from 0."""
    reader = WordReader(texts, common_prefix(texts))
    words, sizes = reader.read(0)
    order: Ints = np.argsort(words)
    sizes = sizes[order]
    begins = _changes(words[order])
    # Words that are equal may belong to texts that differ: to short ones of different sizes, or further on.
    at = _in_runs(begins)
    word = 0
    while len(at):
        group = np.cumsum(begins, dtype=np.int64)[at]
        found, size = reader.read(word, order[at])
        dense = _dense(found)
        # One number that sorts as (group, word, size) does.
        within = np.argsort((group * (int(dense.max()) + 1) + dense) * (WORD + 1) + size)
        order[at] = order[at][within]
        group, dense, size = group[within], dense[within], size[within]
        differs = _changes(group) | _changes(dense) | _changes(size)
        begins[at] |= differs
        at = at[_in_runs(differs, also=size == WORD)]
        word += 1
    numbers = np.cumsum(begins, dtype=np.int32) - np.int32(1)
    found_ranks = np.empty(len(texts), np.int32)
    found_ranks[order] = numbers
    return found_ranks, order[begins].astype(np.int32)


def _changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; the first does."""
    found = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def _in_runs(begins: NDArray[np.bool_], also: NDArray[np.bool_] | None = None) -> Ints:
    """The places in runs of more than one, given where runs begin."""
    alone = begins.copy()
    alone[:-1] &= begins[1:]
    wanted = ~alone if also is None else ~alone & also
    return np.flatnonzero(wanted)


def _dense(values: NDArray[np.uint64]) -> Ints:
    """Ranks of the values: equal values share one, no number is left out."""
    order = np.argsort(values)
    found = np.empty(len(values), np.int64)
    found[order] = np.cumsum(_changes(values[order])) - 1
    return found


def places(texts: ByteStrings, literals: Sequence[bytes]) -> Ranks32:
    """The place of each text among literals (distinct, ascending): 2 i + 1 when it is literal i, else 2 i with i below it."""
    found = np.zeros(len(texts), np.int32)
    if literals:
        _place(WordReader(texts), None, WordReader(ByteStrings.from_list(literals)), np.arange(len(literals)), 0, found)
    return found


def _place(reader: WordReader, at: Any, of: WordReader, literals: Ints, word: int, found: Ranks32) -> None:
    """Places the texts at `at` (all for None) among the given literals; they share all words before `word`."""
    words, sizes = reader.read(word, at)
    wanted, wanted_sizes = of.read(word, literals)
    begin, equal = _begins(words, wanted)
    base = int(literals[0])
    found[... if at is None else at] = 2 * (base + begin)
    for first in np.flatnonzero(_changes(wanted)).tolist() if len(equal) else ():
        same = equal[begin[equal] == first]
        if not len(same):
            continue
        rivals = np.flatnonzero(wanted == wanted[first])
        # Among texts with the same word the shorter comes first; those that go on are told apart by their next word.
        ended = rivals[wanted_sizes[rivals] < WORD]
        below = np.searchsorted(wanted_sizes[ended], sizes[same])
        meets = np.append(wanted_sizes[ended], np.uint8(WORD + 1))[below] == sizes[same]
        tied = same if at is None else at[same]
        found[tied] = 2 * (base + first + below) + meets
        longer = rivals[len(ended) :]
        goes_on = tied[sizes[same] == WORD]
        if len(longer) and len(goes_on):
            _place(reader, goes_on, of, literals[longer], word + 1, found)


_MAX_SCANNED_WORDS = 4
"""Up to so many words are compared one after the other, more are searched."""


def _begins(words: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> tuple[NDArray[Any], Ints]:
    """For each word how many of the wanted ones, which ascend, are below it; and the places of words that are wanted."""
    if len(wanted) > _MAX_SCANNED_WORDS:
        begin = np.searchsorted(wanted, words)
        return begin, np.flatnonzero(wanted[np.minimum(begin, len(wanted) - 1)] == words)
    few = (words > wanted[0]).astype(np.int32)
    equal: NDArray[np.bool_] = words == wanted[0]
    for other in wanted[1:]:
        few += words > other
        equal |= words == other
    return few, np.flatnonzero(equal)
