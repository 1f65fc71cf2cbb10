"""Facts: conditions of one predicate as boolean columns, in partitions and in slices."""

from __future__ import annotations

import numpy as np

from hudi_core.expr.predicate import ALWAYS_TRUE, And, Below, Column, Cut, Is, Not, OneOf, Or, Predicate
from hudi_core.planning.sources.conditions import ConditionColumns, Leaf, is_fact, with_condition_columns
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FIRST_CONDITION_ID, FileStatistics
from hudi_core.truth import TRUE
from hudi_core.types import nodes as t

A, B = Column(1, "a", t.Int()), Column(2, "b", t.Int())
IS_1, IS_2 = OneOf(A, (1,)), Below(B, Cut(2))


def possible(facts: ConditionColumns, predicate: Predicate, asked: list[int]) -> list[int]:
    numbers = np.array(asked, np.int64)
    nothing = FileStatistics(len(asked), lambda _: ())
    return list(nothing.plan(predicate, facts.of_slices(numbers)).possible().tolist())


def test_every_condition_with_a_fact_is_replaced_wherever_it_stands() -> None:
    """SOURCE-2."""
    fact = Column(FIRST_CONDITION_ID, "f", t.Boolean())

    def fact_for(leaf: Leaf) -> Column | None:
        return fact if leaf == IS_1 else None

    given = And((Not(IS_1), Or((IS_2, IS_1)), Is(IS_1, TRUE), ALWAYS_TRUE))
    said = is_fact(fact)
    assert with_condition_columns(given, fact_for) == And((Not(said), Or((IS_2, said)), Is(said, TRUE)))


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


def test_slices_are_numbered_as_they_were_asked_for_even_repeatedly() -> None:
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


def test_nothing_is_known_of_a_fact_that_nobody_told() -> None:
    facts = ConditionColumns(np.zeros(3, np.int64))
    fact = facts.new("x")
    assert not facts.is_of_partitions(fact.id)
    assert possible(facts, is_fact(fact), [0, 1, 2]) == [0, 1, 2]
