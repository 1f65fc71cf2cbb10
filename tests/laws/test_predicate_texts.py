"""The law of predicates as texts: whatever is written is bound, or refused with an error that is meant for people."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.expr.bind import bind, bind_term
from hudi_core.expr.nodes import Call, Case, Cast, Literal, Name
from hudi_core.expr.parse import parse_predicate
from tests.support.drawing import cases
from tests.support.predicate_texts import EXPRESSIONS, LOOSE, SCHEMA

ZONES = st.sampled_from(["UTC", "America/New_York", "+05:30"])


@given(EXPRESSIONS, ZONES)
@settings(max_examples=cases(4_000, part=4))
@example("1e999999999BD = 1", "UTC")
@example("12345678901234567890123456789BD + 1", "UTC")
@example("timestamp'4294967297' < ts", "America/New_York")
@example("to_timestamp(dt, 'yyyy') = ts", "UTC")
@example(f"l IN ({'9' * 5_000})", "UTC")
def test_parser_and_binder_raise_errors_of_expressions_alone(text: str, zone: str) -> None:
    """EXPR-292."""
    try:
        tree = parse_predicate(text)
        bind(tree, SCHEMA, session_zone=zone)
    except ExpressionError:
        return
    if isinstance(tree, Name | Literal | Call | Cast | Case):
        try:
            bind_term(tree, SCHEMA, session_zone=zone)
        except (ExpressionError, UnsupportedError):
            return


@given(LOOSE)
@settings(max_examples=cases(2_000))
def test_words_in_any_order_are_parsed_or_refused(text: str) -> None:
    """EXPR-292."""
    try:
        parse_predicate(text)
    except ExpressionError:
        return


@pytest.mark.parametrize("digits", [39, 400, 5_000])
def test_a_number_of_more_than_38_digits_is_refused(digits: int) -> None:
    """EXPR-290."""
    for text in ("9" * digits, f"0.{'1' * digits}", f"{'9' * digits}BD"):
        with pytest.raises(ExpressionError, match=r"within the range of decimal|at most 38 digits"):
            bind(parse_predicate(f"d < {text}"), SCHEMA)
