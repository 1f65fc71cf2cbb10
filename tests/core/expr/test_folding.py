"""Chains of conditions on one term: what they become, and that it takes time in proportion to their length."""

from __future__ import annotations

import time

import pytest

from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import And, Below, Column, Cut, Not, OneOf, Or, Predicate
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support.drawing import SOAK

SCHEMA = Schema(
    record_with_ids(t.Record((t.Field(0, "a", t.Int()), t.Field(0, "x", t.Double()), t.Field(0, "s", t.String()))))
)
A = Column(0, "a", t.Int())


def bound(sql: str) -> Predicate:
    return bind(parse_predicate(sql), SCHEMA)


@pytest.mark.parametrize(
    ("sql", "same"),
    [
        ("a = 1 or a = 2 or a = 1", "a in (1, 2)"),
        ("a <> 1 and a <> 2", "a not in (1, 2)"),
        ("a = 1 or a in (2, null)", "a in (1, 2, null)"),
        ("a <> 1 and a not in (2, null)", "a not in (1, 2, null)"),
        ("a in (1, 2) and a in (2, 3)", "a = 2"),
        ("a not in (1, 2) or a <> 1", "a <> 1"),
        ("a < 3 or a between 2 and 5", "a <= 5"),
        ("a between 1 and 5 and a between 3 and 9", "a between 3 and 5"),
        ("a between 1 and 5 or a between 3 and 9", "a between 1 and 9"),
        ("s like 'ab%' or s like 'a%'", "s like 'a%'"),
        ("x = 0.5 or x = double('NaN') or x = -0.0 or x = 0.0", "x in (0.0, 0.5, double('NaN'))"),
        ("upper(s) = 'A' or upper(s) = 'B'", "upper(s) in ('A', 'B')"),
        ("a = 1 or s = 'x' or a = 2", "a in (1, 2) or s = 'x'"),
    ],
)
def test_conditions_on_one_term_are_one(sql: str, same: str) -> None:
    assert bound(sql) == bound(same)


def test_ranges_apart_stay_apart_beside_single_values() -> None:
    assert bound("a > 9 or a = 1 or a = 3 or a < -5") == Or(
        (OneOf(A, (1, 3)), Below(A, Cut(-5)), Not(Below(A, Cut(9, after=True))))
    )
    assert bound("a < 9 and a <> 1 and a <> 3") == And((Not(OneOf(A, (1, 3))), Below(A, Cut(9))))


LONG = 10_000 if SOAK else 4_000
"""Conditions of a chain."""
CHAINS = {
    "or of equals": ("a = {}", " OR "),
    "and of unequals": ("a <> {}", " AND "),
    "or of ranges": ("a BETWEEN {0}5 AND {0}7", " OR "),
    "or of patterns": ("s LIKE '%{}'", " OR "),
    "and of patterns": ("s NOT LIKE 'x{}%y'", " AND "),
    "or of pairs": ("(a = {0} AND s = 's{0}')", " OR "),
}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_takes_time_in_proportion_to_its_length(name: str) -> None:
    form, joiner = CHAINS[name]

    def seconds(count: int) -> float:
        sql = joiner.join(form.format(number) for number in range(count))
        took = []
        for _ in range(2):
            start = time.process_time()
            bound(sql)
            took.append(time.process_time() - start)
        return min(took)

    assert seconds(LONG) < 40 * max(seconds(LONG // 10), 1e-3)
