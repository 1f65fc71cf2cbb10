"""The known functions on the cases of `specs/engine.md`, which say what Spark SQL gives.

Also covers: `functions/scalar/arithmetic.py`, `functions/scalar/dates.py`, `functions/scalar/rounding.py`,
`types/sql.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import ExpressionError, UnsupportedError
from hudi_core.functions.registry import FUNCTIONS, function
from hudi_core.functions.scalar.cast import can_cast, cast
from hudi_core.types import nodes as t
from hudi_core.types.sql import parse_named_type
from hudi_core.values.json import from_json, to_json

SPECS = Path(__file__).parents[4] / "specs"
CASES = [json.loads(line) for line in (SPECS / "cases" / "functions.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rule']} {case['function']}{case['arguments']}")
def test_a_function_gives_the_result_of_the_case(case: dict[str, Any]) -> None:
    types, of = [type_of(text) for text in case["types"]], type_of(case["of"])
    arguments = [from_json(value, kind) for value, kind in zip(case["arguments"], types, strict=True)]
    assert repr(to_json(function(case["function"]).apply(arguments, types, of), of)) == repr(case["gives"])


def test_every_rule_has_cases_and_every_case_a_rule() -> None:
    text = (SPECS / "engine.md").read_text("utf-8")
    rules = {word.strip("*") for word in text.split() if word.startswith("**FUNC-")}
    calls = [json.loads(line) for line in (SPECS / "cases" / "calls.jsonl").read_text("utf-8").splitlines()]
    assert rules == {case["rule"] for case in (*CASES, *calls)}


def test_every_function_has_a_case() -> None:
    lines = (SPECS / "cases" / "calls.jsonl").read_text("utf-8").splitlines()
    called = " ".join(json.loads(line)["sql"] for line in lines)
    known = {case["function"] for case in CASES}
    without = {of.name for of in FUNCTIONS if of.name not in known and f"{of.name}" not in called}
    operators = {"[]", "get_field"}  # of the language: `a[b]`, `a.b`
    assert without == operators | {
        "->*",
        "#",
        "(,)",
        "collate utf8_lcase",
    }  # what lambdas run over, what a collation compares


def test_cast_refuses_what_can_cast_denies() -> None:
    record = t.Record((t.Field(0, "a", t.Int()),))
    for source, to in [
        (t.Double(), t.Date()),
        (t.Date(), t.Boolean()),
        (record, t.String()),
        (t.Time(), t.Timestamp()),
    ]:
        assert not can_cast(source, to)
        with pytest.raises(UnsupportedError, match="cast to"):
            cast(None, source, to)


def test_wrong_patterns_are_errors_of_the_expression() -> None:
    text = t.String()
    with pytest.raises(ExpressionError, match="group"):
        function("regexp_extract").apply(["a", "(a)", 2], [text, text, t.Int()], text)
    with pytest.raises(ExpressionError, match="quote"):
        function("date_format").apply([0, "'open"], [t.Date(), text], text)
    with pytest.raises(UnsupportedError, match="nn"):
        function("date_format").apply([0, "yyyy nn"], [t.Date(), text], text)


def type_of(text: str) -> t.Type:
    found = parse_named_type(text)
    assert found is not None, text
    return found
