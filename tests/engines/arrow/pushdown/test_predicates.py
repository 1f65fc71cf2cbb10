"""What of other engines' conditions is pushed down, as SQL, and what is not."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hudi_arrow.pushdown import arrow_predicates, polars_predicates
from hudi_arrow.pushdown.arrow_predicates import metadata_pairs
from hudi_arrow.types import schema_from_arrow
from hudi_core.expr.text import to_sql
from tests.support.pushed_queries import TYPES

SCHEMA = schema_from_arrow(
    TYPES.append(pa.field("st", pa.struct({"x": pa.int32()}))).append(pa.field("list", pa.list_(pa.int32())))
).value
f, c = pc.field, pl.col
UTC = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


def arrow(expression: pc.Expression) -> str | None:
    """What is pushed down of an expression of pyarrow."""
    pushed = arrow_predicates.push_predicate(expression, SCHEMA)
    return None if pushed is None else to_sql(pushed.expr)


def polars(expression: pl.Expr) -> str | None:
    """What is pushed down of an expression of Polars."""
    pushed = polars_predicates.push_predicate(expression, SCHEMA, pl)
    return None if pushed is None else to_sql(pushed.expr)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ((f("i32") > 1) & (f("s") == "y"), "i32 > 1 AND s = 'y'"),
        (pc.scalar(3) < f("i64"), "i64 > 3"),
        ((f("i32") > 1) & (f("i64") + 1 > 2), "i32 > 1"),
        ((f("i32") > 1) | (f("i64") + 1 > 2), None),
        (~((f("i32") > 1) & (f("i64") + 1 > 2)), None),
        (~(f("i32") > 1), "NOT i32 > 1"),
        (~(f("f64") > 1.5), None),  # NaN is not greater than 1.5 for pyarrow
        (f("f64") != math.nan, None),
        (f("f64") > 0.5, "f64 > 0.5D"),
        (f("i64") == 2.5, "i64 = 2.5D"),
        (f("i64") == 2.0**53, None),  # 2**53 + 1 is equal to it as a floating-point number
        (f("f32") == 16777217, None),
        (f("i32").isin([1, None]), "i32 IN (1) OR i32 IS NULL"),
        (~f("i32").isin([1]), None),
        (
            pc.if_else(f("i32").is_valid(), f("i32").isin([1]), pa.scalar(None, pa.bool_())),
            "i32 IS NOT NULL AND i32 IN (1)",
        ),
        (f("i32").cast(pa.float64()) > 1.5, "i32 > 1.5D"),
        (f("i64").cast(pa.int32()) > 1, None),
        (f("f64").is_null(nan_is_null=True), None),
        (f("s").is_null(), "s IS NULL"),
        (pc.starts_with(f("s"), "a%"), r"s LIKE 'a\\%%'"),
        (pc.match_substring(f("s"), "a", ignore_case=True), None),
        (f("b"), "b"),
        (~f("b"), "NOT b"),
        (f("i32"), None),
        (pc.scalar(True), None),
        (f("st", "x") == 3, "st.x = 3"),
        (f("list") == pa.scalar([1]), None),
        (f("t") > pa.scalar(UTC), "t > TIMESTAMP '2024-01-01 00:00:00'"),
        (f("t") > pa.scalar(1, pa.timestamp("ns", "UTC")), None),
        (f("t") > pa.scalar(2**62, pa.timestamp("us", "UTC")), None),  # beyond what Python's times hold
        (f("lt") > pa.scalar(UTC), None),
        (f("d") > Decimal("1.5"), "d > 1.5"),
        (f("d") > 1.5, None),
        (f("none") > 1, None),
        (pc.field(0) > 1, None),
        (f("s") == f("s"), None),
    ],
    ids=str,
)
def test_expressions_of_pyarrow(expression: pc.Expression, expected: str | None) -> None:
    """TABLE-691, TABLE-692, TABLE-693."""
    assert arrow(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ((c("i32") > 1) & (c("s") == "y"), "i32 > 1 AND s = 'y'"),
        (pl.lit(3) < c("i64"), "i64 > 3"),
        ((c("i32") > 1) & (c("i64") + 1 > 2), "i32 > 1"),
        ((c("i32") > 1) | (c("i64") + 1 > 2), None),
        (~(c("i32") > 1), "NOT i32 > 1"),
        (~(c("f64") > 1.5), None),
        (c("i64").cast(pl.Float64) > 2.5, "i64 > 2.5D"),
        (c("i64").cast(pl.Float64) > 2.0**60, None),
        (c("i64").cast(pl.Int32) > 1, None),
        (c("i32").is_in([1, 2]), "i32 IN (1, 2)"),
        (c("i32").is_in([1, None]), "i32 IN (1)"),
        (c("i32").is_in([1, None], nulls_equal=True), "i32 IN (1) OR i32 IS NULL"),
        (~c("i32").is_in([1]), None),
        (c("i32").is_in(c("i64")), None),
        (c("i32").is_between(1, 5, closed="left"), "i32 >= 1 AND i32 < 5"),
        (c("s").is_null() | c("s").is_not_null(), "s IS NULL OR s IS NOT NULL"),
        (c("s").str.starts_with("a"), "s LIKE 'a%'"),
        (c("s").str.ends_with("a"), "s LIKE '%a'"),
        (c("s").str.contains("a", literal=True), "s LIKE '%a%'"),
        (c("s").str.contains("a."), None),
        (c("s").str.starts_with(c("s")), None),
        (c("st").struct.field("x") == 3, "st.x = 3"),
        (c("day") == dt.date(2024, 1, 1), "day = DATE '2024-01-01'"),
        (c("day") == pl.date(2024, 1, 1), "day = DATE '2024-01-01'"),
        (c("lt") == dt.datetime(2024, 1, 1), "lt = TIMESTAMP_NTZ '2024-01-01 00:00:00'"),
        (c("d") > Decimal("1.5"), "d > 1.5"),
        (c("i32") > c("i32").max(), None),
        (c("i32").map_batches(lambda values: values > 1, pl.Boolean), None),
        (c("b").alias("other"), "b"),
        (c("i32").eq_missing(1), None),
    ],
    ids=str,
)
def test_expressions_of_polars(expression: pl.Expr, expected: str | None) -> None:
    """TABLE-691, TABLE-692, TABLE-694."""
    assert polars(expression) == expected


def test_a_long_chain_does_not_become_a_deep_tree() -> None:
    expression = f("i32") == 0
    for number in range(1, 300):
        expression = expression | (f("i32") == number)
    shown = arrow(expression)
    assert shown is not None and shown.count(" OR ") == 299 and "(" not in shown


def test_metadata_has_each_of_several_pairs_with_one_key() -> None:
    assert metadata_pairs(pa.schema({"a": pa.int8()}).with_metadata({"k": "v", "é": ""})) == [("k", "v"), ("é", "")]
    assert metadata_pairs(pa.schema({"a": pa.int8()})) == []
