"""Rows in the place of those of a predicate, of the whole and in parts; options that changes of rows have no use for."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core import col
from hudi_core.errors import ExpressionError, HudiError, RowError, UnknownColumnError, UsageError
from hudi_core.front.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_overwrite_where
from tests.core.writing.source_merge.test_unmatched import KINDS, Rows, new_table, row, rows, stored
from tests.support.local_flow import local_rows
from tests.support.spread_writes import cut


def overwrite(table: Table, given: pa.Table, where: Any, chance: random.Random | None = None) -> Any:
    """Of the whole, or in parts that `chance` cuts."""
    if chance is None:
        return table.overwrite(given, where=where)
    return spread_overwrite_where(table, local_rows(table.engine, cut(chance, given), repeats=True), where)


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize(("kind", "version", "indexes", "options"), KINDS)
def test_rows_come_in_the_place_of_those_that_match(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str], in_parts: bool
) -> None:
    """WRITE-1583: also where they are older by their ordering values, and where their keys have rows that do not match."""
    chance = random.Random(f"{kind}{version}{in_parts}")
    table = new_table(tmp_path, kind, version, indexes, options)
    given = [row(number) for number in range(24)]
    table.upsert(rows(*given))
    model: Rows = {one["id"]: one for one in given}
    for _ in range(3):
        least = chance.randrange(30)
        new = [row(number, 1, chance.randrange(least, 40)) for number in chance.sample(range(30), chance.randrange(9))]
        overwrite(table.refresh(), rows(*new), col("v") >= least, chance if in_parts else None)
        model = {key: one for key, one in model.items() if one["v"] < least} | {one["id"]: one for one in new}
        assert stored(table) == model
    assert [finding for finding in validate(table.refresh()) if finding.severity != "info"] == []


@pytest.mark.parametrize("in_parts", [False, True])
def test_what_does_not_fit_is_refused(tmp_path: Path, in_parts: bool) -> None:
    """WRITE-1583, WRITE-1584: before anything is written."""
    table, chance = new_table(tmp_path), random.Random(1) if in_parts else None
    table.upsert(rows(*map(row, range(6))))
    before = sorted(tmp_path.rglob("*"))
    wider = rows(row(1)).append_column("extra", pa.array([1]))
    refused: list[tuple[pa.Table, Any, type[HudiError], str]] = [
        (rows(row(1), row(2), row(9)), "v < 9", RowError, 'where: row 3: expected rows for which .* found one .*"k09"'),
        (rows(row(1), row(2, v=3)), "v <> 3", RowError, "where: row 2: expected rows for which the predicate is true"),
        (rows(row(1)), "v / (v - 1) > 0", RowError, "where: row 1: expected rows for which"),
        (rows(row(1), row(1)), "v < 9", RowError, "one row of the source for each row of the table"),
        (rows(row(1)), "w < 9", ExpressionError, "w"),
        (rows(row(1)), "v = NULL", ExpressionError, "where"),
        (wider, "v < 9", UnknownColumnError, "extra"),
        (rows(row(1)).drop_columns("ts"), "v < 9", ExpressionError, "^ts: expected a column of this name"),
    ]
    for given, where, error, text in refused:
        with pytest.raises(error, match=text):
            overwrite(table.refresh(), given, where, chance)
    assert sorted(tmp_path.rglob("*")) == before
    assert overwrite(table.refresh(), rows(), "v < 3", chance).deleted == 3


def test_names_of_lambdas_are_no_columns(tmp_path: Path) -> None:
    """WRITE-1583: and columns may have the names of the sides of a merge."""
    types = pa.schema([("id", pa.string()), ("target", pa.list_(pa.int64())), ("source", pa.int64())])
    table = new_table(tmp_path, types=types)
    table.upsert(pa.table({"id": ["a", "b"], "target": [[1, 5], [2]], "source": [1, 2]}, types))
    new = pa.table({"id": ["c"], "target": [[9]], "source": [3]}, types)
    table.refresh().overwrite(new, where="exists(target, source -> source > 4)")
    assert sorted(stored(table)) == ["b", "c"]
    table.refresh().overwrite(new.slice(0, 0), where="source = 2")
    assert sorted(stored(table)) == ["c"]


@pytest.mark.parametrize("option", [{"add_columns": True}, {"missing_columns": "null"}, {"sort": "global"}])
def test_options_without_use_are_refused(tmp_path: Path, option: dict[str, Any]) -> None:
    """WRITE-1585: a column that was to be added would be left out without a word."""
    table = new_table(tmp_path)
    table.upsert(rows(*map(row, range(6))))
    latest, given, before = table.refresh(), rows(row(1)), sorted(tmp_path.rglob("*"))
    options, parts = WriteOptions(**option), local_rows(table.engine, [given])
    for change in (
        lambda: latest.merge(given, ["id", "p"]).when_matched_update().execute(**option),
        lambda: latest.overwrite(given, where="v < 9", **option),
        lambda: latest.delete(where="v < 9", **option),
        lambda: latest.delete(given, **option),
        lambda: latest.update({"v": 1}, **option),
        lambda: spread_overwrite_where(latest, parts, "v < 9", options),
        lambda: spread_delete_where(latest, "v < 9", lambda _: parts, options),
        lambda: spread_update(latest, {"v": 1}, None, lambda _: parts, options),
        lambda: spread_write(latest, parts, "delete", options),
    ):
        with pytest.raises(UsageError, match=f"^{next(iter(option))}: expected no"):
            change()
    assert sorted(tmp_path.rglob("*")) == before
