"""Slices with log files, file by file: where merging takes whole rows, a row matches only if one file may hold it.

`line = 2 AND qty > 200` does not match when the base file has the one and a log file the other. Not so where a log block has
some columns only: its rows are put together with older ones. Headers of the blocks show it, and are read before a slice goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.planning.sources.conditions import ConditionColumns
from hudi_core.planning.sources.footer_fallback import FooterFallback
from hudi_core.planning.sources.slice_statistics import ColumnStatsOfSlices, DataFiles
from hudi_core.pruning.store import FileStatistics, StatisticsPart


@dataclass(frozen=True)
class FileStatisticsAnswer:
    """Statistics of the files of slices, one by one, for slices with log files; unknown for other slices."""

    fallback: FooterFallback
    slices: Numbers
    facts: ConditionColumns
    note: str = field(default="", init=False)

    def possible(self, predicate: Predicate) -> Bools:
        files, flags = self._files, np.ones(len(self.slices), np.bool_)
        positions = np.searchsorted(self.slices, files.slices)
        by_file = self._statistics.plan(predicate, self.facts.of_slices(files.slices)).possible()
        flags[positions] = False
        flags[positions[by_file]] = True
        flags[~flags] = ~self._whole(self.slices[~flags])
        return flags

    def certain(self, predicate: Predicate) -> Bools:
        return np.zeros(len(self.slices), np.bool_)

    @cached_property
    def _files(self) -> DataFiles:
        """The files of those slices that have log files."""
        files = self.fallback.recorded.files
        with_logs = np.intersect1d(self.slices, files.slices[files.logs])
        return files.select(np.isin(files.slices, with_logs))

    @cached_property
    def _statistics(self) -> FileStatistics:
        files = self._files
        numbered = replace(files, slices=np.arange(len(files), dtype=np.int64))
        recorded: ColumnStatsOfSlices = self.fallback.with_headers(replace(self.fallback.recorded, files=numbered))

        def load(column: Column) -> Iterable[StatisticsPart]:
            return self.fallback.by_path(column, files.slices) or recorded.pieces(column)

        return FileStatistics(len(files), load)

    def _whole(self, slices: Numbers) -> Bools:
        """In which of these slices all log blocks hold whole rows."""
        logs = [self.fallback.headers.snapshot.slices[row].logs for row in slices.tolist()]
        headers = self.fallback.headers.logs([log for of_slice in logs for log in of_slice])
        return np.array([not any(headers[log.path].parts_of_rows for log in of_slice) for of_slice in logs], np.bool_)
