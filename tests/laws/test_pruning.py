"""The laws of pruning: no row is ever lost, the fast form says no more than the plain one, and bounds are made full use of.

`PRUNING_EFFORT=100` runs so many times as many cases.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from hudi_core.expr.predicate import And, Below, Column, Cut, IsNull, Not, OneOf, Opaque, Or, Predicate
from hudi_core.pruning import intervals
from hudi_core.pruning.statistics import Carrier, carrier, from_values, take_files
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.truth import Truth
from hudi_core.types import nodes as t
from tests.support.drawing import SOAK
from tests.support.pruning import EFFORT, check_far_world, check_world, small_blocks, world
from tests.support.random_predicates import VALUES, predicate
from tests.support.row_truth import truth_of
from tests.support.single_file import ANY

KINDS = list(VALUES)


@pytest.mark.parametrize("seed", range(40 * EFFORT))
def test_every_row_is_among_the_outcomes_of_its_file(seed: int) -> None:
    r = random.Random(seed)
    kinds = r.sample(KINDS, 3)
    # Two columns of one type, to be compared with each other.
    of = world(r, [*kinds, r.choice(kinds)], r.choice([1, 7, 40]))
    assert check_world(r, of, predicates=15) > 0


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_row_is_among_the_outcomes_of_its_file_for_each_type(kind: t.Type) -> None:
    r = random.Random(str(kind))
    for _ in range((3 if SOAK else 1) * EFFORT):
        assert check_world(r, world(r, [kind, kind], 40), predicates=15) > 0


@pytest.mark.each_value
@pytest.mark.parametrize("kind", [kind for kind in KINDS if carrier(kind) is Carrier.TEXTS], ids=str)
@pytest.mark.parametrize("longest", [0, 1, 3])
def test_every_row_is_among_the_outcomes_of_its_file_where_strings_are_truncated(
    kind: t.Type, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PRUNE-19."""
    monkeypatch.setattr(intervals, "MAX_UNCUT_BYTES", -1)
    monkeypatch.setattr(intervals, "MAX_STRING_BYTES", longest)
    r = random.Random(f"{kind} {longest}")
    for _ in range((4 if SOAK else 1) * EFFORT):
        assert check_world(r, world(r, [kind, kind], 40), predicates=15) > 0


def test_rows_beyond_all_known_bounds_are_kept() -> None:
    for seed in range(40 * EFFORT):
        assert check_far_world(random.Random(seed), predicates=15) > 0


@pytest.mark.parametrize("seed", range(10 * EFFORT))
def test_less_knowledge_never_makes_an_outcome_impossible(seed: int) -> None:
    """PRUNE-2."""
    r = random.Random(1_000_000 + seed)
    kinds = r.sample(KINDS, 3)
    of = world(r, kinds, 30)
    # The same files, of which one column's statistics are lost for some.
    lost = of.columns[r.randrange(3)].id
    kept = set(r.sample(range(30), 15))

    def load(column: Column) -> list[StatisticsPart]:
        found = of.pieces.get(column.id, [])
        if column.id != lost:
            return found
        keeping = [np.isin(piece.files, sorted(kept)) for piece in found]
        return [
            StatisticsPart(piece.files[at], take_files(piece.statistics, at.nonzero()[0]))
            for piece, at in zip(found, keeping, strict=True)
        ]

    with small_blocks(r):
        known, less = of.store(), FileStatistics(30, load)
        for _ in range(15):
            p = predicate(r, of.columns)
            one, other = known.plan(p), less.plan(p)
            assert all(one.outcomes(file) <= other.outcomes(file) for file in range(30)), p


def test_unknown_expressions_may_have_any_outcome() -> None:
    of = world(random.Random(0), [t.Int()], 10)
    what = Opaque("levenshtein(a, b) < 3")
    for p in (what, Not(what), Not(Not(what))):
        assert all(of.store().plan(p).outcomes(file) == ANY for file in range(10))


SMALL_RANGE = range(-3, 4)


def _trees(r: random.Random, column: Column, literals: list[object], depth: int = 2) -> Predicate:
    """A random predicate on one column."""
    if depth and r.random() < 0.6:
        parts = tuple(_trees(r, column, literals, depth - 1) for _ in range(r.randint(1, 3)))
        return r.choice([And, Or])(parts) if r.random() < 0.8 else Not(parts[0])
    match r.randrange(4):
        case 0:
            return IsNull(column)
        case 1:
            return OneOf(column, tuple(r.sample(literals, r.randint(0, min(4, len(literals))))), r.random() < 0.2)
        case _:
            return Below(column, Cut(r.choice(literals), r.random() < 0.5))


@pytest.mark.parametrize(
    ("kind", "values", "literals"),
    [
        (t.Int(), list(SMALL_RANGE), [*SMALL_RANGE, 0.5, 100]),
        (t.Long(), list(SMALL_RANGE), list(SMALL_RANGE)),
        (t.Date(), list(SMALL_RANGE), list(SMALL_RANGE)),
        (t.Boolean(), [False, True], [False, True]),
        (t.Double(), [-1.0, -0.5, 0.0, 0.5, 1.0, float("nan")], [-1.0, -0.0, 0.0, 1.0, float("nan")]),
        (t.String(), ["a", "aa", "ab", "ac", "b", "bb", "c", "cc"], ["a", "ab", "b", "c"]),
    ],
    ids=lambda value: str(value) if isinstance(value, t.Type) else "",
)
def test_a_predicate_on_one_column_gets_all_that_bounds_can_tell(
    kind: t.Type, values: list[object], literals: list[object]
) -> None:
    """An outcome is possible exactly when some value between the bounds, NaN or null gives it.

    `values` are dense enough: between two of them lies no other that could differ.
    """
    r = random.Random(str(kind))
    column = Column(1, "c", kind)
    real = [value for value in values if value == value]
    files = [
        (low, high, nan, null)
        for low, high in itertools.combinations_with_replacement(real, 2)
        for nan in ((False, True) if len(real) < len(values) else (False,))
        for null in (False, True)
    ]
    lows, highs, nans, nulls = zip(*files, strict=True)
    statistics = from_values(kind, lows, highs, [int(null) for null in nulls], [9] * len(files), nans)
    store = FileStatistics(len(files), lambda _: [StatisticsPart(np.arange(len(files)), statistics)])
    for _ in range(150 * EFFORT):
        p = _trees(r, column, literals)
        plan = store.plan(p)
        for file, (low, high, nan, null) in enumerate(files):
            inside = [value for value in real if low <= value <= high]  # type: ignore[operator]
            rows = inside + [float("nan")] * nan + [None] * null
            expected = {truth_of(p, {column.id: value}) for value in rows}
            assert plan.outcomes(file) == expected, (p, low, high, nan, null)


def test_all_three_outcomes_are_met() -> None:
    """Else the laws above would hold of nothing."""
    r = random.Random(5)
    met = set()
    for _ in range(20):
        of = world(r, r.sample(KINDS, 2), 10)
        p = predicate(r, of.columns)
        met |= {truth_of(p, row) for rows in of.rows for row in rows}
    assert met == set(Truth)
