"""What is known of the keys of file slices."""

from __future__ import annotations

import numpy as np

from hudi_core.index.stored import KeyBounds
from hudi_core.stats.texts import Texts


def test_bounds_are_completed_by_place() -> None:
    low, high = Texts.of([b"a", b"", b""]), Texts.of([b"c", b"", b""])
    bounds = KeyBounds(low, high, np.array([True, False, False]), np.array([False, False, True]))
    found = bounds.completed({1: (b"d", b"f")})
    assert [(found.low[at], found.high[at]) for at in (0, 1)] == [(b"a", b"c"), (b"d", b"f")]
    assert found.known.tolist() == [True, True, False]
    assert found.empty.tolist() == [False, False, True]
    assert bounds.completed({}).known.tolist() == [True, False, False]
