"""Trees of many nodes inside each other: up to the limit every step takes them, beyond it there is one clear error: EXPR-43."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.expr import nodes as n
from hudi_core.expr.bind import bind, bind_term
from hudi_core.expr.build import col
from hudi_core.expr.json import from_json, to_json
from hudi_core.expr.sql_predicate import predicate_tree
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import MAX_TREE_DEPTH, walk
from hudi_core.rows.truth import is_true
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import NULL
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues

SCHEMA = Schema(record_with_ids(t.Record((t.Field(0, "a", t.Int()), t.Field(0, "s", t.String())))))
A, S, FIVE = n.Name(("a",)), n.Name(("s",)), n.Literal(5)


def leaf(number: int) -> n.Expr:
    return n.Compare(n.Comparison.EQ, S, n.Literal(f"s{number}"))


def nots(levels: int) -> n.Expr:
    tree: n.Expr = n.IsNull(A)
    for _ in range(levels - 2):
        tree = n.Not(tree)
    return tree


def turns(levels: int) -> n.Expr:
    tree: n.Expr = n.IsNull(A)
    for number in range(levels - 2):
        tree = n.And((leaf(number), tree)) if number % 2 else n.Or((leaf(number), tree))
    return tree


def sums(levels: int) -> n.Expr:
    term: n.Scalar = A
    for _ in range(levels - 2):
        term = n.Call("+", (term, n.Literal(1)))
    return n.Compare(n.Comparison.GT, term, FIVE)


def calls(levels: int) -> n.Expr:
    term: n.Scalar = S
    for _ in range(levels - 2):
        term = n.Call("concat", (term, n.Literal("x")))
    return n.Like(term, "%y")


def choices(levels: int) -> n.Expr:
    term: n.Scalar = A
    for _ in range((levels - 2) // 2):
        term = n.Case(((n.Compare(n.Comparison.GT, term, FIVE), n.Literal(7)),), A)
    return n.Compare(n.Comparison.GT, term, FIVE)


def truths(levels: int) -> n.Expr:
    tree: n.Expr = n.IsNull(A)
    for number in range((levels - 2) // 2):
        tree = n.Is(n.And((tree, leaf(number))), NULL)
    return tree


SHAPES = [nots, turns, sums, calls, truths, choices]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_tree_as_deep_as_is_allowed_passes_every_step(shape: Callable[[int], n.Expr]) -> None:
    tree = predicate_tree(shape(MAX_TREE_DEPTH))
    assert to_sql(from_json(to_json(tree))) == to_sql(tree)
    assert sum(1 for _ in walk(tree)) >= MAX_TREE_DEPTH - 2
    predicate = bind(tree, SCHEMA)
    assert is_true(predicate, PlainValues(), (9, "s1"), SCHEMA) in (True, False)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("levels", [MAX_TREE_DEPTH + 2, 10_000])
def test_a_deeper_one_is_refused(shape: Callable[[int], n.Expr], levels: int) -> None:
    tree = shape(levels)
    for step in (predicate_tree, lambda tree: bind(tree, SCHEMA)):
        with pytest.raises(ExpressionError, match=f"expected at most {MAX_TREE_DEPTH} nested conditions and calls"):
            step(tree)


def test_a_tree_that_the_stack_has_no_room_for_is_refused() -> None:
    """EXPR-43: by callers whose own calls are nested deeply."""

    def call_within(levels: int, step: Callable[[], object]) -> object:
        return call_within(levels - 1, step) if levels else step()

    text = f"a{' + 1' * 90} > 0"
    for step in (lambda: predicate_tree(text), lambda: bind(sums(90), SCHEMA)):
        with pytest.raises(ExpressionError, match=r"expected at most [0-9]+ nested conditions and calls, for which Py"):
            call_within(sys.getrecursionlimit() - 250, step)
    assert call_within(sys.getrecursionlimit() - 250, lambda: bind(sums(10), SCHEMA)) is not None


def test_a_deep_term_is_refused() -> None:
    tree = sums(MAX_TREE_DEPTH + 2)
    assert isinstance(tree, n.Compare)
    with pytest.raises(ExpressionError, match="expected at most"):
        bind_term(tree.left, SCHEMA)


def test_a_chain_built_in_a_loop_is_not_deep() -> None:
    either, both = col("a") == 0, col("a") != 0
    for number in range(1, 5_000):
        either, both = either | (col("a") == number), both & (col("a") != number)
    assert [is_true(bind(item.node, SCHEMA), PlainValues(), (4_999, None), SCHEMA) for item in (either, both)] == [
        True,
        False,
    ]
