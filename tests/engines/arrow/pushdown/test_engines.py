"""Queries of Polars, pyarrow, DuckDB and DataFusion give the rows that these engines choose among all rows, and read less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings

import hudi_core
from hudi_core.table.scan import Scan
from tests.support.drawing import cases
from tests.support.pushed_queries import CONDITIONS, Condition, in_arrow, in_polars, in_sql, made_table

KINDS = ("cow", "mor")


class Queried:
    """One table with all its rows as each engine has them in memory."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.scans: list[Scan] = []
        self.table = made_table(folder, kind)
        self.rows: pa.Table = self.table.to_arrow()
        self.dataset = self.table.to_dataset(on_scan=self.scans.append)
        self.lazy = self.table.to_lazy(on_scan=self.scans.append)
        self.frame = pl.DataFrame(self.rows)
        self.duck = duckdb.connect()
        self.table.to_duckdb(self.duck, "hudi", on_scan=self.scans.append)
        rows = self.rows  # noqa: F841 - DuckDB finds it by its name
        self.duck.execute("CREATE TABLE memory_rows AS SELECT * FROM rows")
        self.fusion = datafusion.SessionContext()
        self.fusion.register_dataset("hudi", self.dataset)
        self.fusion.register_dataset("memory_rows", ds.dataset(self.rows))


@pytest.fixture(scope="module")
def queried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Queried]:
    return {kind: Queried(tmp_path_factory.mktemp(kind) / "t", kind) for kind in KINDS}


def ids(rows: Any) -> list[int]:
    """The keys of an Arrow table, sorted."""
    return sorted(rows["id"].to_pylist())


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", KINDS)
@given(condition=CONDITIONS)
@settings(max_examples=cases(150, part=4))
def test_polars_gets_its_own_rows(queried: dict[str, Queried], kind: str, condition: Condition) -> None:
    """TABLE-690, TABLE-692, TABLE-694, TABLE-696."""
    one, expression = queried[kind], in_polars(condition)
    expected = sorted(one.frame.filter(expression)["id"].to_list())
    assert sorted(one.lazy.filter(expression).select("id").collect()["id"].to_list()) == expected


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", KINDS)
@given(condition=CONDITIONS)
@settings(max_examples=cases(150, part=4))
def test_pyarrow_gets_its_own_rows(queried: dict[str, Queried], kind: str, condition: Condition) -> None:
    """TABLE-691, TABLE-693, TABLE-695."""
    one, expression = queried[kind], in_arrow(condition)
    expected = ids(ds.dataset(one.rows).to_table(["id"], expression))
    assert ids(one.dataset.to_table(["id"], expression)) == expected


@pytest.mark.parametrize("kind", KINDS)
@given(condition=CONDITIONS)
@settings(max_examples=cases(60, part=4))
def test_duckdb_gets_its_own_rows(queried: dict[str, Queried], kind: str, condition: Condition) -> None:
    """TABLE-697."""
    duck, where = queried[kind].duck, in_sql(condition).replace("BYTEA", "BLOB")
    found, expected = (
        duck.sql(f"SELECT id FROM {name} WHERE {where} ORDER BY id").fetchall() for name in ("hudi", "memory_rows")
    )
    assert found == expected


@pytest.mark.parametrize("kind", KINDS)
@given(condition=CONDITIONS)
@settings(max_examples=cases(60, part=4))
def test_datafusion_gets_its_own_rows(queried: dict[str, Queried], kind: str, condition: Condition) -> None:
    fusion, where = queried[kind].fusion, in_sql(condition)
    found, expected = (
        sorted(fusion.sql(f"SELECT id FROM {name} WHERE {where}").to_pydict().get("id", []))
        for name in ("hudi", "memory_rows")
    )
    assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_no_columns_are_counted(tmp_path: Path, kind: str) -> None:
    """TABLE-1427."""
    rows = pa.table({"id": [1, 2, 3], "v": [1, 2, 3]})
    table = hudi_core.create(tmp_path / "t", rows, key="id", type=kind)
    table.upsert(rows)
    table.refresh().upsert(rows.slice(1, 1))
    table = table.refresh()
    assert [table.to_arrow(columns=[], where=where).num_rows for where in (None, "v > 1")] == [3, 2]
    assert sum(batch.num_rows for batch in table.scan(columns=[], limit=2).to_stream()) == 2
    assert len(table.to_pandas(columns=[])) == 3
    assert table.changes(since="earliest", columns=[]).to_arrow().num_rows == 4
    context = datafusion.SessionContext()
    context.register_dataset("t", table.to_dataset())
    assert context.sql("SELECT count(*) AS n FROM t WHERE v > 1").to_arrow_table()["n"].to_pylist() == [2]
    assert table.to_lazy().select(pl.len()).collect().item() == 3
    if pl.DataFrame({"a": [1]}).drop("a").height:  # older versions have no rows without columns
        assert table.to_lazy().with_row_index().select("index").collect().height == 3
        assert table.to_lazy().filter(pl.col("v") > 1).with_row_index().select("index").collect().height == 2


def test_a_limit_may_be_any_number(tmp_path: Path) -> None:
    table = hudi_core.create(tmp_path / "t", pa.table({"id": [1, 2]}), key="id")
    table.upsert(pa.table({"id": [1, 2]}))
    assert table.refresh().scan(limit=10**30).to_arrow().num_rows == 2
