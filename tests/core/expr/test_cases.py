"""The rules of `specs/expressions.md` on their cases: texts, equal meanings, truths of rows, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind import bind
from hudi_core.expr.json import from_json as expression_from_json
from hudi_core.expr.json import to_json
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.sql_predicate import warnings_of
from hudi_core.expr.text import to_sql
from hudi_core.rows.truth import truth_masks
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.json import from_json
from hudi_plain.values import PlainValues

SPECS = Path(__file__).parents[3] / "specs"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (SPECS / "cases" / "expressions.jsonl").read_text("utf-8").splitlines()
]
COLUMNS: dict[str, t.Type] = {
    "i": t.Int(),
    "l": t.Long(),
    "f": t.Float(),
    "d": t.Double(),
    "p": t.Decimal(10, 2),
    "s": t.String(),
    "b": t.Boolean(),
    "dt": t.Date(),
    "ts": t.Timestamp(),
    "lt": t.Timestamp(zoned=False),
    "ms": t.Timestamp(t.Unit.MILLIS),
    "u": t.Uuid(t.Fixed(16)),
    "fx": t.Fixed(4),
    "arr": t.Array(t.Field(0, "element", t.Int())),
    "name": t.Record((t.Field(0, "inner", t.String()),)),
}
SCHEMA = Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in COLUMNS.items()))))


def of_kind(kind: str) -> Any:
    found = [case for case in CASES if kind in case]
    return pytest.mark.parametrize("case", found, ids=lambda case: f"{case['rule']} {case['sql']}")


@of_kind("text")
def test_times_are_parsed_and_formatted_as_in_the_case(case: dict[str, Any]) -> None:
    parsed = parse_predicate(case["sql"])
    assert to_sql(parsed) == case["text"]
    assert parse_predicate(case["text"]) == parsed
    assert expression_from_json(json.loads(json.dumps(to_json(parsed)))) == parsed


@of_kind("same_as")
def test_two_spellings_have_one_meaning(case: dict[str, Any]) -> None:
    bound, other = (bind(parse_predicate(sql), SCHEMA) for sql in (case["sql"], case["same_as"]))
    assert repr(bound) == repr(other)


@of_kind("truth")
def test_a_row_has_the_truth_of_the_case(case: dict[str, Any]) -> None:
    row = tuple(from_json(case["row"].get(name), of) for name, of in COLUMNS.items())
    masks = truth_masks(bind(parse_predicate(case["sql"]), SCHEMA), PlainValues(), row, SCHEMA)
    assert [outcome.value for outcome, holds in masks.items() if holds] == [case["truth"]]


@of_kind("error")
def test_an_error_states_the_place_and_the_reason(case: dict[str, Any]) -> None:
    with pytest.raises(ExpressionError) as raised:
        bind(parse_predicate(case["sql"]), SCHEMA)
    answer = str(raised.value)
    assert case["error"] in answer and "\n" not in answer
    assert f"column {case['column']}:" in answer
    _, caret = raised.value.__notes__[0].split("\n")
    assert caret.index("^") == case["column"] - 1


@of_kind("warnings")
def test_unknown_expressions_are_reported(case: dict[str, Any]) -> None:
    tree = parse_predicate(case["sql"])
    assert warnings_of(tree, bind(tree, SCHEMA)) == case["warnings"]


def test_every_rule_has_cases_and_every_case_a_rule() -> None:
    text = (SPECS / "expressions.md").read_text("utf-8")
    assert {word.strip("*") for word in text.split() if word.startswith("**EXPR-")} == {case["rule"] for case in CASES}
