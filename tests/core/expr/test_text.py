"""Printing: names and values that need care. What prints as what is in `specs/cases/expressions.jsonl`."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.expr import nodes as n
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.text import to_sql
from hudi_core.types import nodes as t

A = n.Name(("a",))


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), min_size=1, max_size=3))
def test_any_name_is_read_back(path: list[str]) -> None:
    name = n.Name(tuple(path))
    assert parse_predicate(to_sql(name)) == name


@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_any_text_is_read_back(text: str) -> None:
    found = parse_predicate(to_sql(n.Compare(n.Comparison.EQ, A, n.Literal(text))))
    assert found == n.Compare(n.Comparison.EQ, A, n.Literal(text))


@given(st.text(st.characters(codec="utf-8"), max_size=6))
def test_any_pattern_is_read_back(pattern: str) -> None:
    assert parse_predicate(to_sql(n.Like(A, pattern))) == n.Like(A, pattern)
    assert parse_predicate(to_sql(n.Like(A, pattern, "!"))) == n.Like(A, pattern, "!")


@given(
    st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False, places=3).filter(lambda d: not d.is_signed() or d != 0)
    | st.binary(max_size=4)
    | st.booleans()
    | st.none()
)
def test_any_plain_value_is_read_back(value: object) -> None:
    found = parse_predicate(to_sql(n.Compare(n.Comparison.EQ, A, n.Literal(value))))
    assert found == n.Compare(n.Comparison.EQ, A, n.Literal(value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_double_is_read_back(value: float) -> None:
    literal = n.Literal(value, t.Double())
    assert repr(parse_predicate(to_sql(n.Compare(n.Comparison.EQ, A, literal)))) == repr(
        n.Compare(n.Comparison.EQ, A, literal)
    )


@pytest.mark.parametrize(
    ("literal", "sql"),
    [
        (n.Literal(math.nan, t.Double()), "double('NaN')"),
        (n.Literal(-math.inf, t.Float()), "float('-Infinity')"),
        (n.Literal(0, t.Date()), "DATE '1970-01-01'"),
        (n.Literal(0, t.Timestamp(t.Unit.MILLIS)), "CAST('1970-01-01 00:00:00' AS TIMESTAMP(3))"),
        (n.Literal(0, t.Timestamp(zoned=False)), "TIMESTAMP_NTZ '1970-01-01 00:00:00'"),
        (n.Literal(7, t.Int()), "CAST(7 AS INT)"),
        (n.Literal(70_000, t.Int()), "CAST(70000 AS INT)"),
        (n.Literal(Decimal("1E+2")), "100."),
        (n.Literal(1.5), "1.5D"),
    ],
)
def test_typed_values_state_their_type(literal: n.Literal, sql: str) -> None:
    assert to_sql(literal) == sql


def test_a_negative_operand_never_makes_a_comment() -> None:
    minus = n.Call("-", (A, n.Literal(-5)))
    assert "--" not in to_sql(minus) and parse_predicate(to_sql(minus)) == minus
    twice = n.Call("negative", (n.Call("negative", (A,)),))
    assert "--" not in to_sql(twice) and parse_predicate(to_sql(twice)) == twice
    assert parse_predicate(to_sql(n.Call("negative", (n.Literal(5),)))) == n.Call("negative", (n.Literal(5),))


def test_empty_and_or_have_their_truth() -> None:
    assert to_sql(n.And(())) == "TRUE"
    assert to_sql(n.Or(())) == "FALSE"
