"""Why slices are skipped: the leaves of a predicate that are impossible there. SOURCE-21.

Also covers: `expr/walk.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hudi_core
from hudi_core.expr.nodes import Expr
from hudi_core.expr.parse import parse_predicate
from hudi_core.expr.predicate import ALWAYS_TRUE
from hudi_core.expr.text import to_sql
from hudi_core.expr.walk import conjuncts, disjuncts
from hudi_core.planning.prune import MAX_ALTERNATIVES, Conjunct, impossible_leaves


def conjunct(tree: Expr) -> Conjunct:
    return Conjunct(tree, ALWAYS_TRUE, ALWAYS_TRUE)


def alternatives(of: Conjunct) -> list[list[Conjunct]]:
    found = [conjuncts(part) for part in disjuncts(of.tree)]
    return [] if [of.tree] == [part for parts in found for part in parts] else [list(map(conjunct, p)) for p in found]


def reported(sql: str, *impossible: Sequence[str]) -> list[str]:
    """What is told of slices in each of which these leaves are impossible, and what follows from that."""

    def holds(tree: Expr, never: Sequence[str]) -> bool:
        found = disjuncts(tree)
        if len(found) > 1:
            return any(holds(part, never) for part in found)
        found = conjuncts(tree)
        return all(holds(part, never) for part in found) if len(found) > 1 else to_sql(tree) not in never

    def possible(of: Conjunct) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([holds(of.tree, never) for never in impossible])

    parts = list(map(conjunct, conjuncts(parse_predicate(sql))))
    undecided = np.ones(len(impossible), np.bool_)
    codes, texts = impossible_leaves(parts, possible, alternatives, undecided, "together")
    return [texts[code] for code in codes.tolist()]


def test_the_first_impossible_part_of_an_and_is_the_reason() -> None:
    """SOURCE-21."""
    assert reported("a = 1 and b = 2", ["a = 1", "b = 2"], ["b = 2"]) == ["a = 1", "b = 2"]


def test_the_impossible_leaf_of_each_part_of_an_or_is_the_reason() -> None:
    """SOURCE-21."""
    sql = "(a = 1 and b = 2) or c = 3"
    assert reported(sql, ["a = 1", "c = 3"], ["b = 2", "c = 3"]) == ["a = 1 OR c = 3", "b = 2 OR c = 3"]


def test_not_is_taken_inside() -> None:
    assert reported("not (a = 1 or not (b = 2 and not (c = 3 or d = 4)))", ["NOT c = 3"]) == ["NOT c = 3"]


def test_an_or_of_leaves_is_shown_as_written() -> None:
    assert reported("a = 1 or b = 2", ["a = 1", "b = 2"]) == ["a = 1 OR b = 2"]


def test_parts_that_are_impossible_only_together_are_shown_together() -> None:
    """SOURCE-21."""
    assert reported("a = 1 and b = 2", []) == ["together"]


def test_nested_parts_have_the_statistics_of_their_leaves() -> None:
    sql = "a = 1 or (b = 2 and (c = 3 or (d = 4 and e = 5)))"
    assert reported(sql, ["a = 1", "c = 3", "e = 5"], ["a = 1", "b = 2"]) == [
        "a = 1 OR c = 3 OR e = 5",
        "a = 1 OR b = 2",
    ]


def test_an_or_of_very_many_parts_is_shown_as_a_whole() -> None:
    sql = " OR ".join(f"a = {number} AND b = {number}" for number in range(MAX_ALTERNATIVES + 1))
    assert reported(sql, [f"a = {number}" for number in range(MAX_ALTERNATIVES + 1)]) == [sql]


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("indexes", [None, ["column_stats"], ["column_stats", "partition_stats"]])
def test_a_default_within_a_record_is_not_in_rows_without_the_record(
    tmp_path: Path, kind: Any, indexes: list[str] | None
) -> None:
    """RECON-1454: in files older than the column."""
    types = pa.schema([("id", pa.int64()), ("p", pa.string()), ("s", pa.struct([("x", pa.int32())]))])
    table = hudi_core.create(tmp_path / "t", types, "id", partition_by="p", type=kind, indexes=indexes)
    table.insert(
        [{"id": 1, "p": "a", "s": {"x": 1}}, {"id": 2, "p": "a", "s": None}, {"id": 3, "p": "b", "s": {"x": None}}]
    )
    table = table.refresh().evolve("ADD COLUMN s.z int DEFAULT 9; ADD COLUMN n int DEFAULT 5")
    table.append([{"id": 4, "p": "a", "s": {"x": 1, "z": 2}, "n": 6}])
    table = table.refresh()
    wanted = {
        "s.z = 9": [1, 3],
        "s.z IS NULL": [2],
        "s.z IS NOT NULL": [1, 3, 4],
        "s.z <> 9": [4],
        "s.z <=> NULL": [2],
        "NOT (s.z > 5)": [4],
        "n = 5": [1, 2, 3],
        "n IS NULL": [],
    }
    for where, keys in wanted.items():
        assert sorted(table.scan(where, columns=["id"]).to_arrow()["id"].to_pylist()) == keys, where
        assert table.count(where) == len(keys), where
