"""Settings that a program has for its own arithmetic change no answer. Rules ENGINE-1604 and ENGINE-1605."""

from __future__ import annotations

import decimal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.rows.truth import truth_masks
from hudi_core.values.json import from_json
from hudi_plain.values import PlainValues
from tests.core.expr.test_cases import CASES, COLUMNS, SCHEMA
from tests.core.functions.test_calls import CASES as CALLS
from tests.support.sql_calls import core_value

SIGNALS = list(decimal.getcontext().traps)
CONTEXTS = {
    "few digits": decimal.Context(prec=3, rounding=decimal.ROUND_DOWN, Emin=-3, Emax=3, capitals=0, traps=[]),
    "every signal raises": decimal.Context(prec=3, Emin=-3, Emax=3, traps=SIGNALS),
    "of the standard": decimal.ExtendedContext,
}


@contextmanager
def setting(name: str) -> Iterator[None]:
    if name == "NumPy raises":
        with np.errstate(all="raise"):
            yield
    else:
        with decimal.localcontext(CONTEXTS[name]):
            yield


def outcome(sql: str, row: dict[str, Any]) -> list[str]:
    values = tuple(from_json(row.get(name), of) for name, of in COLUMNS.items())
    masks = truth_masks(bind(parse_predicate(sql), SCHEMA), PlainValues(), values, SCHEMA)
    return [one.value for one, holds in masks.items() if holds]


@pytest.mark.parametrize("name", [*CONTEXTS, "NumPy raises"])
def test_calls_and_predicates_have_the_same_results(name: str) -> None:
    """ENGINE-1604, ENGINE-1605."""
    with setting(name):
        calls = [case["sql"] for case in CALLS if core_value(case["sql"]) != case["gives"]]
        rows = [case for case in CASES if "truth" in case]
        predicates = [case["sql"] for case in rows if outcome(case["sql"], case["row"]) != [case["truth"]]]
    assert calls == predicates == []
