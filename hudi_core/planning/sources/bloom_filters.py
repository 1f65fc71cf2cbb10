"""Bloom filters of base files: which of them certainly do not hold a record key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hudi_core.expr.predicate import OneOf
from hudi_core.formats.bloom import HashedKeys
from hudi_core.keys.from_keys import RecordKeys
from hudi_core.metadata.table import BLOOM_FILTERS, MetadataTable
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.indexes import Index, Keys
from hudi_core.planning.sources.slice_statistics import Numbers
from hudi_core.planning.sources.stored_filters import kept, keys_in_footer, recorded_texts, text_in_footer
from hudi_core.timeline.slices import FileSlice

_MOST = 1024
"""Filters that are read for one predicate. One of Hudi's default size is 0.4 MB."""
_TOGETHER = 64
"""Filters in memory at once."""

Read = Callable[[Sequence[FileSlice]], Iterator[tuple[int, bytes]]]
"""Reads the filters of slices' base files, as texts, each with the place of its slice; those without one are left out."""


@dataclass(frozen=True)
class BloomFilters:
    """Filters of base files. Of slices with log files they tell nothing: rows in these are not in the filter."""

    heads: FileHeaders
    keys: RecordKeys
    read: Read
    name: str
    unusable: str = ""

    @property
    def knows_keys(self) -> bool:
        return self.heads.snapshot.stores_keys

    def asks(self, leaf: OneOf) -> Keys | None:
        return self.keys.of_column(leaf) if self.knows_keys else None

    def without(self, keys: Keys, left: Numbers) -> Numbers:
        slices = self.heads.snapshot.slices
        asked = [number for number in left.tolist() if slices[number].base is not None and not slices[number].logs]
        hashed, found = HashedKeys(sorted(keys)), []
        for begin in range(0, len(asked) if len(asked) <= _MOST else 0, _TOGETHER):
            numbers = asked[begin : begin + _TOGETHER]
            for place, text in self.read([slices[number] for number in numbers]):
                of = slices[numbers[place]]
                said = None if of.base is None else self.heads.footer_read(of.base)
                its = kept(text, of, keys_in_footer(said))
                if its.problem is not None:
                    self.heads.snapshot.set_aside(its.problem)
                if its.filter is not None and not its.filter.may_contain(hashed).any():
                    found.append(numbers[place])
        return np.array(sorted(found), np.int64)


def filters_in_metadata(heads: FileHeaders, keys: RecordKeys, metadata: MetadataTable) -> Index:
    """The filters in the metadata table."""

    def read(slices: Sequence[FileSlice]) -> Iterator[tuple[int, bytes]]:
        return iter(recorded_texts(metadata, heads.snapshot, slices).items())

    return BloomFilters(heads, keys, read, BLOOM_FILTERS)


def filters_in_footers(heads: FileHeaders, keys: RecordKeys) -> Index:
    """The filters in footers that were read anyhow."""

    def read(slices: Sequence[FileSlice]) -> Iterator[tuple[int, bytes]]:
        for place, each in enumerate(slices):
            said = heads.footer_read(each.base) if each.base else None
            text = text_in_footer(said)
            if text:
                yield place, text

    return BloomFilters(heads, keys, read, "bloom filters in footers")
