"""LIKE patterns read into parts.

Also covers: `functions/scalar/like.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.calls import literal_pattern
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Opaque
from hudi_core.functions.scalar.like import AnyChar, AnyRun, Pattern, pattern_of
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

RUN, ONE = AnyRun(), AnyChar()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("abc", ("abc",)),
        ("a%", ("a", RUN)),
        ("%a_b%", (RUN, "a", ONE, "b", RUN)),
        ("%%%", (RUN,)),
        ("%_%", (RUN, ONE, RUN)),
        ("__", (ONE, ONE)),
        ("a\\%b", ("a%b",)),
        ("a\\\\%", ("a\\", RUN)),
    ],
)
def test_a_pattern_has_parts(text: str, parts: Pattern) -> None:
    assert pattern_of(text) == parts


@given(st.text(max_size=8))
def test_an_escaped_string_is_one_part(text: str) -> None:
    assert pattern_of(literal_pattern(text)) == ((text,) if text else ())


@pytest.mark.parametrize("text", ["a\\", "\\a", "%\\x"])
def test_an_escape_of_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="after the escape character"):
        pattern_of(text)


def test_another_escape_character_leaves_the_backslash_alone() -> None:
    assert pattern_of("a\\!%%", "!") == ("a\\%", RUN)
    assert pattern_of("%%", "%") == ("%",)


BYTES = Schema(t.Record((t.Field(1, "b", t.Binary()), t.Field(2, "f", t.Fixed(2)))))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("b LIKE 'é'", "b = X'C3A9'"),
        ("b LIKE ''", "b = X''"),
        ("b LIKE 'é%'", "b >= X'C3A9' AND b < X'C3AA'"),
        ("startswith(b, 'ab')", "b >= X'6162' AND b < X'6163'"),
        ("f LIKE '%a'", "CAST(f AS STRING) LIKE '%a'"),
        ("b RLIKE 'a'", "CAST(b AS STRING) RLIKE 'a'"),
    ],
)
def test_bytes_are_compared_as_bytes_where_a_pattern_is_a_text_or_a_beginning(text: str, same: str) -> None:
    """EXPR-1657."""
    bound = bind(parse_predicate(text), BYTES)
    assert bound == bind(parse_predicate(same), BYTES)


def test_bytes_that_are_no_text_are_not_looked_for_by_what_stands_for_them() -> None:
    """EXPR-1657."""
    assert isinstance(bind(parse_predicate("b LIKE '%\ufffd'"), BYTES, partial=True), Opaque)
