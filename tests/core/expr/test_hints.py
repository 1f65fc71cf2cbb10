"""What was probably meant where a predicate is refused."""

from __future__ import annotations

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.sql_predicate import doubts_of, predicate_tree
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

SCHEMA = Schema(
    t.Record(
        (
            t.Field(1, "fare", t.Double()),
            t.Field(2, "city", t.String()),
            t.Field(3, "at", t.Timestamp()),
            t.Field(4, "place", t.Record((t.Field(5, "zip", t.String()),))),
        )
    )
)
AND_OR_NOT = "write AND, OR and NOT between conditions"
QUERY = "a predicate only chooses rows; hudi-core sql takes a whole query"
NO_PARAMETERS = "write the value or the column itself: a predicate has no parameters"


def refusal(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as raised:
        bind(predicate_tree(text), SCHEMA)
    return raised.value


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("fare > 8 && city = 'oslo'", "write AND for &&"),
        ("fare > 8 || city = 'oslo'", AND_OR_NOT),
        ("(fare > 8) & (city = 'oslo')", AND_OR_NOT),
        ("(fare > 8) | (city = 'oslo')", AND_OR_NOT),
        ("~(fare > 8)", AND_OR_NOT),
        ("select * from rides where fare > 8", "write what follows WHERE; hudi-core sql takes a whole query"),
        ("SELECT fare", QUERY),
        ("WHERE fare > 8", "leave WHERE out"),
        ("fare > 8 LIMIT 3", QUERY),
        ("fare > 8 ORDER BY fare", QUERY),
        ("count(*) > 3", QUERY),
        ("fare > 8;", "leave the semicolon out"),
        ("fare => 8", "write >= for =>"),
        ("fare =< 8", "write <= for =<"),
        ("fare === 8", "write = for ==="),
        ("fare ** 2 > 3", "write power(x, y) for x ** y"),
        ("city ~ 'o'", "write RLIKE for a regular expression"),
        ("city = 'a' XOR fare > 1", "write <> between two conditions in brackets"),
        ("city startswith 'o'", "write startswith(column, 'text')"),
        ("fare IS NaN", "write isnan(column)"),
        ("fare = NaN", "write isnan(column)"),
        ("fare is none", "write IS NULL"),
        ("fare is not missing", "write IS NOT NULL"),
        ("city is not 'x'", "write <> to compare with a value"),
        ("city is 'x'", "write = to compare with a value"),
        ("exists fare", "write column IS NOT NULL"),
        ("fare in [1, 2]", "write a list in round brackets: IN (1, 2)"),
        ("city like oslo%", "write the pattern in quotes: LIKE 'a%'"),
        ("fare > 1,000", "write numbers without separators of thousands"),
        ("fare > 1_000", "write numbers without separators of thousands"),
        ("fare > ?", NO_PARAMETERS),
        ("fare > :least", NO_PARAMETERS),
        ("fare > $1", NO_PARAMETERS),
        ("fare > {least}", NO_PARAMETERS),
        ("city = ‘oslo’", "write straight quotes: 'text'"),
        ("fare ≥ 8", "write >="),
        ("fare ≤ 8", "write <="),
        ("fare ≠ 8", "write <>"),
        ("fare > 8 # cheap", "write -- before a comment"),
        ("city = oslo", "write a text in quotes: 'oslo'"),
        ("city = `oslo` AND fare > 1", "write a text in quotes: 'oslo'"),
        ("city IN (oslo, 'rome')", "write a text in quotes: 'oslo'"),
        ("city = 'o'slo'", "write '' for a quote inside a string"),
        ('"fare" > 8', "write fare or `fare` for the column: text in double quotes is a string"),
    ],
)
def test_known_mistakes_are_answered_with_what_to_write(text: str, hint: str) -> None:
    """EXPR-1086."""
    error = refusal(text)
    assert error.hint == hint
    assert str(error).endswith(f"; {hint}")


@pytest.mark.parametrize(
    "text", ["fare >", "(fare > 8", "fare > 8 AND", "city = 'oslo", "fare", "fare BETWEEN 1, 2", "nobody > 1"]
)
def test_other_mistakes_get_no_hint(text: str) -> None:
    """EXPR-1086."""
    assert refusal(text).hint is None


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_predicate_is_refused_in_one_line(text: str) -> None:
    """EXPR-1086."""
    assert str(refusal(text)) == "predicate: expected a condition, as fare > 80, found an empty text"


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ("city = NULL", ["city = NULL is never true; write city IS NULL"]),
        ("fare > 1 AND city <> NULL", ["city <> NULL is never true; write city IS NOT NULL"]),
        ("\"City\" = 'oslo'", ["'City' = 'oslo' has no column; write city or `city` for the column"]),
        ("'oslo' <> \"city\"", ["'oslo' <> 'city' has no column; write city or `city` for the column"]),
        ('"city" IS NOT NULL', ["'city' IS NULL has no column; write city or `city` for the column"]),
        ("\"city\" LIKE 'o%'", ["'city' LIKE 'o%' has no column; write city or `city` for the column"]),
        ("\"city\" NOT IN ('oslo')", ["'city' IN ('oslo') has no column; write city or `city` for the column"]),
        (
            "fare > 1 OR \"city\" BETWEEN 'a' AND 'b'",
            ["'city' BETWEEN 'a' AND 'b' has no column; write city or `city` for the column"],
        ),
        (
            "fare > 1 AND NOT (upper(\"city\") = 'X' IS TRUE)",
            ["upper('city') = 'X' has no column; write city or `city` for the column"],
        ),
        ("startswith(\"city\", 'o')", ["'city' LIKE 'o%' has no column; write city or `city` for the column"]),
        ("\"place.zip\" = '1'", ["'place.zip' = '1' has no column; write place.zip or `place`.`zip` for the column"]),
        ('city <> "fare"', ["\"fare\" is a text; write fare or `fare` for the column, or 'fare' for the text"]),
        (
            "city = concat(\"City\", 'x')",
            ["\"City\" is a text; write city or `city` for the column, or 'City' for the text"],
        ),
        ('city IN ("a", "fare")', ["\"fare\" is a text; write fare or `fare` for the column, or 'fare' for the text"]),
        ('city = "oslo"', []),
        ("city <=> NULL", []),
        ("city = 'fare'", []),
        ("city IN ('fare')", []),
        ("'a' = 'b'", []),
        ("1 = 1", []),
    ],
)
def test_comparisons_that_are_hardly_meant_are_doubted(text: str, doubts: list[str]) -> None:
    """EXPR-1087."""
    assert doubts_of(predicate_tree(text), SCHEMA) == doubts


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        (
            "at IN ('2024-03-01T00:00Z', '2024-03-01 00:00:00')",
            ["IN compares at as text here, which is never '2024-03-01T00:00Z'"],
        ),
        (
            "NOT AT IN ('2024-03-01')",
            [
                "IN compares AT as text here, which is never '2024-03-01'; "
                "write AT = '2024-03-01', or '2024-03-01 00:00:00' in the list"
            ],
        ),
        (
            "fare IN ('1', 2)",
            ["IN compares fare as text here, which is never '1'; write fare = '1', or '1.0' in the list"],
        ),
        ("fare IN ('1.0', 2)", []),
        ("fare IN (1, 2)", []),
        ("city IN ('1', 2)", []),
    ],
)
def test_texts_in_a_list_that_no_value_of_a_column_has_are_doubted(text: str, doubts: list[str]) -> None:
    """EXPR-1381."""
    assert doubts_of(predicate_tree(text), SCHEMA) == doubts
