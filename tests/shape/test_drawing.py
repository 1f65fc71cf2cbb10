"""Tests over several axes lose no pair of values in an ordinary run."""

from __future__ import annotations

from itertools import combinations

from tests.support.drawing import SOAK, each_pair


def test_any_two_values_of_two_axes_stand_together_in_a_case() -> None:
    axes = {"kind": ["cow", "mor"], "version": [6, 8, 9], "options": [{}, {"a": "b"}, {"c": "d"}]}
    names, cases = each_pair(**axes).args
    assert names == tuple(axes)
    for (at, one), (other_at, other) in combinations(enumerate(axes.values()), 2):
        together = [(case[at], case[other_at]) for case in cases]
        assert all((first, second) in together for first in one for second in other)
    assert len(cases) == (18 if SOAK else 9)
