"""Regular expressions that may take Python's matcher a time that doubles with each character: ENGINE-490."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Matches
from hudi_core.front.opening import create_table, open_table
from hudi_core.functions.matching import rlike
from hudi_core.functions.scalar import regex
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.writing.operations import write
from hudi_plain.values import PlainValues
from tests.support.written_tables import TYPES, rows, rows_of

RETRIED = [
    "(a+)+$", "(a|a)*b", "(a*)*c", "(a|aa)+$", "(a?b?)*c", r"(\w+\s*)+:", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*,a*)*$", "(.*)*x",
    r"((a+)+)+\d", "(?i)(x+X+)+y", r"([^\s]+\S?)*;", "(a+){10,}$", "(a+){5}$", "(?=(a+)+b)c", r"(\d+\.?)+$", "(?>(a+)+b)",
    "([а-п]+[в-я]*)+!", r"(a)(\1+a?)*$", "(a{1,9})*$",
]  # fmt: skip
NOT_RETRIED = [
    "", "(a+)+", "(a+)+.*", r"(\w+)+", "(a|b)*c", r"(,\d+)*$", "(a+b)+c", r"(\d{3},)*x", "(a{1,3},)*$", "(a++)+$", "(?>a+)*x",
    "([0-9a-f]{32},?)+$", "a*a*$", r"^\s*(\w+\.)*\w+$", r"[a-z]+@[a-z]+\.com$", r"((\w+),)*$", r"(\Qa+\E)+$", "(ab|ac)*d",
    r'(?:[^"\\]|\\.)*x', r"(x\b)*y", "(a?){3}b", "(a+){4}$",
]  # fmt: skip


@pytest.mark.parametrize("pattern", RETRIED)
def test_repeats_of_what_matches_a_text_in_several_ways_are_refused(pattern: str) -> None:
    """ENGINE-490: whatever the text is."""
    for text in ("", "a" * 40 + "!"):
        with pytest.raises(ExpressionError, match="expected a pattern whose repeated parts match a text in one way"):
            rlike(text, pattern)


@pytest.mark.parametrize("pattern", NOT_RETRIED)
def test_others_are_evaluated_in_no_time(pattern: str) -> None:
    """ENGINE-490."""
    wanted, begun = regex.parse(pattern).compiled, process_time()
    for text in ("a" * 60 + "!", "ab" * 30 + "!", "abc," * 15 + "!"):
        wanted.search(text)
    assert process_time() - begun < 2


_PARTS = st.sampled_from(["a", "b", "[ab]", "."])
_PATTERNS = st.recursive(
    _PARTS,
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})")
        | st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        )
    ),
    max_leaves=4,
)


@given(_PATTERNS)
def test_a_pattern_that_is_repeated_twice_over_is_retried(pattern: str) -> None:
    """ENGINE-490: two turns of the inner repeat are one of the outer, too."""
    assert regex.parse(f"((?:{pattern})+)+$").retried is not None


def test_a_constant_text_is_left_to_the_engine() -> None:
    """ENGINE-490."""
    predicate = bind(parse_predicate(f"'{'a' * 40}!' RLIKE '(a+)+$'"), Schema(t.Record(())))
    assert isinstance(predicate, Matches)


def test_the_arrow_engine_evaluates_what_re2_takes_also_for_values_of_paths(tmp_path: Path) -> None:
    """ENGINE-490."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p")
    write(table, rows(("a" * 60 + "!", "a" * 40 + "!", 1), ("aaaa", "aa", 2)))
    table = open_table(tmp_path / "t")
    for column in ("id", "p"):
        assert [row[2] for row in rows_of(table, f"{column} RLIKE '(a+)+$'")] == [2]
        assert [row[2] for row in rows_of(table, f"NOT {column} RLIKE '(a+)+$'")] == [1]
    assert [row[2] for row in rows_of(table, f"n = 2 OR '{'a' * 60}!' RLIKE '(a+)+$'")] == [2]
    for where in ("id RLIKE '^(a+)+(?=b)'", "regexp_replace(id, '(a+)+!', '') = ''", "id RLIKE concat(p, '|(a+)+$')"):
        with pytest.raises(ExpressionError, match="a repeat within which a text matches in several ways"):
            rows_of(table, where)


def test_the_plain_engine_refuses_it() -> None:
    """ENGINE-490."""
    with pytest.raises(ExpressionError, match="found a repeat within which"):
        PlainValues().matches("a" * 40 + "!", "(a+)+$")
