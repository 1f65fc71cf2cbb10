"""Folding and flattening keep the truth.

Also covers: `truth.py`.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.expr.connectives import every, first_of, is_never_null, is_truth, negate, never, some
from hudi_core.expr.predicate import Always, And, Column, Is, IsNull, Not, Or, Predicate, parts_of
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t

X, Y = Column(0, "x", t.Boolean()), Column(1, "y", t.Boolean())
LEAVES: st.SearchStrategy[Predicate] = st.sampled_from([never(X), IsNull(X), IsNull(Y), *map(Always, Truth)])


def truth(part: Predicate, nulls: dict[int, bool]) -> Truth:
    """By Kleene's tables; `never` is FALSE, or NULL for null."""
    match part:
        case Always(fixed):
            return fixed
        case Not(inner):
            return ~truth(inner, nulls)
        case And(parts):
            found = TRUE
            for inner in parts:
                found = found & truth(inner, nulls)
            return found
        case Or(parts):
            found = FALSE
            for inner in parts:
                found = found | truth(inner, nulls)
            return found
        case Is(inner, wanted):
            return TRUE if truth(inner, nulls) is wanted else FALSE
        case IsNull(Column(id=column_id)):
            return TRUE if nulls[column_id] else FALSE
        case _:
            return NULL if nulls[0] else FALSE


PARTS = st.recursive(
    LEAVES, lambda inner: st.builds(Not, inner) | st.lists(inner, max_size=3).map(lambda ps: And(tuple(ps)))
)
CASES = [dict(enumerate(pair)) for pair in product((False, True), repeat=2)]


@pytest.mark.parametrize("nulls", CASES)
@given(parts=st.lists(PARTS, max_size=4), wanted=st.sampled_from(Truth))
def test_built_predicates_have_the_truth_of_their_meaning(
    nulls: dict[int, bool], parts: list[Predicate], wanted: Truth
) -> None:
    assert truth(every(parts), nulls) is truth(And(tuple(parts)), nulls)
    assert truth(some(parts), nulls) is truth(Or(tuple(parts)), nulls)
    for part in parts:
        assert truth(negate(part), nulls) is ~truth(part, nulls)
        assert truth(is_truth(part, wanted), nulls) is truth(Is(part, wanted), nulls)
        assert not is_never_null(part) or truth(part, nulls) is not NULL


@pytest.mark.parametrize("nulls", CASES)
@given(branches=st.lists(st.tuples(PARTS, PARTS), max_size=3), otherwise=PARTS)
def test_the_first_branch_whose_condition_is_true_is_taken(
    nulls: dict[int, bool], branches: list[tuple[Predicate, Predicate]], otherwise: Predicate
) -> None:
    taken = next((then for condition, then in branches if truth(condition, nulls) is TRUE), otherwise)
    assert truth(first_of(branches, otherwise), nulls) is truth(taken, nulls)


@pytest.mark.parametrize("count", [7, 8, 9, 40])
def test_of_many_branches_the_first_whose_condition_is_true_is_taken(count: int) -> None:
    columns = [Column(column_id, str(column_id), t.Int()) for column_id in range(count)]
    outcomes = [(TRUE, FALSE, NULL)[index % 3] for index in range(count)]
    built = first_of([(IsNull(c), Always(o)) for c, o in zip(columns, outcomes, strict=True)], Always(NULL))
    for taken in range(count + 1):
        nulls = {column_id: column_id >= taken for column_id in range(count)}
        assert truth(built, nulls) is [*outcomes, NULL][taken]


def test_the_size_of_many_branches_is_far_below_their_square_and_they_nest_little() -> None:
    """4,000 branches with all earlier conditions in each would hold eight million leaves."""
    branches = [(IsNull(Column(column_id, "c", t.Int())), Always(NULL)) for column_id in range(4_000)]
    size, depth, level = 0, 0, [first_of(branches, Always(TRUE))]
    while level:
        size, depth, level = size + len(level), depth + 1, [part for predicate in level for part in parts_of(predicate)]
    assert size < 150_000 and depth < 60


def test_and_and_or_are_flat_and_a_deciding_constant_replaces_them() -> None:
    one, two = IsNull(X), IsNull(Y)
    assert every([And((one, two)), one]) == And((one, two, one))
    assert every([one, Always(TRUE)]) == one
    assert every([one, Always(FALSE)]) == Always(FALSE)
    assert every([]) == Always(TRUE) and some([]) == Always(FALSE)
    assert some([Always(NULL), Always(NULL)]) == Always(NULL)
    assert negate(Not(one)) == one
