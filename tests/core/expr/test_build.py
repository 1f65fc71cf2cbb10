"""Writing expressions in Python."""

# ruff: noqa: SIM300

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from hudi_core.errors import ExpressionError, UsageError
from hudi_core.expr.build import ExpressionBuilder, col, function, lit
from hudi_core.expr.parse import parse_predicate
from hudi_core.types import nodes as t

A, B = col("a"), col("b")


@pytest.mark.parametrize(
    ("built", "sql"),
    [
        (A > 3, "a > 3"),
        (3 < A, "a > 3"),
        (A == 1, "a = 1"),
        (A != None, "a <> NULL"),  # noqa: E711
        ((A > 3) & (B < 2) & (A == B), "a > 3 AND b < 2 AND a = b"),
        ((A > 3) | ~(B < 2), "a > 3 OR NOT b < 2"),
        (A.is_in([1, None, "x"]), "a IN (1, NULL, 'x')"),
        (~A.is_in([1]), "a NOT IN (1)"),
        (A.between(1, 2), "a BETWEEN 1 AND 2"),
        (A.like("x%"), "a LIKE 'x%'"),
        (A.like("x!%", escape="!"), "a LIKE 'x!%' ESCAPE '!'"),
        (A.startswith("5%"), "startswith(a, '5%')"),
        (A.endswith("x"), "endswith(a, 'x')"),
        (A.contains("_"), "contains(a, '_')"),
        (A.rlike("x+"), "a RLIKE 'x+'"),
        (A.is_null(), "a IS NULL"),
        (A.is_not_null(), "a IS NOT NULL"),
        ((A > 1).is_true(), "(a > 1) IS TRUE"),
        (A.is_false(), "a IS FALSE"),
        (A.eq_null_safe(None), "a <=> NULL"),
        (A + 1 > 2 * B - 3, "a + 1 > 2 * b - 3"),
        (1 - A / 2 == 5 % B, "1 - a / 2 = 5 % b"),
        (-A < abs(B), "-a < abs(b)"),
        (A.cast("bigint") == 1, "CAST(a AS BIGINT) = 1"),
        (A.cast(t.Decimal(5, 2)) == 1, "CAST(a AS DECIMAL(5,2)) = 1"),
        (function("YEAR", A) == 2024, "year(a) = 2024"),
        (function("if", A > 1, B, 0) == 2, "if(a > 1, b, 0) = 2"),
        (A == lit("2024-01-01", "date"), "a = DATE '2024-01-01'"),
        (A == lit(1, "bigint"), "a = 1L"),
        (A == Decimal("1.50"), "a = 1.50"),
        (A == 1.5, "a = 1.5D"),
        (A == b"\x00", "a = X'00'"),
        (A & True, "a AND TRUE"),
        (False | A, "FALSE OR a"),
        ((A > 1) == B, "(a > 1) = b"),
        (col("a.b") == 1, "a.b = 1"),
        (col("a", "b.c") == 1, "a.`b.c` = 1"),
        (col("`a.b`.c") == 1, "`a.b`.c = 1"),
    ],
)
def test_python_writes_what_sql_says(built: ExpressionBuilder, sql: str) -> None:
    assert built.node == parse_predicate(sql)


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (datetime.date(2024, 1, 2), "a = DATE '2024-01-02'"),
        (datetime.datetime(2024, 1, 2, 3, 4, 5), "a = TIMESTAMP_NTZ '2024-01-02 03:04:05'"),
        (datetime.datetime(2024, 1, 2, 3, 4, 5, 6, datetime.UTC), "a = TIMESTAMP '2024-01-02 03:04:05.000006'"),
        (datetime.time(1, 2), "a = TIME '01:02:00'"),
    ],
)
def test_pythons_dates_and_times_are_literals(value: Any, sql: str) -> None:
    assert repr(A == value) == sql


@pytest.mark.parametrize(
    "wrong", [lambda: A > 1 and B > 1, lambda: not A, lambda: 1 < A < 3, lambda: A in [1, 2], lambda: [A] == [B]]
)
def test_python_logic_is_refused_with_what_to_write(wrong: Any) -> None:
    with pytest.raises(ExpressionError, match=r"`&`, `\|` and `~`"):
        wrong()


def test_an_expression_is_no_sequence_and_no_key() -> None:
    with pytest.raises(TypeError):
        list(A)
    with pytest.raises(TypeError):
        {A: 1}  # noqa: B018


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: col("a..b"),
        lambda: col("`a"),
        lambda: lit(object()),
        lambda: lit([1]),
        lambda: lit(1, "list"),
        lambda: lit(1.5, "int"),
        lambda: A.like("x", escape="ab"),
        lambda: A.cast("list"),
        lambda: col(3),  # type: ignore[arg-type]
        lambda: col(),
        lambda: A.is_in("oslo"),
        lambda: A.is_in(3),  # type: ignore[arg-type]
        lambda: A > np.timedelta64(1, "s"),
        lambda: A > np.array([1, 2]),
        lambda: A > np.datetime64("2024-01-01T00:00:00.000000001"),
    ],
)
def test_a_wrong_argument_is_misuse(wrong: Any) -> None:
    with pytest.raises(UsageError):
        wrong()


def test_a_wrong_number_of_arguments_is_reported() -> None:
    with pytest.raises(ExpressionError, match="3 arguments of if"):
        function("if", A, 1)


@pytest.mark.parametrize(
    ("scalar", "sql"),
    [
        (np.int8(-3), "a = -3"),
        (np.uint64(2**64 - 1), "a = 18446744073709551615"),
        (np.float64(1.5), "a = 1.5D"),
        (np.float32(0.1), "a = 0.10000000149011612D"),
        (np.bool_(True), "a = TRUE"),
        (np.str_("x"), "a = 'x'"),
        (np.bytes_(b"\x01"), "a = X'01'"),
        (np.datetime64("2024-01-01"), "a = DATE '2024-01-01'"),
        (np.datetime64("2024-01-01T10:20:30.000001000"), "a = TIMESTAMP_NTZ '2024-01-01 10:20:30.000001'"),
        (np.datetime64("NaT"), "a = NULL"),
    ],
)
def test_scalars_of_numpy_are_literals(scalar: Any, sql: str) -> None:
    assert repr(A == scalar) == sql
    assert repr(A.is_in([scalar])) == sql.replace("= ", "IN (") + ")"
