"""Statistics as they were loaded, put to a predicate without being put into another form first.

A column that is needed for the first time is examined once: a stretch of files after the other, each small enough to stay in the
processor's cache. What `intervals` decides once for all predicates (an unknown bound, bounds that contradict each other, a file
without values) is decided here for those files alone where it matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools
from hudi_core.pruning.intervals import Intervals, plain_intervals, plain_keys
from hudi_core.pruning.order_keys import FloatKeys, KeyArray, OrderKeys
from hudi_core.pruning.ordered import ValueSet, holds
from hudi_core.pruning.ranks import LiteralWords, place_bounds
from hudi_core.pruning.statistics import ColumnStatistics, take_bounds, take_files

CHUNK = 1 << 16
"""Files examined together."""

_SPARSE = 8
"""When fewer than one in so many files may match, the counts of those alone are examined."""

Files = slice | NDArray[Any]
"""Consecutive numbers (start and stop given), or numbers in an array."""


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """The statistics of one column in files 0, 1, 2, ..., and the keys that its bounds have.

    `literals` are the byte strings among which bounds that are strings are placed, ascending and distinct: all that the
    predicate compares with. None for numbers.
    """

    keys: OrderKeys
    statistics: ColumnStatistics
    literals: LiteralWords | None

    @staticmethod
    def from_statistics(statistics: ColumnStatistics, literals: list[bytes] | None) -> Loaded:
        words = None if literals is None else LiteralWords.from_list(literals)
        return Loaded(plain_keys(statistics.type, literals), statistics, words)

    @property
    def nulls(self) -> Bools:
        """Which files may hold null."""
        nulls: Bools = self.statistics.nulls != 0
        return nulls

    @property
    def nans(self) -> Bools | None:
        """Which files may hold NaN; None that none may."""
        return self.intervals(slice(0, len(self.statistics))).nans

    def intervals(self, files: Files) -> Intervals:
        """The intervals of the files."""
        part = take_files(self.statistics, files)
        return plain_intervals(part, self.keys, self.literals)

    def holds(self, wanted: ValueSet, files: Files) -> Bools:
        """Which of the files may hold a wanted value."""
        if not isinstance(files, slice):
            return holds(wanted, self.intervals(files))
        if len(wanted.ranges) > 1 or isinstance(self.keys, FloatKeys):
            parts = [holds(wanted, self.intervals(part)) for part in _chunks(files)]
            return np.concatenate(parts) if parts else np.zeros(0, np.bool_)
        nulls: Bools = self.statistics.nulls[files] != 0 if wanted.null else np.zeros(0, np.bool_)
        if not wanted.ranges:
            return nulls if wanted.null else np.zeros(files.stop - files.start, np.bool_)
        met = self._in_range(*wanted.ranges[0], files)
        return met | nulls if wanted.null else met

    def _in_range(self, first: int, last: int, files: slice) -> Bools:
        """Which files may hold a value with a key from the first to the last."""
        met, plain = (np.empty(files.stop - files.start, np.bool_) for _ in range(2))
        for part in _chunks(files):
            here = slice(part.start - files.start, part.stop - files.start)
            lower, upper, in_order = self._make_bound_keys(part)
            within = np.less_equal(lower, last, out=met[here])
            within &= upper >= first
            trusted = np.logical_and(in_order, self.statistics.lower_known[part], out=plain[here])
            trusted &= self.statistics.upper_known[part]
            if lower.dtype == np.int64 and self.keys.top < _GREATEST:
                trusted &= (lower >= self.keys.bottom) & (upper <= self.keys.top)
        if not plain.all():
            others = np.flatnonzero(~plain)
            of_others = self.intervals(others + files.start)
            met[others] = (of_others.lower <= last) & (of_others.upper >= first)
        self._remove_empty(met, files)
        return met

    def _remove_empty(self, met: Bools, files: slice) -> None:
        """Files without values match nothing."""
        nulls, rows = self.statistics.nulls[files], self.statistics.rows[files]
        if np.count_nonzero(met) * _SPARSE < len(met):
            candidates = met.nonzero()[0]
            met[candidates] = (nulls[candidates] != rows[candidates]) | (rows[candidates] < 0)
            return
        for begin in range(0, len(met), CHUNK):
            part = slice(begin, begin + CHUNK)
            met[part] &= (nulls[part] != rows[part]) | (rows[part] < 0)

    def _make_bound_keys(self, files: slice) -> tuple[KeyArray, KeyArray, Bools]:
        """The keys of both bounds, and whether the lower one is at most the upper one."""
        lower: Any = take_bounds(self.statistics.lower, files)
        upper: Any = take_bounds(self.statistics.upper, files)
        if self.literals is None:
            return lower, upper, lower <= upper
        return place_bounds(lower, upper, self.literals)


_GREATEST = 2**63 - 1


def _chunks(files: slice) -> Iterator[slice]:
    for begin in range(files.start, files.stop, CHUNK):
        yield slice(begin, min(begin + CHUNK, files.stop))
