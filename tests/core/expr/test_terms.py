"""Literals to constants: the type a value has by itself, texts, zones, moving by intervals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from hudi_core.errors import ExpressionError
from hudi_core.expr.interval import Interval
from hudi_core.expr.nodes import Literal
from hudi_core.expr.predicate import Constant
from hudi_core.expr.terms import NULL, constant, move, read_text
from hudi_core.functions.arithmetic import tight
from hudi_core.types import nodes as t
from hudi_core.values.calendar import parse_date, parse_timestamp


@pytest.mark.parametrize(
    ("value", "of"),
    [
        (True, t.Boolean()),
        (2**31 - 1, t.Int()),
        (-(2**31) - 1, t.Long()),
        (1.5, t.Double()),
        ("x", t.String()),
        (b"x", t.Binary()),
        (Decimal("12.340"), t.Decimal(5, 3)),
        (Decimal("0.001"), t.Decimal(3, 3)),
        (Decimal("0"), t.Decimal(1, 0)),
    ],
)
def test_a_value_has_the_type_sql_gives_it(value: Any, of: t.Type) -> None:
    assert constant(Literal(value)) == Constant(value, of)


def test_a_number_beyond_all_integers_is_a_decimal() -> None:
    assert constant(Literal(2**63)) == Constant(Decimal(2**63), t.Decimal(19, 0))
    assert constant(Literal(Decimal("1E+3"))) == Constant(Decimal(1000), t.Decimal(4, 0))


def test_null_has_a_type_only_when_one_is_stated() -> None:
    assert constant(Literal(None)) is NULL
    assert constant(Literal(None, t.Date())) == Constant(None, t.Date())


@pytest.mark.parametrize(
    "literal",
    [
        Literal("x", t.Date()),
        Literal("1.5.2", t.Decimal(5, 2)),
        Literal(1 << 40, t.Int()),
        Literal(1.5, t.Int()),
        Literal(Decimal("NaN")),
        Literal(object()),
        Literal("C", t.Enumeration(("A",))),
    ],
)
def test_invalid_values_of_a_type_are_refused(literal: Literal) -> None:
    with pytest.raises(ExpressionError, match=r"^predicate: expected"):
        constant(literal)


def test_a_string_without_a_meaning_gives_none() -> None:
    assert read_text("x", t.Int()) is None
    assert read_text("x", t.Timestamp(), "Europe/Paris") is None


def test_an_integer_has_as_many_digits_as_it_shows() -> None:
    assert [tight(number).precision for number in (0, 7, -10, 123)] == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("start", "by", "end"),
    [
        ("2024-01-31", Interval(months=1), "2024-02-29"),
        ("2024-03-31", Interval(months=-1), "2024-02-29"),
        ("2023-12-31", Interval(months=2), "2024-02-29"),
        ("2024-02-29", Interval(months=12), "2025-02-28"),
        ("2024-01-31", Interval(months=1, days=1), "2024-03-01"),
        ("0001-01-31", Interval(months=-13), "-0001-12-31"),
    ],
)
def test_a_date_is_moved_by_months_and_then_by_days(start: str, by: Interval, end: str) -> None:
    assert move(Constant(parse_date(start), t.Date()), by) == Constant(parse_date(end), t.Date())


def test_a_date_moved_by_less_than_a_day_is_a_timestamp() -> None:
    assert move(Constant(1, t.Date()), Interval(micros=-1)) == Constant(86_399_999_999, t.Timestamp())


def test_a_timestamp_keeps_its_clock_and_gains_the_unit_it_needs() -> None:
    (start, _) = parse_timestamp("2024-01-31 12:30:00", 1_000) or (0, False)
    (end, _) = parse_timestamp("2024-02-29 12:30:00.000001", 1_000_000) or (0, False)
    found = move(Constant(start, t.Timestamp(t.Unit.MILLIS)), Interval(months=1, micros=1))
    assert found == Constant(end, t.Timestamp())
