"""Slices that recorded statistics leave in doubt: which they are, and the statistics in their files.

A slice is in doubt when it would not be read if the files of which not all is known held nothing: then what they hold decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hudi_core.arrays import Bools, Numbers
from hudi_core.evolve.reconcile import Stored, find_stored_column
from hudi_core.expr.predicate import Column, Predicate
from hudi_core.planning.sources.file_headers import FileHeaders
from hudi_core.planning.sources.footer_statistics import footer_pieces
from hudi_core.planning.sources.slice_statistics import ColumnStatsOfSlices, DataFiles, MissingStats
from hudi_core.pruning.statistics import is_complete_in
from hudi_core.pruning.store import FileStatistics, Load, StatisticsPart


def complete_slices(pieces: Iterable[StatisticsPart], count: int) -> Bools:
    """Which of the slices 0 to `count` - 1 have complete statistics of a column: both bounds, the null count, NaN."""
    has_part, incomplete = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for piece in pieces:
        has_part[piece.files] = True
        incomplete[piece.files[~is_complete_in(piece.statistics)]] = True
    return has_part & ~incomplete


@dataclass(frozen=True)
class FooterFallback:
    """The fallback beside recorded statistics. `by_path` gives statistics of a column in some slices from paths, or None."""

    headers: FileHeaders
    recorded: ColumnStatsOfSlices
    by_path: Callable[[Column, Numbers], list[StatisticsPart] | None]

    def doubtful(self, slices: Numbers, predicate: Predicate, facts: Load) -> Numbers:
        """Which of these slices are in doubt."""
        if not len(slices):
            return slices
        recorded = replace(self.recorded, files=self._files_of(slices), optimistic=True)

        def load(column: Column) -> Iterable[StatisticsPart]:
            return self.by_path(column, slices) or recorded.pieces(column)

        return np.delete(slices, FileStatistics(len(slices), load).plan(predicate, facts).possible())

    def read(self, rows: Numbers, doubtful: Numbers) -> Load:
        """Reads statistics of a column from the files of doubtful slices, numbered by their places in `rows`, which ascends."""
        slices = [self.headers.snapshot.slices[row] for row in doubtful.tolist()]
        positions = np.searchsorted(rows, doubtful)
        bases = [file_slice.base for file_slice in slices if file_slice.base is not None]
        files = self._files_of(doubtful)
        logs = self.with_headers(replace(self.recorded, files=files.select(files.logs)))

        def load(column: Column) -> Iterable[StatisticsPart]:
            by_path = self.by_path(column, rows)
            if by_path is not None:
                return by_path
            footers = self.headers.footers(bases)
            stored = {
                base.path: self.headers.read_stored_schema(footers[base.path], base.path)
                for base in bases
                if base.path in footers
            }
            numbered = zip(range(len(slices)), slices, strict=True)
            parts = [*footer_pieces(column, numbered, stored, self.recorded.wanted, footers), *logs.pieces(column)]
            return [StatisticsPart(positions[piece.files], piece.statistics) for piece in parts]

        return load

    def with_headers(self, recorded: ColumnStatsOfSlices) -> ColumnStatsOfSlices:
        """Recorded statistics, completed from log-block headers where a log file has none."""
        return replace(recorded, on_missing=lambda column, members: self._by_headers(column, recorded.files, members))

    def _files_of(self, slices: Numbers) -> DataFiles:
        """The files of some slices, numbered from 0 as they are there."""
        files = self.recorded.files
        chosen = files.select(np.isin(files.slices, slices))
        return replace(chosen, slices=np.searchsorted(slices, chosen.slices))

    def _by_headers(self, column: Column, files: DataFiles, members: Numbers) -> npt.NDArray[np.int8]:
        """The assumption about a column that the headers of log files without statistics of it allow; none for base files."""
        logs = np.flatnonzero(files.logs[members])
        infos = [files.info(number) for number in members[logs].tolist()]
        headers = self.headers.logs(infos)
        missing = np.full(len(members), MissingStats.ANYTHING, np.int8)
        for place, member, info in zip(logs.tolist(), members[logs].tolist(), infos, strict=True):
            stored = find_stored_column(self.recorded.versions[files.versions[member]], self.recorded.wanted, column.id)
            if isinstance(stored, Stored):
                missing[place] = headers[info.path].missing_stats(stored.place.path[0])
        return missing
