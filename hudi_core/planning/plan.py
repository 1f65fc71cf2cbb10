"""A scan plan: which slices a query reads, and what decided about each, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hudi_core.arrays import Numbers32
from hudi_core.notebook import html_table, show_briefly
from hudi_core.portable import Portable
from hudi_core.timeline.slices import FileSlice
from hudi_core.truth import Verdict

VERDICTS = (Verdict.READ, Verdict.ALL_MATCH, Verdict.SKIP)
"""Verdict by its code in `ScanPlan.codes`."""
READ, ALL_MATCH, SKIP = range(3)


T = TypeVar("T")


@show_briefly
@dataclass(frozen=True, slots=True)
class Step:
    """One source of knowledge put to the predicate. `removed` counts the slices it took from the `before` that were left."""

    source: str
    before: int
    removed: int
    seconds: float
    note: str = ""

    @property
    def after(self) -> int:
        return self.before - self.removed


@show_briefly
@dataclass(frozen=True, slots=True)
class Decision:
    """A slice, what becomes of it, and what decided: the source and the part of the predicate, empty when nothing did."""

    slice: FileSlice
    verdict: Verdict
    by: str


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why, for each slice: a number into `texts`."""

    text_of_slice: Numbers32
    texts: tuple[str, ...]


@dataclass(frozen=True)
class ScanPlan(Portable):
    """All slices of the table at an instant, and what a predicate makes of them.

    `codes` has an index into `VERDICTS` for each slice. `why` finds the reasons, which costs as much again as the plan and
    is done when they are first used, and when the plan is copied. `alone` gives for each part of the predicate's AND how many
    slices it would skip by itself, judged by what was read for the plan: no further file is read. `warnings` are what
    could not be used and why.
    """

    slices: Sequence[FileSlice]
    codes: npt.NDArray[np.int8]
    steps: tuple[Step, ...]
    why: Callable[[], Reasons]
    warnings: tuple[str, ...] = ()
    alone: Callable[[], Sequence[tuple[str, int]]] = tuple

    def as_arguments(self) -> dict[str, Any]:
        return super().as_arguments() | {
            "why": partial(_give, self.reasons),
            "alone": partial(_give, tuple(self.alone())),
        }

    def __repr__(self) -> str:
        kept = int(np.count_nonzero(self.codes != SKIP))
        total = len(self.slices)
        return f"ScanPlan: {kept:,} of {total:,} {'file slice' if total == 1 else 'file slices'} to read"

    def _repr_html_(self) -> str:
        """A notebook's table of the steps: how many slices each removed, and in what time."""
        rows = (
            (
                step.source,
                f"{step.before:,}",
                f"{step.removed:,}",
                f"{step.after:,}",
                f"{step.seconds * 1000:.1f} ms",
                step.note,
            )
            for step in self.steps
        )
        return html_table(rows, ("step", "before", "removed", "left", "time", "note"), title=repr(self))

    @cached_property
    def reasons(self) -> Reasons:
        return self.why()

    def kept(self) -> list[FileSlice]:
        """The slices to read, in order."""
        return [self.slices[row] for row in np.flatnonzero(self.codes != SKIP).tolist()]

    def decision(self, row: int) -> Decision:
        by = self.reasons.texts[self.reasons.text_of_slice[row]]
        return Decision(self.slices[row], VERDICTS[self.codes[row]], by)

    def decisions(self) -> Iterator[Decision]:
        """Every slice with its verdict, in order."""
        return (self.decision(row) for row in range(len(self.slices)))

    def count(self, code: int) -> int:
        return int(np.count_nonzero(self.codes == code))


def _give(value: T) -> T:
    return value
