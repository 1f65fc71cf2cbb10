"""Java's regular expressions in two dialects that agree with each other and, where it matters, with Java."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import AnyChar, AnyRun, pattern_of
from tests.support import sql_oracle


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a.c", "a\nc", False),
        ("a.c", "a\u2028c", False),
        ("(?s)a.c", "a\nc", True),
        ("a$", "a\n", True),
        ("a$", "a\r\n", True),
        ("a\\z", "a\n", False),
        ("^b", "a\nb", False),
        ("\\d", "٣", False),
        ("\\w+$", "é", False),
        ("\\s", "\x0b", True),
        ("(?i)straSSe", "STRASSE", True),
        ("(?i)k", "\u212a", False),
        ("(?i)[a-c]", "B", True),
        ("[^a-c]", "b", False),
        ("[]a]", "]", True),
        ("\\Qa.c\\E", "abc", False),
        ("\\x41\\u0042\\x{43}", "ABC", True),
        ("\\p{Upper}", "é", False),
        ("(?<word>a)\\1", "aa", True),
        ("a(?!b)", "ab", False),
        ("a{2,3}", "aa", True),
        ("}]", "}]", True),
    ],
)
def test_patterns_find_what_java_finds(pattern: str, text: str, found: bool) -> None:
    assert (regex.parse(pattern).compiled.search(text) is not None) == found


@pytest.mark.parametrize("pattern", ["(", "a**", "[a", "[b-a]", "a{", "x{,3}", "\\", "\\1"])
def test_invalid_regular_expressions_are_errors_of_the_expression(pattern: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        regex.parse(pattern)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "pattern",
    [
        "[a&&b]",
        "[a[b]]",
        "\\p{L}",
        "a(?i)b",
        "(?m)^a",
        "\\R",
        "[\\D]",
        "(?i)(a)\\1",
        "\\ud83d",
        "\\ud83dx",
        "\\ude00\\ud83d",
    ],
)
def test_patterns_of_only_one_dialect_are_refused_by_name(pattern: str) -> None:
    with pytest.raises(UnsupportedError, match="not supported"):
        regex.parse(pattern)


@pytest.mark.parametrize("pattern", ["(a)\\1", "a(?=b)", "a++", "(?>a)", "a{1001}", "(a$)b"])
def test_patterns_that_re2_lacks_are_left_to_python(pattern: str) -> None:
    assert regex.parse(pattern).re2 is None


@pytest.mark.parametrize("pattern", ["a$", "(a|b$)", "a$|b", "a*?", "[^\\s]", "\\bx", "(?i)q"])
def test_the_rest_runs_on_re2(pattern: str) -> None:
    assert regex.parse(pattern).re2 is not None


def test_like_matches_whole_strings_with_literal_line_ends_and_signs() -> None:
    pattern = ("a.", AnyChar(), AnyRun(), "z")
    compiled = regex.like(pattern).compiled
    assert compiled.search("a.\n\nz") and compiled.search("a.\U0001d518z")
    assert not compiled.search("abxz") and not compiled.search("a.z") and not compiled.search("a.xz\n")


@given(st.text("ab", max_size=12), st.text("ab%_", max_size=8))
def test_like_takes_each_part_where_it_comes_first_and_misses_nothing(text: str, pattern: str) -> None:
    """FUNC-292."""
    assert bool(regex.like(pattern_of(pattern)).compiled.search(text)) is sql_oracle.like(text, pattern, "\\")


@pytest.mark.parametrize("pattern", ["%a%a%a%a%b", "%a_a%_a_%b_", "%" + "a%" * 50 + "b"])
def test_like_takes_time_in_proportion_to_the_text(pattern: str) -> None:
    """FUNC-292."""
    wanted = regex.like(pattern_of(pattern)).compiled
    begin = time.process_time()
    assert wanted.search("a" * 20_000) is None
    assert time.process_time() - begin < 2  # with retries: hours


def test_replacements_are_javas() -> None:
    groups = regex.parse("(a)(b)")
    assert regex.replacement("<$2\\$$1>$10", groups) == ["<", 2, "$", 1, ">", 1, "0"]
    for wrong in ("$", "$x", "$3", "\\"):
        with pytest.raises(ExpressionError):
            regex.replacement(wrong, groups)
