"""Rows in which integers wrap around, by an engine of columns and by plain values."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.expr.bind import bind_term
from hudi_core.rows.wrapped import WrapQuestions
from hudi_core.schema.schema import Schema
from hudi_core.table.engines import load_engine
from hudi_core.types import nodes as t
from hudi_core.writing.by_predicate import parse_assignments
from hudi_plain.values import PlainValues

pa = pytest.importorskip("pyarrow", reason="the engine of columns is Arrow's")

SCHEMA = Schema(
    t.Record(
        (
            t.Field(0, "i", t.Int()),
            t.Field(1, "l", t.Long()),
            t.Field(2, "a", t.Array(t.Field(3, "element", t.Int()))),
        )
    )
)
ROWS = [
    (2**31 - 1, 2**63 - 1, (1, 2**31 - 1)),
    (-(2**31), -(2**63), (-(2**31), None)),
    (7, 7, (7,)),
    (None, None, None),
    (0, 0, ()),
]
TYPES = (pa.int32(), pa.int64(), pa.list_(pa.int32()))
CASES = [
    ("i + 1", "1000"),
    ("l + i", "1100"),
    ("i - 1", "0100"),
    ("i * 2", "1100"),
    ("-i", "0100"),
    ("abs(i)", "0100"),
    ("l div -1", "0100"),
    ("l div i", "0000"),
    ("i % 2", "0000"),
    ("i / 2", "0000"),
    ("try_add(i, 1)", "0000"),
    ("try_add(i * 2, 1)", "1100"),
    ("array(i + 1)", "1000"),
    ("named_struct('x', i - 1)", "0100"),
    ("map('k', array(i + 1))", "1000"),
    ("concat('a', i + 1)", "1000"),
    ("CASE WHEN i < 100 THEN i + 1 ELSE i END", "0000"),
    ("CASE WHEN i > 100 THEN i + 1 ELSE -i END", "1100"),
    ("CASE WHEN i + 1 > 0 THEN 1 ELSE 2 END", "0000"),
    ("coalesce(i + 1, 0)", "1000"),
    ("coalesce(i, i + 1)", "0000"),
    ("transform(a, x -> x + 1)", "1000"),
    ("transform(a, x -> transform(a, y -> x + y))", "1100"),
    ("transform(a, x -> CASE WHEN x < 100 THEN x + 1 ELSE x END)", "0000"),
    ("aggregate(a, 0, (sum, x) -> sum + x)", "1000"),
    ("aggregate(a, 0, (sum, x) -> x, sum -> sum - 1)", "0000"),
    ("aggregate(a, 5, (sum, x) -> CASE WHEN x > 100 THEN sum ELSE sum + x END)", "0000"),
    ("array(i + 1.5)", "0000"),
]


@pytest.mark.parametrize(("text", "flags"), CASES)
def test_rows_in_which_integers_wrap_around(text: str, flags: str) -> None:
    """WRITE-1453: of rows with the greatest integers, the least, small ones, nulls, and zeros."""
    ((_, value),) = parse_assignments(f"x = {text}")
    term = bind_term(value.node, SCHEMA)
    expected = [flag == "1" for flag in (flags + "0")]
    engine = load_engine("arrow")
    columns = [pa.array(column, kind) for column, kind in zip(zip(*ROWS, strict=True), TYPES, strict=True)]
    root = engine.rows.root(pa.record_batch(columns, ["i", "l", "a"]))
    of_columns: Any = WrapQuestions(engine.values, root, SCHEMA).find_wrapped(term)
    of_rows = [WrapQuestions(PlainValues(), row, SCHEMA).find_wrapped(term) for row in ROWS]
    assert [flag or False for flag in of_rows] == expected
    assert (engine.rows.flags(of_columns).tolist() if of_columns is not None else [False] * len(ROWS)) == expected
