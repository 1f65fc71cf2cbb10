"""The calls of `specs/cases/calls.jsonl` give what they gave on Spark 3.5.

Also covers: `functions/arithmetic.py`, `functions/array_edits.py`, `functions/regexes.py`, `functions/texts.py`,
`functions/codes.py`, `functions/maps.py`, `functions/zones.py`, `functions/tried.py`,
`functions/arrays.py`, `functions/bits.py`, `functions/choices.py`,
`functions/collections.py`, `functions/documents.py`, `functions/encodings.py`, `functions/lambdas.py`,
`functions/matching.py`, `functions/mathematics.py`, `functions/moments.py`, `functions/months.py`, `functions/numbers.py`,
`functions/parameters.py`, `functions/searching.py`, `functions/strings.py`, `functions/times.py`,
`functions/scalar/hashes.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hudi_core.functions.registry import FUNCTIONS, find
from tests.support.sql_calls import core_value

SPECS = Path(__file__).parents[3] / "specs"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (SPECS / "cases" / "calls.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rule']} {case['sql']}")
def test_a_call_gives_the_result_of_spark(case: dict[str, Any]) -> None:
    assert core_value(case["sql"]) == case["gives"]


def test_every_name_is_that_of_one_function() -> None:
    names = [name for known in FUNCTIONS for name in (known.name, *known.aliases)]
    assert len(names) == len(set(names))
    assert all(find(name) is not None for name in names)
