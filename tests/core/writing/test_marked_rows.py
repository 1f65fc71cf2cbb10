"""Rows that say of themselves that they are deleted, where rows are added without a look at what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.keywords import OperationName
from hudi_core.front.opening import create_table


@pytest.mark.each_value
@pytest.mark.parametrize("op", ["insert", "append", "bulk_insert", "insert_overwrite", "insert_overwrite_table"])
@pytest.mark.parametrize("indexes", [(), ("record_index", "bloom_filters")])
def test_rows_with_a_delete_marker_are_not_added(tmp_path: Path, op: OperationName, indexes: tuple[Any, ...]) -> None:
    """WRITE-7."""
    types = pa.schema([("id", pa.string()), ("p", pa.string()), ("_hoodie_is_deleted", pa.bool_())])
    stays = ["z"] if op in ("insert", "append", "bulk_insert") else []
    for number, kind in enumerate(("cow", "mor")):
        options: dict[str, Any] = {"indexes": indexes} if indexes else {}
        table = create_table(tmp_path / f"t{number}", types, "id", partition_by="p", type=kind, **options)
        table.insert(pa.table({"id": ["z"], "p": ["x"], "_hoodie_is_deleted": [None]}, types))
        rows = {"id": ["a", "b", "c"], "p": ["x", "x", "y"], "_hoodie_is_deleted": [True, False, True]}
        assert table.write(pa.table(rows, types), op).inserted == 1
        assert sorted(table.refresh().to_arrow(columns=["id"])["id"].to_pylist()) == sorted([*stays, "b"])
        assert [one.partition for one in table.refresh().slices()] == ["x"] * len(table.refresh().slices())
        assert table.refresh().to_arrow("id = 'a' OR id = 'c'").num_rows == 0
        table.refresh().upsert(pa.table({"id": ["a"], "p": ["x"], "_hoodie_is_deleted": [False]}, types))
        assert sorted(table.refresh().to_arrow(columns=["id"])["id"].to_pylist()) == sorted([*stays, "a", "b"])
        assert list(table.refresh().validate()) == []


def test_clustering_keeps_rows_that_have_a_delete_marker(tmp_path: Path) -> None:
    """WRITE-7: others write them, and they are rows of the table."""
    table = create_table(tmp_path / "t", pa.schema([("id", pa.string()), ("gone", pa.bool_())]), "id")
    table.insert(pa.table({"id": ["a", "b"], "gone": [True, False]}))
    table = table.refresh().evolve("RENAME COLUMN gone TO _hoodie_is_deleted")
    assert table.count() == 2
    table.cluster(columns=["id"])
    assert table.refresh().to_arrow(columns=["id"])["id"].to_pylist() == ["a", "b"]
