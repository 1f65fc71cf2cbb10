"""`column_stats` and `partition_stats`: the live records of columns, merged by key. No Python object a record.

Rules META-10 to META-14. What the recorded values mean is told by `belief`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.formats.hashes import xxh64_id
from hudi_core.metadata.belief import believed, origin
from hudi_core.metadata.recorded import NO_KIND, Kind, Kinds, Part, bounds, decoded
from hudi_core.metadata.records import Batch, Records
from hudi_core.stats.columns import Bools, Bounds, ColumnStatistics, Ints, concatenated
from hudi_core.stats.ranks import ranks
from hudi_core.stats.texts import Texts
from hudi_core.types import nodes as t

Octets = NDArray[np.uint8]

COLUMN_SIZE: Final = 12
"""Bytes of a key that name the column."""
PARTITION_KEY, FILE_KEY = 24, 48
"""Sizes of keys in `partition_stats` and in `column_stats`."""

_DECODED_TOGETHER = 4096
"""Batches of fewer records are copied together and decoded at once."""

_MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93] * 2, np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class RecordedStatistics:
    """Live records of one column whose bounds are stored in one way, as far as they can be believed.

    `keys` has a row a record: the record's key after the column, ASCII; 36 bytes of a file (partition and file name), 12 of
    a partition. `typed`: the records tell their type. Otherwise the type is what the bounds look like, or `binary` when there
    is no bound; `stored.as_stored` makes it the file's.
    """

    keys: Octets
    statistics: ColumnStatistics
    typed: bool

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class _Live:
    """Records that count, numbered over all parts. `run` gives records of equal keys one number; None: no keys are equal.

    `void`: bounds that do not count, because records of one key have them in different types; None: all do.
    """

    records: Ints
    kinds: Ints
    run: Ints | None = None
    void: Bools | None = None

    def chosen(self, places: Ints) -> _Live:
        run, void = self.run, self.void
        return _Live(
            self.records[places],
            self.kinds[places],
            None if run is None else run[places],
            None if void is None else void[places],
        )


def read_statistics(
    records: Records, columns: Sequence[str], key_size: int
) -> dict[str, tuple[RecordedStatistics, ...]]:
    """The live records of each column, one item for each way in which bounds are stored; none for a column without records.

    `records` hold the keys of these columns at least. Raises `CorruptFileError`.
    """
    kinds = Kinds()
    parts = [decoded(batches, key_size, kinds) for batches in _together(records.batches)]
    if not parts:
        return dict.fromkeys(columns, ())
    deleted = [(key, each.order) for each in records.deletes for key in each.keys if len(key) == key_size]
    keys = np.concatenate(
        [*(p.keys for p in parts), np.frombuffer(b"".join(k for k, _ in deleted), np.uint8).reshape(-1, key_size)]
    )
    live = _live(parts, keys, [order for _, order in deleted])
    words = keys.view("<u8").reshape(len(keys), key_size // 8)
    found: dict[str, tuple[RecordedStatistics, ...]] = {}
    for column in columns:
        of_column = live.chosen(np.flatnonzero(_named(words[live.records], column)))
        reading = _Reading(parts, keys, kinds, of_files=key_size == FILE_KEY)
        found[column] = tuple(reading.by_kind(of_column))
    return found


def _together(batches: Iterable[Batch]) -> list[list[Batch]]:
    """Small batches of one schema together, large ones alone."""
    small: dict[str, list[Batch]] = {}
    found: list[list[Batch]] = []
    for batch in batches:
        if len(batch.cells) >= _DECODED_TOGETHER:
            found.append([batch])
        elif len(batch.cells):
            small.setdefault(batch.schema, []).append(batch)
    return found + list(small.values())


def _named(words: NDArray[np.uint64], column: str) -> Bools:
    """Which keys, as words of eight bytes, start with the column's name."""
    name = np.frombuffer(xxh64_id(column).encode() + bytes(4), "<u8")
    named: Bools = (words[:, 0] == name[0]) & (words[:, 1] & np.uint64(0xFFFFFFFF) == name[1])
    return named


# -- which records count ---------------------------------------------------------------------------------------------------


def _live(parts: Sequence[Part], keys: Octets, deletes: Sequence[int]) -> _Live:
    """The records that count. `keys` are those of all parts and then those of the deletes, whose orders are given."""
    kinds = np.concatenate([part.kinds for part in parts])
    gone = np.concatenate([*(part.gone for part in parts), np.ones(len(deletes), np.bool_)])
    meeting = _meeting(keys)
    if not len(meeting):
        records = np.flatnonzero(~gone) if gone.any() else np.arange(len(kinds))
        return _Live(records, kinds[records])
    order = np.concatenate([*(part.order for part in parts), np.array(deletes, np.int64)])
    resets = np.concatenate([*(part.tight for part in parts), np.ones(len(deletes), np.bool_)]) | gone
    alone = ~gone
    alone[meeting] = False
    places, run = _counting(keys[meeting], order[meeting], resets[meeting], gone[meeting])
    merged = meeting[places]
    merged_kinds, void = _one_kind_a_run(kinds[merged], run)
    records = np.flatnonzero(alone)
    return _Live(
        np.append(records, merged),
        np.append(kinds[records], merged_kinds),
        np.append(np.arange(len(records)), run + len(records)),
        np.append(np.zeros(len(records), np.bool_), void),
    )


def _meeting(keys: Octets) -> Ints:
    """The records whose key may be another record's too: those that share a mixture of the key's words."""
    words = keys.view("<u8").reshape(len(keys), keys.shape[1] // 8)
    mixed = words[:, 0] * _MIXERS[0]
    for word, mixer in zip(words.T[1:], _MIXERS[1:], strict=False):
        mixed += word * mixer
    sequence = np.argsort(mixed)
    ordered = mixed[sequence]
    same = ordered[1:] == ordered[:-1]
    return np.sort(sequence[np.append(same, False) | np.append(False, same)]) if same.any() else np.zeros(0, np.int64)


def _counting(keys: Octets, order: Ints, resets: Bools, gone: Bools) -> tuple[Ints, Ints]:
    """The records that count, sorted by key and order, and their runs of equal keys: in each run the last one that resets
    what was before, unless it is gone, and all after it."""
    sequence = np.lexsort((order, *keys.view("<u8").reshape(len(keys), keys.shape[1] // 8).T))
    ordered = keys[sequence]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(1)))
    lengths = np.diff(np.append(starts, len(sequence)))
    place = np.arange(len(sequence))
    last = np.repeat(np.maximum.reduceat(np.where(resets[sequence], place, -1), starts), lengths)
    counts = (place >= last) & ~gone[sequence]
    return sequence[counts], np.repeat(np.arange(len(starts)), lengths)[counts]


def _one_kind_a_run(kinds: Ints, run: Ints) -> tuple[Ints, Bools]:
    """The kind of each run: the latest that is one. Bounds of another kind in the run are void."""
    if not len(run):
        return kinds, np.zeros(0, np.bool_)
    starts = np.flatnonzero(np.append(True, run[1:] != run[:-1]))
    lengths = np.diff(np.append(starts, len(run)))
    last = np.maximum.reduceat(np.where(kinds != NO_KIND, np.arange(len(run)), -1), starts)
    found = np.repeat(np.where(last >= 0, kinds[last], NO_KIND), lengths)
    return found, (kinds != found) & (kinds != NO_KIND)


# -- what they say ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Decoded records, and how to take statistics from them."""

    parts: Sequence[Part]
    keys: Octets
    kinds: Kinds
    of_files: bool

    def by_kind(self, live: _Live) -> Iterator[RecordedStatistics]:
        for number in np.flatnonzero(np.bincount(live.kinds - NO_KIND)) + NO_KIND:
            same = live.kinds == number
            of_kind = live if same.all() else live.chosen(np.flatnonzero(same))
            kind = None if number == NO_KIND else self.kinds[int(number)]
            pieces = list(self._pieces(of_kind, kind))
            statistics = concatenated([statistics for _, statistics in pieces])
            first = np.concatenate([places for places, _ in pieces])
            if of_kind.run is not None:
                places, statistics = _merged(of_kind.run[first], statistics)
                first = first[places]
            keys = self.keys[of_kind.records[first]][:, COLUMN_SIZE:]
            yield RecordedStatistics(np.ascontiguousarray(keys), statistics, kind is not None and kind.told)

    def _pieces(self, live: _Live, kind: Kind | None) -> Iterator[tuple[Ints, ColumnStatistics]]:
        """Part by part, the places in `live` of its records and what these say."""
        begin = 0
        for part in self.parts:
            inside = (live.records >= begin) & (live.records < begin + len(part))
            places = np.arange(len(live.records)) if inside.all() else np.flatnonzero(inside)
            if len(places):
                rows = live.records[places] - begin
                void = None if live.void is None else live.void[places]
                yield places, self._statistics(part, rows, void, kind)
            begin += len(part)

    def _statistics(self, part: Part, rows: Ints, void: Bools | None, kind: Kind | None) -> ColumnStatistics:
        of_type = t.Binary() if kind is None else kind.type
        low, low_known = bounds(part.low, rows, of_type)
        high, high_known = bounds(part.high, rows, of_type)
        if void is not None:
            low_known, high_known = low_known & ~void, high_known & ~void
        counts = part.nulls[rows], part.rows[rows]
        made = origin(counts[1], part.size[rows], of_files=self.of_files)
        recorded = ColumnStatistics(of_type, low, high, low_known, high_known, *counts)
        return believed(recorded, made, typed=kind is not None)


def _merged(run: Ints, of: ColumnStatistics) -> tuple[Ints, ColumnStatistics]:
    """One record a run: the least lower bound, the greatest upper one, counts added. Also the place of a record of each run."""
    order = np.argsort(run, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(run[order]) != 0))
    if len(starts) == len(run):
        return np.arange(len(run)), of
    empty = (of.nulls == of.rows) & (of.rows >= 0)
    low, low_known = _extreme(of.low, of.low_known, empty, order, starts, least=True)
    high, high_known = _extreme(of.high, of.high_known, empty, order, starts, least=False)
    return order[starts], ColumnStatistics(
        of.type,
        low,
        high,
        low_known,
        high_known,
        _added(of.nulls[order], starts),
        _added(of.rows[order], starts),
        None if of.nans is None else np.logical_or.reduceat(of.nans[order], starts),
    )


def _added(counts: Ints, starts: Ints) -> Ints:
    """Sums; unknown when a part is."""
    known = np.minimum.reduceat(counts, starts) >= 0
    return np.where(known, np.add.reduceat(counts, starts), -1)


def _extreme(of: Bounds, known: Bools, empty: Bools, order: Ints, starts: Ints, *, least: bool) -> tuple[Bounds, Bools]:
    """The extreme bound of each run; unknown when it is so in a record that has values, or when there is none."""
    known, empty = known[order], empty[order]
    found = np.logical_and.reduceat(known | empty, starts) & np.logical_or.reduceat(known, starts)
    if isinstance(of, Texts):
        texts = of.take(order)
        rank, examples = ranks(texts)
        return texts.take(examples[_reduced(rank.astype(np.int64), known, starts, least=least)]), found
    return _reduced(of[order], known, starts, least=least), found


def _reduced(values: NDArray[Any], known: Bools, starts: Ints, *, least: bool) -> NDArray[Any]:
    """The extreme of the known values of each run; any of its values when none is known."""
    last: Any = np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).max
    choose: Any = np.minimum if least else np.maximum
    extreme = choose.reduceat(np.where(known, values, last if least else -last), starts)
    reduced: NDArray[Any] = np.where(np.logical_or.reduceat(known, starts), extreme, values[starts])
    return reduced
