"""The record keys that file slices hold, and the lower and upper bounds of them that are known. Rules INDEX-2, INDEX-5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.by_need import ModuleByNeed
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.nodes import StringColumn
from hudi_core.engine import Footer, OpenedFile
from hudi_core.expr.predicate import Column
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.metadata.table import COLUMN_STATS
from hudi_core.planning.sources.file_filters import MAX_KEY, MIN_KEY
from hudi_core.planning.sources.sources import Sources
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.reading.base_files import BaseFiles
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import Path
from hudi_core.tagging.row_keys import RowKeys
from hudi_core.timeline.services import FileGroup
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import String

if TYPE_CHECKING:
    from hudi_core.reading import merged_slices
else:
    merged_slices = ModuleByNeed("hudi_core.reading.merged_slices")  # for log files alone

_SUPPLEMENTARY, _LATE = 0xF0, (0xEE, 0xEF)
"""Leading bytes of characters above U+FFFF, and of those that UTF-16 sorts after them."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyBounds:
    """Bounds of the keys of some slices, where `known`; those that are `empty` hold no key."""

    lower: ByteStrings
    upper: ByteStrings
    known: Bools
    empty: Bools

    def take(self, indexes: Numbers) -> KeyBounds:
        """The bounds of some of the slices."""
        return KeyBounds(self.lower.take(indexes), self.upper.take(indexes), self.known[indexes], self.empty[indexes])

    def complete_with(self, bounds: Mapping[int, tuple[bytes, bytes]]) -> KeyBounds:
        """With the bounds of some slices more, by their indexes."""
        indexes = range(len(self.known))
        return KeyBounds(
            ByteStrings.from_list([bounds[index][0] if index in bounds else self.lower[index] for index in indexes]),
            ByteStrings.from_list([bounds[index][1] if index in bounds else self.upper[index] for index in indexes]),
            self.known | np.isin(indexes, list(bounds)),
            self.empty,
        )


@dataclass(frozen=True)
class SliceKeyReader:
    """Reads the record keys of a snapshot's file slices: the meta column or, with virtual keys, made by the key generator."""

    sources: Sources
    bounds: KeyBounds | None = None
    """The bounds of all slices, where they were looked up before."""
    deleting: set[FileGroup] = field(default_factory=set, repr=False, compare=False)
    """The file groups of slices, all of whose keys were drawn, in which log files delete keys of the base file."""

    def of_slice(
        self, slice: FileSlice, row_groups: Sequence[int] | None = None, opened: OpenedFile[Any] | None = None
    ) -> Iterator[StringColumn]:
        """The keys of a slice's rows, a part at a time; without log files in the order of the base file, or of the parts of it
        that `row_groups` names. `opened` is its base file, as `open` gives it. Raises `UnsupportedError` for a format that the
        engine cannot read."""
        snapshot = self.sources.snapshot
        engine = snapshot.engine
        where = f"{snapshot.storage.uri.rstrip('/')}/{slice.partition}/{slice.file_id}"
        batches = self._batches(slice, row_groups) if opened is None else opened.batches([RECORD_KEY], row_groups)
        for root in map(engine.rows.root, batches):
            yield self._keys.of_rows(root, where)

    def _batches(self, slice: FileSlice, row_groups: Sequence[int] | None) -> Iterator[Any]:
        if slice.base is None or slice.logs:
            return self._merged.rows(slice, self._keys.schema, self.deleting)
        if self._keys.generator is not None:
            return BaseFiles(self.sources).rows(slice, slice.base, self._keys.schema, row_groups)
        return self.sources.headers.open_file(slice.base).batches([RECORD_KEY], row_groups)

    @cached_property
    def _merged(self) -> merged_slices.MergedSlices:
        return merged_slices.MergedSlices(BaseFiles(self.sources))

    @cached_property
    def _keys(self) -> RowKeys:
        return RowKeys(self.sources.snapshot)

    def open(self, slice: FileSlice) -> OpenedFile[Any] | None:
        """The base file, where it has the keys of all rows of the slice."""
        if slice.base is None or slice.logs or not self.sources.snapshot.stores_keys:
            return None
        return self.sources.headers.open_file(slice.base)

    def footer(self, slice: FileSlice) -> Footer | None:
        """The footer of the base file, where it describes the keys of all rows of the slice; it is not cached."""
        opened = self.open(slice)
        return None if opened is None else opened.footer

    def read_recorded_bounds(self, numbers: Numbers) -> KeyBounds:
        """The bounds of the keys of these slices, which ascend: those of `bounds`, else those that `column_stats` records."""
        if self.bounds is not None:
            return self.bounds.take(numbers)
        snapshot = self.sources.snapshot
        place = snapshot.schema.find(RECORD_KEY) if snapshot.stores_keys else None
        if place is None or snapshot.usable(COLUMN_STATS) is None:
            return _unknown_bounds(len(numbers))
        column = Column(place.field.id, RECORD_KEY, String())
        pieces = [
            (piece.files, piece.statistics)
            for piece in self.sources.recorded.pieces(column)
            if isinstance(piece.statistics.lower, ByteStrings)
        ]
        return _join(numbers, pieces)


def footer_bounds(footer: Footer) -> tuple[bytes, bytes] | None:
    """The lower and upper bound of the keys by a footer: its statistics, else the metadata that Hudi's writers put there.

    The latter are in the order of Java's strings, which is not that of bytes where characters above U+FFFF occur.
    """
    bounds = leaf_bounds(footer.statistics)
    if bounds is not None:
        return bounds
    lower, upper = footer.metadata.get(MIN_KEY), footer.metadata.get(MAX_KEY)
    if lower is None or upper is None or "\ufffd" in lower + upper:
        return None
    least, greatest = lower.encode(), upper.encode()
    if any(byte >= _SUPPLEMENTARY for byte in least) or any(byte in _LATE for byte in greatest):
        return None
    return least, greatest


def leaf_bounds(statistics: Mapping[Path, LeafStatistics]) -> tuple[bytes, bytes] | None:
    """The lower and upper bound of the keys by the statistics of a file or of a row group; None when they lack one."""
    leaf = statistics.get((RECORD_KEY,))
    if leaf is None or not isinstance(leaf.lower, str) or not isinstance(leaf.upper, str):
        return None
    return leaf.lower.encode(), leaf.upper.encode()


def _unknown_bounds(count: int) -> KeyBounds:
    none = ByteStrings(np.zeros(count + 1, np.int64), np.empty(0, np.uint8))
    return KeyBounds(none, none, np.zeros(count, np.bool_), np.zeros(count, np.bool_))


def _join(numbers: Numbers, pieces: Sequence[tuple[Numbers, ColumnStatistics]]) -> KeyBounds:
    """The bounds of slices over all their files: unknown as soon as those of one file are."""
    count = len(numbers)
    lower: list[bytes | None] = [None] * count
    upper: list[bytes | None] = [None] * count
    files = np.zeros(count, np.int64)
    files_without_key = np.zeros(count, np.int64)
    doubtful = np.zeros(count, np.bool_)
    for slice_numbers, statistics in pieces:
        slices = np.searchsorted(numbers, slice_numbers)
        rows = np.flatnonzero(np.append(numbers, -1)[slices] == slice_numbers)
        slices = slices[rows]
        no_value = (statistics.nulls[rows] == statistics.rows[rows]) & (statistics.rows[rows] >= 0)
        known = statistics.lower_known[rows] & statistics.upper_known[rows]
        np.add.at(files, slices, 1)
        np.add.at(files_without_key, slices, no_value)
        doubtful[slices[~known & ~no_value]] = True
        file_lower, file_upper = statistics.lower, statistics.upper
        assert isinstance(file_lower, ByteStrings)
        assert isinstance(file_upper, ByteStrings)
        for index, row in zip(slices[known].tolist(), rows[known].tolist(), strict=True):
            least, greatest = lower[index], upper[index]
            lower[index] = file_lower[row] if least is None else min(least, file_lower[row])
            upper[index] = file_upper[row] if greatest is None else max(greatest, file_upper[row])
    bounds = [(least or b"", greatest or b"") for least, greatest in zip(lower, upper, strict=True)]
    known = np.array([least is not None for least in lower], np.bool_) & ~doubtful
    known &= np.array([least <= greatest for least, greatest in bounds], np.bool_)
    return KeyBounds(
        ByteStrings.from_list([least for least, _ in bounds]),
        ByteStrings.from_list([greatest for _, greatest in bounds]),
        known,
        (files > 0) & (files == files_without_key),
    )
