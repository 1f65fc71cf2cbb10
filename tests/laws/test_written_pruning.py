"""Laws of planning over tables that are really written: nested columns, and files of several schema versions.

Tables begin with few columns; later batches add columns, also inside a struct, and widen others. Every row of every file is held
against what the plan says of its file.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hudi_core
from hudi_core import ExpressionError, FileSizes
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.truth import TRUE, Verdict
from tests.support.drawing import cases
from tests.support.predicates import truth_of

FIRST = pa.schema(
    [("id", pa.string()), ("p", pa.string()), ("n", pa.int32()), ("inner", pa.struct([("a", pa.int32())]))]
)
WIDER = FIRST.set(2, pa.field("n", pa.int64())).append(pa.field("x", pa.float64()))
LAST = WIDER.set(3, pa.field("inner", pa.struct([("a", pa.int32()), ("b", pa.string())]))).append(
    pa.field("s", pa.string())
)
VERSIONS = (FIRST, WIDER, LAST)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "n": st.none() | st.integers(-2, 4),
    "x": st.none() | st.sampled_from([math.nan, 0.0, -0.0, 1.5, math.inf]),
    "s": st.none() | st.sampled_from(["", "a", "ab", "é", "y" * 300]),
    "inner": st.none()
    | st.fixed_dictionaries({"a": st.none() | st.integers(-2, 2), "b": st.none() | st.sampled_from(["", "q", "r"])}),
}
CONDITIONS = [
    "n > 1", "n IS NULL", "n IN (0, 3)", "NOT n <= 2", "x > 1", "x = 0", "x IS NULL", "NOT x < 1", "s LIKE 'a%'", "s < 'b'",
    "s IS NULL", "inner.a > 0", "inner.a IS NULL", "inner.b = 'q'", "NOT inner.b = 'q'", "inner.b IS NULL", "inner IS NULL",
    "p = 'v'", "n = inner.a", "length(s) > 2",
]  # fmt: skip


@st.composite
def batches(draw: st.DrawFn) -> list[pa.Table]:
    """Some batches, each of the schema version of the one before or of a later one."""
    made, version = [], 0
    for number in range(draw(st.integers(2, 4))):
        version = max(version, min(draw(st.integers(0, 3)), number, len(VERSIONS) - 1))
        rows = draw(st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=3))
        keyed = [{"id": f"k{number}{row}", "p": "uv"[row % 2], **values} for row, values in enumerate(rows)]
        made.append(pa.Table.from_pylist(keyed, VERSIONS[version]))
    return made


def predicates() -> st.SearchStrategy[str]:
    leaf = st.sampled_from(CONDITIONS)
    return (
        leaf
        | st.lists(leaf, min_size=2, max_size=3).map(" AND ".join)
        | st.lists(leaf, min_size=2, max_size=2).map(" OR ".join)
    )


@given(
    batches(),
    st.lists(predicates(), min_size=4, max_size=8),
    st.sampled_from(["cow", "mor"]),
    st.sampled_from([6, 8, 9]),
    st.sampled_from([["column_stats"], ["column_stats", "bloom_filters", "record_index"], []]),
)
@settings(max_examples=cases(40, part=3), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_file_with_a_matching_row_is_skipped_whatever_version_wrote_it(
    written: list[pa.Table], conditions: list[str], kind: str, version: int, indexes: list[str]
) -> None:
    """TABLE-5."""
    with tempfile.TemporaryDirectory() as folder:
        table = hudi_core.create(
            Path(folder) / "t", FIRST, "id", partition_by="p", type=kind, version=version, indexes=indexes or None
        )
        for batch in written:
            table.insert(batch, sizes=FileSizes(small=0), add_columns=True)
        table = table.refresh()
        table.update({"n": 3}, where="inner.a = 1")
        table = table.refresh()
        schema, rows = table.schema, table.scan().to_arrow().to_pylist()
        names = [field.name for field in schema.fields]
        assert len(rows) == sum(batch.num_rows for batch in written)
        for condition in conditions:
            try:
                predicate = bind(parse_predicate(condition), schema)
            except ExpressionError as unknown:
                assert "no column" in str(unknown)  # one of a later version
                continue
            truths: dict[str, set[Any]] = {}
            for row in rows:
                file_id = row["_hoodie_file_name"].partition("_")[0]
                values = tuple(_value(row[name]) for name in names)
                truths.setdefault(file_id, set()).add(truth_of(predicate, values, schema))
            for decision in table.scan(where=condition).plan.decisions():
                there = truths.get(decision.slice.file_id, set())
                if decision.verdict is Verdict.SKIP:
                    assert TRUE not in there, (condition, decision.by)
                if decision.verdict is Verdict.ALL_MATCH:
                    assert there <= {TRUE}, (condition, decision.by)
            assert table.scan(where=condition).count() == sum(
                truth_of(predicate, tuple(_value(row[name]) for name in names), schema) is TRUE for row in rows
            )


def _value(value: Any) -> Any:
    """A struct as rows of the core have it: a tuple of its fields."""
    return tuple(value.values()) if isinstance(value, dict) else value
