"""The cases of specs/pruning.md, from SQL text to the outcomes of one file, in fast and in plain form."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.parse import parse_predicate
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.schema.schema import Schema
from hudi_core.truth import Truth
from hudi_core.types import nodes as t
from hudi_core.values.domain import coerce
from tests.support.single_file import SingleFile, ValueInterval

SPECS = Path(__file__).parents[3] / "specs"
CASES = [json.loads(line) for line in (SPECS / "cases" / "pruning.jsonl").read_text("utf-8").splitlines()]
TYPES: dict[str, t.Type] = {
    "int": t.Int(),
    "long": t.Long(),
    "double": t.Double(),
    "string": t.String(),
    "boolean": t.Boolean(),
    "decimal": t.Decimal(9, 2),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rule']}: {case['where']}")
def test_a_file_can_have_the_outcomes_that_the_case_names(case: dict[str, Any]) -> None:
    of = TYPES[case["type"]]
    predicate = bind(parse_predicate(case["where"]), Schema(t.Record((t.Field(1, "x", of),))))
    lower, upper = coerce(case["low"], of), coerce(case["high"], of)
    nans = [case["nans"]] if "nans" in case else None
    statistics = from_values(of, [lower], [upper], [case["nulls"]], [case["rows"]], nans)
    store = FileStatistics(1, lambda _: [StatisticsPart(np.array([0]), statistics)])
    expected = {Truth[name] for name in case["outcomes"]}
    assert store.plan(predicate).outcomes(0) == expected
    values = case["nulls"] is None or case["nulls"] != case["rows"]
    sane = lower is None or upper is None or lower <= upper  # type: ignore[operator]
    known = ValueInterval(
        *((lower, upper) if sane else ()), nulls=case["nulls"] != 0, values=values, nans=case.get("nans", True)
    )
    plain = SingleFile({1: known})
    assert expected <= {outcome for outcome in Truth if can_be(outcome, predicate, plain)}


def test_every_rule_with_a_case_is_in_the_specification() -> None:
    answer = set(re.findall(r"\*\*(PRUNE-\d+)\*\*", (SPECS / "pruning.md").read_text("utf-8")))
    assert {case["rule"] for case in CASES} <= answer
    first = {rule for rule in answer if int(rule.partition("-")[2]) < 100}
    assert first == {f"PRUNE-{number}" for number in range(1, len(first) + 1)}
