"""Rows in which a fold has no result, by an engine of columns and by plain values."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.expr.bind import bind_term
from hudi_core.rows.folds import FoldQuestions, NoResult
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
    ("aggregate(a, 0, (sum, x) -> sum + x)", "1000", NoResult.WRAPS),
    ("aggregate(a, 0, (sum, x) -> x, sum -> sum - 1)", "0000", NoResult.WRAPS),
    ("aggregate(a, 5, (sum, x) -> CASE WHEN x > 100 THEN sum ELSE sum + x END)", "0000", NoResult.WRAPS),
    ("1 + aggregate(a, 0, (sum, x) -> sum + x)", "1000", NoResult.WRAPS),
    ("CASE WHEN i > 7 THEN 1 ELSE aggregate(a, 0, (sum, x) -> sum + x) END", "0000", NoResult.WRAPS),
    ("CASE WHEN i > 7 THEN aggregate(a, 0, (sum, x) -> sum + x) ELSE i + 1 END", "1000", NoResult.WRAPS),
    ("transform(array(i), y -> aggregate(a, y, (sum, x) -> sum + x))", "1100", NoResult.WRAPS),
    ("aggregate(array(aggregate(a, 0, (s, x) -> s + x)), 0, (s, x) -> s)", "1000", NoResult.WRAPS),
    ("aggregate(a, 7, (sum, x) -> x % sum)", "0000", NoResult.WRAPS),
    ("aggregate(a, 7, (sum, x) -> sum % (x - 1))", "1000", NoResult.DIVIDES_BY_ZERO),
    ("aggregate(a, 7, (sum, x) -> sum, sum -> sum % 0)", "11101", NoResult.DIVIDES_BY_ZERO),
    ("aggregate(a, 7, (sum, x) -> TRY_CAST('x' AS INT))", "0000", NoResult.NOT_CAST),
    ("aggregate(a, 7, (sum, x) -> CAST(CAST(x AS STRING) || 'z' AS INT))", "1110", NoResult.NOT_CAST),
    ("i + 1", "0000", NoResult.WRAPS),
]


@pytest.mark.parametrize(("text", "flags", "reason"), CASES)
def test_rows_in_which_a_fold_has_no_result(text: str, flags: str, reason: NoResult) -> None:
    """WRITE-1453, WRITE-1455, WRITE-1456: of rows with the greatest integers, the least, small ones, nulls, and zeros."""
    ((_, value),) = parse_assignments(f"x = {text}")
    term = bind_term(value.node, SCHEMA)
    expected = [flag == "1" for flag in flags.ljust(5, "0")]
    engine = load_engine("arrow")
    columns = [pa.array(column, kind) for column, kind in zip(zip(*ROWS, strict=True), TYPES, strict=True)]
    root = engine.rows.root(pa.record_batch(columns, ["i", "l", "a"]))
    of_columns: Any = FoldQuestions(engine.values, root, SCHEMA).find_without_result(term, reason)
    of_rows = [FoldQuestions(PlainValues(), row, SCHEMA).find_without_result(term, reason) for row in ROWS]
    assert [flag or False for flag in of_rows] == expected
    assert (engine.rows.flags(of_columns).tolist() if of_columns is not None else [False] * len(ROWS)) == expected
