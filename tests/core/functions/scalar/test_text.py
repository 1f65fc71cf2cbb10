"""Functions of text that make long ones: up to a bound, and one error beyond it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.functions.scalar import text
from hudi_core.functions.searching import FUNCTIONS, levenshtein
from hudi_core.functions.texts import convert
from tests.support.predicate_texts import SCHEMA

LONG = "a" * (1 << 13)


@pytest.mark.parametrize(
    "make",
    [
        lambda: text.repeat("ab", 1 << 30),
        lambda: text.pad("a", 1 << 30, " ", left=True),
        lambda: text.pad(b"a", 1 << 30, b"0", left=False),
        lambda: text.replace(LONG, "a", LONG),
        lambda: text.regexp_replace(LONG, "a", LONG),
        lambda: next(known for known in FUNCTIONS if known.name == "space").evaluate([1 << 30], [], None),  # type: ignore[arg-type]
    ],
)
def test_a_text_longer_than_the_bound_is_refused(make: Callable[[], object]) -> None:
    """FUNC-292."""
    with pytest.raises(ExpressionError, match="a text of at most 16,777,216 characters"):
        make()


@pytest.mark.parametrize(
    "sql", ["s = repeat('a', 2000000000)", "s = space(2147483647)", "s = lpad('a', 2000000000, 'b')"]
)
def test_the_bound_holds_when_constants_are_folded(sql: str) -> None:
    """FUNC-292."""
    with pytest.raises(ExpressionError, match="at most 16,777,216 characters"):
        bind(parse_predicate(sql), SCHEMA)


def test_what_a_replacement_makes_shorter_has_no_bound() -> None:
    assert text.replace(LONG, "aa", "b") == "b" * (1 << 12)
    assert text.regexp_replace("a1b22", "([0-9]+)", "<$1>") == "a<1>b<22>"


def test_strings_that_take_too_long_to_compare_are_refused() -> None:
    """FUNC-502."""
    assert levenshtein("a" * 4096, "") == 4096
    assert levenshtein("ab" * 100, "ba" * 100) == 2
    with pytest.raises(ExpressionError, match="levenshtein: expected strings with at most 16,777,216 pairs"):
        levenshtein("a" * 4096, "b" * 4097)


def test_digits_beyond_64_bits_take_no_time() -> None:
    """FUNC-502."""
    assert convert("9" * 1_000_000, 10, 16) == "F" * 16
    assert convert("0" * 1_000_000 + "ff", 16, 10) == "255"
