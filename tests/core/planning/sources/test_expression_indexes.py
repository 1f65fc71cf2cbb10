"""Expression indexes: which are used, for what, and what they tell."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import columns_of
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.planning.plan import ScanPlan
from hudi_core.planning.sources.expression_indexes import (
    STATISTICS_OF_VALUES,
    ExpressionIndex,
    expression_indexes,
    with_index_columns,
)
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import Verdict
from hudi_core.types import nodes as t
from tests.support.made_tables import Group, Log, MadeTable

SCHEMA = Schema(
    record_with_ids(
        t.Record(
            (
                t.Field(0, "s", t.String()),
                t.Field(0, "day", t.Date()),
                t.Field(0, "at", t.Timestamp()),
                t.Field(0, "n", t.Int()),
            )
        )
    )
)


def definition(function: str, column: str, kind: str = "column_stats", **options: str) -> IndexDefinition:
    answer = {"indexType": kind, "indexFunction": function, "sourceFields": [column], "version": "V2"}
    return IndexDefinition.model_validate(answer | {"indexOptions": {"expr": function} | options})


def indexes(*of: IndexDefinition, versions: tuple[Schema, ...] = (SCHEMA,)) -> tuple[ExpressionIndex, ...]:
    named = {f"expr_index_{number}": item for number, item in enumerate(of)}
    return expression_indexes(STATISTICS_OF_VALUES, named, frozenset(named), SCHEMA, versions)


LOWER, YEAR = indexes(definition("lower", "s"), definition("year", "day"))


@pytest.mark.parametrize(
    "of",
    [
        definition("from_unixtime", "n", format="yyyy"),
        definition("year", "at"),
        definition("lower", "s", other="x"),
        definition("substring", "s", pos="1"),
        definition("substring", "s", pos="one", len="2"),
        definition("date_format", "day", format="HH"),
        definition("lower", "s", kind="bloom_filters"),
        definition("lower", "none"),
        definition("lower", "n"),
    ],
)
def test_an_index_without_all_that_its_values_depend_on_is_not_used(of: IndexDefinition) -> None:
    """SOURCE-15."""
    assert indexes(of) == ()


def test_partitions_that_may_not_be_used_are_not() -> None:
    known = {"expr_index_0": definition("lower", "s")}
    assert expression_indexes(STATISTICS_OF_VALUES, known, frozenset(), SCHEMA, (SCHEMA,)) == ()


def test_index_of_a_name_that_was_another_column_is_not_used() -> None:
    """SOURCE-16."""
    turned = Schema(record_with_ids(t.Record((t.Field(0, "other", t.String()), t.Field(0, "s", t.Date())))))
    assert indexes(definition("lower", "s"), versions=(turned, SCHEMA)) == ()
    once = Schema(record_with_ids(t.Record((t.Field(0, "s", t.Int()),))))
    assert indexes(definition("lower", "s"), versions=(once, SCHEMA)) == ()


@pytest.mark.parametrize(
    ("where", "used"),
    [
        ("lower(s) = 'x'", [LOWER]),
        ("lcase(S) = 'x'", [LOWER]),
        ("not (n > 3 or lower(s) like 'x%')", [LOWER]),
        ("year(day) = 2024 and lower(s) = 'x'", [YEAR, LOWER]),
        ("case when lower(s) = 'x' then n else 3 end in (1, 2)", [LOWER]),
        ("length(lower(s)) = 3", [LOWER]),
    ],
)
def test_function_of_the_column_is_the_columns_own(where: str, used: list[ExpressionIndex]) -> None:
    """SOURCE-15."""
    found = with_index_columns(parse_predicate(where), [LOWER, YEAR], SCHEMA, case_sensitive=False)
    assert found is not None
    assert {item.column.id for item in used} <= columns_of(found).keys()


@pytest.mark.parametrize(
    ("of", "same", "other"),
    [
        (definition("substring", "s", pos="2", len="3"), "substr(s, 2, 3) = 'x'", "substring(s, 2, 4) = 'x'"),
        (definition("substring", "s", pos="1", len="3"), "left(s, 3) > 'x'", "substring(s, 1) = 'x'"),
        (definition("trim", "s"), "trim(s) = 'x'", "trim('y' from s) = 'x'"),
        (definition("ltrim", "s", trimString="y"), "trim(leading 'y' from s) = 'x'", "ltrim(s) = 'x'"),
        (definition("regexp_extract", "s", pattern="(a)(b)", idx="2"), "regexp_extract(s, '(a)(b)', 2) = 'x'",
         "regexp_extract(s, '(a)(b)', 1) = 'x'"),
        (definition("regexp_replace", "s", pattern="a+", replacement=""), "regexp_replace(s, 'a+', '') = 'x'",
         "regexp_replace(s, 'a+', 'b') = 'x'"),
        (definition("date_add", "day", days="3"), "date_add(day, 3) = date'2024-01-01'", "date_sub(day, 3) = date'2024-01-01'"),
    ],
)  # fmt: skip
def test_an_index_with_options_answers_for_a_call_with_just_these_arguments(
    of: IndexDefinition, same: str, other: str
) -> None:
    (index,) = indexes(of)
    found = with_index_columns(parse_predicate(same), [index], SCHEMA, case_sensitive=False)
    assert found is not None and index.column.id in columns_of(found)
    assert with_index_columns(parse_predicate(other), [index], SCHEMA, case_sensitive=False) is None


@pytest.mark.parametrize(
    "where", ["upper(s) = 'X'", "month(day) = 1", "s = 'x'", "year(at) = 2024", "lower(s || 'x') = 'x'"]
)
def test_other_functions_of_the_column_are_not(where: str) -> None:
    assert with_index_columns(parse_predicate(where), [LOWER, YEAR], SCHEMA, case_sensitive=False) is None


# ---- in a table


def row(key: str, text: str | None, number: int = 0) -> dict[str, Any]:
    return {"id": key, "s": text, "n": number}


GROUPS = [
    Group("u", [row("a", "Ant"), row("b", "BEE")]),
    Group("u", [row("c", "Cat", 7), row("d", "dog")]),
    Group("v", [row("e", None), row("f", None)]),
]


def plan(where: str, groups: list[Group] = GROUPS) -> tuple[int, ScanPlan]:
    found = MadeTable(groups, ("column_stats", "expr_index_low")).open().scan(where=where).plan
    return len(found.kept()), found


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("lower(s) = 'bee'", 1),
        ("lower(s) in ('bee', 'cat')", 2),
        ("lower(s) > 'bee'", 1),
        ("lower(s) like 'do%'", 1),
        ("lower(s) = 'zebra'", 0),
        ("lower(s) = 'bee' or n = 7", 2),
        ("not (lower(s) <> 'bee')", 1),
    ],
)
def test_slices_whose_values_do_not_match_are_left_out(where: str, kept: int) -> None:
    count, found = plan(where)
    # Of the group without values the index tells no bounds, and `column_stats` that it has none.
    assert count == kept + sum(item.partition == "v" for item in found.kept())
    assert {item.by.partition(":")[0] for item in found.decisions() if item.verdict is Verdict.SKIP} <= {
        "expr_index_low"
    }


def test_slice_with_a_file_that_the_index_leaves_out_stays() -> None:
    """SOURCE-17."""
    with_log = [*GROUPS[:2], Group("v", [row("e", "Eel")], [Log([row("f", "FOX")])])]
    count, found = plan("lower(s) = 'fox'", with_log)
    assert (count, found.kept()[0].partition) == (1, "v")


def test_as_many_nulls_as_values_are_not_no_values() -> None:
    """META-35."""
    count, found = plan("lower(s) = 'ant'", [Group("u", [row("a", "Ant"), row("b", None)]), GROUPS[1]])
    assert (count, found.kept()[0].partition) == (1, "u")
