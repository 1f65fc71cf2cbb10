"""Data skipping: each source in turn rules out slices that cannot match the predicate, and gives the reason. Rule SOURCE-21.

A reason is the source that decided, and the leaves of the predicate that are impossible in the slice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from hudi_core.arrays import Bools, Numbers, Numbers32
from hudi_core.expr.bind import bind
from hudi_core.expr.connectives import every
from hudi_core.expr.nodes import Expr
from hudi_core.expr.predicate import Predicate
from hudi_core.expr.text import to_sql
from hudi_core.planning.plan import ALL_MATCH, READ, SKIP, Reasons, ScanPlan, Step
from hudi_core.pruning.store import FileStatistics, Load
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One part of the predicate's outermost AND: as the user wrote it, and as it is bound.

    `hint` is TRUE on the same rows, and has the conditions that indexes answer as columns of their own. `label` is the text
    for people, where it is not the SQL of the tree.
    """

    tree: Expr
    predicate: Predicate
    hinted: Predicate
    label: str = ""

    @property
    def text(self) -> str:
        """The conjunct for people."""
        return self.label or to_sql(self.tree)


Alternatives = Callable[[Conjunct], Sequence[Sequence[Conjunct]]]
"""A conjunct taken apart: the parts of its outermost OR, each as the parts of its AND. None for one that is a leaf."""
Possible = Callable[[Conjunct], Bools]
"""For each of the slices that a source was consulted for, whether it may hold a row for which the conjunct is TRUE."""
MAX_ALTERNATIVES: Final = 64
"""An OR of more parts is shown as a whole: so long a reason helps no reader."""


def bind_conjunct(tree: Expr, schema: Schema, *, case_sensitive: bool) -> Conjunct:
    """A part of a predicate on rows of the schema. Raises `ExpressionError`."""
    predicate = bind(tree, schema, case_sensitive=case_sensitive)
    return Conjunct(tree, predicate, predicate)


def whole(conjuncts: Sequence[Conjunct]) -> Predicate:
    """The predicate that a conjunction is."""
    return every([conjunct.predicate for conjunct in conjuncts])


def hint(conjuncts: Sequence[Conjunct]) -> Predicate:
    """The predicate that a conjunction is, with the conditions that indexes answer."""
    return every([conjunct.hinted for conjunct in conjuncts])


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

    One that `covers_all` slices has statistics of all of them in memory: more slices cost nothing.
    """

    name: str
    open: Open | None
    note: str = ""
    covers_all: bool = False


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
    plain, wide = whole(conjuncts), hint(conjuncts)
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
        return [(conjunct.text, len(slices) - len(_prune_by(conjunct, len(slices), answers))) for conjunct in conjuncts]

    return ScanPlan(slices, codes, tuple(steps), why, alone=by_itself)


def _reasons(
    conjuncts: Sequence[Conjunct],
    alternatives: Alternatives,
    names: Sequence[str],
    opened: Sequence[tuple[int, SourceAnswer, Numbers]],
    codes: npt.NDArray[np.int8],
    removed_by: Numbers32,
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


def _prune_by(conjunct: Conjunct, slices: int, opened: Sequence[tuple[Source, SourceAnswer, Numbers]]) -> Numbers:
    """The slices that one part of the conjunction would leave if it were the whole predicate.

    Unless it `covers_all`, a source answers only for the slices that it was opened for.
    """
    remaining = np.arange(slices, dtype=np.int64)
    for source, answer, candidates in opened:
        if source.covers_all and source.open is not None:
            remaining = remaining[source.open(remaining, conjunct.hinted).possible(conjunct.hinted)]
        else:
            remaining = np.setdiff1d(remaining, candidates[~answer.possible(conjunct.hinted)], assume_unique=True)
    return remaining


class Tally:
    """The reasons of all slices, collected source by source."""

    def __init__(self, slices: int) -> None:
        self._numbers = np.zeros(slices, np.int32)
        self._texts = [""]

    def add(self, slices: Numbers, codes: Numbers, texts: Sequence[str]) -> None:
        """Slices, and for each the number of its text."""
        self._numbers[slices] = codes + len(self._texts)
        self._texts += texts

    def reasons(self) -> Reasons:
        return Reasons(self._numbers, tuple(self._texts))


def impossible_leaves(
    conjuncts: Sequence[Conjunct], possible: Possible, alternatives: Alternatives, undecided: Bools, together: str
) -> tuple[Numbers, list[str]]:
    """For the undecided slices, in order, the number of a text: what is impossible there by itself.

    Of an AND that is the first part that is, of an OR all of its parts: of `(a = 1 AND b = 2) OR c = 3` it may be
    `b = 2 OR c = 3`. `together` is the reason for slices in which the parts are impossible only with one another.
    """
    open_slices = undecided.copy()
    codes = np.zeros(len(open_slices), np.int64)
    texts: list[str] = []
    for conjunct in conjuncts:
        if not open_slices.any():
            break
        decided = open_slices & ~possible(conjunct)
        if not decided.any():
            continue
        leaf_codes, leaf_texts = _leaves(conjunct, possible, alternatives, decided)
        codes[decided] = leaf_codes + len(texts)
        texts += leaf_texts
        open_slices &= ~decided
    if open_slices.any():
        codes[open_slices] = len(texts)
        texts.append(together)
    return codes[undecided], texts


def _leaves(
    conjunct: Conjunct, possible: Possible, alternatives: Alternatives, decided: Bools
) -> tuple[Numbers, list[str]]:
    """The same of one conjunct, in slices where it is impossible."""
    parts = alternatives(conjunct)
    codes = np.zeros(np.count_nonzero(decided), np.int64)
    if len(parts) > MAX_ALTERNATIVES or all(len(part) == 1 for part in parts):
        return codes, [conjunct.text]
    texts = [""]
    for part in parts:
        together = " AND ".join(conjunct.text for conjunct in part)
        leaf_codes, leaf_texts = impossible_leaves(part, possible, alternatives, decided, together)
        pairs, codes = np.unique(codes * len(leaf_texts) + leaf_codes, return_inverse=True)
        firsts, seconds = np.divmod(pairs, len(leaf_texts))
        texts = [
            _either(texts[first], leaf_texts[second])
            for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True)
        ]
    return codes, texts


def _either(first: str, second: str) -> str:
    return f"{first} OR {second}" if first else second
