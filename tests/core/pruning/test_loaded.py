"""A column as it was loaded answers as it does when it is made ready."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hudi_core.expr.predicate import And, Below, Column, Cut, IsNull, Less, Not, OneOf, Or, Predicate
from hudi_core.pruning.search import SMALL
from hudi_core.pruning.statistics import ColumnStatistics, from_values
from hudi_core.pruning.store import PREPARED_AFTER, FileStatistics, StatisticsPart
from hudi_core.types import nodes as t

COUNT = SMALL + 100
FAR = 2**40


def statistics(of: t.Type, values: list[Any], *, seed: int = 1) -> ColumnStatistics:
    """Bounds drawn from few values, so that all that can be wrong with them occurs: unknown, contradictory, no values."""
    draw = np.random.default_rng(seed)

    def some(chance: float) -> list[Any]:
        chosen = [values[number] for number in draw.integers(0, len(values), COUNT).tolist()]
        return [
            None if lost else value for value, lost in zip(chosen, (draw.random(COUNT) < chance).tolist(), strict=True)
        ]

    nulls = draw.integers(-1, 4, COUNT).tolist()
    rows = draw.integers(-1, 4, COUNT).tolist()
    counts = [[None if count < 0 else count for count in item] for item in (nulls, rows)]
    nans = (draw.random(COUNT) < 0.1).tolist() if isinstance(of, t.Double) else None
    return from_values(of, some(0.1), some(0.1), *counts, nans)


A, B = Column(1, "a", t.Long()), Column(2, "b", t.Long())
CASES: list[tuple[t.Type, list[Any], list[Any]]] = [
    (t.Long(), [-5, 0, 1, 2, 7, FAR], [0, 2, FAR, -FAR]),
    (t.Int(), [-5, 0, 1, 2, 7, FAR, -FAR], [0, 2, FAR, -FAR]),
    (t.Double(), [-0.5, 0.0, 1.5, float("inf"), float("nan")], [0.0, 1.0, float("inf"), float("nan")]),
    (t.String(), ["", "a", "b", "same eight", "same eight!", "z"], ["", "a", "same eight", "zz"]),
]


def predicates(column: Column, literals: list[Any]) -> list[Predicate]:
    first, second = literals[:2]
    found: list[Predicate] = [IsNull(column), Not(IsNull(column)), OneOf(column, tuple(literals))]
    for value in literals:
        found += [Below(column, Cut(value)), Not(Below(column, Cut(value, after=True))), OneOf(column, (value,))]
    found.append(And((Not(Below(column, Cut(first))), Below(column, Cut(second, after=True)))))
    found.append(Or((OneOf(column, (first,)), IsNull(column))))
    return found


@pytest.mark.parametrize(("of", "values", "literals"), CASES, ids=lambda item: str(item)[:12])
def test_the_first_predicates_get_the_answers_of_a_column_in_order(
    of: t.Type, values: list[Any], literals: list[Any]
) -> None:
    column, loaded = Column(1, "c", of), statistics(of, values)
    for predicate in predicates(column, literals):
        fresh, ready = (FileStatistics(COUNT, lambda _: [StatisticsPart(np.arange(COUNT), loaded)]) for _ in range(2))
        ready.prepare(column)
        plans = fresh.plan(predicate), ready.plan(predicate)
        kept, expected = (plan.possible().tolist() for plan in plans)
        assert kept == expected, predicate
        every, all_expected = (plan.all_match().tolist() for plan in plans)
        assert every == all_expected, predicate


def test_columns_are_compared_as_they_were_loaded() -> None:
    pieces = {
        column.id: [StatisticsPart(np.arange(COUNT), statistics(t.Long(), [-1, 0, 9], seed=column.id))]
        for column in (A, B)
    }
    for or_equal in (False, True):
        fresh, ready = (FileStatistics(COUNT, lambda column: pieces[column.id]) for _ in range(2))
        for column in (A, B):
            ready.prepare(column)
        kept, expected = (store.plan(Less(A, B, or_equal)).possible().tolist() for store in (fresh, ready))
        assert kept == expected


def test_contradictory_strings_between_the_same_literals_are_no_bounds() -> None:
    column = Column(1, "c", t.String())
    lower, upper = ["same eight zz"] * COUNT, ["same eight aa"] * COUNT
    lower[1] = upper[0] = "same eight mm"
    lower[0] = "same eight cc"
    loaded = from_values(t.String(), lower, upper, [0] * COUNT, [1] * COUNT)
    for ready in (False, True):
        store = FileStatistics(COUNT, lambda _: [StatisticsPart(np.arange(COUNT), loaded)])
        if ready:
            store.prepare(column)
        kept = store.plan(OneOf(column, ("zulu",))).possible()
        assert kept.tolist() == list(range(1, COUNT)), "file 0 alone has bounds that hold"


def test_contradictory_strings_that_begin_alike_are_no_bounds_where_long_ones_are_cut() -> None:
    column, shared = Column(1, "c", t.String()), "x" * 100
    lower, upper = [shared + "b"] * 20_000, [shared + "c"] * 20_000
    lower[7] = shared + "d"
    rest = [f"{number}" for number in range(100)]
    loaded = from_values(t.String(), lower + rest, upper + rest, [0] * 20_100, [1] * 20_100)
    store = FileStatistics(20_100, lambda _: [StatisticsPart(np.arange(20_100), loaded)])
    store.prepare(column)
    assert store.plan(OneOf(column, ("zulu",))).possible().tolist() == [7]


def test_a_column_is_put_in_order_when_predicates_come_again() -> None:
    loaded = statistics(t.Long(), [1, 2, 3])
    store = FileStatistics(COUNT, lambda _: [StatisticsPart(np.arange(COUNT), loaded)])
    for _ in range(PREPARED_AFTER):
        store.plan(OneOf(A, (2,))).possible()
    assert store.columns[A.id].known is None
    store.plan(OneOf(A, (2,))).possible()
    ready = store.columns[A.id].known
    assert ready is not None and ready.ordered is not None


def test_files_in_another_order_are_placed_by_their_numbers() -> None:
    numbers = np.arange(COUNT)[::-1].copy()
    loaded = from_values(t.Long(), list(range(COUNT)), list(range(COUNT)), [0] * COUNT, [1] * COUNT)
    store = FileStatistics(COUNT, lambda _: [StatisticsPart(numbers, loaded)])
    assert store.plan(OneOf(A, (0,))).possible().tolist() == [COUNT - 1]
