"""The laws of expressions: binding keeps the meaning of every row, and text and JSON keep every node."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.expr import nodes as n
from hudi_core.expr.bind import bind
from hudi_core.expr.json import from_json, to_json
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.text import to_sql
from hudi_core.rows.truth import truth_masks
from hudi_core.truth import Truth
from hudi_plain.values import PlainValues
from tests.support.drawing import cases
from tests.support.expressions import LEAVES, PREDICATES, SCHEMA, rows, seen
from tests.support.sql_oracle import truth

VALUES = PlainValues()


def bound_truth(expr: n.Expr, row: tuple[Any, ...]) -> Truth:
    """What the bound predicate gives on a row, by the rules of outcomes."""
    masks = truth_masks(bind(expr, SCHEMA), VALUES, row, SCHEMA)
    (found,) = [outcome for outcome, holds in masks.items() if holds]
    return found


@settings(max_examples=cases(600), deadline=None)
@given(LEAVES, st.lists(rows(), min_size=1, max_size=8))
def test_a_bound_leaf_has_the_truth_of_its_expression_on_every_row(expr: n.Expr, some: list[tuple[Any, ...]]) -> None:
    for row in some:
        assert bound_truth(expr, row) is truth(expr, seen(row)), (to_sql(expr), seen(row))


@settings(max_examples=cases(300), deadline=None)
@given(PREDICATES, st.lists(rows(), min_size=1, max_size=4))
def test_a_bound_predicate_has_the_truth_of_its_expression_on_every_row(
    expr: n.Expr, some: list[tuple[Any, ...]]
) -> None:
    for row in some:
        assert bound_truth(expr, row) is truth(expr, seen(row)), (to_sql(expr), seen(row))


@settings(max_examples=cases(200), deadline=None)
@given(PREDICATES, rows())
def test_the_sql_of_an_expression_means_the_same(expr: n.Expr, row: tuple[Any, ...]) -> None:
    assert bound_truth(parse_predicate(to_sql(expr)), row) is bound_truth(expr, row)


@settings(max_examples=cases(200), deadline=None)
@given(PREDICATES)
def test_sql_and_json_read_back_to_the_same_nodes(expr: n.Expr) -> None:
    parsed = parse_predicate(to_sql(expr))
    assert parse_predicate(to_sql(parsed)) == parsed
    assert from_json(json.loads(json.dumps(to_json(parsed)))) == parsed
    assert to_sql(from_json(json.loads(json.dumps(to_json(expr))))) == to_sql(expr)
