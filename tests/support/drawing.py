"""What tests draw at random: the same cases in every run, or new ones where a run looks for them (`make fuzz`)."""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import pytest
from hypothesis import HealthCheck, Phase, settings

FUZZ = "FUZZ_SEED"
"""The variable of the environment with the number that other cases are drawn by."""

SOAK = bool(os.environ.get("HUDI_SOAK"))
"""Whether this is the long run (`make soak`): tests marked `soak` run, and others draw more."""


REST = os.environ.get("HUDI_CASES") == "rest"
"""Whether this run takes the cases that an ordinary one leaves out of its selection (`make test-rest`), and no other."""


def cases(most: int, *, part: int = 4) -> int:
    """How many cases a law draws: `most` in a long run, and of `part` so many one in an ordinary run, but a few."""
    return most if SOAK else max(most // part, 5)


_CALM = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile(
    "same", max_examples=cases(100), derandomize=True, print_blob=True, deadline=None, suppress_health_check=_CALM
)
settings.register_profile(  # where only counts that a test fails, not what its least example is
    "planted", settings.get_profile("same"), print_blob=False, phases=(Phase.explicit, Phase.generate)
)
settings.register_profile(
    "new", max_examples=100, database=None, print_blob=True, deadline=None, suppress_health_check=_CALM
)


def profile() -> str:
    """The name of Hypothesis' profile for this run."""
    return "new" if os.environ.get(FUZZ) else "same"


def seed(usual: int) -> int:
    """The seed of a test's own generator: its usual one, or another for each number that new cases are drawn by."""
    drawn = os.environ.get(FUZZ)
    return zlib.crc32(f"{drawn} {usual}".encode()) if drawn else usual


def each_pair(**axes: Sequence[object]) -> pytest.MarkDecorator:
    """Parametrise a test over several axes. An ordinary run takes few cases, among which any two values of two axes stand
    together in one; a long run takes the whole product."""
    every = list(product(*axes.values()))
    chosen = every if SOAK else _cover_pairs(every)
    return pytest.mark.parametrize(tuple(axes), chosen)


def _cover_pairs(every: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """As few of the cases as a greedy choice gives that have all pairs, in their order."""
    pairs = [frozenset(combinations(enumerate(map(repr, case)), 2)) for case in every]
    left = frozenset[object]().union(*pairs)
    chosen: set[int] = set()
    while left:
        best = max(range(len(every)), key=lambda number: len(left & pairs[number]))
        chosen.add(best)
        left -= pairs[best]
    return [every[number] for number in sorted(chosen)]


def cover_values(name: str, every: Sequence[tuple[object, ...]]) -> list[int]:
    """The places of as few of the cases as a greedy choice gives that have each value of each parameter.

    Of cases that bring equally many, the name of the test draws one: which values stand together differs between tests.
    """
    values = [frozenset(enumerate(map(repr, case))) for case in every]
    left = frozenset[object]().union(*values)
    taken = Counter[object]()
    chosen: set[int] = set()
    while left:
        best = min(
            range(len(every)),
            key=lambda place: (
                -len(left & values[place]),
                sum(taken[value] for value in values[place]),
                zlib.crc32(f"{name} {place}".encode()),
            ),
        )
        chosen.add(best)
        left -= values[best]
        taken.update(values[best])
    return sorted(chosen)


def take_part(name: str, count: int, every: int) -> range:
    """The places of one of each `every` cases, from one on that the name of the test draws: other tests take the others."""
    return range(zlib.crc32(name.encode()) % min(every, count), count, every)
