"""Merges of a source in parts: rows, statistics, indexes and errors are those of a merge of the whole."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import HudiError
from hudi_core.expr.build import col
from hudi_core.front.merging import Merge
from hudi_core.table.table import Table
from hudi_core.writing.operations import write
from hudi_core.writing.result import WriteResult
from hudi_core.writing.source_merge.operations import merge
from hudi_core.writing.spread.source_merge import spread_merge
from tests.support.local_flow import local_rows
from tests.support.spread_writes import KINDS, assert_results, assert_twins, cut, random_rows, twins

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 8))]


def merged(table: Table, rows: Any, on: Any, parts: random.Random | None, *, repeats: bool = False) -> WriteResult:
    """A merge with clauses of all kinds, of the whole or in parts."""

    def run(clauses: Any, options: Any) -> WriteResult:
        if parts is None:
            return merge(table, rows, on, clauses, options)
        return spread_merge(table, local_rows(table.engine, cut(parts, rows), repeats), on, clauses, options)

    return (
        Merge(run)
        .when_matched_delete("source.ts = 0")
        .when_matched_update({"f": col("source.f"), "ts": col("source.ts") - 3}, "source.ts < 4")
        .when_matched_update(condition="source.p = target.p")
        .when_not_matched_insert(condition="source.ts <> 1")
        .when_not_matched_by_source_delete("target.ts = 2")
        .when_not_matched_by_source_update({"f": 0.5, "ts": col("target.ts") - 1}, "target.ts > 3")
        .execute()
    )


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version"), KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_merge_in_parts_is_that_of_the_whole(tmp_path: Path, kind: str, version: int, seed: int) -> None:
    """WRITE-614: also where steps run more than once."""
    chance = random.Random(f"{kind}{version}{seed}")
    indexes = ("column_stats", "record_index") if (seed + version) % 2 else None
    spread, whole = twins(tmp_path, kind, version, indexes)
    on = "id" if indexes else ["id", "p"]
    for table in (spread, whole):
        write(table, random_rows(random.Random(seed), 40, [0], distinct=True))
    for _ in range(2):
        rows = random_rows(chance, chance.randrange(1, 40), [0], distinct=True, keys=50)
        assert_results(merged(spread, rows, on, chance, repeats=seed % 2 == 1), merged(whole, rows, on, None))
    assert_twins(spread, whole)


@pytest.mark.parametrize("indexes", [None, ("record_index",)])
def test_the_error_of_a_merge_in_parts_names_the_row_of_the_source(tmp_path: Path, indexes: Any) -> None:
    """WRITE-612, WRITE-614: rows count from the first of the whole; nothing is changed."""
    spread, whole = twins(tmp_path, "cow", 9, indexes)
    on = "id" if indexes else ["id", "p"]
    stored = random_rows(random.Random(1), 40, [0], distinct=True)
    for table in (spread, whole):
        write(table, stored)
    once = random_rows(random.Random(2), 30, [0], distinct=True)
    twice = once.slice(0, 20).to_pylist()
    again = next(row for row in reversed(twice) if row["ts"] not in (0, 1))
    rows = once.slice(0, 20).from_pylist([*twice, again], once.schema)
    before = sorted(tmp_path.rglob("*"))
    texts = []
    for table, parts in ((spread, random.Random(3)), (whole, None)):
        with pytest.raises(HudiError, match="row 21: expected one row of the source for each") as error:
            merged(table, rows, on, parts)
        texts.append(str(error.value))
    assert texts[0] == texts[1]
    assert sorted(tmp_path.rglob("*")) == before
