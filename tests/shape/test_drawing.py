"""Tests over several axes lose no pair of values in an ordinary run."""

from __future__ import annotations

from itertools import combinations, product

from tests.support.drawing import SOAK, cover_values, each_pair


def test_any_two_values_of_two_axes_stand_together_in_a_case() -> None:
    axes = {"kind": ["cow", "mor"], "version": [6, 8, 9], "options": [{}, {"a": "b"}, {"c": "d"}]}
    names, cases = each_pair(**axes).args
    assert names == tuple(axes)
    for (at, one), (other_at, other) in combinations(enumerate(axes.values()), 2):
        together = [(case[at], case[other_at]) for case in cases]
        assert all((first, second) in together for first in one for second in other)
    assert len(cases) == (18 if SOAK else 9)


def test_each_value_of_each_parameter_is_in_a_case() -> None:
    every = list(product(["cow", "mor"], [6, 8, 9], [(), ("record_index",)]))
    drawn = [cover_values(name, every) for name in ("one", "another", "a third", "a fourth")]
    for places in drawn:
        assert len(places) == 3
        assert [set(values) for values in zip(*(every[place] for place in places), strict=True)] == [
            set(values) for values in zip(*every, strict=True)
        ]
    assert len(set(map(tuple, drawn))) > 1  # which values stand together differs between tests
