"""The statistics of all files of a table, a column at a time, and the plans that are made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import Column, Cut, Predicate, Term, literals_of
from hudi_core.pruning.intervals import MAX_STRING_BYTES, Intervals, fold, place
from hudi_core.pruning.loaded import Files, Loaded
from hudi_core.pruning.order_keys import RankKeys, text_cut
from hudi_core.pruning.ordered import order_files
from hudi_core.pruning.program import ColumnAnswers, Compiler, Program, mask
from hudi_core.pruning.promoted import promote
from hudi_core.pruning.search import SMALL, find
from hudi_core.pruning.statistics import Carrier, ColumnStatistics, carrier, concatenate, unknown
from hudi_core.truth import FALSE, NULL, TRUE, Outcomes, Truth


@dataclass(frozen=True, slots=True, eq=False)
class StatisticsPart:
    """Statistics of one column in some files: those of one schema version, for example.

    `statistics` are of the type that the files store. A number may occur several times, in one piece or in several: its
    statistics are then joined, as those of a base file and its logs are; a number that occurs nowhere is unknown.
    """

    files: Numbers
    statistics: ColumnStatistics


Load = Callable[[Column], Iterable[StatisticsPart]]
"""Reads what is known of a column: when a predicate first names it, and where long texts that were cut are needed whole."""

FIRST_CONDITION_ID = -(1 << 62)
"""Ids from here down belong to columns that are made for one predicate; those of schemas are far above."""


PREPARED_AFTER = 8
"""Predicates that look at a column as it was loaded; it is then put in order, which takes about as long as they did."""


@dataclass(slots=True, eq=False)
class _ColumnState:
    """A column as far as it was made ready, and how often it was needed."""

    known: ColumnAnswers | None = None
    loaded: tuple[Numbers, ColumnStatistics] | None = None
    """The statistics as read, as long as the column is not prepared. Long strings are not cached: they are read again."""
    consecutive: bool = False
    """The statistics as read are those of files 0, 1, 2, ..."""
    times: int = 0
    most_as_loaded: int = PREPARED_AFTER
    """The number of predicates that use the column as loaded, before it is prepared."""
    exact: tuple[list[bytes], ColumnAnswers] | None = None
    """The column as it was made ready for the literals that came last among those that cut texts cannot place."""


@dataclass(frozen=True, slots=True, eq=False)
class FileStatistics:
    """The statistics of a table's files (slices, partitions: whatever has numbers from 0 on), a column at a time."""

    count: int
    load: Load
    columns: dict[int, _ColumnState] = field(default_factory=dict)
    """Columns in use, by id, as far as they were prepared."""

    def plan(self, predicate: Predicate, facts: Load | None = None) -> PruningPlan:
        """The plan of a predicate over the files. Columns are read when the plan first needs them.

        `facts` reads columns made for this predicate alone, whose ids are at most `FIRST_CONDITION_ID`; they are not cached.
        Without it nothing is known of them.
        """
        return PruningPlan(predicate, _Columns(self, predicate, facts))

    def prepare_for(self, column: Column, predicate: Predicate) -> ColumnAnswers:
        """The column's statistics, made ready for one more predicate.

        The first predicates take many files as they were loaded: it does not pay to put them in order for a few. From then on
        they are kept in order, strings by their ranks. Where strings are long they are cut: a literal that begins as one of them
        sends the predicate back to the whole ones.
        """
        state = self._state(column)
        state.times += 1
        if state.known is None and self.count > SMALL and state.times <= state.most_as_loaded:
            return self._as_loaded(state, column, predicate)
        known = self.prepare(column)
        if isinstance(known.keys, RankKeys) and known.keys.cut is not None:
            literals = _literals(predicate, column)
            if not all(map(known.keys.places, literals)):
                return self._exact(state, column, literals)
        return known

    def prepare(self, column: Column) -> ColumnAnswers:
        """Makes the column ready for any number of predicates: many files are put in order, strings are ranked."""
        state = self._state(column)
        if state.known is None:
            numbers, statistics = state.loaded or self._read(column)
            known, state.loaded = self._fold(numbers, statistics), None
            assert isinstance(known.listed, Intervals)
            if self.count > SMALL:
                known = replace(known, ordered=order_files(known.listed, known.keys))
            state.known = known
        return state.known

    def _state(self, column: Column) -> _ColumnState:
        state = self.columns.get(column.id)
        if state is None:
            state = self.columns[column.id] = _ColumnState()
        return state

    def _as_loaded(self, state: _ColumnState, column: Column, predicate: Predicate) -> ColumnAnswers:
        if state.loaded is None:
            numbers, statistics = self._read(column)
            state.consecutive = _is_consecutive(numbers, self.count)
            if carrier(column.type) is Carrier.TEXTS and not _is_short(statistics):
                state.most_as_loaded = 1  # to read them again costs more than to rank them
            else:
                state.loaded = numbers, statistics
        else:
            numbers, statistics = state.loaded
        literals = _literals(predicate, column) if carrier(column.type) is Carrier.TEXTS else None
        if not state.consecutive:
            return self._fold(numbers, statistics, literals)
        loaded = Loaded.from_statistics(statistics, literals)
        return ColumnAnswers(statistics.type, loaded.keys, loaded)

    def _exact(self, state: _ColumnState, column: Column, literals: list[bytes]) -> ColumnAnswers:
        if state.exact is None or state.exact[0] != literals:
            state.exact = literals, self._fold(*self._read(column), literals)
        return state.exact[1]

    def _read(self, column: Column) -> tuple[Numbers, ColumnStatistics]:
        pieces = list(self.load(column))
        parts = [promote(piece.statistics, column.type) for piece in pieces]
        if len(parts) == 1:
            return pieces[0].files, parts[0]
        numbers = np.concatenate([np.zeros(0, np.int64), *(piece.files for piece in pieces)])
        return numbers, concatenate(parts or [unknown(column.type, 0)])

    def _fold(
        self, numbers: Numbers, statistics: ColumnStatistics, literals: list[bytes] | None = None
    ) -> ColumnAnswers:
        keys, intervals = fold(statistics, literals)
        return ColumnAnswers(statistics.type, keys, place(intervals, keys, numbers, self.count))


def _is_consecutive(numbers: Numbers, count: int) -> bool:
    """Whether the numbers are 0, 1, 2, ... up to `count`."""
    if len(numbers) != count or (count and (int(numbers[0]), int(numbers[-1])) != (0, count - 1)):
        return False
    return bool((numbers[1:] > numbers[:-1]).all())


def _is_short(statistics: ColumnStatistics) -> bool:
    """Whether bounds that are texts take about as many bytes as those that are cut."""
    assert isinstance(statistics.lower, ByteStrings) and isinstance(statistics.upper, ByteStrings)
    return len(statistics.lower.data) + len(statistics.upper.data) <= 2 * MAX_STRING_BYTES * len(statistics)


def _literals(predicate: Predicate, column: Column) -> list[bytes]:
    return sorted({text_cut(Cut(value), column.type)[0] for value in literals_of(predicate, column.id)})


class PruningPlan:
    """Which files a predicate can match. File numbers are int64 and ascend; treat the arrays as read-only."""

    def __init__(self, predicate: Predicate, columns: _Columns) -> None:
        """Made by `FileStatistics.plan`."""
        self.predicate = predicate
        self._columns = columns
        self._count = columns.statistics.count
        self._programs: dict[Truth, Program] = {}

    def possible(self) -> Numbers:
        """The files in which some row may match."""
        return find(self._program(TRUE), self._count).astype(np.int64, copy=False)

    def all_match(self) -> Numbers:
        """The files in which every row matches, if they have rows."""
        kept = self.possible()
        for other in (FALSE, NULL):
            if not len(kept):
                break
            consecutive = int(kept[-1]) - int(kept[0]) + 1 == len(kept)
            files: Files = slice(int(kept[0]), int(kept[-1]) + 1) if consecutive else kept
            kept = kept[~mask(self._program(other), files)]
        return kept

    def outcomes(self, file: int) -> Outcomes:
        """The truths that the predicate may give on rows of one file."""
        if not 0 <= file < self._count:
            raise IndexError(f"no file {file} among {self._count}")
        number = np.array([file])
        return frozenset(truth for truth in Truth if mask(self._program(truth), number)[0])

    def _program(self, outcome: Truth) -> Program:
        program = self._programs.get(outcome)
        if program is None:
            program = self._programs[outcome] = can_be(outcome, self.predicate, Compiler(self._columns))
        return program


@dataclass(slots=True, eq=False)
class _Columns:
    """The columns that a predicate has needed so far, and the facts made for it."""

    statistics: FileStatistics
    predicate: Predicate
    facts: Load | None
    ready: dict[int, ColumnAnswers] = field(default_factory=dict)

    def __call__(self, term: Term) -> ColumnAnswers | None:
        if not isinstance(term, Column):
            return None
        answers = self.ready.get(term.id)
        if answers is None:
            statistics = self.statistics
            if term.id <= FIRST_CONDITION_ID:
                if self.facts is None:
                    return None
                statistics = FileStatistics(statistics.count, self.facts)
            answers = self.ready[term.id] = statistics.prepare_for(term, self.predicate)
        return answers
