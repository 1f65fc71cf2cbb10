"""Pruning: a predicate put to one source of knowledge after the other; what is impossible in any of them is not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import numpy.typing as npt

from hudi_core.expr.predicate import ALWAYS_TRUE, And, Predicate
from hudi_core.stats.store import FileStatistics
from hudi_core.table.plan import ALL_MATCH, READ, SKIP, Reasons, ScanPlan, Step
from hudi_core.timeline.slices import FileSlice

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One part of the predicate's outermost AND: as the user wrote it, and as it is bound."""

    text: str
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Source:
    """A source of knowledge. `members` gives for each slice the number of what it belongs to in `statistics`: of its
    partition, or of itself. With `note` alone it takes no part, and the note says why."""

    name: str
    open: Callable[[Numbers], tuple[FileStatistics, Numbers]] | None
    note: str = ""
    about_slices: bool = False
    """Knows slices one by one, so that "all rows match" can be told."""


def whole(conjuncts: Sequence[Conjunct]) -> Predicate:
    """The predicate that a conjunction is."""
    parts = tuple(conjunct.predicate for conjunct in conjuncts)
    return parts[0] if len(parts) == 1 else And(parts) if parts else ALWAYS_TRUE


def prune(slices: Sequence[FileSlice], conjuncts: Sequence[Conjunct], sources: Sequence[Source]) -> ScanPlan:
    """The plan of a predicate over slices. Each source is asked only about the slices that those before it left."""
    codes = np.full(len(slices), READ, np.int8)
    removed_by = np.full(len(slices), -1, np.int32)
    left = np.arange(len(slices), dtype=np.int64)
    predicate = whole(conjuncts)
    steps: list[Step] = []
    opened: list[tuple[FileStatistics, Numbers, Numbers]] = []
    for number, source in enumerate(sources if conjuncts else ()):
        begun = perf_counter()
        before = len(left)
        if source.open is None or not before:
            steps.append(Step(source.name, before, 0, perf_counter() - begun, source.note))
            opened.append((FileStatistics.of(0, lambda _: []), left[:0], left[:0]))
            continue
        statistics, members = source.open(left)
        asked = statistics.plan(predicate)
        possible = np.zeros(statistics.count, np.bool_)
        possible[asked.possible()] = True
        kept = possible[members]
        opened.append((statistics, left, members))
        if source.about_slices:
            certain = np.zeros(statistics.count, np.bool_)
            certain[asked.all_match()] = True
            codes[left[certain[members]]] = ALL_MATCH
        removed_by[left[~kept]] = number
        codes[left[~kept]] = SKIP
        left = left[kept]
        steps.append(Step(source.name, before, before - len(left), perf_counter() - begun, source.note))

    def why() -> Reasons:
        return _reasons(conjuncts, sources, opened, codes, removed_by)

    return ScanPlan(slices, codes, tuple(steps), why)


def _reasons(
    conjuncts: Sequence[Conjunct],
    sources: Sequence[Source],
    opened: Sequence[tuple[FileStatistics, Numbers, Numbers]],
    codes: npt.NDArray[np.int8],
    removed_by: npt.NDArray[np.int32],
) -> Reasons:
    """For a skipped slice the source and the first part of the conjunction that is impossible there by itself."""
    texts = [""]
    numbers = np.zeros(len(codes), np.int32)
    for number, (statistics, asked, members) in enumerate(opened):
        name = sources[number].name
        gone = removed_by[asked] == number
        undecided = gone.copy()
        for conjunct in conjuncts:
            if not undecided.any():
                break
            possible = np.zeros(statistics.count, np.bool_)
            possible[statistics.plan(conjunct.predicate).possible()] = True
            decided = undecided & ~possible[members]
            if decided.any():
                texts.append(f"{name}: {conjunct.text}")
                numbers[asked[decided]] = len(texts) - 1
                undecided &= ~decided
        if undecided.any():
            texts.append(f"{name}: the conditions together")
            numbers[asked[undecided]] = len(texts) - 1
        certain = asked[(codes[asked] == ALL_MATCH)] if sources[number].about_slices else asked[:0]
        if len(certain):
            texts.append(f"{name}: every row matches")
            numbers[certain] = len(texts) - 1
    return Reasons(numbers, tuple(texts))


def alone(conjuncts: Sequence[Conjunct], slices: int, sources: Sequence[Source]) -> list[tuple[str, int]]:
    """For each part of the conjunction, how many slices it would remove if it were the whole predicate."""
    found = []
    for conjunct in conjuncts:
        left = np.arange(slices, dtype=np.int64)
        for source in sources:
            if source.open is not None and len(left):
                statistics, members = source.open(left)
                possible = np.zeros(statistics.count, np.bool_)
                possible[statistics.plan(conjunct.predicate).possible()] = True
                left = left[possible[members]]
        found.append((conjunct.text, slices - len(left)))
    return found
