from __future__ import annotations

import random
from itertools import pairwise

from hudi_core.pruning.key_ranges import Ranges, complement, intersection, points, union

BOTTOM, TOP = 0, 30


def _members(of: Ranges) -> set[int]:
    return {key for first, last in of for key in range(first, last + 1)}


def _is_normal(of: Ranges) -> bool:
    return all(first <= last for first, last in of) and all(before[1] < after[0] for before, after in pairwise(of))


def test_operations_are_those_of_sets() -> None:
    r = random.Random(1)
    for _ in range(500):
        sets = [{r.randint(BOTTOM, TOP) for _ in range(r.randint(0, 12))} for _ in range(2)]
        one, other = (union(points(keys), ()) for keys in sets)
        assert _members(intersection(one, other)) == sets[0] & sets[1]
        assert _members(union(one, other)) == sets[0] | sets[1]
        assert _members(complement(one, BOTTOM, TOP)) == set(range(BOTTOM, TOP + 1)) - sets[0]
        assert all(map(_is_normal, (intersection(one, other), union(one, other), complement(one, BOTTOM, TOP))))


def test_conditions_that_cover_everything_become_one_range() -> None:
    assert union(((0, 4),), ((5, 9),)) == ((0, 9),)
    assert union(((0, 9),), ((3, 4),)) == ((0, 9),)
    assert complement((), 0, 9) == ((0, 9),)
    assert complement(((0, 9),), 0, 9) == ()
