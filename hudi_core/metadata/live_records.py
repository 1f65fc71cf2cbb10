"""Which records count among those of one metadata partition: of equal keys those from the last that resets what was before.

Rules META-10 to META-14.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers, Octets, Words64
from hudi_core.metadata.recorded import NO_KIND

_WORD = 8
"""Bytes of a word."""
_NONE = np.zeros(0, np.int64)
_MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93] * 2, np.uint64)


class RecordOrder(Protocol):
    """What decides whether records count, a row a record: which comes later, what its bounds are stored as, whether it deletes
    its key, and whether it replaces what was there before."""

    @property
    def order(self) -> Numbers: ...
    @property
    def kinds(self) -> Numbers: ...
    @property
    def deleted(self) -> Bools: ...
    @property
    def tight(self) -> Bools: ...


@dataclass(frozen=True, slots=True, eq=False)
class LiveRecords:
    """Records that count, ascending, numbered over all parts. `run` gives records of equal keys one number; None: no keys are
    equal. `void`: bounds that do not count, because records of one key have them in different types; None: all do."""

    records: Numbers
    kinds: Numbers
    run: Numbers | None = None
    void: Bools | None = None

    def select(self, which: Bools) -> LiveRecords:
        if which.all():
            return self
        run, void = self.run, self.void
        return LiveRecords(
            self.records[which],
            self.kinds[which],
            None if run is None else run[which],
            None if void is None else void[which],
        )


def live_records(
    parts: Sequence[RecordOrder], keys: Octets, deletes: Sequence[int], *, apart: bool = False, unique: int = 0
) -> LiveRecords:
    """The records that count. `keys` are the keys of all parts and then those of the deletes, whose orders are known.

    `apart`: no two records have a key in common.
    `unique`: so many keys, the first, are distinct.
    """
    kinds = _over(parts, lambda part: part.kinds)
    gone = _over(parts, lambda part: part.deleted)
    words = words_of(keys)
    meeting = _NONE if apart else _find_shared_keys(words, unique)
    if not len(meeting):
        live = LiveRecords(np.arange(len(kinds)), kinds)
        return live.select(~gone) if gone.any() else live
    gone = np.append(gone, np.ones(len(deletes), np.bool_))
    order = np.append(_over(parts, lambda part: part.order), np.array(deletes, np.int64))
    resets = gone | np.append(_over(parts, lambda part: part.tight), np.zeros(len(deletes), np.bool_))
    places, meeting_run = _counting(words[meeting], order[meeting], resets[meeting], gone[meeting])
    merged = meeting[places]
    counts = ~gone[: len(kinds)]
    counts[meeting[meeting < len(kinds)]] = False
    counts[merged] = True
    run, void = np.arange(len(kinds)), np.zeros(len(kinds), np.bool_)
    run[merged] = meeting_run + len(kinds)
    kinds = kinds.copy()
    kinds[merged], void[merged] = _one_kind_a_run(kinds[merged], meeting_run)
    return LiveRecords(np.arange(len(kinds)), kinds, run, void).select(counts)


def words_of(keys: Octets) -> Words64:
    """Keys as words of eight bytes, the last one filled up with zeros."""
    rest = -keys.shape[1] % _WORD
    whole = np.pad(keys, ((0, 0), (0, rest))) if rest else keys
    words: Words64 = whole.view("<u8")
    return words


def _over(parts: Sequence[RecordOrder], take: Callable[[RecordOrder], NDArray[Any]]) -> NDArray[Any]:
    return take(parts[0]) if len(parts) == 1 else np.concatenate([take(part) for part in parts])


def _find_shared_keys(words: Words64, unique: int) -> Numbers:
    """The records whose key may be another record's too: those that share a mixture of the key's words. Of the first `unique`
    ones, whose keys are distinct, only those are sorted that may be among the others."""
    mixed = words[:, 0] * _MIXERS[0]
    for word, mixer in zip(words.T[1:], _MIXERS[1:], strict=False):
        mixed += word * mixer
    candidates = np.arange(len(mixed))
    if unique:
        shared = np.flatnonzero(_may_be_among(mixed[:unique], mixed[unique:]))
        candidates = np.append(shared, candidates[unique:])
        mixed = mixed[candidates]
    sequence = np.argsort(mixed)
    ordered = mixed[sequence]
    same = ordered[1:] == ordered[:-1]
    return np.sort(candidates[sequence[np.append(same, False) | np.append(False, same)]]) if same.any() else _NONE


def _may_be_among(mixed: Words64, others: Words64) -> Bools:
    """Which mixtures share their last bits with one of the others: those that are among them, and few more."""
    last = np.uint64((1 << max(16, len(others).bit_length() + 3)) - 1)
    shared = np.zeros(int(last) + 1, np.bool_)
    shared[others & last] = True
    passing: Bools = shared[mixed & last]
    return passing


def _counting(words: Words64, order: Numbers, resets: Bools, gone: Bools) -> tuple[Numbers, Numbers]:
    """The records that count, sorted by key and order, and their runs of equal keys: in each run the last one that resets
    what was before, unless it is gone, and all after it."""
    sequence = np.lexsort((order, *words.T))
    ordered = words[sequence]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(1)))
    lengths = np.diff(np.append(starts, len(sequence)))
    place = np.arange(len(sequence))
    last = np.repeat(np.maximum.reduceat(np.where(resets[sequence], place, -1), starts), lengths)
    counts = (place >= last) & ~gone[sequence]
    return sequence[counts], np.repeat(np.arange(len(starts)), lengths)[counts]


def _one_kind_a_run(kinds: Numbers, run: Numbers) -> tuple[Numbers, Bools]:
    """The kind of each run: the latest that is one. Bounds of another kind in the run are void."""
    if not len(run):
        return kinds, np.zeros(0, np.bool_)
    starts = np.flatnonzero(np.append(True, run[1:] != run[:-1]))
    lengths = np.diff(np.append(starts, len(run)))
    last = np.maximum.reduceat(np.where(kinds != NO_KIND, np.arange(len(run)), -1), starts)
    kind_of = np.repeat(np.where(last >= 0, kinds[last], NO_KIND), lengths)
    return kind_of, (kinds != kind_of) & (kinds != NO_KIND)
