from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hudi_core.expr.predicate import (
    ALWAYS_FALSE,
    ALWAYS_TRUE,
    And,
    Below,
    Column,
    Cut,
    IsNull,
    Not,
    OneOf,
    Or,
    Predicate,
)
from hudi_core.pruning.search import SMALL
from hudi_core.pruning.statistics import absent, from_values
from hudi_core.pruning.store import PREPARED_AFTER, FileStatistics, StatisticsPart
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types import nodes as t
from tests.support.single_file import ANY

ID, NAME, PRICE = Column(1, "id", t.Long()), Column(2, "name", t.String()), Column(3, "price", t.Double())
MANY = 3 * SMALL


class Loader:
    """Statistics of `count` files, and which columns were read."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.read: list[str] = []

    def __call__(self, column: Column) -> list[StatisticsPart]:
        self.read.append(column.name)
        numbers = list(range(self.count))
        if column.id == 1:
            lower: list[Any] = [number * 10 for number in numbers]
            upper: list[Any] = [number * 10 + 9 for number in numbers]
        elif column.id == 2:
            lower = [f"k{number * 7919 % self.count:08d}" for number in numbers]
            upper = [text + "z" for text in lower]
        else:
            return []
        nulls = [int(number % 5 == 0) for number in numbers]
        return [StatisticsPart(np.arange(self.count), from_values(column.type, lower, upper, nulls, [9] * self.count))]


def _same_by_hand(store: FileStatistics, predicate: Predicate, expected: list[int]) -> None:
    """Requests again and again: at once, ranked and put in order."""
    for _ in range(PREPARED_AFTER + 2):
        assert store.plan(predicate).possible().tolist() == expected


def test_columns_are_read_when_first_named_and_once() -> None:
    loader = Loader(5)
    store = FileStatistics(5, loader)
    plan = store.plan(Below(ID, Cut(10)))
    assert loader.read == []
    plan.possible()
    plan.all_match()
    store.plan(And((Below(ID, Cut(30)), OneOf(NAME, ("k",))))).possible()
    assert loader.read == ["id", "name"]


@pytest.mark.parametrize("count", [50, MANY])
def test_the_answer_does_not_depend_on_how_ready_a_column_is(count: int) -> None:
    """PRUNE-18."""
    store = FileStatistics(count, Loader(count))
    _same_by_hand(store, OneOf(ID, (105, 201)), [10, 20])
    where = [number for number in range(count) if number * 7919 % count in (7, 8)]
    _same_by_hand(store, OneOf(NAME, (f"k{7:08d}", f"k{8:08d}x")), where)
    _same_by_hand(
        store, And((OneOf(NAME, (f"k{7:08d}",)), Not(Below(ID, Cut(0))))), [n for n in where if n * 7919 % count == 7]
    )
    some = [number for number in range(count) if number % 5 == 0]
    _same_by_hand(store, IsNull(NAME), some)
    either = Or((OneOf(ID, (105,)), OneOf(NAME, (f"k{7:08d}",))))
    _same_by_hand(store, either, sorted({10, *(n for n in range(count) if n * 7919 % count == 7)}))


def test_all_match_leaves_out_files_with_null() -> None:
    """TABLE-6."""
    store = FileStatistics(20, Loader(20))
    plan = store.plan(Below(ID, Cut(65)))
    assert plan.possible().tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert plan.all_match().tolist() == [1, 2, 3, 4]
    assert plan.outcomes(6) == {TRUE, FALSE} and plan.outcomes(5) == {TRUE, NULL} and plan.outcomes(1) == {TRUE}


def test_a_column_nobody_knows_may_be_anything() -> None:
    plan = FileStatistics(3, Loader(3)).plan(Below(PRICE, Cut(1.0)))
    assert plan.possible().tolist() == [0, 1, 2] and plan.all_match().tolist() == []
    assert plan.outcomes(1) == ANY


@pytest.mark.parametrize("count", [3, MANY])
def test_constants_keep_all_files_or_none(count: int) -> None:
    store = FileStatistics(count, Loader(count))
    assert (
        store.plan(ALWAYS_TRUE).possible().tolist()
        == store.plan(ALWAYS_TRUE).all_match().tolist()
        == list(range(count))
    )
    assert store.plan(ALWAYS_FALSE).possible().tolist() == []


def test_no_files() -> None:
    store = FileStatistics(0, Loader(0))
    assert store.plan(Below(ID, Cut(3))).possible().tolist() == []
    assert store.plan(Below(NAME, Cut("a"))).all_match().tolist() == []


def test_schema_versions_meet_in_one_column() -> None:
    """A file of ints, one of floats, one older than the column, one of texts, and one of which nothing is known.

    Rules: PRUNE-14.
    """

    def load(column: Column) -> list[StatisticsPart]:
        return [
            StatisticsPart(np.array([0]), from_values(t.Int(), [1], [5], [0], [9])),
            StatisticsPart(np.array([3]), from_values(t.Float(), [0.10000000149011612], [9.0], [0], [9], [False])),
            StatisticsPart(np.array([1]), absent(column.type, 1)),
            StatisticsPart(np.array([4]), from_values(t.String(), ["1"], ["9"], [0], [9])),
        ]

    store = FileStatistics(5, load)
    assert store.plan(OneOf(PRICE, (4.0,))).possible().tolist() == [0, 2, 3, 4]
    assert store.plan(Below(PRICE, Cut(0.1))).possible().tolist() == [2, 4]
    assert store.plan(OneOf(PRICE, (0.1,))).possible().tolist() == [2, 3, 4]
    assert store.plan(IsNull(PRICE)).possible().tolist() == [1, 2]
    assert store.plan(IsNull(PRICE)).all_match().tolist() == [1]


def test_a_slice_is_tested_as_the_union_of_its_files() -> None:
    """A partial update may take one column from the base file and another from the log: asking each file loses the row.

    Rules: PRUNE-16.
    """
    one, other = Column(1, "one", t.Int()), Column(2, "other", t.Int())
    bounds = {1: ([5, 1], [5, 1]), 2: ([1, 7], [1, 7])}

    def load(column: Column) -> list[StatisticsPart]:
        lower, upper = bounds[column.id]
        return [StatisticsPart(np.array([0, 0]), from_values(column.type, lower, upper, [0, 0], [1, 1]))]

    store = FileStatistics(1, load)
    assert store.plan(And((OneOf(one, (5,)), OneOf(other, (7,))))).possible().tolist() == [0]


def test_a_file_that_is_not_there_has_no_outcomes() -> None:
    plan = FileStatistics(10, Loader(10)).plan(Below(ID, Cut(10)))
    assert plan.outcomes(0) == {TRUE, NULL} and plan.outcomes(1) == {FALSE}
    with pytest.raises(IndexError):
        plan.outcomes(10)


class TestTextsThatWereCut:
    """Many long texts, of which some differ from their 30th byte on only."""

    COUNT = 20_000

    def texts(self, column: Column) -> list[StatisticsPart]:
        self.reads = getattr(self, "reads", 0) + 1
        lower = [f"{number % 100:02d}{'x' * 30}{number:08d}" for number in range(self.COUNT)]
        upper = [text + "y" for text in lower]
        statistics = from_values(column.type, lower, upper, [0] * self.COUNT, [9] * self.COUNT)
        return [StatisticsPart(np.arange(self.COUNT), statistics)]

    def test_whole_bounds_are_read_for_a_literal_with_a_stored_prefix(self) -> None:
        """PRUNE-19."""
        store, alike = FileStatistics(self.COUNT, self.texts), f"07{'x' * 30}{1_107:08d}"
        for value, expected in ((alike, [1_107]), (alike + "y", [1_107]), (alike + "z", []), ("07y", []), ("07x", [])):
            for _ in range(3):
                assert store.plan(OneOf(NAME, (value,))).possible().tolist() == expected, value
        assert (
            self.reads == 5
        )  # to place them among literals, to rank them, and once for each of the three that begin alike

    def test_are_not_read_again_for_other_literals(self) -> None:
        store = FileStatistics(self.COUNT, self.texts)
        for value in ("a", "07x", "07" + "x" * 20, "99" + "y" * 40, "0" * 60):
            store.plan(Below(NAME, Cut(value))).possible()
        assert self.reads == 2

    def test_the_whole_and_its_parts_agree(self) -> None:
        store = FileStatistics(self.COUNT, self.texts)
        alike = f"07{'x' * 30}{1_107:08d}"
        for _ in range(3):
            parts = Not(Below(NAME, Cut(alike))), Below(NAME, Cut("07y"))
            expected = [number for number in range(self.COUNT) if number % 100 == 7 and number >= 1_107]
            assert store.plan(And(parts)).possible().tolist() == expected
            both = set.intersection(*(set(store.plan(part).possible().tolist()) for part in parts))
            assert sorted(both) == expected
