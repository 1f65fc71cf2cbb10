"""The law of folding: an AND or OR whose conditions on one term are made one has the truth of its parts on every row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.expr import folding
from hudi_core.expr.connectives import every, some
from hudi_core.expr.folding import fold
from hudi_core.expr.predicate import ALWAYS_NULL, And, Below, Column, Cut, IsNull, Matches, Not, OneOf, Or, Predicate
from hudi_core.expr.row import truth_of
from hudi_core.functions.scalar.like import AnyChar, AnyRun
from hudi_core.truth import FALSE, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.order import distinct
from tests.support.drawing import cases

VALUES: dict[t.Type, list[Any]] = {
    t.Int(): [-1, 0, 1, 2, 3],
    t.Double(): [-math.inf, -0.0, 0.0, 0.5, 1.0, math.inf, math.nan],
    t.String(): ["", "a", "aa", "b", "\ud7ff", "\U0001f600"],
}
COLUMNS = [Column(number, of.__class__.__name__, of) for number, of in enumerate(VALUES)]


def leaves(column: Column) -> st.SearchStrategy[Predicate]:
    value = st.sampled_from(VALUES[column.type])
    cuts = st.builds(Cut, value, st.booleans()).map(lambda cut: Below(column, cut))
    lists = st.builds(
        lambda values, null: OneOf(column, distinct(tuple(values), column.type), null), st.lists(value), st.booleans()
    )
    if not isinstance(column.type, t.String):
        return cuts | lists | st.just(IsNull(column))
    patterns = st.sampled_from([("a", AnyRun()), (AnyRun(), "a"), (AnyRun(), "a", AnyRun()), (AnyChar(),)])
    return cuts | lists | patterns.map(lambda pattern: Matches(column, pattern)) | st.just(IsNull(column))


PARTS = st.recursive(
    st.sampled_from(COLUMNS).flatmap(leaves) | st.just(ALWAYS_NULL),
    lambda inner: (
        inner.map(Not)
        | st.lists(inner, min_size=1, max_size=4).map(lambda parts: And(tuple(parts)))
        | st.lists(inner, min_size=1, max_size=4).map(lambda parts: Or(tuple(parts)))
    ),
    max_leaves=6,
)
ROWS = st.fixed_dictionaries({column.id: st.none() | st.sampled_from(VALUES[column.type]) for column in COLUMNS})


def joined(parts: Sequence[Predicate], kind: type[And] | type[Or], row: dict[int, Any]) -> Truth:
    truths = [truth_of(part, row) for part in parts]
    if kind is And:
        return reduce(lambda one, other: one & other, truths, TRUE)
    return reduce(lambda one, other: one | other, truths, FALSE)


@settings(max_examples=cases(1_500, part=6), deadline=None)
@given(
    st.lists(PARTS, max_size=6),
    st.sampled_from([And, Or]),
    st.lists(ROWS, min_size=1, max_size=6),
    st.sampled_from([0, 1, folding.MAX_RANGES]),
)
def test_folded_predicates_have_the_truth_of_their_parts_on_every_row(
    parts: list[Predicate], kind: type[And] | type[Or], rows: list[dict[int, Any]], most_ranges: int
) -> None:
    with patch.object(folding, "MAX_RANGES", most_ranges):
        made = fold(parts, kind)
        whole = every(parts) if kind is And else some(parts)
    for row in rows:
        expected = joined(parts, kind, row)
        assert joined(made, kind, row) is expected, (parts, made, row)
        assert truth_of(whole, row) is expected, (parts, whole, row)
