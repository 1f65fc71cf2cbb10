"""Parsing: what is too deep, what is long, what no text may do. The grammar itself is in `specs/cases/expressions.jsonl`.

Also covers: `expr/call_syntax.py`, `expr/calls.py`, `expr/nodes.py`, `expr/operands.py`.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError
from hudi_core.expr.nodes import And, Call, Compare, Comparison, In, Literal, Name, Not, Or
from hudi_core.expr.parse import MAX_DEPTH, parse_predicate

_WORDS = "AND OR NOT IS NULL IN LIKE BETWEEN CASE WHEN THEN END cast AS interval day int"
_SIGNS = (
    "a",
    "`b`",
    "1",
    "1.5",
    "'x'",
    "X'00'",
    "(",
    ")",
    ",",
    "=",
    "<=>",
    "-",
    "+",
    "::",
    ".",
    "[",
    "]",
    "'",
    "\\",
    "/*",
    "--",
)
_PIECES = st.sampled_from([*_WORDS.split(), *_SIGNS])


@given(st.lists(_PIECES, max_size=12).map(" ".join) | st.text(max_size=20))
def test_any_text_is_an_expression_or_an_expression_error(text: str) -> None:
    try:
        parse_predicate(text)
    except ExpressionError as error:
        assert "\n" not in str(error).replace(text, "")


def test_a_long_chain_is_one_node_and_not_a_deep_one() -> None:
    parsed = parse_predicate(" AND ".join(f"a{i} = 1" for i in range(1_500)))
    assert isinstance(parsed, And) and len(parsed.parts) == 1_500
    either = parse_predicate(" OR ".join(f"a{i} = 1" for i in range(1_500)))
    assert isinstance(either, Or) and len(either.parts) == 1_500


@pytest.mark.parametrize(
    "text", ["(" * 5_000 + "a" + ")" * 5_000, "not " * 5_000 + "a", "- " * 5_000 + "a", "a + " * 5_000 + "a"]
)
def test_too_deep_trees_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="at most"):
        parse_predicate(text)


def test_as_deep_as_allowed_is_taken() -> None:
    depth = MAX_DEPTH // 2
    assert parse_predicate("(" * depth + "a" + ")" * depth) == Name(("a",))


def test_ten_thousand_values_are_one_list() -> None:
    numbers = parse_predicate(f"a in ({', '.join(map(str, range(10_000)))})")
    assert isinstance(numbers, In) and numbers.choices[9_999] == Literal(9_999)
    texts = parse_predicate("a not in (" + ",".join(f"'v{i}'" for i in range(10_000)) + ")")
    assert isinstance(texts, Not) and isinstance(texts.part, In) and texts.part.choices[7] == Literal("v7")


@pytest.mark.parametrize(
    ("before", "part", "between", "after"),
    [
        ("a in (", "{}", ",", ")"),
        ("", "a <> {}", " AND ", ""),
        ("", "(a = {} AND b = 'x')", " OR ", ""),
        ("(a, b) in (", "({}, 'x')", ", ", ")"),
        ("case ", "when a = {} then {}", " ", " end = 1"),
        ("'x' = ", "a{}", " || ", ""),
    ],
)
def test_what_is_long_takes_time_in_proportion_to_its_length(before: str, part: str, between: str, after: str) -> None:
    def seconds(count: int) -> float:
        text = before + between.join(part.format(number, number) for number in range(count)) + after
        took = []
        for _ in range(3):
            start = time.process_time()
            parse_predicate(text)
            took.append(time.process_time() - start)
        return min(took)

    assert seconds(10_000) < 40 * max(seconds(1_000), 1e-3)


def test_any_number_of_joined_strings_are_one_call() -> None:
    parsed = parse_predicate(" || ".join(["a"] * 1_000) + " = 'x'")
    assert isinstance(parsed, Compare) and isinstance(parsed.left, Call) and len(parsed.left.arguments) == 1_000


def test_a_list_of_other_than_plain_values_is_read_by_the_grammar() -> None:
    parsed = parse_predicate("a in (1, -2, 3.0, 'x', null, b + 1, 'it''s')")
    assert parsed == In(
        Name(("a",)),
        (
            Literal(1),
            Literal(-2),
            parse_value("3.0"),
            Literal("x"),
            Literal(None),
            Call("+", (Name(("b",)), Literal(1))),
            Literal("it's"),
        ),
    )


def parse_value(text: str) -> Literal:
    parsed = parse_predicate(f"a = {text}")
    assert isinstance(parsed, Compare) and isinstance(parsed.right, Literal)
    return parsed.right


def test_comments_are_blanks() -> None:
    parsed = parse_predicate("a /* one = 2 */ = -- two\n 1")
    assert parsed == Compare(Comparison.EQ, Name(("a",)), Literal(1))


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(ExpressionError, match="surrogate"):
        parse_predicate("a = '\\uD83D'")


def test_places_in_the_text_do_not_count_for_equality() -> None:
    assert parse_predicate("a=1") == parse_predicate("  a  =  1")
    assert hash(parse_predicate("a=1")) == hash(parse_predicate("a = 1"))


@pytest.mark.parametrize(
    "name", ["date", "timestamp", "interval", "day", "year", "first", "substring", "cast", "any", "unknown", "div"]
)
def test_words_that_are_not_reserved_are_names(name: str) -> None:
    assert parse_predicate(f"{name} = 1") == Compare(Comparison.EQ, Name((name,)), Literal(1))
