"""A table of all plain types in small sorted files, and random conditions in the languages of engines that query it."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

import hudi_core

_DAY, _MOMENT = dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 12)
VALUES: dict[str, list[Any]] = {
    "id": [0, 5, 17, 29],
    "i32": [-(2**31), -1, 0, 7, 2**31 - 1, None],
    "i64": [-(2**63), 2**53, 2**53 + 1, 3, 2**63 - 1, None],
    "f32": [-math.inf, -0.0, 0.0, 0.1, 1.5, 16777216.0, math.nan, None],
    "f64": [-0.0, 0.0, 0.1, 2.0**53, math.inf, math.nan, None],
    "d": [Decimal("-1.50"), Decimal("0.00"), Decimal("99999.99"), None],
    "s": ["", "a", "a%", "ab", "é", "x" * 300, None],
    "b": [True, False, None],
    "day": [_DAY + dt.timedelta(days) for days in (-9000, 0, 1, 40)] + [None],
    "t": [(_MOMENT + dt.timedelta(0, seconds, 1)).replace(tzinfo=dt.UTC) for seconds in (-(10**9), 0, 1)] + [None],
    "lt": [_MOMENT + dt.timedelta(0, seconds, 7) for seconds in (-(10**9), 0, 1)] + [None],
    "raw": [b"", b"\x00", b"\xff\x00", None],
    "odd name": ["p", "q", None],
}
TYPES = pa.schema(
    {
        "id": pa.int64(),
        "i32": pa.int32(),
        "i64": pa.int64(),
        "f32": pa.float32(),
        "f64": pa.float64(),
        "d": pa.decimal128(7, 2),
        "s": pa.string(),
        "b": pa.bool_(),
        "day": pa.date32(),
        "t": pa.timestamp("us", "UTC"),
        "lt": pa.timestamp("us"),
        "raw": pa.binary(),
    }
)
"""The types of the table's columns, but for a name that not all formats have."""
PRESENT = [name for name in VALUES if name in TYPES.names]


def rows_of_table() -> pa.Table:
    """Thirty rows: each value of each column comes, sorted by chunks so that files can be told apart."""
    count = 30
    columns = {}
    for name in PRESENT:
        values = VALUES[name]
        columns[name] = [values[number * len(values) // count] for number in range(count)]
    columns["id"] = list(range(count))
    return pa.table(columns, schema=TYPES)


def made_table(folder: Path, kind: str) -> hudi_core.Table:
    """The table: ten files of base rows with statistics; merge on read also has an update and a delete in log files."""
    rows = rows_of_table()
    table = hudi_core.create(folder, TYPES, "id", type=kind, indexes="files,column_stats")  # type: ignore[arg-type]
    for first in range(0, 30, 3):
        table.append(rows.slice(first, 3))
        table = table.refresh()
    if kind == "mor":
        moved = rows.slice(0, 1).set_column(1, "i32", pa.array([7], pa.int32()))
        table.upsert(moved)
        table = table.refresh()
        table.delete(where="id = 29")
    return table.refresh()


@dataclass(frozen=True)
class Leaf:
    """A test of one column: an operator with values."""

    column: str
    op: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Joined:
    """Conditions under `and`, `or` or `not`."""

    op: str
    parts: tuple[Condition, ...]


Condition = Leaf | Joined
_ORDERED = ("==", "!=", "<", "<=", ">", ">=")


@st.composite
def _leaf(draw: st.DrawFn) -> Leaf:
    column = draw(st.sampled_from(PRESENT))
    value = st.sampled_from([value for value in VALUES[column] if value is not None])
    text = ["begins"] if column == "s" else []
    flag = ["is"] if column == "b" else []
    op = draw(st.sampled_from([*_ORDERED, "in", "null", *text, *flag]))
    if op in ("null", "is"):
        return Leaf(column, op)
    if op == "in":
        return Leaf(column, op, tuple(draw(st.lists(value, min_size=1, max_size=3))))
    return Leaf(column, op, (draw(value),))


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    _leaf(),
    lambda inner: st.one_of(
        st.builds(Joined, st.sampled_from(["and", "or"]), st.tuples(inner, inner)),
        st.builds(Joined, st.just("not"), st.tuples(inner)),
    ),
    max_leaves=4,
)


def _compared(op: str, left: Any, right: Any) -> Any:
    compare: dict[str, Callable[[Any, Any], Any]] = {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    return compare[op](left, right)


def _joined(op: str, parts: list[Any]) -> Any:
    if op == "not":
        return ~parts[0]
    return reduce((lambda a, b: a & b) if op == "and" else (lambda a, b: a | b), parts)


def in_polars(condition: Condition) -> pl.Expr:
    """The condition for Polars."""
    if isinstance(condition, Joined):
        return _joined(condition.op, [in_polars(part) for part in condition.parts])  # type: ignore[no-any-return]
    column = pl.col(condition.column)
    match condition.op:
        case "null":
            return column.is_null()
        case "is":
            return column
        case "in":
            return column.is_in(list(condition.values))
        case "begins":
            return column.str.starts_with(condition.values[0])
        case op:
            return _compared(op, column, condition.values[0])  # type: ignore[no-any-return]


def in_arrow(condition: Condition) -> pc.Expression:
    """The condition for pyarrow."""
    if isinstance(condition, Joined):
        return _joined(condition.op, [in_arrow(part) for part in condition.parts])
    column, kind = pc.field(condition.column), TYPES.field(condition.column).type
    match condition.op:
        case "null":
            return column.is_null()
        case "is":
            return column
        case "in":
            return column.isin(pa.array(condition.values, kind))
        case "begins":
            return pc.starts_with(column, condition.values[0])
        case op:
            return _compared(op, column, pa.scalar(condition.values[0], kind))


def in_sql(condition: Condition) -> str:
    """The condition in SQL that DuckDB and DataFusion have in common."""
    if isinstance(condition, Joined):
        parts = [f"({in_sql(part)})" for part in condition.parts]
        return f"NOT {parts[0]}" if condition.op == "not" else f" {condition.op.upper()} ".join(parts)
    name, values = condition.column, [_sql_literal(condition.column, value) for value in condition.values]
    match condition.op:
        case "null":
            return f"{name} IS NULL"
        case "is":
            return name
        case "in":
            return f"{name} IN ({', '.join(values)})"
        case "begins":
            return f"starts_with({name}, {values[0]})"
        case "==":
            return f"{name} = {values[0]}"
        case op:
            return f"{name} {op} {values[0]}"


def _sql_literal(column: str, value: Any) -> str:
    kinds = {"f32": "FLOAT", "f64": "DOUBLE", "day": "DATE", "t": "TIMESTAMPTZ", "lt": "TIMESTAMP", "i64": "BIGINT"}
    match value:
        case bytes():
            return "CAST('" + "".join(rf"\x{byte:02x}" for byte in value) + "' AS BYTEA)"
        case bool():
            return str(value).upper()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int() if column != "i64":
            return str(value)
        case Decimal():
            return f"CAST('{value}' AS DECIMAL(7, 2))"
        case float():
            return f"CAST('{str(value).replace('inf', 'Infinity').replace('nan', 'NaN')}' AS {kinds[column]})"
        case _:
            return f"CAST('{value}' AS {kinds[column]})"
