"""Data skipping: each source in turn rules out slices that cannot match the predicate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hudi_core.expr.predicate import Predicate
from hudi_core.planning.conjuncts import Alternatives, Conjunct, hinted, whole
from hudi_core.planning.plan import ALL_MATCH, READ, SKIP, Reasons, ScanPlan, Step
from hudi_core.planning.reasons import Tally, impossible_leaves
from hudi_core.pruning.store import FileStatistics, Load
from hudi_core.timeline.slices import FileSlice

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class SourceAnswer(Protocol):
    """The answer of a source about some slices. Flags are in the order of the slices for which it was opened."""

    @property
    def note(self) -> str:
        """A remark on the source for `explain`; empty when there is none."""
        ...

    def possible(self, predicate: Predicate) -> Bools:
        """Some row may match."""
        ...

    def certain(self, predicate: Predicate) -> Bools:
        """Every row matches."""
        ...


@dataclass(frozen=True, slots=True)
class StatisticsAnswer:
    """Knowledge as statistics. `members` gives for each slice the number of what it belongs to in `statistics`: of its
    partition, or of itself."""

    statistics: FileStatistics
    members: Numbers
    facts: Load | None = None
    note: str = ""
    of_slices: bool = True
    """Each slice has a number of its own: only then can "all rows match" be decided."""

    def possible(self, predicate: Predicate) -> Bools:
        return self._flags(self.statistics.plan(predicate, self.facts).possible())

    def certain(self, predicate: Predicate) -> Bools:
        if not self.of_slices:
            return np.zeros(len(self.members), np.bool_)
        return self._flags(self.statistics.plan(predicate, self.facts).all_match())

    def _flags(self, chosen: Numbers) -> Bools:
        flags = np.zeros(self.statistics.count, np.bool_)
        flags[chosen] = True
        return flags[self.members]


Open = Callable[[Numbers, Predicate], SourceAnswer]
"""Opens a source for the slices with these numbers, which ascend, for a predicate and its parts."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source of statistics. Without `open` it takes no part, and the note gives the reason.

    One that `knows_all` has read of all slices what it reads of some: more slices cost nothing.
    """

    name: str
    open: Open | None
    note: str = ""
    knows_all: bool = False


def prune(
    slices: Sequence[FileSlice],
    conjuncts: Sequence[Conjunct],
    sources: Sequence[Source],
    alternatives: Alternatives = lambda _: (),
) -> ScanPlan:
    """The plan of a predicate over slices. Each source is consulted only for the slices that those before it left.

    `alternatives` takes a conjunct apart when reasons are requested.
    """
    codes = np.full(len(slices), READ, np.int8)
    removed_by = np.full(len(slices), -1, np.int32)
    remaining = np.arange(len(slices), dtype=np.int64)
    plain, wide = whole(conjuncts), hinted(conjuncts)
    steps: list[Step] = []
    opened: list[tuple[int, SourceAnswer, Numbers]] = []
    for rank, source in enumerate(sources if conjuncts else ()):
        begun = perf_counter()
        before = len(remaining)
        if source.open is None or not before:
            steps.append(Step(source.name, before, 0, perf_counter() - begun, source.note))
            continue
        answer = source.open(remaining, wide)
        opened.append((rank, answer, remaining))
        possible = answer.possible(wide)
        codes[remaining[answer.certain(plain)]] = ALL_MATCH
        removed_by[remaining[~possible]] = rank
        codes[remaining[~possible]] = SKIP
        remaining = remaining[possible]
        steps.append(Step(source.name, before, before - len(remaining), perf_counter() - begun, answer.note))

    def why() -> Reasons:
        return _reasons(conjuncts, alternatives, [source.name for source in sources], opened, codes, removed_by)

    def by_itself() -> list[tuple[str, int]]:
        answers = [(sources[rank], answer, remaining) for rank, answer, remaining in opened]
        return [(conjunct.text, len(slices) - len(_left(conjunct, len(slices), answers))) for conjunct in conjuncts]

    return ScanPlan(slices, codes, tuple(steps), why, alone=by_itself)


def _reasons(
    conjuncts: Sequence[Conjunct],
    alternatives: Alternatives,
    names: Sequence[str],
    opened: Sequence[tuple[int, SourceAnswer, Numbers]],
    codes: npt.NDArray[np.int8],
    removed_by: npt.NDArray[np.int32],
) -> Reasons:
    """For a skipped slice the source, and the leaves of the predicate that are impossible there."""
    tally, plain = Tally(len(codes)), whole(conjuncts)
    for rank, answer, remaining in opened:
        skipped = removed_by[remaining] == rank
        if skipped.any():

            def possible(conjunct: Conjunct, answer: SourceAnswer = answer) -> Bools:
                return answer.possible(conjunct.hinted)

            leaf_of_slice, texts = impossible_leaves(
                conjuncts, possible, alternatives, skipped, "the conditions together"
            )
            tally.add(remaining[skipped], leaf_of_slice, [f"{names[rank]}: {text}" for text in texts])
        certain = remaining[(codes[remaining] == ALL_MATCH) & answer.certain(plain)]
        if len(certain):
            tally.add(certain, np.zeros(len(certain), np.int64), [f"{names[rank]}: every row matches"])
    return tally.reasons()


def _left(conjunct: Conjunct, slices: int, opened: Sequence[tuple[Source, SourceAnswer, Numbers]]) -> Numbers:
    """The slices that one part of the conjunction would leave if it were the whole predicate.

    Unless it `knows_all`, a source answers only for the slices that it was opened for.
    """
    remaining = np.arange(slices, dtype=np.int64)
    for source, answer, candidates in opened:
        if source.knows_all and source.open is not None:
            remaining = remaining[source.open(remaining, conjunct.hinted).possible(conjunct.hinted)]
        else:
            remaining = np.setdiff1d(remaining, candidates[~answer.possible(conjunct.hinted)], assume_unique=True)
    return remaining
