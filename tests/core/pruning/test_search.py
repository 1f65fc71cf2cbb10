from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from hudi_core.pruning.intervals import fold, place
from hudi_core.pruning.ordered import order_files
from hudi_core.pruning.program import NO, YES, AllOf, AnyOf, ColumnAnswers, MayBeLess, MayHold, Program, mask
from hudi_core.pruning.search import SMALL, find
from hudi_core.pruning.statistics import from_values
from hudi_core.types import nodes as t

COUNT = SMALL + 500
_RANDOM = np.random.default_rng(3)


def _known(lower: np.ndarray, nulls: float = 0.0, nans: float = 0.0, unknown: float = 0.0) -> ColumnAnswers:
    values = [None if _RANDOM.random() < unknown else float(value) for value in lower]
    uppers = [None if value is None else value + 20.0 for value in values]
    null_counts = (_RANDOM.random(COUNT) < nulls).astype(int).tolist()
    statistics = from_values(
        t.Double(), values, uppers, null_counts, [9] * COUNT, (_RANDOM.random(COUNT) < nans).tolist()
    )
    keys, of = fold(statistics)
    listed = place(of, keys, np.arange(COUNT), COUNT)
    return ColumnAnswers(t.Double(), keys, listed, order_files(listed, keys))


IN_ORDER = _known(np.arange(COUNT) * 10.0)
GAPS = _known(np.arange(COUNT) * 10.0, nulls=0.01, unknown=0.01)
SCATTERED = _known(_RANDOM.permutation(COUNT) * 10.0, nulls=0.5, nans=0.01)
PLAIN = ColumnAnswers(t.Double(), IN_ORDER.keys, IN_ORDER.listed)


def _range(known: ColumnAnswers, lower: float, upper: float, null: bool = False) -> MayHold:
    first = known.keys.one_of((lower,))[0][0]
    last = known.keys.one_of((upper,))[0][0]
    return MayHold(known, ((first, last),), null)


FAR = float("nan")
PARTS: list[Program] = [
    _range(IN_ORDER, 5_000.0, 5_400.0),
    _range(IN_ORDER, 0.0, 60_000.0),
    _range(GAPS, 70_000.0, 70_100.0),
    _range(GAPS, 10.0, 40.0, null=True),
    _range(GAPS, 30_000.0, 65_000.0, null=True),  # many in order, some of them null, few elsewhere
    _range(SCATTERED, 300.0, 500.0),
    _range(SCATTERED, 80_000.0, FAR),
    _range(SCATTERED, 0.0, 60_000.0),
    MayHold(SCATTERED, (), True),
    MayHold(SCATTERED, SCATTERED.keys.one_of(tuple(range(0, 80_000, 1_500))), False),
    MayHold(IN_ORDER, IN_ORDER.keys.one_of(tuple(range(0, 80_000, 9_000))), False),
    _range(PLAIN, 100.0, 900.0),
    MayBeLess(SCATTERED, IN_ORDER, True),
    YES,
    NO,
]


def _right(program: Program) -> None:
    expected = mask(program, slice(0, COUNT)).nonzero()[0].tolist()
    assert find(program, COUNT).tolist() == expected


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_every_way_leads_to_the_files_of_the_mask(part: Program) -> None:
    _right(part)


@pytest.mark.parametrize("kind", [AllOf, AnyOf])
def test_ways_of_two_parts(kind: type[AllOf] | type[AnyOf]) -> None:
    for pair in itertools.permutations(PARTS, 2):
        _right(kind(pair))


def test_ways_of_many_parts() -> None:
    r = random.Random(4)
    for _ in range(200):
        inner = [r.choice([AllOf, AnyOf])(tuple(r.sample(PARTS, r.randint(2, 3)))) for _ in range(2)]
        _right(r.choice([AllOf, AnyOf])((*inner, *r.sample(PARTS, r.randint(0, 3)))))
