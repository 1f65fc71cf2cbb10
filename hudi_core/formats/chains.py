"""Chains in which each item leads to the next, walked from many places at once.

The places are guesses; what was walked from them is proved: a walk that began right has to arrive exactly at a later place,
and only what is linked back to the first item counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.formats.columns import Offsets

Hop = Callable[[Offsets], Offsets]
"""Where the items after those at some places begin; at or behind the end of everything for places where there can be none."""


def walk(hop: Hop, origins: Offsets, end: int, most: int) -> tuple[Offsets, bool]:
    """Where the items from `origins[0]` on begin, as far as that is proved; and whether they end exactly at `end`.

    The other origins, ascending, are guesses. `most` is how many items one walk takes; where it has not arrived anywhere by
    then, the proof ends with it.
    """
    targets = np.append(origins, end)
    walks, at, aim = np.arange(len(origins)), origins, np.arange(1, len(targets))
    goal = targets[aim]
    links = np.full(len(origins), -1)
    visited: list[Offsets] = []
    for _ in range(most):
        if len(walks) == len(origins):
            visited.append(at)
        else:
            visited.append(np.full(len(origins), -1))
            visited[-1][walks] = at
        at = hop(at)
        (there,) = (at >= goal).nonzero()
        if len(there):
            aim[there] = np.searchsorted(targets, at[there])
            arrived = there[targets[np.minimum(aim[there], len(origins))] == at[there]]
            links[walks[arrived]] = aim[arrived]
            going = aim < len(targets)
            going[arrived] = False
            walks, at, aim = walks[going], at[going], aim[going]
            if len(walks) == 0:
                break
            goal = targets[aim]
    linked = np.zeros(len(origins), np.bool_)
    reached = 0
    while 0 <= reached < len(origins):
        linked[reached] = True
        reached = int(links[reached])
    marks: NDArray[Any] = np.stack(visited, axis=1)[linked]
    return marks[marks >= 0], reached == len(origins)
