"""Where the texts of one column stand in another: a prepared index over one side, asked with whole columns of the other.

Texts are the same when their bytes are. Hashes only say where to look; every answer is compared byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import BinaryColumn, Bools, Bytes8, Offsets, StringColumn
from hudi_core.columns.spans import gather, windows
from hudi_core.parallel.ordered import in_order

Hashes = NDArray[np.uint64]

BLOCK_ROWS = 1 << 14
"""Rows hashed and looked up together: what is made for them stays in the second-level cache."""

_PART: Final = 8 * BLOCK_ROWS
"""Rows that a thread looks up in one go."""

LONG = 512
"""Bytes from which on a text is hashed as the text of its parts' hashes, so that one long text does not hold up the others."""

ROOM: Final = 16
"""Places of the filter for each text of the index: one in sixteen foreign texts passes it."""

_LEAST_ROOM: Final = 1 << 15
"""Places of the filter of a small index: they still fit the first-level cache."""

_LOOKED_AT, _FARTHEST = 64, 32
"""So many texts of the index tell where texts differ, in so many bytes before their ends."""

_FIRST: Final = np.uint64(0x9E3779B97F4A7C15)
_SECOND: Final = np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
_WORD: Final = 8
_BYTE: Final = np.uint64(8)
_ABOVE: Final = np.uint64(2**64 - 1)
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class StringIndex:
    """The distinct texts of a column, ready to be looked up. Made by `index_strings`; it may be asked from many threads."""

    texts: StringColumn | BinaryColumn
    first: NDArray[np.int64]
    """For each row the first row with the same text; -1 for null."""
    _back: int
    """So many bytes before the end of a text ends the word by which most foreign texts are told."""
    _filter: Bools
    """By that word, hashed, whether a text has it."""
    _starts: NDArray[np.int64]
    """Where the texts of each place of the table begin in `_rows`: a place is the top bits of a hash."""
    _rows: NDArray[np.int64]
    """The first rows of the distinct texts, by hash."""
    _hashes: Hashes
    """The top bits of their hashes, ascending, and behind them a number that is above all of these."""
    _top: np.uint64
    """Which bits of a hash those are."""

    @property
    def distinct(self) -> int:
        """How many different texts there are."""
        return len(self._rows)

    def find(self, texts: StringColumn | BinaryColumn) -> NDArray[np.int64]:
        """For each text, the first row of the indexed column that has it; -1 for null and where there is none."""
        count = len(texts.offsets) - 1
        found = np.full(count, -1, np.int64)
        if len(self._rows) == 0 or count == 0:
            return found
        asked = np.concatenate([self._may_be(texts, low) for low in range(0, count, BLOCK_ROWS)])
        for low in range(0, len(asked), BLOCK_ROWS):
            self._look_up(texts, asked[low : low + BLOCK_ROWS], found)
        return found

    def _may_be(self, texts: StringColumn | BinaryColumn, low: int) -> NDArray[np.int64]:
        """Which rows, of a block of them, the filter lets pass."""
        offsets = texts.offsets[low : low + BLOCK_ROWS + 1]
        may_be = self._filter.take(
            _word_places(offsets[:-1], np.diff(offsets), texts.data, self._back, len(self._filter))
        )
        if texts.validity is not None:
            may_be &= texts.validity[low : low + BLOCK_ROWS]
        return low + np.flatnonzero(may_be)

    def _look_up(self, texts: StringColumn | BinaryColumn, asked: NDArray[np.int64], found: NDArray[np.int64]) -> None:
        """Sets what is found of some rows, which ascend."""
        starts = texts.offsets[asked]
        hashes = _block_hashes(starts, texts.offsets[asked + 1] - starts, texts.data) & self._top
        at = self._starts[_places(hashes, len(self._starts))]
        while (behind := self._hashes[at] < hashes).any():
            at += behind
        while len(asked):  # once, unless different texts have one hash
            alike = np.flatnonzero(self._hashes[at] == hashes)
            asked, at, hashes = asked[alike], at[alike], hashes[alike]
            rows = self._rows[at]
            same = equal_strings(texts, asked, self.texts, rows)
            found[asked[same]] = rows[same]
            left = np.flatnonzero(~same)
            asked, at, hashes = asked[left], at[left] + 1, hashes[left]


def index_strings(texts: StringColumn | BinaryColumn) -> StringIndex:
    """The index of a column's texts; time and memory grow with its rows (about 60 bytes a row)."""
    hashes = hash_strings(texts)
    count = len(hashes)
    # The row in place of the lowest bits, so that sorting numbers puts rows with one hash in their order.
    low = np.uint64((1 << count.bit_length()) - 1)
    hashes = (hashes & ~low) | np.arange(count, dtype=np.uint64)
    if texts.validity is not None:
        hashes = hashes[texts.validity]
    hashes.sort()
    by_hash = (hashes & low).view(np.int64)
    hashes &= ~low
    first = np.full(count, -1, np.int64)
    first[by_hash] = by_hash
    tied = hashes[1:] == hashes[:-1]
    if tied.any():
        _settle(texts, by_hash, hashes, tied, first)
        own = first[by_hash] == by_hash
        by_hash, hashes = by_hash[own], hashes[own]
    starts = np.zeros(1 << max(1, (2 * len(by_hash)).bit_length()), np.int64)
    np.cumsum(np.bincount(_places(hashes, len(starts)), minlength=len(starts))[:-1], out=starts[1:])
    back, known = _word_filter(texts, len(by_hash))
    return StringIndex(texts, first, back, known, starts, by_hash, np.append(hashes, _ABOVE), ~low)


def _word_filter(texts: StringColumn | BinaryColumn, distinct: int) -> tuple[int, Bools]:
    """How far before the end of a text the word ends in which most of these texts differ, and which hashes of it they have."""
    starts, lengths = texts.offsets[:-1], np.diff(texts.offsets)
    if texts.validity is not None:
        starts, lengths = starts[texts.validity], lengths[texts.validity]
    known = np.zeros(max(_LEAST_ROOM, 1 << (ROOM * distinct).bit_length()), np.bool_)
    back = _telling_word(starts, lengths, texts.data)
    for low in range(0, len(starts), BLOCK_ROWS):
        part = slice(low, low + BLOCK_ROWS)
        known[_word_places(starts[part], lengths[part], texts.data, back, len(known))] = True
    return back, known


def _telling_word(starts: Offsets, lengths: Offsets, data: Bytes8) -> int:
    """How far before the end of these texts the word ends in which most of some of them differ.

    Either all texts have it whole, or it is the last one: so a text with another word is none of them.
    """
    some = slice(None, None, max(1, len(starts) // _LOOKED_AT))
    best, most = 0, 0
    for back in range(0, max(1, int(lengths.min(initial=_FARTHEST)) - _WORD + 1), _WORD):
        words = _last_words(starts[some], lengths[some], data, back).tolist()
        distinct = len(set(words))
        if distinct > most:
            best, most = back, distinct
        if distinct == len(words):
            break
    return best


def first_rows(texts: StringColumn | BinaryColumn) -> NDArray[np.int64]:
    """For each row the first row with the same text, as `StringIndex.first`; sooner where rows share few texts. None is null."""
    count = len(texts.offsets) - 1
    begun = index_strings(replace(texts, offsets=texts.offsets[: BLOCK_ROWS + 1]))
    parts = [replace(texts, offsets=texts.offsets[low : low + _PART + 1]) for low in range(0, count, _PART)]
    found = np.concatenate([np.zeros(0, np.int64), *in_order(begun.find, parts)])
    others = np.flatnonzero(found < 0)
    if len(others):
        starts = texts.offsets[others]
        offsets, data = gather(texts.data, starts, texts.offsets[others + 1] - starts)
        found[others] = others[index_strings(StringColumn(offsets, data)).first]
    return found


def _settle(
    texts: StringColumn | BinaryColumn,
    by_hash: NDArray[np.int64],
    hashes: Hashes,
    tied: Bools,
    first: NDArray[np.int64],
) -> None:
    """Sets `first` of rows that share a hash with others. `tied` tells which share it with the next one."""
    member = np.append(tied, False)
    member[1:] |= tied
    rows, hashes = by_hash[member], hashes[member]
    while len(rows):  # once, unless different texts have one hash
        begins = np.concatenate([[True], hashes[1:] != hashes[:-1]])
        heads = rows[np.flatnonzero(begins)][np.cumsum(begins) - 1]
        same = equal_strings(texts, rows, texts, heads)
        first[rows[same]] = heads[same]
        rows, hashes = rows[~same], hashes[~same]


def hash_strings(texts: StringColumn | BinaryColumn) -> Hashes:
    """A 64-bit hash of each row's bytes: equal for equal texts in one version of this library, not to be stored."""
    return _hashes(texts.offsets, texts.data)


def equal_strings(
    left: StringColumn | BinaryColumn,
    left_rows: NDArray[np.int64],
    right: StringColumn | BinaryColumn,
    right_rows: NDArray[np.int64],
) -> Bools:
    """For each pair of rows, whether their bytes are the same; nulls are empty."""
    same = np.empty(len(left_rows), np.bool_)
    for low in range(0, len(same), BLOCK_ROWS):
        chosen = slice(low, low + BLOCK_ROWS)
        same[chosen] = _same_block(left, left_rows[chosen], right, right_rows[chosen])
    return same


def _same_block(
    left: StringColumn | BinaryColumn,
    left_rows: NDArray[np.int64],
    right: StringColumn | BinaryColumn,
    right_rows: NDArray[np.int64],
) -> Bools:
    starts, others = left.offsets[left_rows], right.offsets[right_rows]
    lengths = left.offsets[left_rows + 1] - starts
    same: Bools = lengths == right.offsets[right_rows + 1] - others
    if int(lengths.max(initial=0)) <= _WORD <= min(len(left.data) - starts.max(), len(right.data) - others.max()):
        kept = _MASKS[lengths]
        same &= _words(left.data, starts, 0) & kept == _words(right.data, others, 0) & kept
        return same
    length = int(lengths[0]) if len(lengths) else 0
    if _WORD <= length <= LONG and same.all() and (lengths == length).all():
        ours, theirs = windows(left.data, starts, length), windows(right.data, others, length)
        for begin in (*range(0, length - _WORD, _WORD), length - _WORD):
            same &= _row_words(ours, begin) == _row_words(theirs, begin)
        return same
    checked = np.flatnonzero(same & (lengths > 0))
    if len(checked):
        offsets, ours = gather(left.data, starts[checked], lengths[checked])
        differing = np.flatnonzero(ours != gather(right.data, others[checked], lengths[checked])[1])
        same[checked[np.searchsorted(offsets, differing, side="right") - 1]] = False
    return same


def _places(hashes: Hashes, count: int) -> NDArray[np.int64]:
    """The places of hashes, by their top bits, among so many, a power of two."""
    return (hashes >> _below(count)).view(np.int64)


def _below(count: int) -> np.uint64:
    """How many bits of a hash are below those that tell one of so many places, a power of two."""
    return np.uint64(64 - (count.bit_length() - 1))


def _hashes(offsets: Offsets, data: Bytes8) -> Hashes:
    found = np.empty(len(offsets) - 1, np.uint64)
    for low in range(0, len(found), BLOCK_ROWS):
        high = min(low + BLOCK_ROWS, len(found))
        found[low:high] = _block_hashes(offsets[low:high], np.diff(offsets[low : high + 1]), data)
    return found


def _word_places(starts: Offsets, lengths: Offsets, data: Bytes8, back: int, count: int) -> NDArray[np.int64]:
    """The places, among so many, of the words that end `back` bytes before the end of texts; these ascend."""
    words = _last_words(starts, lengths, data, back) * _FIRST
    words >>= _below(count)
    return words.view(np.int64)


def _last_words(starts: Offsets, lengths: Offsets, data: Bytes8, back: int) -> Hashes:
    """The eight bytes before the last `back` bytes of texts, which ascend: the first eight of texts that have fewer."""
    if len(starts) == 0:
        return np.empty(0, np.uint64)
    longest, shortest = int(lengths.max()), int(lengths.min())
    end = longest - back
    if end >= _WORD and _side_by_side(starts, longest, shortest):
        return _row_words(_rows(starts, longest, data), end - _WORD)
    starts = np.maximum(starts, starts + lengths - (back + _WORD))
    if shortest >= _WORD:
        return _words(data, starts, 0)
    starts, data = _with_room(starts, lengths, data)
    return _words(data, starts, 0) & _MASKS[np.minimum(lengths, _WORD)]


def _side_by_side(starts: Offsets, longest: int, shortest: int) -> bool:
    """Whether ascending texts are of one length, and nothing is between them."""
    return shortest == longest and int(starts[-1]) - int(starts[0]) == longest * (len(starts) - 1)


def _rows(starts: Offsets, length: int, data: Bytes8) -> Bytes8:
    """Texts that are side by side, a row each."""
    begin = int(starts[0])
    return data[begin : begin + length * len(starts)].reshape(-1, length)


def _with_room(starts: Offsets, lengths: Offsets, data: Bytes8) -> tuple[Offsets, Bytes8]:
    """Where ascending texts begin, in data that goes on for a word behind the last of them."""
    end = int(starts[-1] + lengths[-1])
    if end + _WORD <= len(data):
        return starts, data
    low = int(starts[0])
    return starts - low, np.concatenate([data[low:end], np.zeros(_WORD, np.uint8)])


def _block_hashes(starts: Offsets, lengths: Offsets, data: Bytes8) -> Hashes:
    """The hashes of texts, which ascend."""
    found = lengths.astype(np.uint64) * _SECOND
    longest, shortest = int(lengths.max(initial=0)), int(lengths.min(initial=LONG))
    if _WORD <= shortest == longest <= LONG:
        side_by_side = _side_by_side(starts, longest, shortest)
        _stir_rows(found, _rows(starts, longest, data) if side_by_side else windows(data, starts, longest))
        return found
    if longest > LONG:
        long = np.flatnonzero(lengths > LONG)
        found[long] ^= _of_parts(starts[long], lengths[long], data)
        lengths = np.where(lengths > LONG, 0, lengths)
        longest = int(lengths.max())
    if longest == 0:
        return found
    starts, data = _with_room(starts, lengths, data)  # last words are read beyond the end
    shortest = int(lengths.min())
    for begin in range(0, longest, _WORD):
        if begin < shortest:
            word = _words(data, starts, begin)
            if begin + _WORD > shortest:
                word &= _MASKS[np.minimum(lengths - begin, _WORD)]
            _stir(found, word)
            continue
        rows = np.flatnonzero(lengths > begin)
        word = _words(data, starts[rows], begin) & _MASKS[np.minimum(lengths[rows] - begin, _WORD)]
        part = found[rows]
        _stir(part, word)
        found[rows] = part
    return found


def _words(data: Bytes8, starts: Offsets, begin: int) -> Hashes:
    return windows(data, starts, _WORD, begin).view("<u8").reshape(-1)


def _stir_rows(hashes: Hashes, rows: Bytes8) -> None:
    """`_stir` of texts of one length, which stand side by side: a row each, of eight bytes at least."""
    width = rows.shape[1]
    for begin in range(0, width - _WORD + 1, _WORD):
        _stir(hashes, _row_words(rows, begin))
    if rest := width % _WORD:
        _stir(hashes, _row_words(rows, width - _WORD) >> _BYTE * np.uint64(_WORD - rest))


def _row_words(rows: Bytes8, begin: int) -> Hashes:
    """The eight bytes of each row from a place on."""
    return rows[:, begin : begin + _WORD].view("<u8")[:, 0]


def _stir(hashes: Hashes, words: Hashes) -> None:
    """Every step is a bijection of the hash, so that texts which differ in one word have different hashes."""
    hashes ^= words
    hashes *= _FIRST
    hashes ^= hashes >> _HALF
    hashes *= _SECOND


def _of_parts(starts: Offsets, lengths: Offsets, data: Bytes8) -> Hashes:
    """Hashes of long texts: each is cut into parts, and the hashes of its parts are a text again."""
    parts = -(-lengths // LONG)
    ends = np.cumsum(parts)
    within = np.arange(int(ends[-1])) - np.repeat(ends - parts, parts)
    offsets, copied = gather(data, starts, lengths)
    bounds = np.append(np.repeat(offsets[:-1], parts) + within * LONG, offsets[-1])
    inner = _hashes(bounds, copied)
    return _hashes(np.concatenate([[0], ends]) * _WORD, inner.astype("<u8").view(np.uint8))
