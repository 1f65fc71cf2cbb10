"""Texts as numbers in their order: their ranks among each other, and their places among a few literals.

Nothing here compares texts one by one: all texts are compared by their first eight bytes, and only those that are equal
so far by the next eight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Numbers32, Octets, Words64
from hudi_core.columns.byte_strings import WORD, ByteStrings, WordReader, common_prefix


def ranks(texts: ByteStrings) -> tuple[Numbers32, Numbers32]:
    """The rank of each text, and the place of one text of each rank. Equal texts share a rank, which counts from 0."""
    order, begins = order_texts(texts)
    numbers = np.cumsum(begins, dtype=np.int32) - np.int32(1)
    ranks = np.empty(len(texts), np.int32)
    ranks[order] = numbers
    return ranks, order[begins].astype(np.int32)


def order_texts(texts: ByteStrings) -> tuple[Numbers, Bools]:
    """The places of texts in ascending order, those of equal ones in any; and which of them differ from the one before. There is
    a text at least."""
    reader = WordReader(texts, common_prefix(texts))
    words, sizes = reader.read(0)
    order: Numbers = np.argsort(words)
    sizes = sizes[order]
    begins = _changes(words[order])
    # Words that are equal may belong to texts that differ: to short ones of different sizes, or further on.
    rows = _in_runs(begins)
    word = 0
    while len(rows):
        group = np.cumsum(begins, dtype=np.int64)[rows]
        next_words, size = reader.read(word, order[rows])
        dense = _dense(next_words)
        # One number that sorts as (group, word, size) does.
        within = np.argsort((group * (int(dense.max()) + 1) + dense) * (WORD + 1) + size)
        order[rows] = order[rows][within]
        group, dense, size = group[within], dense[within], size[within]
        differs = _changes(group) | _changes(dense) | _changes(size)
        begins[rows] |= differs
        rows = rows[_in_runs(differs, also=size == WORD)]
        word += 1
    return order, begins


def _changes(values: NDArray[Any]) -> Bools:
    """Where a value differs from the one before it; the first does."""
    changes = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


def _in_runs(begins: Bools, also: Bools | None = None) -> Numbers:
    """The places in runs of more than one, given where runs begin."""
    alone = begins.copy()
    alone[:-1] &= begins[1:]
    wanted = ~alone if also is None else ~alone & also
    return np.flatnonzero(wanted)


def _dense(values: Words64) -> Numbers:
    """Ranks of the values: equal values share one, no number is left out."""
    order = np.argsort(values)
    dense = np.empty(len(values), np.int64)
    dense[order] = np.cumsum(_changes(values[order])) - 1
    return dense


def places(texts: ByteStrings, literals: Sequence[bytes]) -> Numbers32:
    """The place of each text among literals (distinct, ascending): 2 i + 1 when it is literal i, else 2 i with i below it."""
    reader = WordReader(texts)
    return _place(reader, reader.read(0), LiteralWords.from_list(literals))


def place_bounds(lower: ByteStrings, upper: ByteStrings, among: LiteralWords) -> tuple[Numbers32, Numbers32, Bools]:
    """The places of lower and upper bounds among literals, and whether each lower bound is at most its upper one.

    Two bounds may have one place in either order.
    """
    readers = WordReader(lower), WordReader(upper)
    heads = [reader.read(0) for reader in readers]
    first, last = (_place(reader, head, among) for reader, head in zip(readers, heads, strict=True))
    return first, last, _at_most(readers, heads)


def at_most(left: ByteStrings, right: ByteStrings) -> Bools:
    """Whether each text on the left sorts at or before the one at the same place on the right."""
    readers = WordReader(left), WordReader(right)
    return _at_most(readers, [reader.read(0) for reader in readers])


def _at_most(readers: tuple[WordReader, WordReader], heads: Sequence[_WordsAndSizes]) -> Bools:
    (words, sizes), (others, other_sizes) = heads
    result: Bools = words <= others
    # Words that are equal end the comparison where a text ends; the shorter text comes first.
    rows = np.flatnonzero(words == others)
    sizes, other_sizes = sizes[rows], other_sizes[rows]
    word = 0
    while len(rows):
        result[rows] = sizes <= other_sizes
        rows = rows[(sizes == WORD) & (other_sizes == WORD)]
        word += 1
        (words, sizes), (others, other_sizes) = (reader.read(word, rows) for reader in readers)
        result[rows] = words <= others
        tied = words == others
        rows, sizes, other_sizes = rows[tied], sizes[tied], other_sizes[tied]
    return result


_WordsAndSizes = tuple[Words64, Octets]


@dataclass(frozen=True, slots=True, eq=False)
class LiteralWords:
    """Literals by their words, and the words that they begin with."""

    count: int
    reader: WordReader
    heads: Words64

    @staticmethod
    def from_list(literals: Sequence[bytes]) -> LiteralWords:
        """The words of distinct literals, which ascend."""
        reader = WordReader(ByteStrings.from_list(literals))
        return LiteralWords(len(literals), reader, reader.read(0)[0])


def _place(reader: WordReader, head: _WordsAndSizes, among: LiteralWords) -> Numbers32:
    """The places of texts whose first words are `head`."""
    if not among.count:
        return np.zeros(len(head[0]), np.int32)
    below, rows = _begins(head[0], among.heads)
    result: Numbers32 = below.astype(np.int32, copy=False)
    result *= 2
    if len(rows):
        _place_by_words(reader, rows, among, result)
    return result


def _place_by_words(reader: WordReader, rows: Numbers, among: LiteralWords, result: Numbers32) -> None:
    """Places the texts in `rows`, each of which begins with the first word of a literal.

    Word by word, all at once: literals that have all words so far in common are a group, and each text is left in one.
    """
    literals = np.arange(among.count)
    groups, group_of = np.zeros(among.count, np.int64), np.zeros(len(rows), np.int64)
    word = 0
    while len(rows):
        words, sizes = reader.read(word, rows)
        wanted, wanted_sizes = among.reader.read(word, literals)
        distinct = np.unique(wanted)
        places = np.searchsorted(distinct, words)
        exact = distinct[np.minimum(places, len(distinct) - 1)] == words
        # One number that sorts as (group, word, size) does; a word that no literal has lies between two that have numbers.
        span = 2 * len(distinct) + 1
        of_texts = (group_of * span + 2 * places + exact) * (WORD + 1) + sizes
        of_literals = (groups * span + 2 * np.searchsorted(distinct, wanted) + 1) * (WORD + 1) + wanted_sizes
        below = np.searchsorted(of_literals, of_texts)
        same = of_literals[np.minimum(below, len(literals) - 1)] == of_texts
        # The literals of a group follow each other, here and among all.
        starts = np.flatnonzero(_changes(groups))
        ended = same & (sizes < WORD)
        result[rows] = 2 * (below + (literals[starts] - starts)[group_of]) + ended
        going_on = same & ~ended
        rows, of_texts = rows[going_on], of_texts[going_on]
        longer = wanted_sizes == WORD
        literals, of_literals = literals[longer], of_literals[longer]
        begins = _changes(of_literals)
        groups = np.cumsum(begins) - 1
        group_of = np.searchsorted(of_literals[begins], of_texts)
        word += 1


_MAX_SCANNED_WORDS = 4
"""Up to so many words are compared one after the other, more are searched."""


def _begins(words: Words64, wanted: Words64) -> tuple[NDArray[Any], Numbers]:
    """For each word how many of the wanted ones, which ascend, are below it; and the places of words that are wanted."""
    if len(wanted) > _MAX_SCANNED_WORDS:
        begin = np.searchsorted(wanted, words)
        return begin, np.flatnonzero(wanted[np.minimum(begin, len(wanted) - 1)] == words)
    few = (words > wanted[0]).astype(np.int32)
    equal: Bools = words == wanted[0]
    for other in wanted[1:]:
        few += words > other
        equal |= words == other
    return few, np.flatnonzero(equal)
