"""Columns that are made for one predicate: asked beside those of the store, and not kept."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from hudi_core.expr.predicate import And, Column, Not, OneOf, Or
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics, StatisticsPart
from hudi_core.types import nodes as t

NUMBER = Column(1, "n", t.Int())
FACT = Column(FIRST_CONDITION_ID, "fact", t.Boolean())
LOWS = [0, 10, 20, 30, 40, 50]


def numbers(lowers: list[int]) -> Iterable[StatisticsPart]:
    statistics = from_values(t.Int(), lowers, [lower + 5 for lower in lowers], [0] * len(lowers), [9] * len(lowers))
    return [StatisticsPart(np.arange(len(lowers)), statistics)]


def facts(_: Column) -> Iterable[StatisticsPart]:
    """The fact is false in files 1 and 4, true in 2; nothing is known of it in the others."""
    at = np.array([1, 4, 2])
    values = [False, False, True]
    return [StatisticsPart(at, from_values(t.Boolean(), values, values, [0] * 3, [1] * 3))]


@pytest.fixture
def store() -> FileStatistics:
    return FileStatistics(len(LOWS), lambda _: numbers(LOWS))


IS = OneOf(FACT, (True,))
LITTLE = OneOf(NUMBER, (12, 22, 32))


def test_facts_decide_beside_columns(store: FileStatistics) -> None:
    assert store.plan(IS, facts).possible().tolist() == [0, 2, 3, 5]
    assert store.plan(Not(IS), facts).possible().tolist() == [0, 1, 3, 4, 5]
    assert store.plan(And((IS, LITTLE)), facts).possible().tolist() == [2, 3]
    assert store.plan(Or((IS, LITTLE)), facts).possible().tolist() == [0, 1, 2, 3, 5]
    assert store.plan(IS, facts).all_match().tolist() == [2]


def test_nothing_is_known_of_facts_that_nobody_reads(store: FileStatistics) -> None:
    assert store.plan(And((IS, LITTLE))).possible().tolist() == [1, 2, 3]


def test_facts_of_one_plan_do_not_stay(store: FileStatistics) -> None:
    store.plan(IS, facts).possible()
    assert store.plan(IS).possible().tolist() == list(range(6))
    assert FACT.id not in store.columns
