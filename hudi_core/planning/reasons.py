"""Why a slice is skipped: the source that decided, and the leaves of the predicate that are impossible there. SOURCE-21."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from hudi_core.planning.conjuncts import Alternatives, Conjunct
from hudi_core.planning.plan import Reasons

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Possible = Callable[[Conjunct], Bools]
"""For each of the slices that a source was consulted for, whether it may hold a row for which the conjunct is TRUE."""

MAX_ALTERNATIVES = 64
"""An OR of more parts is shown as a whole: so long a reason helps no reader."""


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
