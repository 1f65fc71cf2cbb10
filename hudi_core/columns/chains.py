"""Chains in which each item leads to the next, walked from many places at once.

The places are guesses; what was walked from them is proved: a walk that began right has to arrive exactly at a later place,
and only what is linked back to the first item counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.columns.nodes import Bools, Offsets

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
    visited = np.empty((most, len(origins)), np.int64)
    rounds = 0
    while rounds < most:
        if len(walks) == len(origins):
            visited[rounds] = at
        else:
            visited[rounds] = -1
            visited[rounds, walks] = at
        rounds += 1
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
    linked, reached = _linked(links)
    marks: NDArray[Any] = visited[:rounds].T[linked]
    return marks[marks >= 0], reached == len(origins)


def _linked(links: NDArray[np.int64]) -> tuple[Bools, int]:
    """Which walks the links lead to from the first one on, each to a later one; and where they lead to in the end."""
    linked = np.zeros(len(links), np.bool_)
    strange = np.append(np.flatnonzero(links[:-1] != np.arange(1, len(links))), len(links) - 1)
    reached = 0
    while 0 <= reached < len(links):  # mostly each leads to the next
        last = int(strange[np.searchsorted(strange, reached)])
        linked[reached : last + 1] = True
        reached = int(links[last])
    return linked, reached
