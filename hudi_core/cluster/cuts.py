"""Where ordered rows are divided into files: of about even sizes, between different values. Rules CLUSTER-6, CLUSTER-7."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers

TOLERANCE: Final = 0.25
"""How far a cut may move from where files would be even, as a share of a file."""


def cuts(strength: Numbers, count: int, runs: Numbers | None = None) -> Numbers:
    """The rows with which files but the first begin, ascending; about `count - 1`.

    `strength` is how much each row differs from the one before it, 0 for not at all: a cut goes to the row near its even
    place that differs most, and to none that does not differ. `runs` number the values of the first column; a value that fills
    a file or more gets files of its own, so there may be more files than `count`.
    """
    rows = len(strength)
    if rows == 0 or count < 2:
        return np.zeros(0, np.int64)
    share = rows / count
    borders = [0, *([] if runs is None else _heavy_borders(runs, share)), rows]
    chosen: list[int] = []
    for start, stop in pairwise(dict.fromkeys(borders)):
        if start:
            chosen.append(start)
        chosen += _even_cuts(strength, start, stop, share)
    return np.array(chosen, np.int64)


def _heavy_borders(runs: Numbers, share: float) -> list[int]:
    """The borders of values that fill a file."""
    begins = np.flatnonzero(np.diff(runs, prepend=runs[0] - 1))
    ends = np.append(begins[1:], len(runs))
    heavy = ends - begins >= share
    return sorted({*begins[heavy].tolist(), *ends[heavy].tolist()} - {0, len(runs)})


def _even_cuts(strength: Numbers, start: int, stop: int, share: float) -> list[int]:
    """Cuts between two borders."""
    parts = max(1, round((stop - start) / share))
    width = (stop - start) / parts
    reach = max(1, int(width * TOLERANCE))
    last, chosen = start, []
    for part in range(1, parts):
        even = start + round(width * part)
        first = max(last + 1, even - reach)
        window = strength[first : min(stop, even + reach + 1)]
        if len(window) == 0 or not window.any():
            continue
        strongest = np.flatnonzero(window == window.max()) + first
        last = int(strongest[np.argmin(np.abs(strongest - even))])
        chosen.append(last)
    return chosen
