"""Facts: conditions of one predicate as boolean columns, in partitions and in slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import ALWAYS_TRUE, And, Below, Column, Cut, Is, Not, OneOf, Or, Predicate, columns_of
from hudi_core.keys.path_values import PathValue
from hudi_core.planning.sources.conditions import (
    ConditionColumns,
    Leaf,
    is_fact,
    with_condition_columns,
    with_path_conditions,
)
from hudi_core.planning.sources.slice_statistics import PartitionValues
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import TRUE, Truth
from hudi_core.types import nodes as t

A, B = Column(1, "a", t.Int()), Column(2, "b", t.Int())
IS_1, IS_2 = OneOf(A, (1,)), Below(B, Cut(2))


def possible(facts: ConditionColumns, predicate: Predicate, requested: list[int]) -> list[int]:
    numbers = np.array(requested, np.int64)
    nothing = FileStatistics(len(requested), lambda _: ())
    return list(nothing.plan(predicate, facts.of_slices(numbers)).possible().tolist())


def test_every_condition_with_a_fact_is_replaced_wherever_it_stands() -> None:
    """SOURCE-2."""
    fact = Column(FIRST_CONDITION_ID, "f", t.Boolean())

    def fact_for(leaf: Leaf) -> Column | None:
        return fact if leaf == IS_1 else None

    given = And((Not(IS_1), Or((IS_2, IS_1)), Is(IS_1, TRUE), ALWAYS_TRUE))
    answer = is_fact(fact)
    assert with_condition_columns(given, fact_for) == And((Not(answer), Or((IS_2, answer)), Is(answer, TRUE)))


def test_facts_have_ids_of_their_own_beyond_those_taken() -> None:
    facts = ConditionColumns(np.zeros(0, np.int64), FIRST_CONDITION_ID - 3)
    assert [facts.new("x").id, facts.new("y").id] == [FIRST_CONDITION_ID - 3, FIRST_CONDITION_ID - 4]


def test_fact_that_is_never_true_excludes_its_slices_and_only_from_being_true() -> None:
    """SOURCE-2."""
    facts = ConditionColumns(np.zeros(5, np.int64))
    fact = facts.new("x")
    facts.set_never_true(fact, np.array([1, 3]))
    assert possible(facts, is_fact(fact), [0, 1, 2, 3, 4]) == [0, 2, 4]
    assert possible(facts, Not(is_fact(fact)), [0, 1, 2, 3, 4]) == [0, 1, 2, 3, 4]


def test_slices_keep_the_requested_order_and_repetition() -> None:
    facts = ConditionColumns(np.zeros(6, np.int64))
    fact = facts.new("x")
    facts.set_never_true(fact, np.array([1, 3, 5]))
    assert possible(facts, is_fact(fact), [3, 4]) == [1]
    assert possible(facts, is_fact(fact), [0, 1, 1, 2, 5, 5]) == [0, 3]
    assert possible(facts, is_fact(fact), []) == []


def test_fact_of_partitions_is_one_of_their_slices() -> None:
    facts = ConditionColumns(np.array([0, 1, 1, 0]))
    fact = facts.new("x")
    facts.set_partitions(fact, from_values(t.Boolean(), [True, False], [True, False], [0, 0], [1, 1]))
    assert facts.is_of_partitions(fact.id)
    assert possible(facts, is_fact(fact), [0, 1, 2, 3]) == [0, 3]
    assert possible(facts, is_fact(fact), [1, 3]) == [1]
    by_partition = FileStatistics(2, lambda _: ()).plan(is_fact(fact), facts.of_partitions)
    assert by_partition.possible().tolist() == by_partition.all_match().tolist() == [0]


def test_a_fact_without_an_answer_is_unknown() -> None:
    facts = ConditionColumns(np.zeros(3, np.int64))
    fact = facts.new("x")
    assert not facts.is_of_partitions(fact.id)
    assert possible(facts, is_fact(fact), [0, 1, 2]) == [0, 1, 2]


SCHEMA = Schema(
    record_with_ids(t.Record((t.Field(0, "day", t.Date()), t.Field(0, "region", t.String()), t.Field(0, "n", t.Int()))))
)
DAYS = [19723, 19754, 19755, 20120]  # 2024-01-01, 2024-02-01, 2024-02-02, 2025-02-01


def exact(value: object) -> PathValue:
    return PathValue(value, value, value is None)


VALUES: Mapping[int, Sequence[PathValue | None]] = {
    0: [*(exact(day) for day in DAYS), None, exact(None)],
    1: [exact(region) for region in ("emea", "EMEA", "apac", "amer", "asia")] + [PathValue("", "default", True)],
}


def kept(where: str) -> tuple[list[int], list[int]]:
    """Partitions in which some row may match, and in which every row does."""
    facts = ConditionColumns(np.zeros(0, np.int64))
    answer = with_path_conditions(bind(parse_predicate(where), SCHEMA), VALUES, facts)
    by_path = PartitionValues(VALUES, np.arange(6))
    plan = FileStatistics(6, lambda column: by_path.pieces(column) or []).plan(answer, facts.of_partitions)
    return plan.possible().tolist(), plan.all_match().tolist()


@pytest.mark.parametrize(
    ("where", "possible", "certain"),
    [
        ("month(day) = 2", [1, 2, 3, 4], [1, 2, 3]),
        ("year(day) = 2024 and month(day) = 2", [1, 2, 4], [1, 2]),
        ("month(day) <> 2", [0, 4], [0]),
        ("not (month(day) = 2)", [0, 4], [0]),
        ("lower(region) = 'emea'", [0, 1, 5], [0, 1]),
        ("region like '%a'", [0, 4, 5], [0, 4]),
        ("case when region = 'apac' then month(day) = 1 else day is null end", [4, 5], []),
        ("month(day) = 2 or n > 3", [0, 1, 2, 3, 4, 5], [1, 2, 3]),
        ("month(day) = 2 and n > 3", [1, 2, 3, 4], []),
        ("upper(region) = region", [1, 5], [1]),
        ("n % 2 = 1", [0, 1, 2, 3, 4, 5], []),
    ],
)
def test_conditions_are_decided_by_the_values_of_paths(where: str, possible: list[int], certain: list[int]) -> None:
    """SOURCE-4."""
    assert kept(where) == (possible, certain)


def test_conditions_that_bounds_can_answer_are_left_to_them() -> None:
    for where in ("day = date'2024-01-01'", "region in ('a', 'b')", "day is null", "n > 3", "lower('A') = 'a'"):
        predicate = bind(parse_predicate(where), SCHEMA)
        assert with_path_conditions(predicate, VALUES, ConditionColumns(np.zeros(0, np.int64))) == predicate


def test_each_combination_of_values_is_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE-4."""
    tested: list[object] = []

    def truth(_: object, row: object) -> Truth:
        tested.append(row)
        return Truth.TRUE

    monkeypatch.setattr("hudi_core.planning.sources.conditions.truth_of", truth)
    many: Mapping[int, Sequence[PathValue | None]] = {0: [exact(day % 5) for day in range(1000)]}
    facts = ConditionColumns(np.zeros(0, np.int64))
    answer = with_path_conditions(bind(parse_predicate("month(day) = 2"), SCHEMA), many, facts)
    assert min(columns_of(answer)) == FIRST_CONDITION_ID
    assert len(tested) == 5
