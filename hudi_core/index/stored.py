"""The record keys that file slices hold, and the bounds that are known of them. Rules INDEX-2, INDEX-5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.engine import Footer
from hudi_core.errors import CorruptFileError
from hudi_core.expr.predicate import ALWAYS_TRUE, Column
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.keys.bound import KeyGenerator
from hudi_core.keys.choose import of_table
from hudi_core.metadata.table import COLUMN_STATS
from hudi_core.planning.sources.sources import Sources
from hudi_core.planning.sources.stored_filters import MAX_KEY, MIN_KEY
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.slices import SliceReader
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.project import project
from hudi_core.schema.schema import Path, Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import String

_SUPPLEMENTARY, _LATE = 0xF0, (0xEE, 0xEF)
"""Leading bytes of characters above U+FFFF, and of those that UTF-16 sorts after them."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class KeyBounds:
    """The least and the greatest key of some slices, both as texts; `known` tells of which. `empty` ones hold no key at all."""

    low: ByteStrings
    high: ByteStrings
    known: NDArray[np.bool_]
    empty: NDArray[np.bool_]

    def of(self, places: Numbers) -> KeyBounds:
        """Those of some of the slices, by their places."""
        return KeyBounds(self.low.take(places), self.high.take(places), self.known[places], self.empty[places])

    def completed(self, found: Mapping[int, tuple[bytes, bytes]]) -> KeyBounds:
        """With what was found of other slices, by their places."""
        places = range(len(self.known))
        return KeyBounds(
            ByteStrings.of([found[at][0] if at in found else self.low[at] for at in places]),
            ByteStrings.of([found[at][1] if at in found else self.high[at] for at in places]),
            self.known | np.isin(places, list(found)),
            self.empty,
        )


@dataclass(frozen=True)
class StoredKeys:
    """Reads the record keys of a snapshot's file slices: from Hudi's own column or, where rows have none, made of theirs."""

    sources: Sources
    known: KeyBounds | None = None
    """The bounds of all slices, where they were looked up before."""

    def of_slice(self, slice: FileSlice, row_groups: Sequence[int] | None = None) -> Iterator[StringColumn]:
        """The keys of a slice's rows, a part at a time; without log files in the order of the base file, or of the parts of it
        that `row_groups` names. Raises `UnsupportedError` for a format that the engine cannot read."""
        snapshot = self.sources.snapshot
        engine = snapshot.engine
        where = f"{snapshot.storage.uri.rstrip('/')}/{slice.partition}/{slice.file_id}"
        for root in map(engine.rows.root, self._batches(slice, row_groups)):
            keys = engine.values.field(root, 0) if self._generator is None else self._generator.keys(root).record_key
            column = engine.rows.to_column(keys, String(), where)
            if not isinstance(column, StringColumn):
                raise CorruptFileError(where, expected="texts as record keys", found=type(column).__name__)
            yield column

    def _batches(self, slice: FileSlice, row_groups: Sequence[int] | None) -> Iterator[Any]:
        if slice.base is None or slice.logs:
            return self._reader.read(slice, None)
        if self._generator is not None:
            return BaseFiles(self.sources).rows(slice, slice.base, self._wanted, row_groups)
        snapshot = self.sources.snapshot
        reader = snapshot.engine.reader(slice.base.name.rpartition(".")[2])
        return reader.batches(snapshot.storage, slice.base, [RECORD_KEY], row_groups)

    @cached_property
    def _reader(self) -> SliceReader:
        return SliceReader(self.sources, self._wanted, ALWAYS_TRUE)

    @cached_property
    def _generator(self) -> KeyGenerator[Any, Any] | None:
        """What makes the keys of rows that do not hold them."""
        snapshot = self.sources.snapshot
        if snapshot.stores_keys:
            return None
        return KeyGenerator(of_table(snapshot.config), self._wanted, snapshot.engine.values)

    @cached_property
    def _wanted(self) -> Schema:
        """The columns that hold keys, or of which keys are made."""
        config, schema = self.sources.snapshot.config, self.sources.snapshot.schema
        if self.sources.snapshot.stores_keys:
            return project(schema, [(RECORD_KEY,)])
        names = dict.fromkeys((*config.record_key_fields, *config.partition_fields))
        return project(schema, [name.partition(".")[0] for name in names], case_sensitive=False, as_asked=True)

    def footer(self, slice: FileSlice) -> Footer | None:
        """The footer of the base file, where that tells the keys of all rows of the slice. It is not kept."""
        snapshot = self.sources.snapshot
        if slice.base is None or slice.logs or not snapshot.stores_keys:
            return None
        return snapshot.engine.reader(slice.base.name.rpartition(".")[2]).footer(snapshot.storage, slice.base)

    def recorded_bounds(self, numbers: Numbers) -> KeyBounds:
        """What `column_stats` tells of the keys of these slices, which ascend, or what is known of them already."""
        if self.known is not None:
            return self.known.of(numbers)
        snapshot = self.sources.snapshot
        place = snapshot.schema.find(RECORD_KEY) if snapshot.stores_keys else None
        if place is None or snapshot.usable(COLUMN_STATS) is None:
            return _nothing_known(len(numbers))
        column = Column(place.field.id, RECORD_KEY, String())
        pieces = [
            (piece.numbers, piece.statistics)
            for piece in self.sources.recorded.pieces(column)
            if isinstance(piece.statistics.low, ByteStrings)
        ]
        return _joined(numbers, pieces)


def footer_bounds(footer: Footer) -> tuple[bytes, bytes] | None:
    """The least and the greatest key as the footer tells: its statistics, else what Hudi's writers noted.

    Those are in the order of Java's texts, which is not that of bytes where characters above U+FFFF are about.
    """
    told = leaf_bounds(footer.statistics)
    if told is not None:
        return told
    low, high = footer.metadata.get(MIN_KEY), footer.metadata.get(MAX_KEY)
    if low is None or high is None or "\ufffd" in low + high:
        return None
    least, greatest = low.encode(), high.encode()
    if any(byte >= _SUPPLEMENTARY for byte in least) or any(byte in _LATE for byte in greatest):
        return None
    return least, greatest


def leaf_bounds(statistics: Mapping[Path, LeafStatistics]) -> tuple[bytes, bytes] | None:
    """The least and the greatest key that statistics of a file, or of a row group, tell."""
    leaf = statistics.get((RECORD_KEY,))
    if leaf is None or not isinstance(leaf.low, str) or not isinstance(leaf.high, str):
        return None
    return leaf.low.encode(), leaf.high.encode()


def _nothing_known(count: int) -> KeyBounds:
    none = ByteStrings(np.zeros(count + 1, np.int64), np.empty(0, np.uint8))
    return KeyBounds(none, none, np.zeros(count, np.bool_), np.zeros(count, np.bool_))


def _joined(numbers: Numbers, pieces: Sequence[tuple[Numbers, ColumnStatistics]]) -> KeyBounds:
    """The bounds of slices over all their files: unknown as soon as those of one file are."""
    count = len(numbers)
    low: list[bytes | None] = [None] * count
    high: list[bytes | None] = [None] * count
    told = np.zeros(count, np.int64)
    blank = np.zeros(count, np.int64)
    doubtful = np.zeros(count, np.bool_)
    for of, statistics in pieces:
        at = np.searchsorted(numbers, of)
        here = np.flatnonzero(np.append(numbers, -1)[at] == of)
        at = at[here]
        no_value = (statistics.nulls[here] == statistics.rows[here]) & (statistics.rows[here] >= 0)
        known = statistics.low_known[here] & statistics.high_known[here]
        np.add.at(told, at, 1)
        np.add.at(blank, at, no_value)
        doubtful[at[~known & ~no_value]] = True
        least, greatest = statistics.low, statistics.high
        assert isinstance(least, ByteStrings)
        assert isinstance(greatest, ByteStrings)
        for place, row in zip(at[known].tolist(), here[known].tolist(), strict=True):
            one, other = low[place], high[place]
            low[place] = least[row] if one is None else min(one, least[row])
            high[place] = greatest[row] if other is None else max(other, greatest[row])
    found = [(least or b"", greatest or b"") for least, greatest in zip(low, high, strict=True)]
    known = np.array([each is not None for each in low], np.bool_) & ~doubtful
    known &= np.array([least <= greatest for least, greatest in found], np.bool_)
    return KeyBounds(
        ByteStrings.of([least for least, _ in found]),
        ByteStrings.of([greatest for _, greatest in found]),
        known,
        (told > 0) & (told == blank),
    )
