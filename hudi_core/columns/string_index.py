"""In which rows of one column the strings of another are: an index over one column, searched with whole columns.

Strings are equal when their bytes are. Words64 only find candidates; every result is compared byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers, Octets, Offsets, Words64
from hudi_core.columns.nodes import BinaryColumn, StringColumn
from hudi_core.columns.spans import gather, windows
from hudi_core.columns.strings import take_strings
from hudi_core.parallel.ordered import in_order

BLOCK_ROWS = 1 << 14
"""Rows hashed and looked up together: what is made for them stays in the second-level cache."""

_PART: Final = 8 * BLOCK_ROWS
"""Rows that a thread looks up in one go."""

LONG = 512
"""Bytes above which a string is hashed as the string of its parts' hashes, so that it does not hold up the others."""

FILTER_SLOTS_PER_STRING: Final = 16
"""Places of the filter for each string of the index: one in sixteen foreign strings passes it."""

_MIN_FILTER_SIZE: Final = 1 << 15
"""Places of the filter of a small index: they still fit the first-level cache."""

_SAMPLE_SIZE, _MAX_WORD_END = 64, 32
"""Strings sampled to choose the filter's word, and the bytes before their ends in which it may lie."""

_FIRST: Final = np.uint64(0x9E3779B97F4A7C15)
_SECOND: Final = np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
_WORD: Final = 8
_BYTE: Final = np.uint64(8)
_ABOVE: Final = np.uint64(2**64 - 1)
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class StringIndex:
    """The distinct strings of a column, ready to be looked up. Built by `index_strings`; many threads may search it."""

    strings: StringColumn | BinaryColumn
    first: Numbers
    """For each row the first row with the same text; -1 for null."""
    _word_end: int
    """Bytes from the end of the filter's word, which rules most other strings out, to the end of a string."""
    _filter: Bools
    """For each hash of that word, whether an indexed string has it."""
    _starts: Numbers
    """Where the strings of each place of the table begin in `_rows`: a place is the top bits of a hash."""
    _rows: Numbers
    """The first rows of the distinct strings, by hash."""
    _hashes: Words64
    """The top bits of their hashes, ascending, and behind them a number that is above all of these."""
    _top: np.uint64
    """Which bits of a hash those are."""

    @property
    def distinct(self) -> int:
        """How many different strings there are."""
        return len(self._rows)

    def find(self, strings: StringColumn | BinaryColumn) -> Numbers:
        """For each string, the first row of the indexed column that has it; -1 for null and where there is none."""
        count = len(strings.offsets) - 1
        first_rows = np.full(count, -1, np.int64)
        if len(self._rows) == 0 or count == 0:
            return first_rows
        candidates = np.concatenate([self._candidates(strings, start) for start in range(0, count, BLOCK_ROWS)])
        for start in range(0, len(candidates), BLOCK_ROWS):
            self._look_up(strings, candidates[start : start + BLOCK_ROWS], first_rows)
        return first_rows

    def _candidates(self, strings: StringColumn | BinaryColumn, start: int) -> Numbers:
        """Which rows, of a block of them, the filter lets pass."""
        offsets = strings.offsets[start : start + BLOCK_ROWS + 1]
        passes = self._filter.take(
            _word_places(offsets[:-1], np.diff(offsets), strings.data, self._word_end, len(self._filter))
        )
        if strings.validity is not None:
            passes &= strings.validity[start : start + BLOCK_ROWS]
        return start + np.flatnonzero(passes)

    def _look_up(self, strings: StringColumn | BinaryColumn, rows: Numbers, first_rows: Numbers) -> None:
        """Sets `first_rows` of some rows, which ascend."""
        starts = strings.offsets[rows]
        hashes = _block_hashes(starts, strings.offsets[rows + 1] - starts, strings.data) & self._top
        places = self._starts[_places(hashes, len(self._starts))]
        while (behind := self._hashes[places] < hashes).any():
            places += behind
        while len(rows):  # once, unless different strings have one hash
            equal_hash = np.flatnonzero(self._hashes[places] == hashes)
            rows, places, hashes = rows[equal_hash], places[equal_hash], hashes[equal_hash]
            indexed_rows = self._rows[places]
            equal = equal_strings(strings, rows, self.strings, indexed_rows)
            first_rows[rows[equal]] = indexed_rows[equal]
            unequal = np.flatnonzero(~equal)
            rows, places, hashes = rows[unequal], places[unequal] + 1, hashes[unequal]


def index_strings(strings: StringColumn | BinaryColumn) -> StringIndex:
    """The index of a column's strings; time and memory grow with its rows (about 60 bytes a row)."""
    hashes = hash_strings(strings)
    count = len(hashes)
    # The row in place of the lowest bits, so that sorting numbers puts rows with one hash in their order.
    low_bits = np.uint64((1 << count.bit_length()) - 1)
    hashes = (hashes & ~low_bits) | np.arange(count, dtype=np.uint64)
    if strings.validity is not None:
        hashes = hashes[strings.validity]
    hashes.sort()
    by_hash = (hashes & low_bits).view(np.int64)
    hashes &= ~low_bits
    first = np.full(count, -1, np.int64)
    first[by_hash] = by_hash
    tied = hashes[1:] == hashes[:-1]
    if tied.any():
        _settle(strings, by_hash, hashes, tied, first)
        own = first[by_hash] == by_hash
        by_hash, hashes = by_hash[own], hashes[own]
    starts = np.zeros(1 << max(1, (2 * len(by_hash)).bit_length()), np.int64)
    np.cumsum(np.bincount(_places(hashes, len(starts)), minlength=len(starts))[:-1], out=starts[1:])
    word_end, word_filter = _word_filter(strings, len(by_hash))
    return StringIndex(strings, first, word_end, word_filter, starts, by_hash, np.append(hashes, _ABOVE), ~low_bits)


def _word_filter(strings: StringColumn | BinaryColumn, distinct: int) -> tuple[int, Bools]:
    """Bytes from the end of the word in which most of these strings differ to their ends; and the filter of its hashes."""
    starts, lengths = strings.offsets[:-1], np.diff(strings.offsets)
    if strings.validity is not None:
        starts, lengths = starts[strings.validity], lengths[strings.validity]
    word_filter = np.zeros(max(_MIN_FILTER_SIZE, 1 << (FILTER_SLOTS_PER_STRING * distinct).bit_length()), np.bool_)
    word_end = _distinguishing_word(starts, lengths, strings.data)
    for start in range(0, len(starts), BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        word_filter[_word_places(starts[part], lengths[part], strings.data, word_end, len(word_filter))] = True
    return word_end, word_filter


def _distinguishing_word(starts: Offsets, lengths: Offsets, data: Octets) -> int:
    """How far before the end of these strings the word ends in which most of some of them differ.

    Either all strings have it whole, or it is the last one: so a string with another word is none of them.
    """
    some = slice(None, None, max(1, len(starts) // _SAMPLE_SIZE))
    best_end, most_distinct = 0, 0
    for word_end in range(0, max(1, int(lengths.min(initial=_MAX_WORD_END)) - _WORD + 1), _WORD):
        words = _last_words(starts[some], lengths[some], data, word_end).tolist()
        distinct = len(set(words))
        if distinct > most_distinct:
            best_end, most_distinct = word_end, distinct
        if distinct == len(words):
            break
    return best_end


def first_rows(strings: StringColumn | BinaryColumn) -> Numbers:
    """For each row the first row with the same string, as `StringIndex.first`; faster where strings are few. None is null."""
    count = len(strings.offsets) - 1
    index = index_strings(replace(strings, offsets=strings.offsets[: BLOCK_ROWS + 1]))
    parts = [replace(strings, offsets=strings.offsets[start : start + _PART + 1]) for start in range(0, count, _PART)]
    firsts = np.concatenate([np.zeros(0, np.int64), *in_order(index.find, parts)])
    others = np.flatnonzero(firsts < 0)
    if len(others):
        starts = strings.offsets[others]
        offsets, data = gather(strings.data, starts, strings.offsets[others + 1] - starts)
        firsts[others] = others[index_strings(StringColumn(offsets, data)).first]
    return firsts


def _settle(
    strings: StringColumn | BinaryColumn,
    by_hash: Numbers,
    hashes: Words64,
    tied: Bools,
    first: Numbers,
) -> None:
    """Sets `first` of rows that share a hash with others. `tied` flags those that share it with the next one."""
    member = np.append(tied, False)
    member[1:] |= tied
    rows, hashes = by_hash[member], hashes[member]
    while len(rows):  # once, unless different strings have one hash
        begins = np.concatenate([[True], hashes[1:] != hashes[:-1]])
        heads = rows[np.flatnonzero(begins)][np.cumsum(begins) - 1]
        same = equal_strings(strings, rows, strings, heads)
        first[rows[same]] = heads[same]
        rows, hashes = rows[~same], hashes[~same]


def without(rows: StringColumn, others: StringColumn) -> StringColumn:
    """The strings that are not among others."""
    if len(rows.offsets) == 1 or len(others.offsets) == 1:
        return rows
    return take_strings(rows, np.flatnonzero(index_strings(others).find(rows) < 0))


def hash_strings(strings: StringColumn | BinaryColumn) -> Words64:
    """A 64-bit hash of each row's bytes: equal for equal strings in one version of this library, not to be stored."""
    return _hashes(strings.offsets, strings.data)


def equal_strings(
    left: StringColumn | BinaryColumn,
    left_rows: Numbers,
    right: StringColumn | BinaryColumn,
    right_rows: Numbers,
) -> Bools:
    """For each pair of rows, whether their bytes are the same; nulls are empty."""
    same = np.empty(len(left_rows), np.bool_)
    for start in range(0, len(same), BLOCK_ROWS):
        chosen = slice(start, start + BLOCK_ROWS)
        same[chosen] = _same_block(left, left_rows[chosen], right, right_rows[chosen])
    return same


def _same_block(
    left: StringColumn | BinaryColumn,
    left_rows: Numbers,
    right: StringColumn | BinaryColumn,
    right_rows: Numbers,
) -> Bools:
    starts, others = left.offsets[left_rows], right.offsets[right_rows]
    lengths = left.offsets[left_rows + 1] - starts
    equal: Bools = lengths == right.offsets[right_rows + 1] - others
    if int(lengths.max(initial=0)) <= _WORD <= min(len(left.data) - starts.max(), len(right.data) - others.max()):
        masks = _MASKS[lengths]
        equal &= _words(left.data, starts, 0) & masks == _words(right.data, others, 0) & masks
        return equal
    length = int(lengths[0]) if len(lengths) else 0
    if _WORD <= length <= LONG and equal.all() and (lengths == length).all():
        left_bytes, right_bytes = windows(left.data, starts, length), windows(right.data, others, length)
        for offset in (*range(0, length - _WORD, _WORD), length - _WORD):
            equal &= _row_words(left_bytes, offset) == _row_words(right_bytes, offset)
        return equal
    checked = np.flatnonzero(equal & (lengths > 0))
    if len(checked):
        offsets, left_bytes = gather(left.data, starts[checked], lengths[checked])
        differing = np.flatnonzero(left_bytes != gather(right.data, others[checked], lengths[checked])[1])
        equal[checked[np.searchsorted(offsets, differing, side="right") - 1]] = False
    return equal


def _places(hashes: Words64, count: int) -> Numbers:
    """The places of hashes, by their top bits, among so many, a power of two."""
    return (hashes >> _below(count)).view(np.int64)


def _below(count: int) -> np.uint64:
    """How many bits of a hash are below those that number one of so many places, a power of two."""
    return np.uint64(64 - (count.bit_length() - 1))


def _hashes(offsets: Offsets, data: Octets) -> Words64:
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for start in range(0, len(hashes), BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, len(hashes))
        hashes[start:stop] = _block_hashes(offsets[start:stop], np.diff(offsets[start : stop + 1]), data)
    return hashes


def _word_places(starts: Offsets, lengths: Offsets, data: Octets, back: int, count: int) -> Numbers:
    """The places, among so many, of the words that end `back` bytes before the end of strings; these ascend."""
    words = _last_words(starts, lengths, data, back) * _FIRST
    words >>= _below(count)
    return words.view(np.int64)


def _last_words(starts: Offsets, lengths: Offsets, data: Octets, back: int) -> Words64:
    """The eight bytes before the last `back` bytes of strings, which ascend: the first eight of strings that have fewer."""
    if len(starts) == 0:
        return np.empty(0, np.uint64)
    max_length, min_length = int(lengths.max()), int(lengths.min())
    end = max_length - back
    if end >= _WORD and _side_by_side(starts, max_length, min_length):
        return _row_words(_rows(starts, max_length, data), end - _WORD)
    starts = np.maximum(starts, starts + lengths - (back + _WORD))
    if min_length >= _WORD:
        return _words(data, starts, 0)
    starts, data = _with_room(starts, lengths, data)
    return _words(data, starts, 0) & _MASKS[np.minimum(lengths, _WORD)]


def _side_by_side(starts: Offsets, max_length: int, min_length: int) -> bool:
    """Whether ascending strings are of one length, and nothing is between them."""
    return min_length == max_length and int(starts[-1]) - int(starts[0]) == max_length * (len(starts) - 1)


def _rows(starts: Offsets, length: int, data: Octets) -> Octets:
    """Strings that are side by side, a row each."""
    first = int(starts[0])
    return data[first : first + length * len(starts)].reshape(-1, length)


def _with_room(starts: Offsets, lengths: Offsets, data: Octets) -> tuple[Offsets, Octets]:
    """Where ascending strings begin, in data that goes on for a word behind the last of them."""
    end = int(starts[-1] + lengths[-1])
    if end + _WORD <= len(data):
        return starts, data
    first = int(starts[0])
    return starts - first, np.concatenate([data[first:end], np.zeros(_WORD, np.uint8)])


def _block_hashes(starts: Offsets, lengths: Offsets, data: Octets) -> Words64:
    """The hashes of strings, which ascend."""
    hashes = lengths.astype(np.uint64) * _SECOND
    max_length, min_length = int(lengths.max(initial=0)), int(lengths.min(initial=LONG))
    if _WORD <= min_length == max_length <= LONG:
        side_by_side = _side_by_side(starts, max_length, min_length)
        _stir_rows(hashes, _rows(starts, max_length, data) if side_by_side else windows(data, starts, max_length))
        return hashes
    if max_length > LONG:
        long_rows = np.flatnonzero(lengths > LONG)
        hashes[long_rows] ^= _of_parts(starts[long_rows], lengths[long_rows], data)
        lengths = np.where(lengths > LONG, 0, lengths)
        max_length = int(lengths.max())
    if max_length == 0:
        return hashes
    starts, data = _with_room(starts, lengths, data)  # last words are read beyond the end
    min_length = int(lengths.min())
    for offset in range(0, max_length, _WORD):
        if offset < min_length:
            word = _words(data, starts, offset)
            if offset + _WORD > min_length:
                word &= _MASKS[np.minimum(lengths - offset, _WORD)]
            _stir(hashes, word)
            continue
        rows = np.flatnonzero(lengths > offset)
        word = _words(data, starts[rows], offset) & _MASKS[np.minimum(lengths[rows] - offset, _WORD)]
        part = hashes[rows]
        _stir(part, word)
        hashes[rows] = part
    return hashes


def _words(data: Octets, starts: Offsets, offset: int) -> Words64:
    return windows(data, starts, _WORD, offset).view("<u8").reshape(-1)


def _stir_rows(hashes: Words64, rows: Octets) -> None:
    """`_stir` of strings of one length, which stand side by side: a row each, of eight bytes at least."""
    width = rows.shape[1]
    for offset in range(0, width - _WORD + 1, _WORD):
        _stir(hashes, _row_words(rows, offset))
    if rest := width % _WORD:
        _stir(hashes, _row_words(rows, width - _WORD) >> _BYTE * np.uint64(_WORD - rest))


def _row_words(rows: Octets, offset: int) -> Words64:
    """The eight bytes of each row from a place on."""
    return rows[:, offset : offset + _WORD].view("<u8")[:, 0]


def _stir(hashes: Words64, words: Words64) -> None:
    """Every step is a bijection of the hash, so that strings which differ in one word have different hashes."""
    hashes ^= words
    hashes *= _FIRST
    hashes ^= hashes >> _HALF
    hashes *= _SECOND


def _of_parts(starts: Offsets, lengths: Offsets, data: Octets) -> Words64:
    """Words64 of long strings: each is cut into parts, and the hashes of its parts are a string again."""
    parts = -(-lengths // LONG)
    ends = np.cumsum(parts)
    within = np.arange(int(ends[-1])) - np.repeat(ends - parts, parts)
    offsets, copied = gather(data, starts, lengths)
    bounds = np.append(np.repeat(offsets[:-1], parts) + within * LONG, offsets[-1])
    inner = _hashes(bounds, copied)
    return _hashes(np.concatenate([[0], ends]) * _WORD, inner.astype("<u8").view(np.uint8))
