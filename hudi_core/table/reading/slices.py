"""Rows of file slices: the way to read each, and the rows that match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hudi_core.expr.predicate import Predicate
from hudi_core.schema.schema import Schema
from hudi_core.table.reading.base_files import BaseFiles
from hudi_core.table.reading.merged_slices import MergedSlices
from hudi_core.table.reading.wanted import Wanted
from hudi_core.table.sources.sources import Sources
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True)
class SliceReader:
    """Reads slices as rows of the wanted schema."""

    sources: Sources
    wanted: Schema
    predicate: Predicate

    def read(self, slice: FileSlice, residual: Predicate | None) -> Iterator[Any]:
        """The engine's batches of the slice's rows, those that match `residual` if there is one.

        Raises `UnsupportedError` for a format that the engine cannot read, and for records that are merged in a way that is
        not known.
        """
        if slice.logs or slice.base is None:
            if residual is None:
                return self._merged.rows(slice, self.wanted)
            return self._merged.matching(slice, self._rows, residual)
        if residual is None:
            return self._base_files.rows(slice, slice.base, self.wanted)
        return self._base_files.matching(slice, slice.base, self._rows, residual)

    @cached_property
    def _rows(self) -> Wanted:
        snapshot = self.sources.snapshot
        return Wanted(snapshot.engine, snapshot.schema, self.wanted, self.predicate)

    @cached_property
    def _merged(self) -> MergedSlices:
        return MergedSlices(self._base_files)

    @cached_property
    def _base_files(self) -> BaseFiles:
        return BaseFiles(self.sources)
