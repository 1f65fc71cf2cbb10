"""Bloom filters of expression indexes: which slices hold no row whose value of a function is one of some. Rule META-120."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.expr.predicate import Column, OneOf
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.table import MetadataTable
from hudi_core.planning.sources.bloom_filters import MAX_FILTERS
from hudi_core.planning.sources.expression_indexes import ExpressionIndex
from hudi_core.planning.sources.indexes import Keys, Lookup
from hudi_core.timeline.slices import FileSlice, Slices
from hudi_core.types import nodes as t

_SLICES_TOGETHER: Final = 64
"""Slices whose filters are in memory at once."""


@dataclass(frozen=True)
class ExpressionFilters:
    """Filters of the values of an expression in files. With `opaque_logs` slices with log files are never ruled out."""

    index: ExpressionIndex
    metadata: MetadataTable
    slices: Slices
    opaque_logs: bool
    unusable: str = ""
    finds_keys: bool = False

    @property
    def name(self) -> str:
        return self.index.partition

    def keys_of(self, leaf: OneOf) -> Keys | None:
        is_this = isinstance(leaf.term, Column) and leaf.term.id == self.index.column.id
        if not is_this or not isinstance(self.index.column.type, t.String | t.Int | t.Long):
            return None
        keys = frozenset(map(str, leaf.values))
        # No filter takes an empty string.
        return None if "" in keys else keys

    def without(self, lookup: Lookup, slices: Numbers) -> Numbers:
        rows = [row for row in slices.tolist() if not (self.opaque_logs and self.slices[row].logs)]
        if sum(len(self.slices[row].files) for row in rows) > MAX_FILTERS:
            return slices[:0]
        hashed = HashedKeys(sorted(lookup.keys))
        denied: list[int] = []
        for start in range(0, len(rows), _SLICES_TOGETHER):
            some = rows[start : start + _SLICES_TOGETHER]
            denied += [row for row, one in zip(some, self._find_denied(some, hashed), strict=True) if one]
        return np.array(denied, np.int64)

    def _find_denied(self, rows: Sequence[int], hashed: HashedKeys) -> Iterator[bool]:
        """Whether, for each slice, all its files have a filter that denies all keys."""
        of_slices = [_keys_of_files(self.slices[row]) for row in rows]
        named = sorted({key for keys in of_slices for key in keys}, key=str.encode)
        denying: set[str] = set()
        for number, text in filter_texts(self.metadata.lookup(self.name, named)):
            if not parse_bloom_filter(text, f"{self.name}, {named[number]}").may_contain(hashed).any():
                denying.add(named[number])
        for keys in of_slices:
            yield denying.issuperset(keys)


def _keys_of_files(file_slice: FileSlice) -> list[str]:
    return [bloom_filter_key(file_slice.partition, file.name) for file in file_slice.files]
