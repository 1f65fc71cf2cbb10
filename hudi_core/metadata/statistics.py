"""`column_stats` and `partition_stats`: the live records of columns, merged by key. No Python object a record.

Rules META-10 to META-19. What the recorded values mean is told by `belief`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.formats.hashes import xxh64_id
from hudi_core.metadata.belief import believed, origin
from hudi_core.metadata.recorded import NO_KIND, Kinds, Part, bounds, decoded
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
    """Records that count: which part and row each is, its key's run (equal keys, one number), its kind, and whether its
    bounds are void because records of one key have them in different types."""

    part: Ints
    row: Ints
    run: Ints
    kind: Ints
    void: Bools


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
    keys, live = _live(parts, records, key_size)
    found: dict[str, tuple[RecordedStatistics, ...]] = {}
    for column in columns:
        name = np.frombuffer(xxh64_id(column).encode(), np.uint8)
        chosen = np.flatnonzero((keys[:, :COLUMN_SIZE] == name).all(1))
        of_column = _Live(live.part[chosen], live.row[chosen], live.run[chosen], live.kind[chosen], live.void[chosen])
        found[column] = tuple(_kinds_of(parts, of_column, keys[chosen, COLUMN_SIZE:], kinds, key_size == FILE_KEY))
    return found


def _together(batches: Iterable[Batch]) -> list[list[Batch]]:
    """Small batches of one schema together, large ones alone; in the order in which they apply."""
    small: dict[str, list[Batch]] = {}
    found: list[list[Batch]] = []
    for batch in batches:
        if not len(batch.cells):
            continue
        if len(batch.cells) >= _DECODED_TOGETHER:
            found.append([batch])
        else:
            small.setdefault(batch.schema, []).append(batch)
    return found + list(small.values())


# -- which records count ---------------------------------------------------------------------------------------------------


def _live(parts: Sequence[Part], records: Records, key_size: int) -> tuple[Octets, _Live]:
    """The keys of the records that count, and these."""
    deleted = [key for each in records.deletes for key in each.keys if len(key) == key_size]
    keys = np.concatenate([*(p.keys for p in parts), np.frombuffer(b"".join(deleted), np.uint8).reshape(-1, key_size)])
    counts = [len(part) for part in parts]
    part = np.repeat(np.arange(len(parts)), counts)
    row = np.concatenate([np.arange(count) for count in counts])
    kind = np.concatenate([each.kinds for each in parts])
    gone = np.concatenate([each.gone for each in parts])
    tight = np.concatenate([each.tight for each in parts])
    order = np.concatenate([each.order for each in parts])
    if deleted:
        orders = [each.order for each in records.deletes for key in each.keys if len(key) == key_size]
        order, gone = np.append(order, orders), np.append(gone, np.ones(len(deleted), np.bool_))
        tight = np.append(tight, np.zeros(len(deleted), np.bool_))
    elif records.one_source_each and not gone.any() and not _adjacent_equal(keys):
        # Nothing can meet: each file group has one source, whose keys differ.
        return keys, _Live(part, row, np.arange(len(keys)), kind, np.zeros(len(keys), np.bool_))
    places, run = _counting(keys, order, resets=gone | tight, gone=gone)
    kind, void = _one_kind_a_run(kind[places], run)
    return keys[places], _Live(part[places], row[places], run, kind, void)


def _adjacent_equal(keys: Octets) -> bool:
    return bool((keys[1:] == keys[:-1]).all(1).any())


def _counting(keys: Octets, order: Ints, *, resets: Bools, gone: Bools) -> tuple[Ints, Ints]:
    """The records that count, sorted by run and order, with their runs: of equal keys the last one that resets what was
    before, unless it is gone, and all after it."""
    sequence = _by_key(keys, order)
    if not len(sequence):
        return sequence, sequence
    ordered = keys[sequence]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(1)))
    lengths = np.diff(np.append(starts, len(sequence)))
    place = np.arange(len(sequence))
    last = np.repeat(np.maximum.reduceat(np.where(resets[sequence], place, -1), starts), lengths)
    counts = (place >= last) & ~gone[sequence]
    return sequence[counts], np.repeat(np.arange(len(starts)), lengths)[counts]


def _by_key(keys: Octets, order: Ints) -> Ints:
    """The records sorted so that equal keys stand together, by `order` among them."""
    words = np.ascontiguousarray(keys).view("<u8").reshape(len(keys), keys.shape[1] // 8)
    mixed = (words * _MIXERS[: words.shape[1]]).sum(1, dtype=np.uint64)
    sequence = np.lexsort((order, mixed))
    same = mixed[sequence[1:]] == mixed[sequence[:-1]]
    if (words[sequence[1:]][same] != words[sequence[:-1]][same]).any():
        # Different keys share a mixture: sort by the keys themselves.
        sequence = np.lexsort((order, *words.T))
    return sequence


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


def _kinds_of(
    parts: Sequence[Part], live: _Live, keys: Octets, kinds: Kinds, of_files: bool
) -> Iterator[RecordedStatistics]:
    for number in np.unique(live.kind).tolist():
        chosen = np.flatnonzero(live.kind == number)
        kind = None if number == NO_KIND else kinds[number]
        of_type = t.Binary() if kind is None else kind.type
        pieces, places = [], []
        for index in np.unique(live.part[chosen]).tolist():
            at = chosen[live.part[chosen] == index]
            pieces.append(_statistics(parts[index], live.row[at], live.void[at], of_type, kind is not None, of_files))
            places.append(at)
        place = np.concatenate(places)
        first, statistics = _merged(live.run[place], concatenated(pieces))
        yield RecordedStatistics(keys[place[first]], statistics, kind is not None and kind.told)


def _statistics(part: Part, rows: Ints, void: Bools, type: t.Type, typed: bool, of_files: bool) -> ColumnStatistics:
    low, low_known = bounds(part.low, rows, type)
    high, high_known = bounds(part.high, rows, type)
    recorded = ColumnStatistics(
        type, low, high, low_known & ~void, high_known & ~void, part.nulls[rows], part.rows[rows]
    )
    made = origin(part.rows[rows], part.size[rows], of_files=of_files)
    return believed(recorded, made, typed=typed)


def _merged(run: Ints, of: ColumnStatistics) -> tuple[Ints, ColumnStatistics]:
    """One record a run: the least lower bound, the greatest upper one, counts added. Also the place of a record of each run."""
    _, first, inverse, counts = np.unique(run, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(run):
        return np.arange(len(run)), of
    order = np.argsort(inverse, kind="stable")
    starts = np.cumsum(counts) - counts
    empty = (of.nulls == of.rows) & (of.rows >= 0)
    low, low_known = _extreme(of.low, of.low_known, empty, order, starts, least=True)
    high, high_known = _extreme(of.high, of.high_known, empty, order, starts, least=False)
    return first, ColumnStatistics(
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
