"""LIKE patterns read into parts.

Also covers: `functions/scalar/like.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError
from hudi_core.expr.calls import literal_pattern
from hudi_core.functions.scalar.like import AnyChar, AnyRun, Pattern, pattern_of

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
