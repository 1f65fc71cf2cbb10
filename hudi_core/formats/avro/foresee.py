"""Where records of lists end, found for many of them before a walk comes to them.

The bytes that walked items have in common near their beginnings are looked for in what follows, and where items there would end
is found in lanes. Guesses are proved by being asked for: whoever asks knows that an item begins there. So no list has to be long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from hudi_core.arrays import Octets, Offsets
from hudi_core.columns.spans import windows
from hudi_core.formats.avro.plan import Node

_SAMPLE_COUNT: Final = 64
"""Items that are walked before others are foreseen: enough that what they have in common is seldom chance."""

_BEGINNING_SIZE: Final = 32
"""So many bytes of each item are compared, at most."""

_STRETCH_COUNT: Final = 4096
"""Items, of the size that is usual, that are looked for at once."""

FindEnds = Callable[[Node, Offsets], Offsets]
"""(the node of items, where some begin) → where they end; none when there is no item at one of the places."""


class Foreseen:
    """Ends of the items of one node in one buffer, which are walked in order of their places."""

    def __init__(self, item: Node, find_ends: FindEnds) -> None:
        self._item, self._find_ends = item, find_ends
        self._ends: dict[int, int] = {}
        self._walked: list[int] = []
        self._due, self._used = _SAMPLE_COUNT, 0

    def end(self, start: int) -> int | None:
        """Where the item ends that begins there; None where that is not foreseen."""
        end = self._ends.get(start)
        self._used += end is not None
        return end

    def learn(self, data: Octets, start: int, end: int) -> None:
        """An item begins and ends there, which was not foreseen."""
        self._walked.append(start)
        if len(self._walked) < self._due:
            return
        # Where it does not help it is tried at ever larger distances.
        self._due = _SAMPLE_COUNT if self._used >= self._due else 2 * self._due
        sample = np.array(self._walked[-_SAMPLE_COUNT:], np.int64)
        guesses = _guesses(data, sample, end)
        ends = self._find_ends(self._item, guesses) if len(guesses) else guesses
        self._ends = dict(zip(guesses.tolist(), ends.tolist(), strict=True)) if len(ends) else {}
        self._walked, self._used = [], 0


def _guesses(data: Octets, walked: Offsets, end: int) -> Offsets:
    """Where from `end` on the bytes are that all walked items have in common; nowhere when these are everywhere."""
    sizes = np.diff(walked, append=end)
    beginnings = windows(data, walked, min(_BEGINNING_SIZE, int(sizes.min())))
    places: Sequence[int] = np.flatnonzero((beginnings == beginnings[0]).all(axis=0)).tolist()
    stretch = data[end : end + _STRETCH_COUNT * (int(sizes.sum()) // len(sizes) + 1)]
    count = len(stretch) - beginnings.shape[1] + 1
    if not places or count < 1:
        return np.zeros(0, np.int64)
    guesses = np.flatnonzero(stretch[places[0] :][:count] == beginnings[0, places[0]])
    for place in places[1:]:
        guesses = guesses[stretch[guesses + place] == beginnings[0, place]]
    return guesses + end if len(guesses) <= 2 * _STRETCH_COUNT else guesses[:0]
