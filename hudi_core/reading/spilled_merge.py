"""The merge of a slice with its logs in files: one stretch of its base file after another, by `SliceMerge`. Rule MERGE-860."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hudi_core.columns.nodes import StringColumn
from hudi_core.engine import FileInfo
from hudi_core.formats.files import RewrittenRows
from hudi_core.reading.array_files import ScratchFolder
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.slice_merge import Changes, SliceMerge
from hudi_core.reading.sorted_runs import SortedRuns
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice


class SpilledMerge:
    """The merge of a slice with its records in files of `folder`, which is removed after the last row."""

    def __init__(self, base_files: BaseFiles, slice: FileSlice, runs: SortedRuns, folder: ScratchFolder) -> None:
        self._base_files, self._slice, self._runs, self._folder = base_files, slice, runs, folder
        self.updates = self.inserts = self.deletes = 0

    @property
    def records(self) -> int:
        """The number of newer records, deletes among them."""
        return self._runs.records

    def record_keys(self, root: Any) -> StringColumn:
        """The record keys of rows of the merge."""
        return self._runs.columns.record_keys(root, "rows")

    def rewritten(self, changes: Changes | None = None) -> Iterator[RewrittenRows[Any]]:
        """As `SliceMerge.rewritten`."""
        try:
            yield from self._merge(changes)
        finally:
            self._folder.close()

    def _merge(self, changes: Changes | None) -> Iterator[RewrittenRows[Any]]:
        base, columns = self._slice.base, self._runs.columns
        stored = _Cuts(columns.engine.rows, iter(()))
        if base is not None:
            stored = _Cuts(columns.engine.rows, self._base_files.rows(self._slice, base, columns.schema))
        new_keys = replace(self._slice, base=None)
        for place, stretch in enumerate(self._runs.stretches):
            records = self._runs.records_of(place)
            if stretch.in_base:
                files = _Stretch(stored.take(stretch.stop - stretch.first))
                merge = SliceMerge(files, self._slice, columns, records)
            elif len(records.key_ids):
                merge = SliceMerge(self._base_files, new_keys, columns, records)
            else:
                continue
            for made in merge.rewritten(changes):
                yield replace(made, first=stretch.first + made.first)
            self.updates += merge.updates
            self.inserts += len(merge.added)
            self.deletes += len(merge.removed)


@dataclass(frozen=True)
class _Stretch:
    """Some rows of a base file in the place of the file."""

    batches: Iterator[Any]

    def rows(
        self, slice: FileSlice, base: FileInfo, wanted: Schema, row_groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """The rows, which have the columns of the merge."""
        return self.batches


class _Cuts:
    """Batches, cut where a stretch ends."""

    def __init__(self, rows: Any, batches: Iterator[Any]) -> None:
        self._rows, self._batches = rows, batches
        self._left: Any = None

    def take(self, count: int) -> Iterator[Any]:
        """The next so many rows."""
        while count > 0:
            batch = next(self._batches, None) if self._left is None else self._left
            self._left = None
            if batch is None:
                return
            size = self._rows.count(batch)
            if size > count:
                behind = np.arange(size) >= count
                self._left, batch = self._rows.keep(batch, behind), self._rows.keep(batch, ~behind)
            count -= min(size, count)
            yield batch
