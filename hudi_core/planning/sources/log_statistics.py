"""Column statistics of the log files of slices, apart from those of their base files: which slices' log files exclude a
condition. Rule SOURCE-18."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from hudi_core.arrays import Numbers
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.planning.sources.footer_fallback import FooterFallback
from hudi_core.planning.sources.slice_statistics import ColumnStatsOfSlices, DataFiles, MissingStats
from hudi_core.pruning.store import FileStatistics, StatisticsPart


@dataclass(frozen=True)
class LogStatistics:
    """The statistics of log files, united per column over the log files of a slice: a partial update may set one column of
    a row in one log file and another column in the next."""

    fallback: FooterFallback

    def may_exclude(self, condition: Predicate, slices: Numbers) -> Numbers:
        """Which of these slices' log files exclude the condition if those without statistics do. Reads no log file."""
        return self._excluding(condition, slices, replace(self._statistics(slices), optimistic=True))

    def exclude(self, condition: Predicate, slices: Numbers) -> Numbers:
        """Which of these slices have no log file with a row for which the condition is TRUE. A log file without statistics
        may have one unless its headers, which are read, show deletes alone."""
        statistics = self._statistics(slices)
        by_headers = partial(self._by_headers, statistics.files)
        return self._excluding(condition, slices, replace(statistics, on_missing=by_headers))

    def _statistics(self, slices: Numbers) -> ColumnStatsOfSlices:
        """The recorded statistics of the slices' log files, by position of the slice in `slices`, which ascend."""
        files = self.fallback.recorded.files
        logs = files.select(files.logs & np.isin(files.slices, slices))
        return replace(self.fallback.recorded, files=replace(logs, slices=np.searchsorted(slices, logs.slices)))

    def _excluding(self, condition: Predicate, slices: Numbers, statistics: ColumnStatsOfSlices) -> Numbers:
        def load(column: Column) -> Iterable[StatisticsPart]:
            return self.fallback.by_path(column, slices) or statistics.pieces(column)

        return np.delete(slices, FileStatistics(len(slices), load).plan(condition).possible())

    def _by_headers(self, logs: DataFiles, _: Column, members: Numbers) -> npt.NDArray[np.int8]:
        infos = [logs.info(member) for member in members.tolist()]
        headers = self.fallback.headers.logs(infos)
        deletes_alone = [not (headers[log.path].whole_rows or headers[log.path].parts_of_rows) for log in infos]
        return np.where(deletes_alone, MissingStats.NOTHING, MissingStats.ANYTHING).astype(np.int8)
