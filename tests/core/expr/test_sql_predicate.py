from __future__ import annotations

import pyarrow.compute as pc
import pytest

from hudi_core.errors import UsageError
from hudi_core.expr.bind import bind
from hudi_core.expr.build import col
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import Opaque, Predicate
from hudi_core.expr.sql_predicate import predicate_tree
from hudi_core.expr.text import to_sql
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

NOW = 1_704_067_200_000_000 + 3_723_000_004  # 2024-01-01 01:02:03.000004
SCHEMA = Schema(
    t.Record(
        (
            t.Field(1, "d", t.Date()),
            t.Field(2, "at", t.Timestamp()),
            t.Field(3, "local", t.Timestamp(zoned=False)),
        )
    )
)


def bound(text: str) -> Predicate:
    return bind(predicate_tree(text, NOW), SCHEMA)


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("d = current_date", "d = DATE '2024-01-01'"),
        ("d >= CURRENT_DATE() - INTERVAL 7 DAYS", "d >= DATE '2023-12-25'"),
        ("d > date_sub(curdate(), 1)", "d > DATE '2023-12-31'"),
        ("at < now()", "at < TIMESTAMP '2024-01-01 01:02:03.000004Z'"),
        ("at > current_timestamp - INTERVAL 1 HOUR", "at > TIMESTAMP '2024-01-01 00:02:03.000004Z'"),
        (
            "NOT (local BETWEEN localtimestamp() AND NULL)",
            "NOT (local BETWEEN TIMESTAMP_NTZ '2024-01-01 01:02:03.000004' AND NULL)",
        ),
        ("year(d) = year(current_date)", "year(d) = 2024"),
    ],
)
def test_the_clock_is_a_literal(answer: str, meant: str) -> None:
    assert bound(answer) == bind(parse_predicate(meant), SCHEMA)


def test_the_clock_is_read_once() -> None:
    tree = predicate_tree("at >= now() AND at <= current_timestamp()")
    low, high = tree.parts[0].right, tree.parts[1].right  # type: ignore[union-attr]
    assert low == high


def test_formatted_times_are_the_point_in_time() -> None:
    assert to_sql(predicate_tree("d < current_date", NOW)) == "d < DATE '2024-01-01'"


def test_any_form_will_do() -> None:
    text = predicate_tree("d IS NULL")
    assert predicate_tree(col("d").is_null()) == predicate_tree(text) == text


def test_a_tree_that_is_bound_by_itself_knows_no_clock() -> None:
    assert isinstance(bind(parse_predicate("d < current_date"), SCHEMA), Opaque)


@pytest.mark.parametrize(
    ("where", "named"),
    [
        (3, r"3 \(int\)"),
        (True, r"True \(bool\)"),
        (("fare", ">", 80), r"\('fare', '>', 80\) \(tuple\)"),
        ([("fare", ">", 80)], "list"),
        (pc.field("fare") > 80, "pyarrow._compute.Expression"),
        (lambda row: row["fare"] > 80, "function"),
    ],
)
def test_invalid_predicates_are_refused_with_the_accepted_forms(where: object, named: str) -> None:
    with pytest.raises(UsageError, match=rf"where: expected a predicate as SQL, .*hudi_core.col.*, found .*{named}"):
        predicate_tree(where)  # type: ignore[arg-type]


def test_invalid_sql_is_refused_by_the_parser() -> None:
    with pytest.raises(UsageError, match=r"SQL as a string, found 3 \(int\)"):
        parse_predicate(3)  # type: ignore[arg-type]
