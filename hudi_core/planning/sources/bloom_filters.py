"""Bloom filters of base files: which of them certainly do not hold a record key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.expr.connectives import every
from hudi_core.expr.predicate import Column, OneOf, Predicate
from hudi_core.formats.bloom import HashedKeys
from hudi_core.keys.from_keys import RecordKeys
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.planning.sources.file_filters import (
    keys_in_footer,
    parse_file_filter,
    read_recorded_texts,
    text_in_footer,
)
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.indexes import Index, Keys, Lookup
from hudi_core.planning.sources.log_statistics import LogStatistics
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.timeline.slices import FileSlice

MAX_FILTERS = 1024
"""Filters that are read for one predicate. One of Hudi's default size is 0.4 MB."""
_BATCH = 64
"""Filters in memory at once."""

ReadFilters = Callable[[Sequence[FileSlice]], Iterator[tuple[int, bytes]]]
"""Reads the filters of slices' base files, as text, with the position of the slice in the argument; slices without a filter
are left out."""


@dataclass(frozen=True)
class BloomFilters:
    """Filters of base files. A slice with log files is ruled out where its log files exclude the keys as well."""

    headers: FileHeaders
    logs: Callable[[], LogStatistics]
    keys: RecordKeys
    read: ReadFilters
    name: str
    unusable: str = ""

    @property
    def finds_keys(self) -> bool:
        return self.headers.snapshot.stores_keys

    def keys_of(self, leaf: OneOf) -> Keys | None:
        return self.keys.of_column(leaf) if self.finds_keys else None

    def without(self, lookup: Lookup, slices: Numbers) -> Numbers:
        all_slices = self.headers.snapshot.slices
        with_base = [row for row in slices.tolist() if all_slices[row].base is not None]
        plain = [row for row in with_base if not all_slices[row].logs]
        logged = np.array([row for row in with_base if all_slices[row].logs], np.int64)
        if len(plain) > MAX_FILTERS:
            return slices[:0]
        condition = self._condition(lookup)
        logged = self.logs().may_exclude(condition, logged) if len(logged) else logged
        if len(plain) + len(logged) > MAX_FILTERS:
            logged = logged[:0]
        denied = self._find_denied(lookup.keys, np.union1d(np.array(plain, np.int64), logged))
        denied_logged = np.intersect1d(denied, logged)
        if not len(denied_logged):
            return denied
        undecided = np.setdiff1d(denied_logged, self.logs().exclude(condition, denied_logged))
        return np.setdiff1d(denied, undecided)

    def _condition(self, lookup: Lookup) -> Predicate:
        """The condition that is TRUE for rows with one of the keys, on the key columns and on Hudi's own."""
        key_column = self.headers.snapshot.schema.find(RECORD_KEY)
        if key_column is None:
            return lookup.condition
        column = Column(key_column.field.id, key_column.name, key_column.field.type)
        return every([lookup.condition, OneOf(column, tuple(sorted(lookup.keys)))])

    def _find_denied(self, keys: Keys, rows: Numbers) -> Numbers:
        """The slices whose filter denies all the keys, among these, which ascend."""
        slices, hashed, denied = self.headers.snapshot.slices, HashedKeys(sorted(keys)), list[int]()
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH].tolist()
            for position, text in self.read([slices[row] for row in batch]):
                file_slice = slices[batch[position]]
                footer = None if file_slice.base is None else self.headers.footer_read(file_slice.base)
                stored = parse_file_filter(text, file_slice, keys_in_footer(footer))
                if stored.problem is not None:
                    self.headers.snapshot.warn_or_raise(stored.problem)
                if stored.filter is not None and not stored.filter.may_contain(hashed).any():
                    denied.append(batch[position])
        return np.array(sorted(denied), np.int64)


def filters_in_metadata(
    headers: FileHeaders, logs: Callable[[], LogStatistics], keys: RecordKeys, metadata: MetadataTable
) -> Index:
    """The filters in the metadata table."""

    def read(slices: Sequence[FileSlice]) -> Iterator[tuple[int, bytes]]:
        return iter(read_recorded_texts(metadata, headers.snapshot, slices).items())

    return BloomFilters(headers, logs, keys, read, BLOOM_FILTERS)


def filters_in_footers(headers: FileHeaders, logs: Callable[[], LogStatistics], keys: RecordKeys) -> Index:
    """The filters in footers that were read anyhow."""

    def read(slices: Sequence[FileSlice]) -> Iterator[tuple[int, bytes]]:
        for position, file_slice in enumerate(slices):
            text = text_in_footer(headers.footer_read(file_slice.base) if file_slice.base else None)
            if text:
                yield position, text

    return BloomFilters(headers, logs, keys, read, "bloom filters in footers")
