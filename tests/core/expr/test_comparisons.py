"""Comparisons by a collation, on rows of plain Python and of Arrow: EXPR-28.

Other comparisons are cases of `specs/cases/expressions.jsonl`.
"""

from __future__ import annotations

import pytest

from hudi_arrow.arrays import from_values
from hudi_arrow.values import ArrowValues
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import unknowns_of
from hudi_core.rows.truth import truth_masks
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues

_N, _F, _T = NULL, FALSE, TRUE
SCHEMA = Schema(record_with_ids(t.Record((t.Field(0, "s", t.String()), t.Field(0, "other", t.String())))))
ROWS = [("Abc", "aBC"), ("abc ", "ABD"), (None, "x"), ("İΣ", "i\u0307ς"), ("_", "a")]
CASES: list[tuple[str, list[Truth]]] = [
    ("s collate utf8_lcase = 'ABC'", [_T, _F, _N, _F, _F]),
    ("collate(s, 'UTF8_LCASE') = other", [_T, _F, _N, _T, _F]),
    ("other <> s collate system.builtin.utf8_lcase", [_F, _T, _N, _F, _T]),
    ("s collate utf8_lcase < 'B'", [_T, _T, _N, _F, _T]),
    ("s collate utf8_lcase >= other", [_T, _F, _N, _T, _F]),
    ("s collate utf8_lcase between 'ABB' and 'ABD'", [_T, _T, _N, _F, _F]),
    ("s collate utf8_lcase in ('ABC', 'iΣ', '_')", [_T, _F, _N, _F, _T]),
    ("s collate utf8_lcase <=> null", [_F, _F, _T, _F, _F]),
    ("s collate utf8_lcase_rtrim = 'ABC  '", [_T, _T, _N, _F, _F]),
    ("s collate utf8_binary = 'Abc'", [_T, _F, _N, _F, _F]),
    ("s collate utf8_binary_rtrim in ('abc', 'x')", [_F, _T, _N, _F, _F]),
]
"""Conditions, and their truths of the rows."""


@pytest.mark.parametrize(("sql", "truths"), CASES)
def test_rows_are_compared_by_the_collation(sql: str, truths: list[Truth]) -> None:
    predicate = bind(parse_predicate(sql), SCHEMA)
    assert unknowns_of(predicate) == []
    plain = [truth_masks(predicate, PlainValues(), row, SCHEMA) for row in ROWS]
    assert [next(truth for truth, holds in masks.items() if holds) for masks in plain] == truths
    masks = truth_masks(predicate, ArrowValues(), from_values(ROWS, SCHEMA.record), SCHEMA)
    assert {truth: mask.to_pylist() for truth, mask in masks.items()} == {
        truth: [wanted is truth for wanted in truths] for truth in Truth
    }


def test_bytes_are_compared_as_without_a_collation() -> None:
    assert bind(parse_predicate("s collate utf8_binary < 'x'"), SCHEMA) == bind(parse_predicate("s < 'x'"), SCHEMA)


@pytest.mark.parametrize(
    "sql",
    [
        "s collate unicode_ci = 'x'",
        "upper(s collate utf8_lcase) = 'X'",
        "s collate utf8_lcase = other collate utf8_binary",
        "s collate utf8_lcase like 'A%'",
    ],
)
def test_other_effects_of_collations_are_unknown(sql: str) -> None:
    assert len(unknowns_of(bind(parse_predicate(sql), SCHEMA))) == 1
