"""`column_stats` and `partition_stats`: the live records of columns, merged by key. No Python object a record.

Rules META-10 to META-14, META-67. What the recorded values mean is in `trust`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, takewhile
from typing import Final

import numpy as np

from hudi_core.arrays import Bools, Numbers, Numbers32, Octets, Words64
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.concat import ColumnBuilder
from hudi_core.columns.hashes import xxh64_id
from hudi_core.columns.nodes import FixedBinaryColumn
from hudi_core.metadata.live_records import LiveRecords, live_records, words_of
from hudi_core.metadata.merged import merge_statistics
from hudi_core.metadata.recorded import NO_KIND, UNTYPED, BoundKind, BoundKinds, DecodedStatistics, bounds, decode
from hudi_core.metadata.records import MetadataRecords, Piece, RecordBatch
from hudi_core.metadata.trust import Origin, trust_statistics
from hudi_core.metadata.whole_strings import whole_lower
from hudi_core.parallel.ordered import in_order
from hudi_core.pruning.statistics import ColumnStatistics, concatenate, take_files
from hudi_core.types import nodes as t

COLUMN_SIZE: Final = 12
"""Bytes of a key that name the column."""
PARTITION_KEY, PREFIXED_PARTITION_KEY, FILE_KEY = 24, 36, 48
"""Sizes of keys in `partition_stats`, of partitions in expression indexes, and in `column_stats`."""

_DECODED_TOGETHER = 4096
"""Batches of fewer records are copied together and decoded at once."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedStatistics:
    """Live records of one column whose bounds are stored in one way, as far as they can be trusted.

    `keys` has a row a record: the record's key after the column, ASCII; 36 bytes of a file (partition and file name), 12 of
    a partition. `typed`: the records state their type. Otherwise the type is what the bounds look like, or `binary` when there
    is no bound; `stored.as_stored` makes it the file's.
    """

    keys: Octets
    statistics: ColumnStatistics
    typed: bool

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class _Earlier:
    """Statistics that were read before, as records that come before all others; no two have one key."""

    keys: Octets
    kinds: Numbers
    statistics_by_kind: Sequence[ColumnStatistics]
    """The statistics of the records, piece by piece in their order."""

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def order(self) -> Numbers:
        return np.zeros(len(self), np.int64)

    @property
    def deleted(self) -> Bools:
        return np.zeros(len(self), np.bool_)

    @property
    def tight(self) -> Bools:
        return np.zeros(len(self), np.bool_)

    def statistics(self, rows: Numbers) -> ColumnStatistics:
        """The statistics of some records, ascending, all of one kind."""
        offsets = np.cumsum([0, *map(len, self.statistics_by_kind)])
        cuts = np.searchsorted(rows, offsets)
        parts = [
            take_files(statistics, rows[start:stop] - offset)
            for statistics, offset, start, stop in zip(
                self.statistics_by_kind, offsets[:-1], cuts[:-1], cuts[1:], strict=True
            )
            if stop > start
        ]
        return concatenate(parts)


_Part = DecodedStatistics | _Earlier


def read_statistics(
    records: MetadataRecords,
    columns: Sequence[str],
    key_size: int,
    pieces: Sequence[Piece] = (),
    *,
    nulls_apart: bool = False,
    as_stated: bool = False,
) -> dict[str, tuple[RecordedStatistics, ...]]:
    """The live records of each column, one item for each way in which bounds are stored; none for a column without records.

    `records` and `pieces` of base files hold the keys of these columns at least; pieces are read on all processors. With
    `nulls_apart` their number of values is without nulls and they are made from the values, as in an expression index, whose
    sizes are those of files. With `as_stated` nothing is left out
    for being beyond belief. Raises `CorruptFileError`.
    """
    gathered = _gather(records.batches, pieces, key_size, columns)
    if gathered is None:
        return dict.fromkeys(columns, ())
    parts = gathered.parts
    if nulls_apart:
        parts = [
            replace(
                part,
                rows=np.where(part.rows < 0, -1, part.rows + np.maximum(part.nulls, 0)),
                size=np.zeros_like(part.size),
            )
            for part in parts
        ]
    deleted = [(key, block.order) for block in records.deletes for key in block.keys if len(key) == key_size]
    keys = _join_keys([gathered.keys], [key for key, _ in deleted])
    unique = 0 if gathered.repeated else _count_of_base_files(gathered.parts)
    apart = records.all_of_base_files and not gathered.repeated
    live = live_records(parts, keys, [order for _, order in deleted], apart=apart, unique=unique)
    reading = _Reading(parts, keys, gathered.kinds, of_files=key_size == FILE_KEY, as_stated=as_stated)
    named = gathered.columns if len(live.records) == len(gathered.columns) else gathered.columns[live.records]
    of_columns = in_order(lambda number: tuple(reading.by_kind(live.select(named == number))), range(len(columns)))
    return dict(zip(columns, of_columns, strict=True))


def _count_of_base_files(parts: Iterable[DecodedStatistics]) -> int:
    """How many records, the first, are of base files, in which a key comes once."""
    return sum(len(part) for part in takewhile(lambda part: not part.order.any(), parts))


def extend(
    earlier: Sequence[RecordedStatistics], records: MetadataRecords, column: str, key_size: int
) -> tuple[RecordedStatistics, ...] | None:
    """The result of `read_statistics` for a column, brought up to date by records that apply after all that it was read from.

    None when it must be read again, because bounds of some key come in another type than before. Raises `CorruptFileError`.
    """
    kinds = BoundKinds()
    before = _earlier(earlier, column, kinds)
    gathered = _gather(records.batches, (), key_size, [column])
    later = [] if gathered is None else gathered.renumber(kinds)
    deleted = [(key, block.order) for block in records.deletes for key in block.keys if len(key) == key_size]
    parts: list[_Part] = [before, *later]
    keys = _join_keys([part.keys for part in parts], [key for key, _ in deleted])
    live = live_records(parts, keys, [order for _, order in deleted], unique=len(before))
    live = live.select(_select_named(words_of(keys)[live.records], column))
    of_before = live.records < len(before)
    if (before.kinds[live.records[of_before]] != live.kinds[of_before]).any():
        return None
    return tuple(_Reading(parts, keys, kinds, of_files=key_size == FILE_KEY).by_kind(live))


def _earlier(recorded: Sequence[RecordedStatistics], column: str, kinds: BoundKinds) -> _Earlier:
    name = np.frombuffer(xxh64_id(column).encode(), np.uint8)
    keys = [np.hstack([np.broadcast_to(name, (len(part), COLUMN_SIZE)), part.keys]) for part in recorded]
    numbers = [_kind_number(part, kinds) for part in recorded]
    kind_of = np.repeat(np.array(numbers, np.int64), [len(part) for part in recorded])
    return _Earlier(np.concatenate(keys), kind_of, [part.statistics for part in recorded])


def _kind_number(recorded: RecordedStatistics, kinds: BoundKinds) -> int:
    """The kind of records; none where nothing has a bound or states a type."""
    stats = recorded.statistics
    if not recorded.typed and stats.type == UNTYPED.type and not (stats.lower_known.any() or stats.upper_known.any()):
        return NO_KIND
    return kinds.index_of(stats.type, typed=recorded.typed)


@dataclass(frozen=True, slots=True, eq=False)
class _Gathered:
    """Decoded records, those of a source in their order; the kinds met in them; and the parts of their keys.

    `columns` numbers the column that each names, -1 for one that is not wanted. `repeated`: two side by side have one key.
    """

    parts: Sequence[DecodedStatistics]
    kinds: BoundKinds
    keys: Octets
    columns: Numbers32
    repeated: bool

    def renumber(self, kinds: BoundKinds) -> list[DecodedStatistics]:
        """The records, their kinds numbered as others are."""
        return [replace(part, kinds=kinds.renumber(part.kinds, self.kinds)) for part in self.parts]


def _gather(
    batches: Sequence[RecordBatch], pieces: Sequence[Piece], key_size: int, columns: Sequence[str]
) -> _Gathered | None:
    """All records, decoded on all processors; keys are examined where they are decoded, and joined meanwhile. None without."""
    tasks: list[Callable[[], _Gathered | None]] = [partial(_of_piece, piece, key_size, columns) for piece in pieces]
    tasks += [partial(_of_batches, together, key_size, columns) for together in _together(batches)]
    if len(tasks) == 1:
        return tasks[0]()
    gathered: list[_Gathered] = []
    keys: ColumnBuilder | None = None
    for piece_part in filter(None, in_order(lambda task: task(), tasks)):
        gathered.append(piece_part)
        column = FixedBinaryColumn(key_size, piece_part.keys)
        keys = ColumnBuilder(column, len(piece_part.keys) * len(tasks)) if keys is None else keys
        keys.add(column)
    if keys is None:
        return None
    kinds = BoundKinds()
    joined = keys.column()
    assert isinstance(joined, FixedBinaryColumn)
    return _Gathered(
        [part for some in gathered for part in some.renumber(kinds)],
        kinds,
        joined.data,
        np.concatenate([some.columns for some in gathered]),
        any(some.repeated for some in gathered)
        or any(np.array_equal(one.keys[-1], next_one.keys[0]) for one, next_one in pairwise(gathered)),
    )


def _of_piece(piece: Piece, key_size: int, columns: Sequence[str]) -> _Gathered | None:
    batch = piece()
    return _of_batches([batch], key_size, columns) if len(batch.cells) else None


def _of_batches(batches: list[RecordBatch], key_size: int, columns: Sequence[str]) -> _Gathered:
    part, kinds = decode(batches, key_size)
    words = words_of(part.keys)
    numbers = np.full(len(part), -1, np.int32)
    for number, column in enumerate(columns):
        numbers[_select_named(words, column)] = number
    repeated = bool((words[1:, -1] == words[:-1, -1]).any())
    return _Gathered([part], kinds, part.keys, numbers, repeated)


def _together(batches: Iterable[RecordBatch]) -> list[list[RecordBatch]]:
    """Small batches of one schema together, large ones alone."""
    small: dict[str, list[RecordBatch]] = {}
    joined: list[list[RecordBatch]] = []
    for batch in batches:
        if len(batch.cells) >= _DECODED_TOGETHER:
            joined.append([batch])
        elif len(batch.cells):
            small.setdefault(batch.schema, []).append(batch)
    return joined + list(small.values())


def _join_keys(keys: Sequence[Octets], deleted: Sequence[bytes]) -> Octets:
    if len(keys) == 1 and not deleted:
        return keys[0]
    return np.concatenate([*keys, np.frombuffer(b"".join(deleted), np.uint8).reshape(-1, keys[0].shape[1])])


def _select_named(words: Words64, column: str) -> Bools:
    """Which keys start with the column's name."""
    name = np.frombuffer(xxh64_id(column).encode() + bytes(4), "<u8")
    named: Bools = (words[:, 0] == name[0]) & (words[:, 1] & np.uint64(0xFFFFFFFF) == name[1])
    return named


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Decoded records, and how to take statistics from them."""

    parts: Sequence[_Part]
    keys: Octets
    kinds: BoundKinds
    of_files: bool
    as_stated: bool = False

    def by_kind(self, live: LiveRecords) -> Iterator[RecordedStatistics]:
        for number in (np.flatnonzero(np.bincount(live.kinds - NO_KIND)) + NO_KIND).tolist():
            of_kind = live.select(live.kinds == number)
            kind = self.kinds[number]
            statistics = concatenate(list(self._pieces(of_kind, kind, typed=number != NO_KIND)))
            places, statistics = (
                (None, statistics) if of_kind.run is None else merge_statistics(of_kind.run, statistics)
            )
            records = of_kind.records if places is None else of_kind.records[places]
            keys = self.keys if len(records) == len(self.keys) else self.keys[records]
            yield RecordedStatistics(keys[:, COLUMN_SIZE:], statistics, kind.typed)

    def _pieces(self, live: LiveRecords, kind: BoundKind, *, typed: bool) -> Iterator[ColumnStatistics]:
        """The statistics of the records, part by part."""
        ends = np.cumsum([len(part) for part in self.parts])
        offset = start = 0
        for part, end, stop in zip(self.parts, ends, np.searchsorted(live.records, ends), strict=True):
            if stop > start:
                rows = None if stop - start == len(part) else live.records[start:stop] - offset
                void = None if live.void is None else live.void[start:stop]
                yield self._statistics(part, rows, void, kind, typed=typed)
            offset, start = end, stop

    def _statistics(
        self, part: _Part, rows: Numbers | None, void: Bools | None, kind: BoundKind, *, typed: bool
    ) -> ColumnStatistics:
        if isinstance(part, _Earlier):
            return part.statistics(np.arange(len(part)) if rows is None else rows)
        lower, lower_known = bounds(part.lower, rows, kind)
        upper, upper_known = bounds(part.upper, rows, kind)
        if isinstance(lower, ByteStrings) and isinstance(kind.type, t.String | t.Uuid):
            lower = whole_lower(lower, part.details, rows)
        if void is not None:
            lower_known, upper_known = lower_known & ~void, upper_known & ~void
        nulls, counts, size = part.nulls, part.rows, part.size
        if rows is not None:
            nulls, counts, size = nulls[rows], counts[rows], size[rows]
        recorded = ColumnStatistics(kind.type, lower, upper, lower_known, upper_known, nulls, counts)
        if self.as_stated:
            return recorded
        return trust_statistics(recorded, Origin(counts, size, self.of_files), typed=typed)
